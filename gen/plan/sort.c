/* Plans of sorts: one block, one cluster of blocks, or a histogram of all digits, its scan, and a pass a digit (Adinets & Merrill 2022,
 * "Onesweep"). */
#include "sorting.h"
#include "choices.h"
#include "diag.h"

#include <string.h>

static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* ---- geometry ---- */

/* Images whose starts a block that writes keys holds (templates/sort/fill.tpl), where it has room. */
enum { MOST_HELD_IMAGES = 512 };

static uint32_t key_words(const ms_operation *op) { return ms_register_words(op->output); }

/* Words of an item that goes to another block: its key and, where there are values, its place. */
static uint32_t cluster_item_words(const ms_operation *op) { return key_words(op) + (op->value != NULL); }

/* templates/sort/sort_cluster.tpl: a block's items in their order by a digit, counts by subgroup and, twice, of all blocks; items that come. */
static uint32_t cluster_launch_bytes(const ms_operation *op, const ms_geometry *g)
{
    const uint32_t lanes = g->subgroup == 1 ? g->block : g->subgroup, tile = g->block * g->items;
    return 4 * (tile * (key_words(op) + cluster_item_words(op)) + (g->block / lanes << g->digit_bits) + lanes + (2 * g->max_blocks << g->digit_bits));
}

/* Of the cluster's blocks, whose number is max_blocks. */
static ms_geometry cluster_geometry(const msw_target *target, const ms_geometry *g)
{
    ms_geometry cluster = *g;
    if (!g->blocks_given) cluster.max_blocks = target->max_cluster_blocks;
    cluster.vector = cluster.resident = 1;
    return cluster;
}

/* And shifts of bins, and three signals. */
static uint32_t cluster_other_bytes(const ms_geometry *g) { return (4u << g->digit_bits) + ms_sort_block_bytes(g) + 32; }

/* Why the target has no such cluster; NULL: it has. */
static const char *cluster_misfit(const ms_operation *op, const msw_target *target, const ms_geometry *cluster)
{
    if (target->backend == MSW_BACKEND_VULKAN) return "single_cluster takes clusters of blocks, which Vulkan has not; choose onesweep";
    if (target->max_cluster_blocks < 2)
        return "single_cluster takes clusters of blocks, which CUDA has from sm_90 on (--arch sm_90), and pipelines do not use; choose onesweep";
    if (cluster->max_blocks > target->max_cluster_blocks || cluster->max_blocks > target->max_blocks)
        return "a cluster of this target has fewer blocks (at most 16 on an H100 or H200, else 8); choose fewer blocks, or onesweep";
    if (!(target->features & MSW_FEATURE_LONG_LOOPS)) return "a cluster takes long loops, which the device lacks; choose onesweep";
    if (cluster->max_blocks > cluster->block)
        return "a cluster has no more blocks than each of them has threads; choose fewer blocks, or more threads";
    if (cluster->digit_bits < 2) return "a cluster sorts by two bits a pass or more; choose digit_bits = 2 or more, or onesweep";
    if (cluster->block % 4) return "the blocks of a cluster have a multiple of 4 threads; choose such a block";
    if (cluster_launch_bytes(op, cluster) + cluster_other_bytes(cluster) > target->shared_bytes)
        return "the cluster's blocks need more shared memory than the device has; choose fewer items, fewer blocks, or a smaller digit_bits";
    return NULL;
}

/* templates/sort/onesweep.tpl, the kernel of a sort that needs most; where keys are counted alone fill.tpl, digit_starts.tpl and image_starts.tpl. */
static uint32_t shared_bytes(const ms_operation *op, const ms_geometry *g)
{
    if (ms_strategy_has(g->strategy, MS_COUNTS)) return ms_block_values(g) * 8 + 64;
    const uint32_t digits = 3u * 4 << g->digit_bits; /* a bin's place, 8 bytes, and its count in a missing tile */
    return ms_sort_launch_bytes(op, g) + digits + ms_block_values(g) * 8 + (g->subgroup == 1 ? g->block * 4 : 0) + 32;
}

static uint32_t launch_bytes(const ms_operation *op, const ms_geometry *g)
{
    return ms_strategy_has(g->strategy, MS_COUNTS) ? 0 : ms_sort_launch_bytes(op, g);
}

/* templates/sort/digit_starts.tpl, scan_bins.tpl: the block scans a count a thread. */
static uint32_t scan_bytes(const ms_geometry *g, const ms_sort_layout *layout) { return ms_block_values(g) * ms_scalar_bytes(layout->index) + 8; }

/* Keys and ranks of more, half a word each, do not fit a thread's 128 registers, where values come only when they are stored (ptxas 13.0, sm_90). */
enum { MOST_RANKED = 48 };

/* Of three words each: more spill (the same). */
enum { MOST_OF_THREE_WORDS = 18 };

/* A sort's tile goes through shared memory, 32 words a thread, 64 where there is room for two such blocks: what a tile costs whatever its size
 * counts. A subgroup's counts of a digit take as much there as a row of the tile's for every eight of its lanes, so CPU drivers have small blocks.
 * SwiftShader's compiler takes time exponential in the rows of a tile. */
