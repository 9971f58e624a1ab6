/* Plans of hybrid sorts, the most significant digits first (after Stehle & Jacobsen 2017): a histogram of the keys' top bits, two passes that
 * partition the keys into buckets, and a sort of each bucket in a block's shared memory. */
#include "sorting.h"
#include "diag.h"

#include <math.h>

/* Bytes of a counter, two to a word (templates/sort/top_histogram.tpl); shared bytes of everything else in these kernels. */
enum { COUNTER_BYTES = 2, OTHER_BYTES = 2048 };

enum { FEWEST_WINDOW_BITS = 2, MOST_WINDOW_BITS = 16 };

static uint32_t most_window_bits(const ms_planning *p) { return (uint32_t)ms_least(UINT64_C(2) * p->g->digit_bits, MOST_WINDOW_BITS); }

/* Of the widest window whose buckets a block can count at once. */
static uint32_t counted_bits_of(const ms_planning *p)
{
    uint32_t bits = most_window_bits(p);
    while (bits > FEWEST_WINDOW_BITS && ((uint64_t)COUNTER_BYTES << bits) + OTHER_BYTES > p->target->shared_bytes) bits--;
    return bits;
}

/* For a wider window each block counts a share of the buckets and reads all keys for it; that needs long loops. */
static uint32_t window_bits_of(const ms_planning *p) { return ms_has_short_loops(p->target) ? counted_bits_of(p) : most_window_bits(p); }

/* GPUs by Vulkan: only the size of a block tells their compilers how many registers a thread may have. With NVIDIA's driver, threads of large blocks
 * have half as many registers, so that twice as many run (bench/NOTES.md). Others were not measured. */
static int is_bound_by_registers(const ms_planning *p) { return p->target->backend == MSW_BACKEND_VULKAN && !ms_is_cpu_driver(p->target); }

/* `wanted` threads if the device allows such a block, else a pass's number of them. */
static uint32_t threads_of(const ms_planning *p, uint32_t wanted)
{
    const uint32_t subgroups = p->target->max_block_subgroups;
    const int fits = wanted <= p->target->max_block_threads && (p->g->subgroup == 1 || !subgroups || wanted / p->g->subgroup <= subgroups);
    return fits ? wanted : p->g->block;
}

/* ---- the sort of a bucket ---- */

/* On devices with room for three such blocks (bench/NOTES.md), or by Vulkan on GPUs; elsewhere a pass's. */
enum { ROOMY_BLOCK = 512, ROOMY_ITEMS = 9, ROOMY_RESIDENT = 3, MOST_TILE = 32768, MOST_MATES = 32 };

/* When there are more keys than such buckets hold, a block sorts the largest bucket that fits: one block a multiprocessor, where it is roomy. */
enum { LARGE_BLOCK = 1024, LARGE_ITEMS = 17, LARGE_TIMES = 4, LARGE_RESIDENT = 1 };

static uint32_t floor_log2(uint32_t x)
{
    uint32_t log2 = 0;
    while (x >> (log2 + 1)) log2++;
    return log2;
}

/* Whether items of equal keys are equal, so that it does not matter in which order they are. */
static int are_images(const ms_operation *op)
{
    return !op->value && op->output->kind == MS_TYPE_SCALAR && op->key.bits == 8 * op->output->info.size_bytes;
}

enum { ROOM_BYTES = 32 /* of a part's, in the scratch */ };

/* Items that are read behind a group (templates/sort/local_sort.tpl); keys of a lane, for bins of as many keys and one more. */
enum { FEW_MATES = 5, LEAST_RUN = 5 };

static uint32_t lanes_of(const ms_geometry *g) { return g->subgroup == 1 ? g->block : g->subgroup; }

/* Whether buckets are sorted by neighbours: keys alone that are made again of their images (templates/sort/local_keys.tpl). Where a block of many
 * threads is alone on a multiprocessor, more barriers cost more than that gains (2^29, bench/NOTES.md). */
static int sorts_by_neighbours(const ms_operation *op, const ms_geometry *g) { return op->key.of_image && lanes_of(g) >= 4 && g->resident != 1; }

/* Consecutive keys of a lane. Two lanes of a subgroup have those of its neighbours. Odd: so neighbours that change places in turns settle them, and
 * lanes read from different banks. */
static uint32_t run_of(const ms_geometry *g)
{
    const uint32_t lanes = lanes_of(g), own = (lanes - 2) * (g->block / lanes), run = ((g->block * g->items + own - 1) / own) | 1;
    return run > LEAST_RUN ? run : LEAST_RUN;
}

