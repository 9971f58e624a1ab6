/* planning.h - what the planners of operation kinds, and loop.c, share. */
#ifndef MS_PLANNING_H
#define MS_PLANNING_H

#include "planner.h"

/* The scratch begins with counters (templates/parts/counters.tpl). */
enum { MS_COUNTERS_BYTES = 384 };

/* Tiles of a block: llvmpipe ends a shader's loops, silently, after 65535 iterations in all. A tile takes up to about 30, one of a look-back up to
 * some hundred. */
enum { MS_LAVAPIPE_TILES = 1024, MS_LAVAPIPE_LOOKBACK_TILES = 64 };
/* And items that a thread writes of an expansion (templates/scan/expand.tpl). */
enum { MS_LAVAPIPE_THREAD_ITEMS = 24576 };

typedef struct ms_planning {
    ms_arena *arena;
    const ms_operation *op;
    const msw_target *target;
    const ms_planner *planner;
    const msw_knob *knobs; /* the spec's, then the caller's */
    uint32_t knob_count;
    ms_tuning *tuning;
    const ms_geometry *g, *lookahead; /* lookahead: of that strategy, where it is one of several; NULL: it is not */
    const ms_operation *wide;         /* the operation with counters of 64 bits, for n beyond what those of 32 count; NULL: there is none */
    msw_plan *plan;
    ms_kernel_shape *shapes;
    uint32_t tile, aggregate_bytes;
    uint32_t aggregates_offset, counts_offset, descriptors_offset; /* counts: what of blocks' items is kept, where states decide that */
    uint32_t parts, tile_parts; /* of an append: how many parts of large tiles have room in the scratch, and of each tile besides */
    int has_fallback;
    int has_posts;           /* some variant has posts: what else the scratch has of tiles lies at its end */
    uint64_t hybrid_from;    /* of a sort: the n from which on it partitions; UINT64_MAX: it does not */
    uint64_t counting_from;  /* of a sort: the n from which on it moves no key; UINT64_MAX: it does */
    uint32_t found_segments; /* the kernel that finds them for tiles of this geometry, plus 1; 0: there is none yet */
} ms_planning;

/* Tells the kernel's template a number. Of more than MS_MAX_CONSTANTS it is told none: its first use is then an error of emission. */
void ms_plan_tell(ms_kernel_shape *shape, const char *name, uint32_t value);
/* Adds a kernel of the plan's geometry; returns its index. */
uint32_t ms_plan_add_kernel(ms_planning *p, const char *entry, ms_kernel_shape shape, uint32_t shared_bytes);
msw_plan_step *ms_plan_add_step(ms_planning *p, uint32_t kernel, uint32_t tile_items, uint32_t max_blocks);
/* Between the two, steps are the variant's. */
msw_plan_variant *ms_plan_begin_variant(ms_planning *p, const char *strategy, uint64_t n_max);
/* What its launches read and write in all, in bytes an item. */
void ms_plan_moves(msw_plan_variant *variant, uint32_t read_bytes, uint32_t written_bytes);
void ms_plan_end_variant(ms_planning *p, msw_plan_variant *variant);
/* Makes of a planning one of `wide`, to whose plan it adds. wish: that of the geometry; 0: no geometry fits. */
int ms_plan_widen(const ms_planning *p, const ms_geometry_wish *wish, ms_planning *widened, ms_geometry *g);
/* The name of a kernel, of which the wide form has another. */
#define MS_ENTRY(p, name) ((p)->op->is_wide ? name "_wide" : name)
/* Leaves out kernels that no step launches: some are planned before the variants, whose limits they set. */
void ms_plan_drop_unlaunched(ms_planning *p);
/* The steps that zero a scratch; the plan's last. */
void ms_plan_add_initialisation(ms_planning *p);

/* UNSUPPORTED where a scattered output is longer than the target can index. */
msw_result ms_plan_check_lengths(const ms_operation *op, const msw_target *target, msw_diag *diag);
/* The largest n that `blocks` blocks of at most `lavapipe_tiles` tiles there serve. */
uint64_t ms_plan_n_limit(const ms_planning *p, uint64_t blocks, uint64_t lavapipe_tiles);
/* The largest n of whose tiles kernels can index an array of that type in the scratch, in groups of VECTOR items. */
uint64_t ms_plan_values_limit(const ms_planning *p, const ms_type *type);
/* The largest n whose posts kernels can count in 32 bits (templates/parts/posts.tpl). tile_descriptor_bytes: of a tile; other_words: words of the
 * scratch before the posts. */
uint64_t ms_plan_posts_limit(const ms_planning *p, uint32_t tile_descriptor_bytes, uint32_t other_words);
static inline uint64_t ms_least(uint64_t a, uint64_t b) { return a < b ? a : b; }
/* Blocks at most of a launch; of one that wants this number; of a kernel whose blocks take tickets. */
uint32_t ms_plan_most_blocks(const ms_planning *p);
uint32_t ms_plan_at_most_blocks(const ms_planning *p, uint64_t wanted);
uint32_t ms_plan_ticket_blocks(const ms_planning *p);

/* The operation as a loop in plain C, of any kind. (loop.c) */
void ms_plan_loop(ms_planning *p);

#endif