static void choose_defaults(const ms_operation *op, const msw_target *target, ms_geometry *g)
{
    const uint32_t words = ms_sort_exchange_words(op);
    g->block = ms_is_cpu_driver(target) ? 64 : 256;
    g->items = (ms_is_cpu_driver(target) ? (ms_has_short_loops(target) ? 16u : 4u) : ms_is_roomy(target) ? 64u : 32u) / words;
    if (op->value && g->items > MOST_RANKED) g->items = MOST_RANKED;
    if (op->value && words == 3 && g->items > MOST_OF_THREE_WORDS) g->items = MOST_OF_THREE_WORDS;
    g->items = most(ms_whole_word_items(op->input), g->items);
    g->vector = ms_vector_items(op);
    while (g->vector > g->items) g->vector /= 2;
    g->items = g->items / g->vector * g->vector;
    g->lookback = words > 1 || op->value ? 2 : 3;
    if (target->backend == MSW_BACKEND_CUDA) g->descriptor = "tagged";
}

enum { USUAL_BITS = 8 };

/* llvmpipe takes the memory barriers of flagged descriptors for barriers of the block. */
static void settle(const msw_target *target, ms_geometry *g)
{
    if (!g->strategy && ms_has_short_loops(target) && !strcmp(g->descriptor, "flagged")) g->strategy = "upsweep_downsweep";
    if (!g->digit_bits) g->digit_bits = ms_strategy_has(g->strategy, MS_ONE_BIT) ? 1 : USUAL_BITS;
}

static uint32_t pass_count(const ms_operation *op, const ms_geometry *g) { return (op->key.bits + g->digit_bits - 1) / g->digit_bits; }

/* templates/sort/digit_histogram.tpl: a block counts all digits of a key, however few its threads; by CUDA not in memory that a launch
 * brings. */
static int has_room_for_digits(const ms_operation *op, const msw_target *target, const ms_geometry *g)
{
    const int is_static = target->backend == MSW_BACKEND_CUDA && target->shared_bytes > MS_STATIC_SHARED_BYTES;
    const uint32_t counts = (pass_count(op, g) << g->digit_bits) * 4;
    if (g->strategy && !ms_strategy_has(g->strategy, MS_LOOKS_BACK | MS_COUNTS)) return 1;
    return counts <= (is_static ? MS_STATIC_SHARED_BYTES : target->shared_bytes) &&
           (!ms_strategy_has(g->strategy, MS_PARTITIONS) || ms_hybrid_count_bytes(op, g, pass_count(op, g)) <= target->shared_bytes);
}

/* Of the images that a thread scans, where loops are short. */
enum { MOST_ROW_BITS = 13 };

static int has_long_rows(const ms_operation *op, const msw_target *target, const ms_geometry *g)
{
    return ms_has_short_loops(target) && op->key.bits > g->digit_bits && g->block < 1u << op->key.bits >> MOST_ROW_BITS;
}

enum { MOST_COUNTED_BITS = 16 };

/* Whether the whole of an item is a key of few bits. */
static int is_countable(const ms_operation *op) { return op->key.of_image && op->key.bits <= MOST_COUNTED_BITS && !op->value && !op->output_map; }

/* A window that has the whole key leaves nothing to sort in a bucket, and Onesweep takes as many passes. */
static const char *misfit(const ms_operation *op, const msw_target *target, const ms_geometry *g)
{
    ms_geometry least = *g;
    least.block = g->subgroup;
    least.items = g->vector;
    if (ms_strategy_has(g->strategy, MS_PARTITIONS) && op->key.bits <= 2 * g->digit_bits)
        return "msd_hybrid partitions keys of more than two digits; choose onesweep, or a smaller digit_bits";
    if (ms_strategy_has(g->strategy, MS_COUNTS) && !is_countable(op))
        return "counting sorts keys alone, which are scalars of 8 or 16 bits and ordered by all of them; choose onesweep";
    if (ms_strategy_has(g->strategy, MS_COUNTS) && has_long_rows(op, target, g))
        return "to count so many different keys in few threads takes longer loops than the device has; choose a larger block";
    const ms_geometry cluster = cluster_geometry(target, g);
    const char *why = ms_strategy_has(g->strategy, MS_ONE_CLUSTER) ? cluster_misfit(op, target, &cluster) : NULL;
    if (why) return why;
    if (!has_room_for_digits(op, target, g))
        return "the counts of all digits of a key need more shared memory than a block has; choose another digit_bits, or upsweep_downsweep";
    if (g->digit_bits > USUAL_BITS && shared_bytes(op, &least) > target->shared_bytes)
        return "digits of so many bits need more shared memory than the device has, whatever the block; choose a smaller digit_bits";
    return NULL;
}

static void classify(const ms_operation *op, ms_target_mode mode, ms_tuning_class *class_)
{
    (void)mode;
    const uint32_t value_words = op->value ? ms_register_words(op->value) : 0;
    class_->bytes = 4 * most(ms_register_words(op->output), value_words); /* values count whether or not they go through shared memory */
    class_->name = !op->value ? "sort" : op->output->kind == MS_TYPE_STRUCT ? "sort_fields" : "sort_pairs";
    class_->large = is_countable(op) ? "counting" : "msd_hybrid";
}

/* ---- kernels ---- */

/* Threads that a multiprocessor should hold in a pass; they have 80 registers then, or 128 where an item has more than a key of one word. */
enum { PASS_THREADS = 768, PASS_THREADS_OF_MORE = 512 };

/* Shared memory of the histogram's kernel; of one that counts roomily. */
enum { HISTOGRAM_BYTES = 32768, MOST_COPIES = 8, ROOMY_HISTOGRAM_BYTES = 131072 };