/* Items of a group and, where not all of equal keys are equal, their places; counts of bins, a whole number for each thread, with a word more for
 * each row of banks. */
static uint32_t local_launch_bytes(const ms_operation *op, const ms_geometry *g)
{
    const uint32_t tile = g->block * g->items, bins = ms_round_up(1u << floor_log2(tile), g->block), bin_words = bins + bins / MS_SORT_BANKS;
    if (sorts_by_neighbours(op, g)) return 4 * (run_of(g) * (g->block / lanes_of(g) * (lanes_of(g) - 2) + 2) + bin_words + MS_SORT_BANKS);
    return 4 * ((tile * ms_sort_exchange_words(op) + FEW_MATES) + (are_images(op) ? 0 : tile + FEW_MATES) + bin_words);
}

static int fits(const ms_planning *p, const ms_geometry *g)
{
    const uint32_t local = local_launch_bytes(p->op, g), listed = ms_sort_launch_bytes(p->op, g);
    return g->block * g->items <= MOST_TILE && (local > listed ? local : listed) + ms_sort_block_bytes(g) <= p->target->shared_bytes;
}

/* As many items as there is room for. 0: there is none. */
static void fit_items(const ms_planning *p, ms_geometry *g)
{
    g->vector = 1;
    while (g->items && !fits(p, g)) g->items--;
    while (g->resident > 1 && g->resident * (local_launch_bytes(p->op, g) + ms_sort_block_bytes(g)) > p->target->shared_bytes) g->resident--;
}

/* Whether these kernels' block is no knob's. */
static int has_roomy_block(const ms_planning *p)
{
    return ms_is_roomy(p->target) && p->target->max_block_threads >= ROOMY_BLOCK && p->g->block <= ROOMY_BLOCK;
}

/* Of the kernels that sort buckets. items 0: there is no room. */
static ms_geometry local_geometry(const ms_planning *p)
{
    ms_geometry g = *p->g;
    if (ms_is_roomy(p->target)) {
        if (has_roomy_block(p)) g.block = ROOMY_BLOCK;
        g.items = ROOMY_ITEMS;
        g.resident = ROOMY_RESIDENT;
    }
    fit_items(p, &g);
    if (!is_bound_by_registers(p)) return g;
    ms_geometry bound = *p->g;
    bound.block = threads_of(p, ROOMY_BLOCK);
    fit_items(p, &bound);
    /* More subgroups count digits in more words. Larger blocks are taken where a bucket may have three quarters of the items all the same. */
    return 4 * bound.block * bound.items >= 3 * g.block * g.items ? bound : g;
}

/* Of those for many keys. items 0: there are none. By Vulkan they were not timed, and LLVM takes seconds for each. Pairs of words gain 14 % by them
 * (2^29, bench/NOTES.md), which two more kernels of text, and of compilation, are not worth. */
static ms_geometry large_geometry(const ms_planning *p)
{
    const ms_geometry local = local_geometry(p);
    ms_geometry g = local;
    if (ms_is_roomy(p->target)) {
        g.block = p->target->max_block_threads < LARGE_BLOCK ? g.block : LARGE_BLOCK;
        g.items = LARGE_ITEMS;
        g.resident = LARGE_RESIDENT;
    } else g.items *= LARGE_TIMES;
    while (g.items && !fits(p, &g)) g.items--;
    const int is_pair = p->op->value && ms_sort_exchange_words(p->op) == 1;
    if (is_pair || p->target->backend == MSW_BACKEND_VULKAN || g.block * g.items < local.block * local.items * 3 / 2) g.items = 0;
    return g;
}

/* Of random keys some buckets have more than others: six deviations. */
static uint32_t mean_of(uint32_t most_items)
{
    const uint32_t spread = (uint32_t)ceil(6 * sqrt(most_items));
    return most_items > spread + 1 ? most_items - spread : 1;
}

/* Where all buckets have the keys that they may have at most. */
static uint64_t most_items(uint32_t window_bits, uint32_t bucket_items) { return (((uint64_t)mean_of(bucket_items) + 1) << window_bits) - 1; }

uint64_t ms_hybrid_most_items(const ms_planning *p)
{
    const ms_geometry local = local_geometry(p), large = large_geometry(p);
    return most_items(window_bits_of(p), large.items ? large.block * large.items : local.block * local.items);
}

