/* gather.h - outputs whose elements do not lie in the order of the input's: what each of the input's made, found where it went.
 *
 * What nothing went to must hold what it held before the run, which verification takes to be zeros. */
#ifndef MS_GATHER_H
#define MS_GATHER_H

#include "bounds.h"

/* The elements that went to each place of a scattered output: i = first[place] - 1, then i = next[i] - 1, .. as long as that is not 0. */
typedef struct ms_writers {
    uint64_t *first, *next, places;
} ms_writers;

/* By records of `output`, made of n elements. 0: out of memory. */
int ms_writers_find(const ms_operation *op, ms_arena *arena, uint32_t b, uint64_t n, const void *records, ms_writers *writers);

/* Whether `got` may be what element i has in leaf l of the record. */
typedef int ms_may_be(const void *user, uint64_t i, uint32_t l, uint64_t got);

/* An operation's elements, as records of its outputs. ms_is_kept is an ms_is_there of them: it leaves out what an output does not keep. */
typedef struct ms_records {
    const ms_operation *op;
    uint64_t n;
    const void *records;
} ms_records;
int ms_is_kept(const void *records, uint64_t i, uint32_t l);

/* The outputs as an array of `count` records: of each element of n what lies where it belongs by the records that are expected; its own record where
 * it belongs nowhere. Of several elements in one place the first has a scalar that is there which may be its; the others have their own records'.
 * may_be NULL: all do. NULL: out of memory. */
const void *ms_gather_outputs(const ms_operation *op, const void *const *outputs, uint64_t n, uint64_t count, const void *expected, ms_may_be *may_be,
                              const void *user, ms_arena *arena);

/* The first place of output b that nothing went to, and that is neither zero nor, where segments may be empty, what these come to; the array's
 * length: there is none. 0: out of memory. */
int ms_gather_stray(const ms_operation *op, ms_arena *arena, uint32_t b, const ms_writers *writers, const unsigned char *array, uint64_t *stray);

/* Whether elements of any output go to places that the operation computes, or of a scattered one. */
int ms_has_places(const ms_operation *op);
int ms_has_scattered(const ms_operation *op);
/* Whether elements go to places of the buffer that they choose. Items of an expansion do not: their order says where they are. */
int ms_is_scattered(const ms_operation *op, uint32_t b);
/* Whether a device's roundings decide what is kept, or where elements go. */
int ms_places_are_open(const ms_operation *op, const ms_bounds *bounds);

#endif