/* Copies of a block's histogram: what its lanes add at one time should meet in few places. */
static uint32_t histogram_copies(const ms_planning *p, uint32_t histogram_bytes)
{
    const uint32_t shared = p->target->shared_bytes < HISTOGRAM_BYTES ? p->target->shared_bytes : HISTOGRAM_BYTES;
    uint32_t copies = 1;
    while (copies * 2 <= MOST_COPIES && copies * 2 * histogram_bytes <= shared) copies *= 2;
    return copies;
}

/* Of a tile's keys and values on their way: twice where they may be no outputs, which they take turns with. */
static uint32_t tile_spare_bytes(const ms_planning *p)
{
    const ms_operation *op = p->op;
    const uint32_t key_bytes = op->output->info.size_bytes, value_bytes = op->value ? op->value->info.size_bytes : 0;
    const uint32_t key_arrays = op->value || op->output_map ? 2 : 1, value_arrays = op->takes_value ? 2 : 1;
    return ms_round_up((p->tile * key_bytes + 7) / 8 * 8 * key_arrays + p->tile * value_bytes * value_arrays, 16);
}

static int is_hybrid(const ms_planning *p) { return p->hybrid_from != UINT64_MAX; }

/* A block's counters are of 16 bits, half of which hold what it has counted before a tile. */
enum { COUNTED_TILE = 16384, COUNTER_BYTES = 2, BESIDE_COUNTERS = 256 };

/* Of the values that a block can count at once. */
static uint32_t image_counter_bits(const ms_planning *p)
{
    uint32_t bits = p->op->key.bits;
    while (bits > 1 && ((uint32_t)COUNTER_BYTES << bits) + BESIDE_COUNTERS > p->target->shared_bytes) bits--;
    return bits;
}

/* A row tells from how many keys on another strategy than Onesweep is the faster. One block sorts a tile. */
static uint64_t row_from(const ms_planning *p)
{
    const msw_plan *plan = p->plan;
    const uint64_t bytes = plan->bytes_read_per_item + plan->bytes_written_per_item - ms_sort_result_bytes(p->op);
    const uint64_t from = p->tuning->lookahead.from_bytes / bytes;
    return from > p->tile ? from : p->tile + 1;
}

/* Values of more words were not timed. */
enum { MOST_VALUE_WORDS = 4 };

/* Whether the row decides that. Where loops are long, keys of one digit are counted whatever a row says: it may be of keys of two. */
static int takes_row(const ms_planning *p)
{
    const ms_operation *op = p->op;
    const uint32_t passes = pass_count(op, p->g);
    if (p->g->strategy || !p->tuning->lookahead.is_used || p->g->digit_bits != USUAL_BITS) return 0;
    if (is_countable(op)) return (passes > 1 || ms_has_short_loops(p->target)) && !has_long_rows(op, p->target, p->g);
    return op->key.bits > 2 * p->g->digit_bits && (!op->value || ms_register_words(op->value) <= MOST_VALUE_WORDS) && ms_hybrid_fits(p) &&
           row_from(p) <= ms_hybrid_most_items(p) && passes >= MS_SORT_LEAST_PASSES;
}

/* Without a row counting moves the fewest bytes. Of fewer keys for each image, or where a block cannot count all images at once, keys are sooner
 * moved (bench/NOTES.md). */
enum { KEYS_AN_IMAGE = 512 };

static uint64_t counting_from(const ms_planning *p)
{
    if (ms_strategy_has(p->g->strategy, MS_COUNTS)) return 0;
    if (p->g->strategy || !is_countable(p->op) || p->g->digit_bits != USUAL_BITS) return UINT64_MAX;
    if (p->tuning->lookahead.is_used) return row_from(p);
    if (ms_has_short_loops(p->target)) return UINT64_MAX;
    if (pass_count(p->op, p->g) == 1) return 0;
    return image_counter_bits(p) == p->op->key.bits ? (uint64_t)KEYS_AN_IMAGE << p->op->key.bits : UINT64_MAX;
}

static uint64_t hybrid_from(const ms_planning *p)
{
    if (ms_strategy_has(p->g->strategy, MS_PARTITIONS)) return 0;
    return p->tuning->lookahead.is_used && !is_countable(p->op) ? row_from(p) : UINT64_MAX;
}

/* The scratch: counters, two histograms in turns, a scan, which digits vary, where old keys end; keys and values on their way;
 * descriptors by tile and bin. */
static ms_sort_layout layout_of(const ms_planning *p)
{
    const uint32_t bins = 1u << p->g->digit_bits, passes = pass_count(p->op, p->g);
    const uint32_t window_passes = is_hybrid(p) ? 2 : 0;
    ms_sort_layout layout = {.passes = passes, .count = MSW_U32, .index = p->target->backend == MSW_BACKEND_VULKAN ? MSW_U32 : MSW_U64};
    const uint32_t row_bytes = bins * ms_scalar_bytes(layout.index);
    layout.histogram_copies = histogram_copies(p, passes * bins * 4);
    layout.histogram_offset = MS_COUNTERS_BYTES;
    layout.starts_offset = layout.histogram_offset + 2 * passes * row_bytes;
    layout.varies_offset = layout.starts_offset + (passes + window_passes) * row_bytes;
    layout.keys_end_offset = ms_round_up(layout.varies_offset + 4 * passes, 8);
    layout.tile_spare_bytes = tile_spare_bytes(p);
    return layout;
}

/* A kernel that ranks tiles. It moves items one by one: those of a row go to different places. */
static uint32_t add_ranking(ms_planning *p, const char *entry, ms_kernel_shape shape)
{
    const uint32_t launch_bytes = ms_sort_launch_bytes(p->op, p->g);
    ms_geometry g = *p->g;
    g.vector = 1;
    return ms_sort_add_kernel(p, entry, shape, &g, launch_bytes, shared_bytes(p->op, p->g) - launch_bytes);
}