uint32_t ms_hybrid_complete_layout(const ms_planning *p, ms_sort_layout *layout, uint32_t end)
{
    const ms_geometry g = local_geometry(p), large = large_geometry(p);
    const uint32_t window_bits = window_bits_of(p), buckets = 1u << window_bits, table_bytes = 4 * (buckets + 1);
    layout->window_bits = window_bits;
    layout->counted_bits = counted_bits_of(p);
    layout->bucket_items = g.block * g.items;
    layout->mean_bucket_items = mean_of(layout->bucket_items);
    layout->large_bucket_items = large.block * large.items;
    layout->large_mean_bucket_items = large.items ? mean_of(layout->large_bucket_items) : 0;
    layout->bucket_counts_offset = ms_round_up(end, 16);
    layout->bucket_starts_offset = layout->bucket_counts_offset + 2 * 4 * buckets;
    layout->bucket_groups_offset = layout->bucket_starts_offset + table_bytes;
    layout->listed_groups_offset = layout->bucket_groups_offset + table_bytes;
    layout->bucket_totals_offset = layout->listed_groups_offset + table_bytes;
    layout->keys_are_images = (uint32_t)are_images(p->op);
    layout->part_rooms_offset = ms_round_up(layout->bucket_totals_offset + MS_SORT_TOTALS * 4, 16);
    layout->bucket_rooms_offset = layout->part_rooms_offset + ((uint32_t)ROOM_BYTES << (window_bits + 1) / 2);
    return layout->keys_are_images ? layout->bucket_rooms_offset + 4 * buckets : layout->bucket_totals_offset + MS_SORT_TOTALS * 4;
}

/* ---- kernels ---- */

/* in_shares: of more buckets than a block has counters for. */
static uint32_t add_top_histogram(ms_planning *p, const ms_sort_layout *layout, uint32_t in_shares)
{
    ms_kernel_shape shape = ms_sort_shape(p, layout, "sort/top_histogram", "input", "none");
    ms_geometry g = *p->g;
    if (ms_sort_counts_roomily(p)) g = ms_sort_roomy_counting(p);
    ms_plan_tell(&shape, "pass_tile", p->tile);
    ms_plan_tell(&shape, "has_shares", in_shares);
    ms_plan_tell(&shape, "least_passes", MS_SORT_LEAST_PASSES);
    const uint32_t launch_bytes = ms_sort_tell_digit_counts(&shape, layout, p->g->digit_bits, (uint32_t)COUNTER_BYTES << layout->counted_bits);
    const uint32_t other_bytes = 4 * layout->passes /* which digits vary in samples */ + ms_sort_block_bytes(&g);
    return ms_sort_add_kernel(p, in_shares ? "sort_top_histogram_in_shares" : "sort_top_histogram", shape, &g, launch_bytes, other_bytes);
}

/* templates/sort/partition.tpl, beside what lies in the launch's. */
static uint32_t partition_bytes(uint32_t digit_bits) { return 4 * ((3u << digit_bits) + 4); }

uint32_t ms_hybrid_count_bytes(const ms_operation *op, const ms_geometry *g, uint32_t passes)
{
    const uint32_t others = are_images(op) ? partition_bytes(g->digit_bits) : 4 * passes;
    return (passes << g->digit_bits) * 4 + others + ms_sort_block_bytes(g);
}

int ms_hybrid_fits(const ms_planning *p)
{
    const uint32_t passes = (p->op->key.bits + p->g->digit_bits - 1) / p->g->digit_bits;
    return local_geometry(p).items > 0 && ms_hybrid_count_bytes(p->op, p->g, passes) <= p->target->shared_bytes;
}

/* Of a partition pass of keys alone: two blocks a multiprocessor, of keys in flight about 64 KiB each. */
enum { PARTITION_BLOCK = 512, PARTITION_BYTES = 112, PARTITION_RESIDENT = 2 };

/* By Vulkan on GPUs: one block a multiprocessor, with as many keys as it has room for. */
enum { BOUND_BLOCK = 1024, BOUND_RESIDENT = 1 };

/* One whose tiles come to shared memory by themselves, the next while a tile is stored: one block a multiprocessor, which two tiles fill. Of 8
 * bytes a key such tiles are too few: 4 % slower at 2^24 u64, whose last round is nearly empty, and 1 % faster at 2^28 (bench/NOTES.md). */
enum { KEY_STAGES = 2, STAGED_BLOCK = 1024, STAGED_BYTES = 108, STAGED_RESIDENT = 1, STAGE_SLACK = 16, STAGES_ALIGNMENT = 128 };

