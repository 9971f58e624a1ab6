/* geometry.h - the numbers of an operation's kernels on a target (ms_geometry): defaults, knobs over them, and whether they fit. */
#ifndef MS_GEOMETRY_H
#define MS_GEOMETRY_H

#include "choices.h"
#include "tuning.h"

/* The strategy that knobs name; NULL: none, or auto. */
const char *ms_knobs_strategy(const msw_knob *knobs, uint32_t count);

static inline uint32_t ms_round_up(uint32_t bytes, uint32_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

static inline int ms_is_power_of_two(uint32_t value) { return value && !(value & (value - 1)); }

/* Every knob has a name and a value. */
msw_result ms_knobs_check(const msw_knob *knobs, uint32_t count, msw_diag *diag);

/* What decides over a geometry, beside the operation and the target: a measured row, over which come the user's knobs, and the strategy where the
 * planner chooses one (NULL: the knobs' or none). */
struct ms_planner;
typedef struct ms_geometry_wish {
    const struct ms_planner *planner; /* of the operation's kind */
    ms_tuning_row *row;               /* one that does not fit by itself is left out */
    const msw_knob *knobs;
    uint32_t knob_count;
    const char *strategy;
    uint32_t parks; /* the knob where neither a row nor the user has it */
} ms_geometry_wish;
msw_result ms_geometry_choose(const ms_operation *op, const msw_target *target, const ms_geometry_wish *wish, ms_geometry *g, msw_diag *diag);

/* Bytes of a value in registers, shared memory and scratch: C's layout, but nothing is narrower than a word there. */
uint32_t ms_register_bytes(const ms_type *type);

/* What a thread holds items of. */
const ms_type *ms_held_type(const ms_operation *op);

/* Values that a block exchanges in a scan. */
uint32_t ms_block_values(const ms_geometry *g);
/* Shared memory of a block of any scan or reduction but look-ahead. */
uint32_t ms_fold_shared_bytes(const ms_operation *op, const ms_geometry *g);
/* .. of which look-back has so much for sums of tiles that wait; other kernels do without. */
uint32_t ms_parked_bytes(const ms_operation *op, const ms_geometry *g);
/* .. of which an append has so much for where its items start; kernels that write no items do without. */
uint32_t ms_starts_bytes(const ms_operation *op, const ms_geometry *g);
/* .. or, in a look-back, so many items that lie in shared memory together, and so much for them and for where they start. 0: it has none there. */
uint32_t ms_staged_items(const ms_operation *op, const ms_geometry *g);
uint32_t ms_staged_bytes(const ms_operation *op, const ms_geometry *g, int has_narrow_types);
/* The larger of the two. */
uint32_t ms_items_bytes(const ms_operation *op, const ms_geometry *g);
/* .. and a balanced tree three times so much for its levels, twice where aggregates are read. */
uint32_t ms_levels_bytes(const ms_operation *op);

/* .. and so much for packed items that are put together; only kernels that write outputs have it. */
uint32_t ms_packed_bytes(const ms_operation *op, const ms_geometry *g);
/* The knob `packs` as the operation can have it. */
uint32_t ms_packs(const ms_operation *op, uint32_t packs);

/* The fewest items that are whole words. */
uint32_t ms_whole_word_items(const ms_type *type);
/* Whether it is a reduction of which a thread adds up its part of a row as it is loaded, and holds that (templates/scan/dealt_rows.tpl). */
int ms_reduces_in_order(const ms_operation *op);
/* Items that a lane takes together: whole words, and where it can be 16 bytes of the widest of both arrays, or 48 for sizes like 12 and 24. What is
 * reduced in order is loaded in groups, its result is not stored in any. */
uint32_t ms_vector_items(const ms_operation *op);
/* The number of items of a thread that take about thread_bytes bytes, or a quarter as many registers: a multiple of `vector`. */
uint32_t ms_thread_items(const ms_operation *op, uint32_t thread_bytes, uint32_t vector);

/* Whether a multiprocessor holds two blocks with 64 KiB of shared memory each. */
int ms_is_roomy(const msw_target *target);
/* Whether the target copies between global and shared memory in bulk (CUDA, sm_90 and later), as look-ahead does. */
int ms_has_bulk_copies(const msw_target *target);
/* Whether a CUDA target's architecture is this one or a later one. */
int ms_has_arch(const msw_target *target, uint32_t number);
/* Look-ahead: bytes of a tile in shared memory, with 16 more for what comes with one that is not aligned; and of all that a block has there. */
uint32_t ms_stage_bytes(const ms_operation *op, const ms_geometry *g);
/* Counters of a state of which kernels have two in a word, of 16 bits each, as far as they are of one tile (gen/emit/tallies.lua); 0: none. */
uint32_t ms_tallies(const ms_operation *op, const ms_geometry *g);
/* Whether results are packed as soon as a tile has been summed up, and not when what comes before it is known. */
int ms_packs_early(const ms_operation *op);

/* Whether an output's values are made of the index alone: packed early, its items are places in the tile, of 16 bits. */
int ms_is_numbered(const ms_operation *op, uint32_t b);
/* Look-ahead: of which scalar a packed output's values are made when they leave, since they take many operations and most items may not be kept: a
 * parameter of output_map and its leaf. type: the scalar's; NULL: they are made where they are packed. */
typedef struct ms_late_value {
    const ms_type *type;
    uint32_t param, leaf;
} ms_late_value;
ms_late_value ms_late_value_of(const ms_operation *op, uint32_t b);
/* Look-ahead: whether an item's inputs, and what stages hold of its results, are words of 16 bits at most. */
int ms_stages_narrow_items(const ms_operation *op);
/* Whether what a partition does not put first lies behind the array before it, in one room for both. */
int ms_lies_behind(const ms_operation *op, uint32_t buffer);
/* Results that do not fit into the room of the tile's inputs: of one tile, or of all that have been packed early and have not left. */
uint32_t ms_beyond_bytes(const ms_operation *op, const ms_geometry *g);
/* Of these, results of 16 bits each: bytes of a tile's, 0 where there are none, and of how many tiles; stage s has room s modulo that. */
uint32_t ms_short_bytes(const ms_operation *op, const ms_geometry *g);
uint32_t ms_short_rooms(const ms_geometry *g);
/* Whether stages hold several arrays, what is near items, or packed results (templates/scan/staged_arrays.tpl). */
int ms_stages_arrays(const ms_operation *op);
/* Subgroups of a block beside those that take tiles: one looks for what comes before them, and of arrays one has them come; that of
 * segments by offsets with a result each also posts what they add up to (templates/scan/total_tiles.tpl). */
uint32_t ms_lookahead_helpers(const ms_operation *op);
/* Of an item, what a tile's size is chosen by: of the inputs, where stages hold arrays, or sums of segments in their place; else of
 * the input or the output, the wider. */
uint32_t ms_tile_item_bytes(const ms_operation *op);
/* Whether the buffer has an element a segment, not an item. */
int ms_is_of_segments(const ms_operation *op, uint32_t b);
/* Of an element in all arrays of that role. */
uint32_t ms_item_bytes(const ms_operation *op, msw_role role);
uint32_t ms_lookahead_shared_bytes(const ms_operation *op, const ms_geometry *g);

/* CUDA: shared memory that a text may ask for by itself; what is beyond comes with the launch. */
enum { MS_STATIC_SHARED_BYTES = 48 << 10 };

/* Scratch of a value of `words` words in a look-back (templates/parts/posts.tpl): a post of an aggregate and one of an inclusive prefix, or
 * one for both. */
uint32_t ms_descriptor_bytes(uint32_t words, const char *descriptor, int has_fallback);

int ms_is_cpu_driver(const msw_target *target);
/* llvmpipe's: no MSW_FEATURE_LONG_LOOPS. */
int ms_has_short_loops(const msw_target *target);

#endif