/* Of a pass, of all of them, or of one that moves keys and values by a digit of a hybrid's window, where that partitions. */
static uint32_t add_pass(ms_planning *p, const char *entry, const ms_sort_layout *layout, int which)
{
    ms_kernel_shape shape = ms_sort_shape(p, layout, "sort/onesweep", "input", "output");
    ms_plan_tell(&shape, "partitions", which == MS_SORT_PARTITION_PASS);
    ms_plan_tell(&shape, "joins_passes", which == MS_SORT_ALL_PASSES);
    const uint32_t kernel = add_ranking(p, entry, shape);
    const uint32_t threads = p->op->value || ms_sort_exchange_words(p->op) > 1 ? PASS_THREADS_OF_MORE : PASS_THREADS;
    if (!p->g->resident && p->target->backend == MSW_BACKEND_CUDA)
        p->shapes[kernel].geometry.resident = p->g->block < threads ? threads / p->g->block : 1;
    return kernel;
}

/* passes: 0 of one launch alone. Passes read and write a key and its value each; the first reads input elements, which a map may make keys of, and
 * no index. Each pass, or one launch before all, reads the keys once more to count them. */
static void set_moves(const ms_planning *p, msw_plan_variant *variant, uint32_t passes, int counts_each)
{
    const uint32_t in = p->op->input->info.size_bytes, key = p->op->output->info.size_bytes, value = p->op->value ? p->op->value->info.size_bytes : 0;
    const uint32_t later = passes > 1 ? passes - 1 : 0, first = in + (p->op->gives_index ? 0 : value);
    const uint32_t counted = passes == 0 ? 0 : in + (counts_each ? later * key : 0);
    ms_plan_moves(variant, counted + first + later * (key + value), (passes ? passes : 1) * (key + value) + ms_sort_result_bytes(p->op));
}

/* mode: 0, MS_SORT_IN_PLACE or MS_SORT_PING_PONG. */
static void add_variant(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[MS_SORT_KERNELS], uint64_t n_max, uint32_t mode)
{
    msw_plan_variant *variant = ms_plan_begin_variant(p, "onesweep", n_max);
    const uint32_t argument = mode + (is_hybrid(p) ? MS_SORT_ALONE : 0);
    ms_sort_add_counting(p, layout, kernels, argument);
    set_moves(p, variant, ms_sort_add_passes(p, layout, kernels, argument, n_max), 0);
    ms_sort_end_variant(p, layout, variant, mode);
}

static void add_variants(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[MS_SORT_KERNELS], uint64_t n_max)
{
    if (ms_sort_joins_some(p, layout, n_max)) add_variants(p, layout, kernels, MS_SORT_MOST_JOINED);
    add_variant(p, layout, kernels, n_max, 0);
    add_variant(p, layout, kernels, n_max, MS_SORT_IN_PLACE);
    if (ms_sort_can_ping_pong(p->op)) add_variant(p, layout, kernels, n_max, MS_SORT_PING_PONG);
}

static uint32_t add_histogram(ms_planning *p, const ms_sort_layout *layout, const char *entry, int is_roomy)
{
    ms_kernel_shape shape = ms_sort_shape(p, layout, "sort/digit_histogram", "input", "none");
    const ms_geometry g = is_roomy ? ms_sort_roomy_counting(p) : *p->g;
    const uint32_t one = (layout->passes << p->g->digit_bits) * 4;
    const uint32_t bytes = is_roomy ? (uint32_t)ms_least(ROOMY_HISTOGRAM_BYTES, (uint64_t)one * MS_SORT_BANKS) : one * layout->histogram_copies;
    const uint32_t launch_bytes = ms_sort_tell_digit_counts(&shape, layout, p->g->digit_bits, bytes);
    if (is_roomy) ms_plan_tell(&shape, "pass_tile", p->tile);
    return ms_sort_add_kernel(p, entry, shape, &g, launch_bytes, 0);
}

static void add_counting_kernels(ms_planning *p, const ms_sort_layout *layout, const char *const entries[MS_SORT_KERNELS],
                                 uint32_t kernels[MS_SORT_KERNELS], int is_roomy)
{
    const ms_kernel_shape starts = ms_sort_shape(p, layout, "sort/digit_starts", "none", "none");
    kernels[MS_SORT_HISTOGRAM] = add_histogram(p, layout, entries[MS_SORT_HISTOGRAM], is_roomy);
    kernels[MS_SORT_STARTS] = ms_plan_add_kernel(p, entries[MS_SORT_STARTS], starts, scan_bytes(p->g, layout));
}

static void add_pass_kernels(ms_planning *p, const ms_sort_layout *layout, const char *const entries[MS_SORT_KERNELS],
                             uint32_t kernels[MS_SORT_KERNELS], int are_few)
{
    if (layout->joins_passes) kernels[MS_SORT_ALL_PASSES] = add_pass(p, entries[MS_SORT_ALL_PASSES], layout, MS_SORT_ALL_PASSES);
    if (!layout->joins_passes || (!are_few && ms_sort_takes_block_a_tile(p)))
        kernels[MS_SORT_PASS] = add_pass(p, entries[MS_SORT_PASS], layout, MS_SORT_PASS);
}

/* Few keys, of which a multiprocessor has a tile at most, have smaller tiles: a pass takes as long as a tile does. */
enum { FEWER_ITEMS = 4, FEW_BLOCK = 256 };