static uint32_t key_stage_bytes(const ms_planning *p, const ms_geometry *g)
{
    return ms_round_up(g->block * g->items * p->op->output->info.size_bytes, STAGE_SLACK) + STAGE_SLACK;
}

/* templates/sort/staged_keys.tpl, beside the stages, and where bins' keys begin. */
static uint32_t staged_bytes(uint32_t digit_bits) { return 4 * ((2u << digit_bits) + 1 + 3 * KEY_STAGES) + 8 * KEY_STAGES; }

/* Whether bulk copies bring keys as they are, and there are as many threads as bins. */
static int stages_keys(const ms_planning *p, const ms_geometry *g)
{
    const uint32_t key_bytes = p->op->output->info.size_bytes;
    const uint32_t fixed = partition_bytes(g->digit_bits) + staged_bytes(g->digit_bits) + ms_sort_block_bytes(g);
    const uint32_t bytes = KEY_STAGES * key_stage_bytes(p, g) + ms_round_up(fixed, STAGES_ALIGNMENT);
    return ms_has_bulk_copies(p->target) && !p->op->map && key_bytes % 4 == 0 && g->subgroup > 1 && g->block >> g->digit_bits &&
           bytes <= p->target->shared_bytes;
}

static ms_geometry bound_partition_geometry(const ms_planning *p, const ms_sort_layout *layout)
{
    ms_geometry g = *p->g, bound = g;
    bound.block = threads_of(p, BOUND_BLOCK);
    bound.resident = BOUND_RESIDENT;
    const uint32_t fixed = partition_bytes(g.digit_bits) + ms_sort_block_bytes(&bound), shared = p->target->shared_bytes;
    bound.items = shared > fixed ? (shared - fixed) / (4 * bound.block * ms_sort_exchange_words(p->op)) : 0;
    if (bound.items > g.items) bound.items = g.items;
    if (bound.block == BOUND_BLOCK && bound.items && ms_hybrid_count_bytes(p->op, &bound, layout->passes) <= shared) g = bound;
    g.vector = 1;
    return g;
}

static ms_geometry partition_geometry(const ms_planning *p, const ms_sort_layout *layout, int *is_staged)
{
    const uint32_t words = ms_sort_exchange_words(p->op);
    ms_geometry g = *p->g;
    g.vector = 1;
    *is_staged = !ms_is_roomy(p->target) && stages_keys(p, &g); /* the simulator's */
    if (is_bound_by_registers(p)) return bound_partition_geometry(p, layout);
    if (!ms_is_roomy(p->target) || p->target->max_block_threads < PARTITION_BLOCK) return g;
    g.block = STAGED_BLOCK;
    g.items = STAGED_BYTES / 4;
    g.resident = STAGED_RESIDENT;
    *is_staged = words == 1 && p->target->max_block_threads >= STAGED_BLOCK && stages_keys(p, &g);
    if (*is_staged) return g;
    g.block = PARTITION_BLOCK;
    g.items = PARTITION_BYTES / 4 / words;
    g.resident = PARTITION_RESIDENT;
    return g;
}

static uint32_t add_partition(ms_planning *p, const ms_sort_layout *layout)
{
    ms_kernel_shape shape = ms_sort_shape(p, layout, "sort/partition", "input", "output");
    int is_staged = 0;
    const ms_geometry g = partition_geometry(p, layout, &is_staged);
    ms_plan_tell(&shape, "room_words", ROOM_BYTES / 4);
    uint32_t bytes = 4 * g.block * g.items * ms_sort_exchange_words(p->op);
    if (is_staged) {
        bytes = KEY_STAGES * key_stage_bytes(p, &g);
        ms_plan_tell(&shape, "key_stages", KEY_STAGES);
        ms_plan_tell(&shape, "key_stage_bytes", key_stage_bytes(p, &g));
    }
    ms_plan_tell(&shape, "pass_tile", p->tile);
    const uint32_t launch_bytes = ms_sort_tell_digit_counts(&shape, layout, p->g->digit_bits, bytes);
    const uint32_t other_bytes = partition_bytes(p->g->digit_bits) + (is_staged ? staged_bytes(p->g->digit_bits) : 0) + ms_sort_block_bytes(&g);
    const uint32_t kernel = ms_sort_add_kernel(p, "sort_partition", shape, &g, launch_bytes, other_bytes);
    if (is_staged)
        p->plan->kernels[kernel].shared_bytes = ms_round_up(p->plan->kernels[kernel].shared_bytes - launch_bytes, STAGES_ALIGNMENT) + launch_bytes;
    if (is_staged && p->target->backend == MSW_BACKEND_CUDA) { /* stages are not a text's own */
        p->shapes[kernel].has_dynamic_shared = 1;
        p->plan->kernels[kernel].dynamic_shared_bytes = launch_bytes;
    }
    return kernel;
}

