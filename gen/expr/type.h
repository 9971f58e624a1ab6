/* type.h - the storable types of the spec language and their memory layout (C's natural layout). */
#ifndef MS_TYPE_H
#define MS_TYPE_H

#include "arena.h"

#include <string.h>

enum { MS_MAX_ELEMENT_BYTES = 128, MS_MAX_NAME = 64 };

typedef enum ms_type_kind { MS_TYPE_SCALAR, MS_TYPE_VEC, MS_TYPE_STRUCT } ms_type_kind;

typedef struct ms_field {
    const char *name;
    const struct ms_type *type;
    uint32_t offset_bytes;
} ms_field;

/* Immutable once made. Every value is a list of scalar leaves in memory order (`info.leaves`); the expression DAG knows leaves only. */
typedef struct ms_type {
    ms_type_kind kind;
    msw_type_info info;            /* name, size, alignment, leaves */
    msw_scalar scalar;             /* SCALAR: itself; VEC: of its components */
    uint32_t vec_length;           /* VEC: 2, 3, 4 */
    const struct ms_type *element; /* VEC */
    uint32_t field_count;          /* STRUCT */
    const ms_field *fields;
} ms_type;

/* The scalar type; a static object, never NULL (BOOL included: not storable, size 1). */
const ms_type *ms_type_scalar(msw_scalar scalar);
/* NULL: out of memory (error is then "") or `error` says why not (a bool, a length, a vec of vecs, > 128 bytes ..). */
const ms_type *ms_type_vec(ms_arena *arena, const ms_type *element, uint32_t length, char error[256]);
/* fields: name and type filled in. Field names must be identifiers, distinct. */
const ms_type *ms_type_struct(ms_arena *arena, const char *name, const ms_field *fields, uint32_t field_count, char error[256]);
/* The struct without fields, no bytes: an element of an operation that reads no array. A static object. */
const ms_type *ms_type_nothing(void);
/* Same name, fields and layout (structs made twice from the same text are the same type). */
int ms_type_equal(const ms_type *a, const ms_type *b);
/* The registers that an element takes: 32-bit words of its leaves, of which none shares one. */
uint32_t ms_register_words(const ms_type *type);
/* 1 when some byte of an element belongs to no leaf. */
int ms_type_has_padding(const ms_type *type);
/* Whether a device that cannot store small types, or C's padding, moves its elements as 32-bit words. */
int ms_type_has_words(const ms_type *type);
/* Letters, digits and _, no digit first. */
int ms_is_identifier(const char *name);

const char *ms_scalar_name(msw_scalar scalar); /* "u32" */
uint32_t ms_scalar_bytes(msw_scalar scalar);
int ms_scalar_is_float(msw_scalar scalar);
int ms_scalar_is_signed(msw_scalar scalar); /* signed integers */
int ms_scalar_is_integer(msw_scalar scalar);

/* Scalars travel as 64 raw bits: integers sign- or zero-extended to 64 bits, f16/f32/f64 as their IEEE bits in the low part, bool 0 or 1. */
uint64_t ms_scalar_load(msw_scalar scalar, const void *memory);
void ms_scalar_store(msw_scalar scalar, void *memory, uint64_t bits);
double ms_scalar_to_double(msw_scalar scalar, uint64_t bits);
static inline double ms_double_of(uint64_t bits) /* those of an f64 */
{
    double value;
    return memcpy(&value, &bits, sizeof value), value;
}
uint64_t ms_scalar_from_double(msw_scalar scalar, double value); /* rounds floats to nearest even; integers: saturates, NaN 0 */

#endif