/* Whether keys of more than one tile are few. The planning is of these. */
static int plan_few(const ms_planning *p, ms_planning *few, ms_geometry *g)
{
    *g = *p->g;
    g->block = g->block < FEW_BLOCK ? g->block : FEW_BLOCK;
    g->items = g->items / FEWER_ITEMS / g->vector * g->vector;
    *few = *p;
    few->g = g;
    few->tile = g->block * g->items;
    const int may_be = !g->strategy || ms_strategy_has(g->strategy, MS_PARTITIONS);
    return may_be && p->target->backend != MSW_BACKEND_VULKAN && (uint64_t)few->tile * p->target->compute_units > p->tile;
}

/* By Onesweep, up to where others begin. A hybrid's fall back to the same passes. */
static void add_few(ms_sort_few *few, ms_sort_layout layout)
{
    static const char *const entries[MS_SORT_KERNELS] = {"sort_histogram_few", "sort_starts_few", "sort_pass_few", "sort_passes_few"};
    const uint64_t others_from = ms_least(few->p->hybrid_from, few->p->counting_from);
    const int are_onesweeps = others_from > few->one_tile + 1;
    few->n_max = (uint64_t)few->p->tile * few->p->target->compute_units;
    /* Where a cluster is passed over these serve its n. */
    if (few->n_max < ms_sort_planned(few->p)) few->n_max = ms_sort_planned(few->p);
    layout.tile_spare_bytes = tile_spare_bytes(few->p);
    if (are_onesweeps) add_counting_kernels(few->p, &layout, entries, few->kernels, 0);
    if (are_onesweeps || few->p->hybrid_from <= few->n_max) add_pass_kernels(few->p, &layout, entries, few->kernels, 1);
    if (are_onesweeps) add_variants(few->p, &layout, few->kernels, ms_least(few->n_max, others_from - 1));
}

/* Where a block counts in words, these are enough for what all of them read. */
static uint64_t counters_limit(const ms_planning *p, uint32_t histogram)
{
    const ms_geometry *g = &p->shapes[histogram].geometry;
    return ms_sort_counting_blocks(p, histogram) * (uint64_t)(UINT32_MAX - 2 * g->block * g->items);
}

/* By whole digits, or bit by bit (strategy split). A pass is an upsweep, the scan of its table and a downsweep; blocks have tiles of their own and
 * wait for none. */
static void add_upsweep_downsweep_variant(ms_planning *p, const ms_sort_layout *layout, const uint32_t kernels[3], uint64_t n_max, uint32_t mode)
{
    msw_plan_variant *variant = ms_plan_begin_variant(p, p->g->strategy, n_max);
    for (int k = 0; k < 3; k++) {
        msw_plan_step *step = ms_plan_add_step(p, kernels[k], p->tile, k == 1 ? 1 : p->g->max_blocks);
        step->argument = mode;
        if (k > 0) continue;
        step->repeats = layout->passes - 1 + (mode == MS_SORT_IN_PLACE ? layout->passes % 2 : 0);
        step->joined = 2;
    }
    set_moves(p, variant, layout->passes + (mode == MS_SORT_IN_PLACE ? layout->passes % 2 : 0), 1);
    variant->scratch_base_bytes = p->descriptors_offset;
    variant->scratch_per_tile_bytes = ms_sort_tile_bytes(layout, mode);
    variant->serves_in_place = mode == MS_SORT_IN_PLACE;
    ms_plan_end_variant(p, variant);
}

static void add_upsweep_downsweep(ms_planning *p, ms_sort_layout *layout)
{
    const uint32_t blocks = p->g->max_blocks;
    layout->count = layout->index;
    layout->tile_descriptor_bytes = 0;
    p->descriptors_offset = ms_round_up((blocks << p->g->digit_bits) * ms_scalar_bytes(layout->index), 16);
    const ms_kernel_shape up = ms_sort_shape(p, layout, "sort/upsweep", "input", "none"),
                          down = ms_sort_shape(p, layout, "sort/onesweep", "input", "output");
    ms_kernel_shape scan = ms_sort_shape(p, layout, "sort/scan_bins", "none", "none");
    ms_plan_tell(&scan, "earlier_tile", p->tile);
    ms_plan_tell(&scan, "earlier_blocks", blocks);
    const uint32_t kernels[3] = {add_ranking(p, "sort_upsweep", up), ms_plan_add_kernel(p, "sort_scan_bins", scan, scan_bytes(p->g, layout)),
                                 add_ranking(p, "sort_downsweep", down)};
    uint64_t n_max = ms_least(ms_plan_n_limit(p, blocks, MS_LAVAPIPE_LOOKBACK_TILES),
                              (uint64_t)blocks * (UINT32_MAX - 2 * p->tile)); /* a block counts in 32 bits */
    if (p->op->gives_index && p->op->value->scalar == MSW_U32) n_max = ms_least(n_max, UINT32_MAX);
    for (uint32_t mode = 0; mode <= MS_SORT_IN_PLACE; mode += MS_SORT_IN_PLACE) add_upsweep_downsweep_variant(p, layout, kernels, n_max, mode);
}

static uint32_t add_image_histogram(ms_planning *p, const ms_sort_layout *layout)
{
    ms_kernel_shape shape = ms_sort_shape(p, layout, "sort/image_histogram", "input", "none");
    ms_geometry g = ms_sort_counts_roomily(p) ? ms_sort_roomy_counting(p) : *p->g;
    while (g.items > g.vector && g.block * g.items > COUNTED_TILE) g.items -= g.vector;
    while (g.block * g.items > COUNTED_TILE) g.items = g.vector /= 2;
    shape.strategy = "counting";
    return ms_sort_add_kernel(p, "sort_image_histogram", shape, &g, (uint32_t)COUNTER_BYTES << layout->counted_bits, 0);
}