static uint32_t add_group_kernel(ms_planning *p, const ms_sort_layout *layout, const char *entry, int is_local, const ms_geometry *geometry)
{
    const ms_geometry g = *geometry;
    const uint32_t items = g.block * g.items, mates = items / 4;
    const int has_runs = is_local && sorts_by_neighbours(p->op, &g);
    const char *template_name = has_runs ? "sort/local_keys" : is_local ? "sort/local_sort" : "sort/listed_groups";
    ms_kernel_shape shape = ms_sort_shape(p, layout, template_name, "none", "output");
    if (has_runs) ms_plan_tell(&shape, "run", run_of(&g));
    ms_plan_tell(&shape, "pass_tile", p->tile);
    ms_plan_tell(&shape, "local_bits", floor_log2(items));
    ms_plan_tell(&shape, "few_mates", FEW_MATES);
    ms_plan_tell(&shape, "most_mates", mates < 2 ? 2 : mates < MOST_MATES ? mates : MOST_MATES);
    ms_plan_tell(&shape, "ends_in_inputs", layout->passes % 2 == 0);
    const uint32_t launch_bytes = is_local ? local_launch_bytes(p->op, &g) : ms_sort_launch_bytes(p->op, &g);
    return ms_sort_add_kernel(p, entry, shape, &g, launch_bytes, ms_sort_block_bytes(&g));
}

/* ---- variants ---- */

typedef struct hybrid_kernels {
    uint32_t top_histogram, buckets, partition, local, listed;
    uint32_t group_items;   /* of a group of buckets, at least */
    const ms_sort_few *few; /* whose passes these are; NULL: others' */
} hybrid_kernels;

enum { LOCAL_BLOCKS = 8, LISTED_BLOCKS = 4 /* for each of the device's units */ };

static void set_moves(const ms_planning *p, msw_plan_variant *variant)
{
    const ms_operation *op = p->op;
    const uint32_t in = op->input->info.size_bytes, key = op->output->info.size_bytes, value = op->value ? op->value->info.size_bytes : 0;
    ms_plan_moves(variant, 2 * in + (op->gives_index ? 0 : value) + 2 * (key + value), 3 * (key + value) + ms_sort_result_bytes(op));
}

static uint32_t partition_blocks(const ms_planning *p, const hybrid_kernels *own)
{
    const uint32_t resident = ms_has_short_loops(p->target) ? 0 : p->shapes[own->partition].geometry.resident;
    const uint64_t held = (uint64_t)resident * p->target->compute_units;
    return (uint32_t)ms_least(p->g->blocks_given || !held ? p->g->max_blocks : held, p->target->max_blocks);
}

/* The fewest keys that a block is worth: of few, blocks have less than a tile (templates/sort/partition.tpl). */
enum { LEAST_ROWS = 4 };

static uint32_t partition_tile(const ms_planning *p, const hybrid_kernels *own)
{
    const uint32_t rows = p->shapes[own->partition].geometry.block * LEAST_ROWS;
    return ms_has_short_loops(p->target) || rows > p->tile ? p->tile : rows;
}

/* Of a kernel that sorts groups of buckets. Where loops are short a block sorts a group, or two: it has a loop over the mates of each item. */
static uint32_t group_blocks(const ms_planning *p, uint32_t buckets, uint64_t wanted)
{
    return ms_has_short_loops(p->target) ? (uint32_t)ms_least(buckets, p->target->max_blocks) : ms_plan_at_most_blocks(p, wanted);
}

