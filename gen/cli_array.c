#include "cli_array.h"
#include "cli_npy.h"

#include <stdlib.h>
#include <string.h>

static int is_npy(const char *path)
{
    const size_t length = strlen(path);
    return length >= 4 && !strcmp(path + length - 4, ".npy");
}

ms_exit ms_array_load(const char *path, const msw_type_info *type, ms_array *array)
{
    ms_bytes bytes;
    ms_exit code = ms_file_read(path, &bytes);
    if (code) return code;
    if (is_npy(path)) {
        code = ms_npy_decode(path, &bytes, type, &array->data, &array->count);
        free(bytes.data);
        return code;
    }
    array->data = bytes.data;
    array->count = bytes.count / type->size_bytes;
    if (bytes.count % type->size_bytes == 0) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_FAILED,
                       "%s: %zu bytes are not a multiple of the %u bytes of an element of type %s; check the file and the spec's types",
                       strcmp(path, "-") ? path : "standard input", bytes.count, type->size_bytes, type->name);
}

ms_exit ms_array_make(const char *name, const msw_type_info *type, uint64_t count, ms_array *array)
{
    array->count = count;
    array->data = count > SIZE_MAX ? NULL : calloc(count ? count : 1, type->size_bytes);
    if (array->data) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_FAILED, "%s: %llu elements of %u bytes do not fit this machine's memory; split the input", name,
                       (unsigned long long)count, type->size_bytes);
}

ms_exit ms_array_stage(const ms_array *array, const msw_type_info *type, const char *path, ms_stage *stage)
{
    char *header = NULL;
    size_t header_bytes = 0;
    if (is_npy(path)) {
        header = ms_npy_header(type, array->count, &header_bytes);
        if (!header) return ms_complain(MS_EXIT_FAILED, "%s: out of memory; close other programs", path);
    }
    return ms_stage_add(stage, path, header, header_bytes, array->data, array->count * type->size_bytes);
}