/* Where values are counted that have more than one digit. Returns where that ends in the scratch. */
static uint32_t complete_counting_layout(const ms_planning *p, ms_sort_layout *layout, uint32_t end)
{
    const uint32_t row_bytes = ms_scalar_bytes(layout->index) << p->op->key.bits;
    layout->counted_bits = image_counter_bits(p);
    layout->image_counts_offset = ms_round_up(end, 16);
    layout->image_starts_offset = layout->image_counts_offset + 2 * row_bytes;
    return layout->image_starts_offset + row_bytes;
}

/* llvmpipe silently ends a shader's loops after 65535 rounds; the last launch searches for each item. */
enum { LLVMPIPE_ROUNDS = 60000 };

static uint64_t counting_limit(const ms_planning *p, const ms_sort_layout *layout, uint32_t histogram)
{
    const uint32_t bits = p->op->key.bits, shares = layout->passes > 1 ? 1u << (bits - layout->counted_bits) : 1;
    const uint32_t groups = p->g->max_blocks > shares ? p->g->max_blocks / shares : 1, tiles = LLVMPIPE_ROUNDS / ((p->g->items + 2) * (bits + 1));
    const uint64_t counted = layout->passes > 1 ? UINT64_MAX : counters_limit(p, histogram);
    return ms_least(ms_least(ms_plan_n_limit(p, groups, tiles), counted), layout->index == MSW_U32 ? UINT32_MAX : UINT64_MAX);
}

/* Nothing is moved and no block waits: neither space for keys nor posts, and the inputs may be the outputs. onesweep: that strategy's kernels,
 * of which digits are counted by the same; NULL: there are none. Returns the largest n. */
static uint64_t add_counting(ms_planning *p, ms_sort_layout layout, const uint32_t *onesweep)
{
    const int by_digit = layout.passes == 1;
    const uint32_t images = 1u << p->op->key.bits;
    ms_kernel_shape starts_shape = ms_sort_shape(p, &layout, by_digit ? "sort/digit_starts" : "sort/image_starts", "none", "none"),
                    fill_shape = ms_sort_shape(p, &layout, "sort/fill", "none", "output");
    starts_shape.strategy = fill_shape.strategy = "counting";
    const int is_shared = by_digit && onesweep;
    const uint32_t histogram = is_shared  ? onesweep[MS_SORT_HISTOGRAM]
                               : by_digit ? add_histogram(p, &layout, "sort_histogram", ms_sort_counts_roomily(p))
                                          : add_image_histogram(p, &layout);
    const uint32_t starts = is_shared
                                ? onesweep[MS_SORT_STARTS]
                                : ms_plan_add_kernel(p, by_digit ? "sort_starts" : "sort_image_starts", starts_shape, scan_bytes(p->g, &layout));
    uint32_t held_images = by_digit ? images + 1 : MOST_HELD_IMAGES;
    while (held_images > 2 && (uint64_t)held_images * ms_scalar_bytes(layout.index) > p->target->shared_bytes) held_images /= 2;
    ms_plan_tell(&fill_shape, "held_images", held_images);
    const uint32_t fill = ms_plan_add_kernel(p, "sort_fill", fill_shape, held_images * ms_scalar_bytes(layout.index));
    const uint32_t rows = by_digit ? 1 : (images + p->g->block - 1) / p->g->block;
    layout.tile_spare_bytes = layout.tile_descriptor_bytes = 0;
    const uint64_t limit = counting_limit(p, &layout, histogram);
    layout.passes = 1; /* the last launch writes the outputs, also where inputs are there to be overwritten */
    for (uint32_t is_ping_pong = 0; is_ping_pong <= (uint32_t)ms_sort_can_ping_pong(p->op); is_ping_pong++) {
        msw_plan_variant *variant = ms_plan_begin_variant(p, "counting", limit);
        ms_plan_add_step(p, histogram, p->shapes[histogram].geometry.block * p->shapes[histogram].geometry.items,
                         ms_sort_counting_blocks(p, histogram));
        ms_plan_add_step(p, starts, by_digit ? p->tile : 1, ms_plan_at_most_blocks(p, rows));
        ms_plan_add_step(p, fill, p->tile, p->g->max_blocks);
        ms_plan_moves(variant, p->op->input->info.size_bytes, p->op->output->info.size_bytes);
        ms_sort_end_variant(p, &layout, variant, is_ping_pong ? MS_SORT_PING_PONG : MS_SORT_IN_PLACE);
    }
    return limit;
}