static void add_variant(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[MS_SORT_KERNELS], const hybrid_kernels *own,
                        uint64_t n_max, uint32_t mode)
{
    const uint32_t rows = 1u << (layout->window_bits + 1) / 2, buckets = 1u << layout->window_bits;
    const uint64_t held_local = p->target->compute_units ? (uint64_t)LOCAL_BLOCKS * p->target->compute_units : buckets;
    const uint64_t held_listed = (uint64_t)LISTED_BLOCKS * ms_sort_units(p);
    msw_plan_variant *variant = ms_plan_begin_variant(p, "msd_hybrid", n_max);
    ms_plan_add_step(p, own->top_histogram, p->tile, ms_sort_counting_blocks(p, own->top_histogram))->argument = mode;
    ms_plan_add_step(p, own->buckets, 1, ms_plan_at_most_blocks(p, rows))->argument = mode;
    if (layout->keys_are_images) {
        msw_plan_step *partition = ms_plan_add_step(p, own->partition, partition_tile(p, own), partition_blocks(p, own));
        partition->argument = mode;
        partition->repeats = 1;
    } else {
        ms_sort_add_counting(p, layout, kernels, mode);
        ms_sort_add_launches(p, own->partition, mode, 2);
    }
    if (own->few) ms_sort_add_passes(own->few->p, layout, own->few->kernels, mode, n_max);
    else ms_sort_add_passes(p, layout, kernels, mode, n_max);
    ms_plan_add_step(p, own->local, own->group_items, group_blocks(p, buckets, held_local))->argument = mode;
    ms_plan_add_step(p, own->listed, own->group_items, group_blocks(p, buckets, held_listed))->argument = mode;
    set_moves(p, variant);
    ms_sort_end_variant(p, layout, variant, mode);
}

static void add_variants(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[MS_SORT_KERNELS], const hybrid_kernels *own,
                         uint64_t n_max)
{
    if (ms_sort_joins_some(p, layout, n_max)) add_variants(p, layout, kernels, own, MS_SORT_MOST_JOINED);
    add_variant(p, layout, kernels, own, n_max, 0);
    add_variant(p, layout, kernels, own, n_max, MS_SORT_IN_PLACE);
    if (ms_sort_can_ping_pong(p->op)) add_variant(p, layout, kernels, own, n_max, MS_SORT_PING_PONG);
}

msw_result ms_hybrid_add(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[MS_SORT_KERNELS], const ms_sort_few *few,
                         uint64_t n_max, msw_diag *diag)
{
    if (!layout->bucket_items)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", p->op->file, p->op->line,
                       "%s: a block has no room for the keys of a bucket; choose onesweep, or a smaller %s", p->op->name,
                       has_roomy_block(p) ? "digit_bits" : "block");
    ms_kernel_shape buckets = ms_sort_shape(p, layout, "sort/buckets", "none", "none");
    ms_plan_tell(&buckets, "pass_tile", p->tile);
    ms_plan_tell(&buckets, "room_words", ROOM_BYTES / 4);
    const ms_geometry local = local_geometry(p), large = large_geometry(p);
    const uint64_t counted_n_max = most_items(layout->counted_bits, layout->bucket_items);
    const uint64_t usual_n_max = most_items(layout->window_bits, layout->bucket_items);
    const int has_shares = counted_n_max < usual_n_max && counted_n_max < n_max, are_all_shared = has_shares && counted_n_max < p->hybrid_from;
    hybrid_kernels own = {.top_histogram = add_top_histogram(p, layout, (uint32_t)are_all_shared),
                          .buckets = ms_plan_add_kernel(p, "sort_buckets", buckets, ms_sort_block_bytes(p->g)),
                          .partition = layout->keys_are_images ? add_partition(p, layout) : kernels[MS_SORT_PARTITION_PASS],
                          .local = add_group_kernel(p, layout, "sort_local", 1, &local),
                          .listed = add_group_kernel(p, layout, "sort_listed", 0, &local),
                          .group_items = (layout->bucket_items + 1) / 2};
    const uint64_t few_n_max = few ? ms_least(few->n_max, n_max) : 0;
    if (few_n_max && few_n_max >= p->hybrid_from && few_n_max <= usual_n_max && (are_all_shared || few_n_max <= counted_n_max)) {
        own.few = few;
        add_variants(p, layout, kernels, &own, few_n_max);
        own.few = NULL;
        if (few_n_max == n_max) return MSW_OK;
    }
    if (has_shares && !are_all_shared) {
        add_variants(p, layout, kernels, &own, counted_n_max);
        own.top_histogram = add_top_histogram(p, layout, 1);
    }
    const int has_large = large.items && usual_n_max < n_max;
    if (!has_large || p->hybrid_from <= usual_n_max) add_variants(p, layout, kernels, &own, has_large ? usual_n_max : n_max);
    if (!has_large) return MSW_OK;
    own.local = add_group_kernel(p, layout, "sort_local_large", 1, &large);
    own.listed = add_group_kernel(p, layout, "sort_listed_large", 0, &large);
    own.group_items = (layout->large_bucket_items + 1) / 2;
    add_variants(p, layout, kernels, &own, n_max);
    return MSW_OK;
}
