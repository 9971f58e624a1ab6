/* npy_dtype.h - the dictionary of a .npy file: NumPy's dtype, order and shape, and the dtype of a spec's type. */
#ifndef MS_CLI_NPY_DTYPE_H
#define MS_CLI_NPY_DTYPE_H

#include <monosweep/monosweep.h>

enum { MS_DTYPE_FIELDS = 128, MS_DTYPE_PATH_BYTES = 256, MS_DTYPE_DIMENSIONS = 64 /* NumPy 2 has as many */ };

typedef struct ms_dtype_field {
    char path[MS_DTYPE_PATH_BYTES]; /* as msw_leaf's */
    msw_scalar scalar;
    uint64_t offset;
} ms_dtype_field;

/* A dtype as a list of scalars, and the shape of the array. */
typedef struct ms_dtype {
    ms_dtype_field fields[MS_DTYPE_FIELDS];
    uint32_t field_count;
    uint64_t bytes; /* of a record, > 0 */
    uint64_t shape[MS_DTYPE_DIMENSIONS];
    uint32_t dimensions;
    int is_fortran;   /* 1: the first index is the fastest */
    const char *text; /* the descr, inside the parsed text */
    size_t text_bytes;
} ms_dtype;

/* 1: the text is {'descr': .., 'fortran_order': True or False, 'shape': (numbers that 64 bits hold)}, and nothing follows. */
int ms_dtype_is_header(const char *text, size_t bytes);
/* Reads it. 0: it is no such dictionary, or one that holds no elements of any type of ours (big-endian, objects, text). */
int ms_dtype_parse(const char *text, size_t bytes, ms_dtype *dtype);
/* Where records are one scalar each, and the last of several dimensions has this many: they become records of a vec's components. */
void ms_dtype_join_components(ms_dtype *dtype, uint32_t components);
/* Records of the array, all dimensions together. 0: more than 64 bits count. */
int ms_dtype_count(const ms_dtype *dtype, uint64_t *count);

/* The descr of a type: "'<f4'" or "[('a', '<f4'), ('', '|V3'), ..]"; malloc'd, NULL: out of memory. */
char *ms_dtype_text(const msw_type_info *type);
/* Components of a vec type (the array's second dimension), 0 for every other type. */
uint32_t ms_dtype_components(const msw_type_info *type);
uint32_t ms_dtype_scalar_bytes(msw_scalar scalar);
/* 1 when a file's path is the leaf's: "v.x", or "v_x" in a flattened struct. */
int ms_dtype_same_path(const char *leaf, const char *path);

#endif