/* Also of a hybrid, and of sorts that count from some n on: sorts of few keys are Onesweep's, and those of more than these serve. */
static msw_result add_onesweep(ms_planning *p, const ms_sort_layout *narrow, const ms_sort_layout *wide, const ms_sort_few *few, msw_diag *diag)
{
    static const char *const entries[MS_SORT_KERNELS] = {"sort_histogram", "sort_starts", "sort_pass", "sort_passes"};
    uint32_t kernels[MS_SORT_KERNELS];
    add_counting_kernels(p, narrow, entries, kernels, ms_sort_counts_roomily(p));
    add_pass_kernels(p, narrow, entries, kernels, 0);
    const uint64_t limit = ms_plan_n_limit(p, ms_plan_ticket_blocks(p), MS_LAVAPIPE_LOOKBACK_TILES);
    const uint64_t wide_limit =
        ms_least(ms_least(limit, counters_limit(p, kernels[MS_SORT_HISTOGRAM])), ms_plan_posts_limit(p, wide->tile_descriptor_bytes, 0));
    const uint64_t narrow_limit = ms_least(ms_least(limit, UINT32_MAX), ms_plan_posts_limit(p, narrow->tile_descriptor_bytes, 0));
    const uint64_t others_from = ms_least(p->hybrid_from, p->counting_from);
    msw_result result = MSW_OK;
    if (others_from > p->tile + 1) add_variants(p, narrow, kernels, ms_least(narrow_limit, others_from - 1));
    if (p->counting_from < UINT64_MAX) {
        if (add_counting(p, *narrow, kernels) < narrow_limit) add_variants(p, narrow, kernels, narrow_limit);
        return MSW_OK;
    }
    if (is_hybrid(p) && !narrow->keys_are_images)
        kernels[MS_SORT_PARTITION_PASS] = add_pass(p, "sort_partition_pass", narrow, MS_SORT_PARTITION_PASS);
    const uint64_t hybrid_limit = p->g->strategy || !is_hybrid(p) ? narrow_limit : ms_least(narrow_limit, ms_hybrid_most_items(p));
    if (is_hybrid(p)) result = ms_hybrid_add(p, narrow, kernels, few, hybrid_limit, diag);
    if (!result && hybrid_limit < narrow_limit) add_variants(p, narrow, kernels, narrow_limit);
    if (result || wide_limit <= narrow_limit || (p->op->gives_index && p->op->value->scalar == MSW_U32)) return result;
    kernels[MS_SORT_PASS] = add_pass(p, "sort_pass_wide", wide, MS_SORT_PASS);
    add_variants(p, wide, kernels, wide_limit);
    return MSW_OK;
}

/* One launch for what is one tile. */
static void add_single_block(ms_planning *p, const ms_sort_layout *layout)
{
    ms_kernel_shape shape = ms_sort_shape(p, layout, "sort/sort_block", "input", "output");
    shape.strategy = "single_block";
    msw_plan_variant *variant = ms_plan_begin_variant(p, "single_block", p->tile);
    ms_plan_add_step(p, add_ranking(p, "sort_single_block", shape), p->tile, 1);
    set_moves(p, variant, 0, 0);
    ms_plan_end_variant(p, variant);
}

/* ---- one cluster ---- */

/* By CUDA, of 8 bits a digit: of 16 blocks, or of 8, which every device with clusters has room for (bench/NOTES.md). */
enum { CLUSTER_BLOCK = 256, CLUSTER_ROWS = 16, CLUSTER_BLOCKS = 16, SMALL_CLUSTER_BLOCKS = 8, MOST_CLUSTER_WORDS = 4 /* of a key */ };

/* Whether a knob of the spec's or the caller's says something of blocks or tiles, which the default cluster would not heed. */
static int has_own_blocks(const ms_planning *p)
{
    int found = 0;
    for (uint32_t k = 0; k < p->knob_count; k++) {
        const char *name = p->knobs[k].name;
        found |= !strcmp(name, "block") || !strcmp(name, "blocks") || !strcmp(name, "items") || !strcmp(name, "vector");
    }
    return found;
}

/* One launch for what the blocks of one cluster have room for. */
static void add_single_cluster(ms_planning *p, const ms_sort_layout *layout)
{
    const ms_geometry *g = p->g;
    const uint32_t cluster = g->max_blocks;
    const uint64_t room = (uint64_t)cluster * p->tile, others_from = ms_least(p->hybrid_from, p->counting_from);
    ms_kernel_shape shape = ms_sort_shape(p, layout, "sort/sort_cluster", "input", "output");
    shape.strategy = "single_cluster";
    ms_plan_tell(&shape, "cluster", cluster);
    ms_plan_tell(&shape, "exchange_words", key_words(p->op));
    const uint32_t kernel = ms_sort_add_kernel(p, "sort_cluster", shape, g, cluster_launch_bytes(p->op, g), cluster_other_bytes(g));
    p->plan->kernels[kernel].cluster_blocks = cluster;
    msw_plan_variant *variant =
        ms_plan_begin_variant(p, "single_cluster", g->strategy || key_words(p->op) == 1 ? room : ms_least(room, others_from - 1));
    ms_plan_add_step(p, kernel, p->tile, cluster)->least_blocks = cluster;
    set_moves(p, variant, 0, 0);
    ms_plan_end_variant(p, variant);
}

/* Where there is no room for a cluster the variants behind it serve, so their scratch must be there all the same: the plan says so. */
static void tell_scratch_of_others(msw_plan *plan)
{
    for (uint32_t v = 0; v < plan->variant_count; v++) {
        msw_plan_variant *cluster = &plan->variants[v];
        if (!plan->kernels[plan->steps[cluster->first_step].kernel].cluster_blocks) continue;
        for (uint32_t w = v + 1, serves_in_place = 0; w < plan->variant_count && !serves_in_place; w++) {
            const msw_plan_variant *other = &plan->variants[w];
            const uint32_t tile = plan->steps[cluster->first_step].tile_items, other_tile = plan->steps[other->first_step].tile_items;
            const uint64_t base = other->scratch_base_bytes + other->scratch_per_tile_bytes;
            const uint64_t per_tile = other->scratch_per_tile_bytes * ((tile + other_tile - 1) / other_tile);
            if (other->is_ping_pong) continue;
            if (base > cluster->scratch_base_bytes) cluster->scratch_base_bytes = base;
            if (per_tile > cluster->scratch_per_tile_bytes) cluster->scratch_per_tile_bytes = per_tile;
            serves_in_place = other->serves_in_place;
        }
    }
}

