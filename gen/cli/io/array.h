/* array.h - the elements of one buffer, from and to a raw or .npy file. */
#ifndef MS_CLI_ARRAY_H
#define MS_CLI_ARRAY_H

#include "file.h"

typedef struct ms_array {
    unsigned char *data; /* malloc'd, never NULL once loaded or made */
    uint64_t count;      /* elements */
} ms_array;

/* Each returns DONE, or a code after a message. most: elements; a file that has more is not read to its end. */
ms_exit ms_array_load(const char *path, const msw_type_info *type, int is_flat, uint64_t most, ms_array *array);
/* How many elements that will load, by the file's size or header alone; MS_SIZE_UNKNOWN: not known before it is read. is_flat: .npy arrays of any
 * number of dimensions count as one of one. */
ms_exit ms_array_measure(const char *path, const msw_type_info *type, int is_flat, uint64_t *count);
/* `count` zero elements for buffer `name`. */
ms_exit ms_array_make(const char *name, const msw_type_info *type, uint64_t count, ms_array *array);
/* The array must live until the stage's commit. */
ms_exit ms_array_stage(const ms_array *array, const msw_type_info *type, const char *path, ms_stage *stage);

#endif
