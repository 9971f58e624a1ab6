/* npy.h - NumPy's .npy files (format 1, 2 and 3), as elements of a spec's type.
 *
 * Reading takes any dtype with the type's fields, by name, wherever they lie in the record: packed, padded ('V' fields) or
 * placed by offsets; a vec may be a sub-array ('<f4', (3,)) or its flattened fields "v.x" or "v_x". Writing makes C's
 * layout with the padding named. Arrays have one dimension (n,); of a vec type (n, components). Others in C order can be read as if they had one
 * (is_flat).
 * Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#ifndef MS_CLI_NPY_H
#define MS_CLI_NPY_H

#include "file.h"

/* Whether these are a .npy file's first bytes, 6 at least: the magic, and a version that there is. */
int ms_npy_begins(const ms_bytes *head);

/* Turns a file's image into `*count` elements of `type`, C layout with zero padding, malloc'd.
 * DONE, or a code after a message that begins with `path` and names the dtype that would do. */
ms_exit ms_npy_decode(const char *path, const ms_bytes *image, const msw_type_info *type, int is_flat, unsigned char **elements, uint64_t *count);

/* How many elements that would be, from the file's first MS_NPY_HEAD_BYTES, or all of a shorter one. With the same messages. */
enum { MS_NPY_HEAD_BYTES = 65536 + 12 };
ms_exit ms_npy_measure(const char *path, const ms_bytes *head, uint64_t file_bytes, const msw_type_info *type, int is_flat, uint64_t *count);

/* What stands before n elements in a file: malloc'd, `*bytes` long. NULL: out of memory. */
char *ms_npy_header(const msw_type_info *type, uint64_t n, size_t *bytes);

#endif