/* Whether few keys are sorted by one cluster. The planning is of its blocks, whose number is max_blocks; fewer keys are sorted by one of them. */
static int plan_cluster(const ms_planning *p, ms_planning *planning, ms_geometry *g)
{
    const msw_target *target = p->target;
    *g = cluster_geometry(target, p->g);
    if (!g->strategy) {
        g->block = CLUSTER_BLOCK;
        g->items = key_words(p->op) <= 2 ? CLUSTER_ROWS : CLUSTER_ROWS / 2;
        g->max_blocks = target->max_cluster_blocks >= CLUSTER_BLOCKS ? CLUSTER_BLOCKS : SMALL_CLUSTER_BLOCKS;
    }
    *planning = *p;
    planning->g = g;
    planning->tile = g->block * g->items;
    if (g->strategy) return ms_strategy_has(g->strategy, MS_ONE_CLUSTER);
    return target->backend == MSW_BACKEND_CUDA && !cluster_misfit(p->op, target, g) && g->block <= target->max_block_threads && !has_own_blocks(p) &&
           g->subgroup == 32 && g->digit_bits == USUAL_BITS && key_words(p->op) <= MOST_CLUSTER_WORDS && p->hybrid_from > planning->tile + 1;
}

/* That one launch has: each block loops over them, and has a bit for each in a word (templates/sort/route.tpl). */
enum { MOST_PASSES = 16 };

/* Of values of more, a thread has no registers left for what tells passes apart (12 to 28 bytes of spills, ptxas 13.0, sm_90). */
enum { MOST_JOINED_WORDS = 2 };

static msw_result plan(ms_planning *p, msw_diag *diag)
{
    const uint32_t bins = 1u << p->g->digit_bits;
    p->tuning->lookahead.is_used = takes_row(p);
    p->hybrid_from = hybrid_from(p);
    p->counting_from = counting_from(p);
    ms_sort_layout narrow = layout_of(p), wide;
    ms_geometry few_geometry, geometry_of_cluster;
    ms_planning few_planning, cluster_planning;
    ms_sort_few few = {.p = &few_planning, .one_tile = p->tile};
    uint32_t end = narrow.keys_end_offset + 8;
    msw_result result = MSW_OK;
    if (is_hybrid(p)) end = ms_hybrid_complete_layout(p, &narrow, end);
    if (p->counting_from < UINT64_MAX && narrow.passes > 1) end = complete_counting_layout(p, &narrow, end);
    wide = narrow;
    p->descriptors_offset = ms_round_up(end, 16);
    wide.joins_passes = 0; /* of many keys, which gain nothing by it */
    const int has_wide_values = p->op->value && ms_register_words(p->op->value) > MOST_JOINED_WORDS;
    narrow.joins_passes = !p->has_fallback && !ms_has_short_loops(p->target) && narrow.passes <= MOST_PASSES && !has_wide_values;
    wide.count = MSW_U64;
    narrow.tile_descriptor_bytes = bins * ms_descriptor_bytes(1, p->g->descriptor, p->has_fallback);
    wide.tile_descriptor_bytes = bins * ms_descriptor_bytes(2, p->g->descriptor, p->has_fallback);
    narrow.most_descriptor_bytes = wide.most_descriptor_bytes = wide.tile_descriptor_bytes;
    const int has_cluster = plan_cluster(p, &cluster_planning, &geometry_of_cluster);
    if (!p->g->strategy || ms_strategy_has(p->g->strategy, MS_ONE_BLOCK)) add_single_block(has_cluster ? &cluster_planning : p, &narrow);
    if (has_cluster) add_single_cluster(&cluster_planning, &narrow);
    if (has_cluster && p->hybrid_from <= ms_sort_planned(p)) p->hybrid_from = ms_sort_planned(p) + 1;
    if (has_cluster && p->counting_from && p->counting_from <= ms_sort_planned(p)) p->counting_from = ms_sort_planned(p) + 1;
    const int has_few = p->counting_from && plan_few(p, &few_planning, &few_geometry);
    if (has_few) {
        add_few(&few, narrow);
        narrow.few_posts_bytes = wide.few_posts_bytes = p->target->compute_units * narrow.tile_descriptor_bytes;
    }
    if (p->counting_from && (!p->g->strategy || ms_strategy_has(p->g->strategy, MS_LOOKS_BACK)))
        result = add_onesweep(p, &narrow, &wide, has_few ? &few : NULL, diag);
    if (!p->counting_from) add_counting(p, narrow, NULL);
    if (!result && !ms_strategy_has(p->g->strategy, MS_UPSWEEPS | MS_ONE_BLOCK)) ms_plan_add_initialisation(p);
    if (ms_strategy_has(p->g->strategy, MS_UPSWEEPS)) add_upsweep_downsweep(p, &narrow);
    tell_scratch_of_others(p->plan);
    ms_plan_drop_unlaunched(p);
    return result;
}

const ms_planner ms_sort_planner = {.plan = plan,
                                    .loop_template = "sort/sort_loop",
                                    .classify = classify,
                                    .choose_defaults = choose_defaults,
                                    .settle = settle,
                                    .misfit = misfit,
                                    .shared_bytes = shared_bytes,
                                    .launch_bytes = launch_bytes,
                                    .looks_back = 1,
                                    .drops_subgroups = 1};
