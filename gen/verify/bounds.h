/* bounds.h - what a scan or reduction of a user's data comes to, and how far a correct device may be from it, element by element.
 *
 * The host computes it in double precision, and three times more with every rounding pushed as far as it goes: away from zero in blocks of
 * max(1024, sqrt n), up in balanced tiles, up or down at random in blocks of 256. What these runs move is near the worst of any tree. */
#ifndef MS_BOUNDS_H
#define MS_BOUNDS_H

#include "spec/spec.h"

enum { MS_UNDECIDED_PART = 10 }; /* a field is verified where at most one element in 10 is undecided */

/* What is known of a leaf of an element beside its bound. */
typedef enum ms_undecided {
    MS_DECIDED,
    MS_SOME_NUMBER, /* nothing but that it is one */
    MS_ANYTHING,
    MS_SURE_NAN /* every order of combination comes to NaN */
} ms_undecided;

enum { MS_BOUND_BLOCK = 64 }; /* elements of a scan that share a bound */

typedef struct ms_bounds {
    uint64_t n, count;       /* elements of the input and of the output */
    uint64_t first_infinite; /* element of the input, the first as combined, with an infinity or a NaN: its place in memory; n: there is none */
    uint64_t block_count;
    uint32_t block_elements; /* that share a bound, in the order in which they are combined */
    uint32_t leaf_count;     /* of the output */
    int is_reverse;
    int is_unbounded;        /* sin or cos beyond pi was computed, for a device that does not bound it there */
    int is_exact;            /* no order of combination rounds, and states are the output: nothing may be off */
    unsigned char *expected; /* the output */
    double *moved, *scale;   /* [block][leaf]: the largest difference of a pushed run, the largest magnitude; with the adjacent blocks' */
    uint8_t *undecided;      /* [element, in memory order][leaf]: ms_undecided */
} ms_bounds;

/* All in the arena. is_loose: devices' functions are as Vulkan's. Errors: OUT_OF_MEMORY, SPEC (a host function failed). */
msw_result ms_bounds_make(const ms_operation *op, ms_arena *arena, int is_loose, uint64_t n, const void *input, ms_bounds *bounds);

/* The same of a map, or of the items of an expansion whose lengths are promised. (map_bounds.c) */
msw_result ms_map_bounds_make(const ms_operation *op, ms_arena *arena, int is_loose, uint64_t n, const void *input, ms_bounds *bounds);

/* 1: floats of these data are only added, and no order rounds a sum of them: all are multiples of a power of two, and few enough. 0: nobody knows,
 * also where memory is short. (exact_sums.c) */
int ms_sums_are_exact(const ms_operation *op, ms_arena *arena, uint64_t n, const void *input);

/* What probes have shown to lose nothing: then also values count that are too small to have a bound of 1 %. */
typedef enum ms_probed {
    MS_PROBED_NOTHING,
    MS_PROBED_STATES, /* zeros count where no rounding moves them: a source or an output may be wrong by as much as one does */
    MS_PROBED_OUTPUTS /* the states are the output, of elements that are as every device has them */
} ms_probed;

/* Whether an output has leaf l of element i; some keep only some elements. */
typedef int ms_is_there(const void *user, uint64_t i, uint32_t l);

/* Compares an output with what is expected: one field for each leaf, of the elements that are there (NULL: all). (judge.c) */
void ms_bounds_judge(const ms_bounds *bounds, const ms_type *type, const void *output, ms_probed probed, ms_is_there *is_there, const void *user,
                     msw_verified_field *fields);

/* Whether `got` is within the bounds of leaf l of element i. (judge.c) */
int ms_bounds_allow(const ms_bounds *bounds, const ms_type *type, uint64_t i, uint32_t l, uint64_t got);

#endif
