#include "array.h"
#include "npy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_npy(const char *path)
{
    const size_t length = strlen(path);
    return length >= 4 && !strcmp(path + length - 4, ".npy");
}

/* Standard input, a device, a pipe: the name does not say what is in it, so its first bytes do. */
static int is_nameless(const char *path)
{
    struct stat status;
    return !strcmp(path, "-") || !strcmp(path, "/dev/stdin") || !strncmp(path, "/dev/fd/", 8) || (!stat(path, &status) && !S_ISREG(status.st_mode));
}

static int holds_npy(const char *path, const ms_bytes *head) { return is_npy(path) || (is_nameless(path) && ms_npy_begins(head)); }

static const char *shown_name(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

static ms_exit check_multiple(const char *path, const msw_type_info *type, uint64_t bytes)
{
    if (bytes % type->size_bytes == 0) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_FAILED,
                       "%s: %llu bytes are not a multiple of the %u bytes of an element of type %s; check the file and the spec's types",
                       shown_name(path), (unsigned long long)bytes, type->size_bytes, type->name);
}

ms_exit ms_array_measure(const char *path, const msw_type_info *type, int is_flat, uint64_t *count)
{
    ms_bytes head;
    uint64_t bytes;
    ms_exit code = ms_file_peek(path, is_npy(path) || is_nameless(path) ? MS_NPY_HEAD_BYTES : 0, &head, &bytes);
    *count = MS_SIZE_UNKNOWN;
    if (code || bytes == MS_SIZE_UNKNOWN) return code;
    if (holds_npy(path, &head)) code = ms_npy_measure(shown_name(path), &head, bytes, type, is_flat, count);
    else if (!(code = check_multiple(path, type, bytes))) *count = bytes / type->size_bytes;
    free(head.data);
    return code;
}

ms_exit ms_array_load(const char *path, const msw_type_info *type, int is_flat, uint64_t most, ms_array *array)
{
    const uint64_t most_bytes = most < (UINT64_MAX - MS_NPY_HEAD_BYTES) / type->size_bytes ? most * type->size_bytes + MS_NPY_HEAD_BYTES : UINT64_MAX;
    ms_bytes bytes;
    ms_exit code = ms_file_read_most(path, most_bytes, &bytes);
    if (code) return code;
    if (holds_npy(path, &bytes)) {
        code = ms_npy_decode(shown_name(path), &bytes, type, is_flat, &array->data, &array->count);
        free(bytes.data);
        return code;
    }
    array->data = bytes.data;
    array->count = bytes.count / type->size_bytes;
    return check_multiple(path, type, bytes.count);
}

ms_exit ms_array_make(const char *name, const msw_type_info *type, uint64_t count, ms_array *array)
{
    array->count = count;
    array->data = count > SIZE_MAX ? NULL : calloc(count ? count : 1, type->size_bytes);
    if (array->data) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_FAILED, "%s: %llu elements of %u bytes do not fit this machine's memory; give it fewer", name,
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
