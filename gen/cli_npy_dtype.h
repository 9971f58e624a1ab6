/* cli_npy_dtype.h - the dictionary of a .npy file: NumPy's dtype, order and shape, and the dtype of a spec's type. */
#ifndef MS_CLI_NPY_DTYPE_H
#define MS_CLI_NPY_DTYPE_H

#include <monosweep/monosweep.h>

enum { MS_DTYPE_FIELDS = 128, MS_DTYPE_PATH_BYTES = 256 };

typedef struct ms_dtype_field {
    char path[MS_DTYPE_PATH_BYTES]; /* as msw_leaf's */
    msw_scalar scalar;
    uint64_t offset;
} ms_dtype_field;

/* A dtype as a list of scalars, and how many records there are. */
typedef struct ms_dtype {
    ms_dtype_field fields[MS_DTYPE_FIELDS];
    uint32_t field_count;
    uint64_t bytes; /* of a record, > 0 */
    uint64_t count;
    const char *text; /* the descr, inside the parsed text */
    size_t text_bytes;
} ms_dtype;

/* Reads {'descr': .., 'fortran_order': .., 'shape': ..}. 0: it is no such dictionary, or one that holds no elements of any type of ours
 * (Fortran order, big-endian, objects, text, more dimensions). */
int ms_dtype_parse(const char *text, size_t bytes, ms_dtype *dtype);

/* The descr of a type: "'<f4'" or "[('a', '<f4'), ('', '|V3'), ..]"; malloc'd, NULL: out of memory. */
char *ms_dtype_text(const msw_type_info *type);
/* Components of a vec type (the array's second dimension), 0 for every other type. */
uint32_t ms_dtype_components(const msw_type_info *type);
uint32_t ms_dtype_scalar_bytes(msw_scalar scalar);
/* 1 when a file's path is the leaf's: "v.x", or "v_x" in a flattened struct. */
int ms_dtype_same_path(const char *leaf, const char *path);

#endif
