/* Every strategy in the C dialect on the simulated device: thousands of schedules, subgroups of 1 to 128 lanes. A failure names its case,
 * scheduler and seed; with these in MSW_SIM_CASE, MSW_SIM_SCHEDULER and MSW_SIM_SEED nothing else runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../backends/simulator/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of each scheduler and case, or MSW_SIM_SEEDS. Wide blocks are there for their subgroups, and take most of the time: schedules are those of narrow
 * ones. */
enum { SEEDS = 8, WIDE_BLOCK = 64, WIDE_SEEDS = 3 };

#define SINGLE(operation, lanes, threads, each)                                                                      \
    {                                                                                                                \
        .op = operation, .strategy = "single_block", .subgroup = lanes, .block = threads, .items = each, .blocks = 1 \
    }
#define TWICE(operation, lanes, threads, each, most)                                                                        \
    {                                                                                                                       \
        .op = operation, .strategy = "reduce_then_scan", .subgroup = lanes, .block = threads, .items = each, .blocks = most \
    }
#define PUT_BEFORE(operation, lanes, threads, each, most, more)                                                                               \
    {                                                                                                                                         \
        .op = operation, .strategy = "scan_then_propagate", .subgroup = lanes, .block = threads, .items = each, .blocks = most, .knobs = more \
    }
#define WAITING(name, guarantee, operation, lanes, threads, each, most, more)                                                                       \
    {                                                                                                                                               \
        .op = operation, .strategy = name, .subgroup = lanes, .block = threads, .items = each, .blocks = most, .progress = guarantee, .knobs = more \
    }
#define LOOKBACK(...) WAITING("lookback", MSW_PROGRESS_OCCUPANCY, __VA_ARGS__)
#define CHAINED(...) WAITING("chained_scan", MSW_PROGRESS_OCCUPANCY, __VA_ARGS__)
#define FALLBACK(...) WAITING("lookback", MSW_PROGRESS_NONE, __VA_ARGS__)
#define BLOCK_ATOMIC(...) WAITING("block_atomic", MSW_PROGRESS_NONE, __VA_ARGS__, NULL)
#define ATOMIC_BUMP(...) WAITING("atomic_bump", MSW_PROGRESS_NONE, __VA_ARGS__, NULL)
#define SORT(...) WAITING("onesweep", MSW_PROGRESS_OCCUPANCY, __VA_ARGS__)
#define SORT_BLOCK(operation, lanes, threads, each, more)                                                                           \
    {                                                                                                                               \
        .op = operation, .strategy = "single_block", .subgroup = lanes, .block = threads, .items = each, .blocks = 1, .knobs = more \
    }
#define SORT_CLUSTER(operation, lanes, threads, each, most, more)                                                                                  \
    {                                                                                                                                              \
        .op = operation, .strategy = "single_cluster", .subgroup = lanes, .block = threads, .items = each, .blocks = most, .cluster_blocks = most, \
        .progress = MSW_PROGRESS_NONE, .knobs = more                                                                                               \
    }
#define SORT_TWICE(...) WAITING("upsweep_downsweep", MSW_PROGRESS_NONE, __VA_ARGS__)
#define COUNTING(...) WAITING("counting", MSW_PROGRESS_NONE, __VA_ARGS__)
#define COUNTING_IN(bytes, operation, lanes, threads, each, most, more)                                                                             \
    {                                                                                                                                               \
        .op = operation, .strategy = "counting", .subgroup = lanes, .block = threads, .items = each, .blocks = most, .progress = MSW_PROGRESS_NONE, \
        .shared_bytes = bytes, .knobs = more                                                                                                        \
    }
#define SPLIT(...) WAITING("split", MSW_PROGRESS_NONE, __VA_ARGS__)
#define MAP(operation, lanes, threads, each, most)                                                                     \
    {                                                                                                                  \
        .op = operation, .strategy = "elementwise", .subgroup = lanes, .block = threads, .items = each, .blocks = most \
    }
#define LOOKAHEAD(...) WAITING("lookahead", MSW_PROGRESS_OCCUPANCY, __VA_ARGS__)
#define FALLBACK_SORT(...) WAITING("onesweep", MSW_PROGRESS_NONE, __VA_ARGS__)
#define HYBRID(...) WAITING("msd_hybrid", MSW_PROGRESS_OCCUPANCY, __VA_ARGS__)
#define HYBRID_IN(bytes, operation, lanes, threads, each, most, more)                                                  \
    {                                                                                                                  \
        .op = operation, .strategy = "msd_hybrid", .subgroup = lanes, .block = threads, .items = each, .blocks = most, \
        .progress = MSW_PROGRESS_OCCUPANCY, .shared_bytes = bytes, .knobs = more                                       \
    }
#define FALLBACK_HYBRID(...) WAITING("msd_hybrid", MSW_PROGRESS_NONE, __VA_ARGS__)

static const sim_case cases[] = {
    SINGLE("sum", 1, 8, 4),
    SINGLE("sum", 4, 16, 4),
    SINGLE("sum", 32, 32, 4),
    SINGLE("sum_exclusive", 2, 16, 8),
    SINGLE("affine", 8, 32, 2),
    SINGLE("affine_reverse", 4, 64, 4),
    SINGLE("segmented", 16, 64, 4),
    SINGLE("big", 4, 16, 1),
    SINGLE("padded", 8, 32, 4),
    SINGLE("bytes", 16, 32, 16),
    SINGLE("affine", 64, 128, 2),
    SINGLE("worth_reverse", 128, 256, 4),
    SINGLE("affine", 4, 88, 2),
    SINGLE("worth_reverse", 2, 22, 4), /* groups of totals that are not full, on several levels */
    SINGLE("total", 4, 16, 4),
    SINGLE("affine_total", 2, 32, 2),
    SINGLE("big_total", 1, 8, 1),
    TWICE("sum", 4, 8, 4, 3),
    TWICE("sum_exclusive", 1, 8, 4, 5),
    TWICE("affine", 2, 16, 4, 4),
    TWICE("affine_reverse", 8, 16, 2, 9),
    TWICE("segmented", 4, 16, 4, 3),
    TWICE("worth_reverse", 16, 32, 4, 4),
    TWICE("big", 1, 4, 1, 5),
    TWICE("padded", 4, 8, 4, 3),
    TWICE("bytes", 4, 16, 16, 4),
    TWICE("affine", 32, 64, 2, 3),
    TWICE("affine", 128, 128, 2, 3),
    TWICE("total", 8, 32, 4, 5),
    TWICE("total", 1, 4, 8, 9),
    TWICE("affine_total", 4, 32, 2, 6),
    TWICE("affine_total", 64, 128, 2, 4),
    TWICE("affine_total", 8, 16, 6, 3), /* three rows */
    TWICE("affine_total", 4, 8, 22, 3), /* more rows than lanes */
    TWICE("affine_total", 1, 8, 10, 3),
    TWICE("affine_reverse", 16, 16, 14, 3),
    TWICE("big_total", 2, 4, 1, 7),
    SINGLE("same_sum", 4, 16, 4),
    SINGLE("same_decay", 8, 32, 2),
    SINGLE("same_total", 1, 8, 4),
    SINGLE("same_worth", 4, 8, 8),
    SINGLE("same_sum", 2, 32, 4),
    TWICE("same_sum", 4, 8, 4, 3),
    TWICE("same_worth", 2, 16, 2, 5),
    LOOKBACK("same_sum", 4, 8, 4, 3, NULL),
    LOOKBACK("same_sum", 2, 8, 4, 5, "ahead=1"),
    LOOKBACK("same_sum", 2, 2, 4, 5, "ahead=1"),
    LOOKBACK("same_decay", 4, 4, 2, 9, "descriptor=flagged"),
    LOOKBACK("same_decay", 1, 4, 2, 3, "ahead=1 descriptor=wide"),
    LOOKBACK("same_means", 4, 8, 4, 5, "ahead=1"),
    LOOKAHEAD("same_sum", 4, 8, 4, 3, "stages=3 ahead=1"),
    LOOKAHEAD("same_sum", 2, 4, 16, 5, "stages=5 ahead=2"),
    LOOKAHEAD("same_sum", 16, 32, 8, 2, "stages=4 ahead=2"),
    LOOKAHEAD("same_sum", 32, 32, 4, 3, "stages=3 ahead=1"),
    LOOKAHEAD("same_zeros", 4, 16, 8, 9, "stages=4 ahead=1"),
    LOOKAHEAD("same_decay", 4, 8, 8, 2, "stages=4 ahead=2 descriptor=wide"),
    LOOKAHEAD("same_decay", 8, 16, 2, 3, "stages=8 ahead=6"),
    LOOKAHEAD("same_placed", 4, 8, 8, 3, "stages=4 ahead=1"),
    LOOKAHEAD("same_placed", 8, 32, 4, 2, "stages=5 ahead=3"),
    LOOKAHEAD("same_means", 4, 8, 4, 5, "stages=3 ahead=1"),
    LOOKAHEAD("same_means", 8, 16, 16, 3, "stages=4 ahead=2"),
    TWICE("same_sum", 1, 8, 4, 9),
    TWICE("same_sum", 32, 64, 4, 3),
    TWICE("same_decay", 2, 4, 4, 5),
    TWICE("same_decay", 8, 16, 2, 9),
    SINGLE("same_placed", 4, 16, 4),
    TWICE("same_placed", 8, 16, 4, 4),
    SINGLE("same_means", 4, 16, 4),
    TWICE("same_means", 4, 8, 4, 5),
    TWICE("same_total", 4, 16, 4, 40),
    TWICE("same_total", 1, 4, 8, 9),
    TWICE("same_worth", 4, 8, 2, 3),
    TWICE("same_worth", 16, 64, 4, 6),
    {.op = "sum", .strategy = "scan_then_propagate", .subgroup = 4, .block = 8, .items = 4, .blocks = 3},
    {.op = "pieces", .strategy = "scan_then_propagate", .subgroup = 4, .block = 8, .items = 4, .blocks = 5},
    {.op = "affine_reverse", .strategy = "scan_then_propagate", .subgroup = 1, .block = 8, .items = 2, .blocks = 4},
    /* What comes before is put before states in the scratch. */
    PUT_BEFORE("segmented", 4, 16, 4, 3, NULL),
    PUT_BEFORE("narrow", 4, 8, 4, 5, NULL),
    PUT_BEFORE("wider_arrays", 8, 16, 4, 3, NULL),
    PUT_BEFORE("uniform_sums", 4, 16, 4, 3, NULL),
    PUT_BEFORE("uniform_kept", 4, 8, 4, 4, NULL),
    PUT_BEFORE("made_states", 4, 16, 4, 4, NULL),
    PUT_BEFORE("made_kept", 1, 8, 4, 3, NULL),
    PUT_BEFORE("kept", 4, 8, 4, 5, NULL),
    PUT_BEFORE("kept", 32, 64, 4, 2, "counts=64"),
    PUT_BEFORE("kept_bytes", 8, 16, 8, 4, NULL),
    PUT_BEFORE("kept_sums", 4, 8, 4, 3, NULL),
    PUT_BEFORE("kept_sums", 2, 8, 4, 5, "counts=64"),
    PUT_BEFORE("parted", 4, 16, 4, 5, NULL),
    PUT_BEFORE("sieved", 4, 8, 8, 3, NULL),
    PUT_BEFORE("sieved_maps", 8, 16, 4, 3, NULL),
    PUT_BEFORE("runs", 4, 8, 4, 3, NULL),
    PUT_BEFORE("by_key", 4, 16, 4, 4, NULL),
    PUT_BEFORE("by_key", 1, 8, 2, 5, "counts=64"),
    PUT_BEFORE("means", 4, 8, 4, 4, NULL),
    PUT_BEFORE("placed_sums", 4, 8, 4, 3, NULL),
    PUT_BEFORE("kept_by_sum", 4, 8, 4, 5, NULL),
    PUT_BEFORE("kept_by_state", 4, 16, 8, 4, NULL),
    PUT_BEFORE("kept_by_state", 2, 8, 4, 5, "counts=64"),
    PUT_BEFORE("of_sums.scan_2", 4, 8, 4, 5, NULL),
    PUT_BEFORE("in_flags", 4, 8, 4, 4, NULL),
    PUT_BEFORE("in_keys", 8, 16, 4, 3, NULL),
    PUT_BEFORE("of_flags", 4, 8, 4, 5, NULL),
    PUT_BEFORE("in_offsets", 4, 8, 4, 4, NULL),
    PUT_BEFORE("in_offsets_back", 1, 8, 4, 3, NULL),
    PUT_BEFORE("of_offsets", 8, 16, 4, 3, NULL),
    PUT_BEFORE("bytes_of_offsets", 4, 8, 8, 4, NULL),
    PUT_BEFORE("near_of_offsets", 4, 16, 4, 4, NULL),
    LOOKBACK("sum", 4, 8, 4, 9, NULL),
    LOOKBACK("sum_exclusive", 1, 8, 4, 4, NULL),
    LOOKBACK("affine", 2, 8, 2, 5, "lookback=2"),
    LOOKBACK("sum", 4, 8, 4, 3, "ahead=1"),
    LOOKBACK("affine", 8, 8, 2, 3, "ahead=1"),
    LOOKBACK("affine_reverse", 8, 16, 2, 2, "ahead=1 lookback=serial"),
    FALLBACK("affine", 4, 8, 2, 4, "ahead=1 spin=2 withhold=2"),
    FALLBACK("affine", 1, 8, 2, 3, "ahead=1 spin=1"),
    CHAINED("affine", 4, 8, 2, 3, "ahead=1"),
    LOOKBACK("affine_reverse", 8, 16, 2, 9, "descriptor=flagged"),
    LOOKBACK("least_so_far", 4, 8, 2, 5, NULL),
    LOOKBACK("least_so_far", 1, 8, 4, 3, "ahead=1"),
    TWICE("least_so_far", 8, 16, 2, 9),
    TWICE("least", 4, 8, 3, 5),
    LOOKBACK("affine", 4, 8, 3, 5, "parks=1 vector=1 ahead=1"),
    LOOKBACK("affine", 2, 8, 4, 3, "parks=1 vector=2 ahead=1"),
    LOOKBACK("affine_reverse", 4, 16, 2, 4, "parks=1 vector=1"),
    LOOKBACK("sum_exclusive", 4, 8, 3, 4, "parks=1 vector=1 ahead=1"),
    LOOKBACK("in_offsets", 4, 8, 4, 4, "parks=1 vector=1 ahead=1"),
    LOOKBACK("big", 4, 8, 1, 3, "parks=1 ahead=1"),
    CHAINED("affine", 4, 8, 2, 3, "parks=1 vector=1 ahead=1"),
    FALLBACK("affine", 4, 8, 2, 4, "parks=1 vector=1 ahead=1 spin=2 withhold=2"),
    WAITING("single_block", MSW_PROGRESS_NONE, "affine_reverse", 4, 8, 3, 1, "parks=1 vector=1"),
    WAITING("single_block", MSW_PROGRESS_NONE, "sum_exclusive", 4, 8, 3, 1, "parks=1 vector=1"),
    LOOKBACK("segmented", 16, 32, 4, 4, "lookback=serial"),
    LOOKBACK("worth_reverse", 4, 8, 4, 9, "lookback=3"),
    LOOKBACK("big", 4, 8, 1, 4, NULL),
    LOOKBACK("big", 2, 4, 1, 9, "descriptor=flagged"),
    LOOKBACK("worth_reverse", 8, 16, 4, 4, "descriptor=wide"),
    LOOKBACK("big", 4, 8, 1, 5, "descriptor=wide lookback=2"),
    FALLBACK("affine", 4, 8, 2, 5, "descriptor=wide spin=2"),
    FALLBACK("big", 2, 4, 1, 9, "descriptor=wide spin=2 withhold=2"),
    LOOKBACK("padded", 4, 8, 4, 4, NULL),
    LOOKBACK("bytes", 4, 8, 16, 9, "descriptor=flagged"),
    LOOKBACK("affine", 32, 64, 2, 3, NULL),
    LOOKBACK("affine", 128, 128, 2, 3, NULL),
    LOOKBACK("affine", 64, 128, 2, 4, "lookback=serial"),
    CHAINED("sum", 4, 8, 4, 9, NULL),
    CHAINED("affine_reverse", 1, 8, 2, 3, "descriptor=flagged"),
    FALLBACK("sum", 4, 8, 4, 9, "spin=2"),
    FALLBACK("sum_exclusive", 1, 8, 4, 4, "spin=1"),
    FALLBACK("affine", 2, 8, 2, 5, "spin=3 lookback=2"),
    FALLBACK("affine_reverse", 8, 16, 2, 9, "spin=2 descriptor=flagged"),
    FALLBACK("segmented", 4, 16, 4, 4, "spin=2 lookback=serial"),
    FALLBACK("worth_reverse", 4, 8, 4, 9, "spin=1 withhold=2"),
    FALLBACK("affine", 4, 8, 2, 9, "spin=2 withhold=block"),
    FALLBACK("affine", 4, 8, 2, 3, "spin=2 withhold=1"),
    FALLBACK("big", 2, 4, 1, 9, "spin=2 descriptor=flagged withhold=3"),
    FALLBACK("padded", 4, 8, 4, 4, "spin=5"),
    FALLBACK("affine", 32, 64, 2, 3, "spin=2"),
    FALLBACK("affine", 128, 128, 2, 3, "spin=2 withhold=2"),
    LOOKAHEAD("sum", 4, 8, 4, 2, "stages=3 ahead=1"),
    LOOKAHEAD("sum_exclusive", 4, 16, 4, 1, "stages=4 ahead=2"),
    LOOKAHEAD("sum", 128, 128, 4, 2, "stages=4 ahead=1"),
    LOOKAHEAD("sum_exclusive", 16, 16, 8, 3, "stages=5 ahead=1"),
    LOOKAHEAD("bytes", 4, 8, 16, 2, "stages=4 ahead=1"),
    LOOKAHEAD("bytes", 8, 16, 4, 1, "stages=3 ahead=1 vector=4"),
    LOOKAHEAD("affine", 8, 16, 2, 3, "stages=3 ahead=1"),
    LOOKAHEAD("affine", 32, 64, 2, 2, "stages=5 ahead=3 descriptor=wide"),
    LOOKAHEAD("affine", 2, 8, 6, 9, "stages=8 ahead=6"),
    LOOKAHEAD("affine", 4, 88, 2, 2, "stages=3 ahead=1"),
    LOOKAHEAD("affine_reverse", 4, 8, 2, 1, "stages=3 ahead=1 descriptor=wide"),
    LOOKAHEAD("affine_reverse", 8, 8, 2, 2, "stages=32 ahead=30"),
    LOOKAHEAD("affine_reverse", 4, 12, 2, 3, "stages=3 ahead=1 descriptor=flagged"),
    LOOKAHEAD("segmented", 16, 32, 4, 2, "stages=5 ahead=3"),
    LOOKAHEAD("worth_reverse", 4, 4, 4, 5, "stages=3 ahead=1"),
    LOOKAHEAD("worth_reverse", 64, 64, 4, 2, "stages=4 ahead=2 descriptor=wide"),
    LOOKAHEAD("big", 4, 8, 1, 2, "stages=4 ahead=2 descriptor=wide"),
    LOOKAHEAD("padded", 8, 16, 4, 2, "stages=3 ahead=1 descriptor=wide"),
    LOOKAHEAD("widen", 4, 8, 8, 2, "stages=3 ahead=1"),
    LOOKAHEAD("narrow", 4, 8, 4, 2, "stages=4 ahead=1"),
    LOOKAHEAD("narrow", 2, 4, 8, 1, "stages=3 ahead=1"),
    LOOKAHEAD("decay", 4, 8, 4, 3, "stages=4 ahead=2"),
    LOOKAHEAD("kept", 4, 8, 4, 2, "stages=3 ahead=1"),
    LOOKAHEAD("kept", 8, 16, 12, 3, "stages=5 ahead=3"),
    LOOKAHEAD("kept_bytes", 4, 8, 8, 2, "stages=4 ahead=2"),
    LOOKAHEAD("by_key", 4, 8, 4, 2, "stages=4 ahead=2"),
    LOOKAHEAD("by_key", 32, 64, 4, 3, "stages=3 ahead=1 descriptor=wide"),
    LOOKAHEAD("kept_sums", 4, 8, 4, 3, "stages=4 ahead=1"),
    LOOKAHEAD("parted", 4, 8, 4, 2, "stages=5 ahead=2"),
    LOOKAHEAD("runs", 4, 16, 4, 2, "stages=4 ahead=2"),
    LOOKAHEAD("runs", 4, 8, 4, 3, "stages=4 ahead=1"),
    LOOKAHEAD("kept", 8, 8, 8, 3, "stages=5 ahead=3"),
    LOOKAHEAD("of_flags", 8, 8, 8, 3, "stages=5 ahead=3"),
    LOOKAHEAD("kept", 8, 32, 4, 2, "stages=3 ahead=1"), /* a block that is no narrower than a line of what leaves */
    LOOKAHEAD("kept", 4, 4, 4, 1, "stages=3 ahead=1"),  /* a block of one subgroup, whose stages are filled again */
    LOOKAHEAD("kept_sums", 8, 8, 4, 1, "stages=3 ahead=1"),
    LOOKAHEAD("wider_arrays", 4, 8, 4, 1, "stages=3 ahead=1"), /* results leave from behind the stages, in the last rounds, too */
    LOOKAHEAD("same_wider", 4, 8, 4, 2, "stages=4 ahead=2"),
    LOOKAHEAD("near_and_packed", 4, 8, 4, 2, "stages=3 ahead=1"), /* early, beside an output that leaves by a copy */
    LOOKAHEAD("placed_sums", 4, 8, 4, 3, "stages=4 ahead=2"),
    LOOKAHEAD("halved", 4, 8, 4, 2, "stages=5 ahead=2"),
    LOOKAHEAD("turns", 4, 8, 4, 2, "stages=4 ahead=2"), /* places in the tile in the place of indices, and a bit an item */
    LOOKAHEAD("turns", 8, 16, 36, 2, "stages=3 ahead=1"),
    LOOKAHEAD("sided", 4, 8, 4, 3, "stages=4 ahead=1"),
    LOOKAHEAD("sided", 4, 4, 12, 1, "stages=5 ahead=3"),
    LOOKAHEAD("decay_fixed", 4, 8, 4, 3, "stages=4 ahead=2"),
    LOOKAHEAD("late", 4, 8, 8, 2, "stages=4 ahead=1"), /* what is packed is what values are made of */
    LOOKAHEAD("late", 8, 32, 4, 3, "stages=3 ahead=1"),
    LOOKAHEAD("late_kept", 4, 8, 8, 2, "stages=4 ahead=2"),
    LOOKAHEAD("late_kept", 8, 16, 12, 3, "stages=3 ahead=1"),
    TWICE("decay", 4, 8, 4, 4),
    LOOKBACK("decay", 4, 8, 4, 5, NULL),
    FALLBACK("decay", 4, 16, 4, 5, "spin=1 withhold=2"),
    FALLBACK("decay", 2, 8, 2, 9, "spin=1"),
    {.op = "decay", .strategy = "scan_then_propagate", .subgroup = 8, .block = 16, .items = 2, .blocks = 4},
    WAITING("auto", MSW_PROGRESS_NONE, "affine", 4, 8, 2, 3, "spin=2"),
    WAITING("chained_scan", MSW_PROGRESS_NONE, "affine", 4, 8, 2, 9, "spin=2 withhold=3"),
    SORT("sort_byte", 4, 8, 4, 9, "digit_bits=4 vector=4"),
    SORT("sort_byte", 1, 8, 4, 5, "digit_bits=3 lookback=2 vector=4"),
    SORT("sort_byte", 2, 8, 4, 4, "digit_bits=1 descriptor=flagged vector=4"),
    SORT("sort_byte", 8, 16, 4, 3, "digit_bits=8 lookback=4 vector=4"),
    SORT("sort_u32", 4, 8, 4, 4, "digit_bits=8 vector=1"),
    SORT("sort_u32", 32, 64, 2, 3, "digit_bits=5 descriptor=wide vector=1"),
    SORT("sort_u32", 4, 8, 24, 3, "digit_bits=4 vector=1"), /* rows of keys are ranked in parts */
    SORT("sort_i16", 8, 16, 4, 5, "digit_bits=4 lookback=serial vector=2"),
    SORT("sort_i16", 16, 32, 2, 3, "digit_bits=5 vector=2"),
    SORT("sort_f32", 4, 16, 3, 4, "digit_bits=8 lookback=2 vector=1"),
    SORT("sort_f32", 64, 64, 2, 2, "digit_bits=8 descriptor=wide vector=1"),
    SORT("sort_u64", 8, 16, 2, 3, "digit_bits=8 lookback=4 vector=1"),
    SORT("sort_long", 4, 8, 3, 5, "digit_bits=5 lookback=1 vector=1"),
    SORT("sort_map", 1, 1, 1, 9, "digit_bits=3 vector=1"),
    SORT("sort_huge", 8, 16, 2, 4, "digit_bits=7 vector=1"),
    SORT("sort_bits", 2, 8, 2, 4, "digit_bits=9 vector=1"),
    SORT("sort_u64", 8, 16, 2, 3, "digit_bits=11 vector=1"),
    SORT("sort_bits", 128, 128, 1, 3, "digit_bits=4 vector=1"),
    SORT("sort_bits", 2, 8, 4, 9, "digit_bits=2 vector=1"),
    SORT("sort_bits", 4, 4, 4, 9, "digit_bits=5 descriptor=flagged vector=1"),
    SORT("sort_splats", 4, 8, 4, 5, "digit_bits=3 vector=1"),
    SORT("sort_splats", 8, 24, 1, 4, "digit_bits=5 descriptor=wide vector=1"),
    SORT("sort_map", 4, 8, 4, 5, "digit_bits=3 lookback=2 vector=1"),
    SORT("sort_map", 1, 16, 4, 3, "digit_bits=2 vector=1"),
    SORT_BLOCK("sort_byte", 4, 8, 4, "digit_bits=4 vector=4"),
    SORT_BLOCK("sort_byte", 1, 16, 4, "digit_bits=3 vector=4"),
    SORT_BLOCK("sort_u32", 32, 64, 2, "digit_bits=5 vector=1"),
    SORT_BLOCK("sort_u32", 8, 16, 16, "digit_bits=4 vector=1"),
    SORT_BLOCK("sort_i16", 16, 48, 6, "digit_bits=8 vector=2"),
    SORT_BLOCK("sort_f32", 64, 64, 3, "digit_bits=8 vector=1"),
    SORT_BLOCK("sort_u64", 8, 16, 2, "digit_bits=11 vector=1"),
    SORT_BLOCK("sort_long", 4, 16, 3, "digit_bits=5 vector=1"),
    SORT_BLOCK("sort_map", 1, 1, 7, "digit_bits=1 vector=1"),
    SORT_BLOCK("sort_huge", 8, 32, 2, "digit_bits=7 vector=1"),
    SORT_BLOCK("sort_bits", 128, 128, 1, "digit_bits=4 vector=1"),
    SORT_BLOCK("sort_splats", 2, 8, 8, "digit_bits=3 vector=1"),
    SORT_BLOCK("sort_map", 4, 4, 4, "digit_bits=6 vector=1"),
    SORT_CLUSTER("sort_byte", 4, 8, 4, 4, "digit_bits=4 spin=2 vector=4"),
    SORT_CLUSTER("sort_u32", 8, 16, 8, 3, "digit_bits=4 spin=2 vector=1"), /* the rows of a tile that n asks for */
    SORT_CLUSTER("sort_u32", 32, 64, 2, 2, "digit_bits=8 spin=2 vector=1"),
    SORT_CLUSTER("sort_i16", 4, 16, 6, 5, "digit_bits=5 spin=2 vector=2"),
    SORT_CLUSTER("sort_f32", 1, 16, 2, 4, "digit_bits=7 spin=2 vector=1"),
    SORT_CLUSTER("sort_u64", 16, 16, 4, 3, "digit_bits=8 spin=2 vector=1"),
    SORT_CLUSTER("sort_long", 4, 8, 3, 7, "digit_bits=5 spin=2 vector=1"),
    SORT_CLUSTER("sort_huge", 8, 16, 2, 4, "digit_bits=7 spin=2 vector=1"),
    SORT_CLUSTER("sort_splats", 2, 8, 4, 4, "digit_bits=3 spin=2 vector=1"),
    SORT_CLUSTER("sort_map", 4, 8, 4, 3, "digit_bits=3 spin=2 vector=1"),
    SORT_CLUSTER("sort_bits", 8, 8, 5, 6, "digit_bits=6 spin=2 vector=1"),
    SORT_TWICE("sort_byte", 4, 8, 4, 3, "digit_bits=4 vector=4"),
    SORT_TWICE("sort_byte", 1, 8, 4, 5, "digit_bits=3 vector=4"),
    SORT_TWICE("sort_i16", 8, 16, 2, 4, "digit_bits=6 vector=2"),
    SORT_TWICE("sort_u32", 32, 64, 2, 2, "digit_bits=5 vector=1"),
    SORT_TWICE("sort_f32", 64, 64, 2, 2, "digit_bits=8 vector=1"),
    SINGLE("kept", 4, 16, 4),
    SINGLE("kept_bytes", 8, 16, 8),
    TWICE("kept", 1, 8, 4, 3),
    SINGLE("in_flags", 8, 16, 4),
    TWICE("in_keys", 4, 16, 4, 3),
    LOOKBACK("in_flags", 4, 8, 4, 5, NULL),
    LOOKBACK("in_keys", 4, 8, 4, 4, "lookback=serial"),
    LOOKBACK("of_flags", 8, 16, 4, 3, NULL),
    FALLBACK("in_keys", 4, 16, 4, 4, "spin=2"),
    SINGLE("of_offsets", 4, 8, 8),
    SINGLE("in_offsets", 1, 8, 4),
    TWICE("of_offsets", 8, 16, 4, 3),
    TWICE("in_offsets_back", 4, 8, 4, 4),
    TWICE("bytes_of_offsets", 1, 8, 8, 3),
    LOOKBACK("of_offsets", 4, 8, 4, 4, "descriptor=tagged"),
    LOOKBACK("of_offsets", 4, 16, 4, 3, "ahead=1"),
    LOOKBACK("bytes_of_offsets", 2, 8, 8, 4, "descriptor=flagged"),
    LOOKBACK("segments_of_offsets", 8, 8, 4, 5, "ahead=1 descriptor=wide"),
    LOOKBACK("in_offsets", 4, 8, 4, 4, "lookback=serial"),
    FALLBACK("of_offsets", 4, 8, 4, 5, "spin=1 withhold=2"),
    LOOKAHEAD("of_offsets", 4, 8, 4, 3, "stages=3 ahead=1"),
    LOOKAHEAD("of_offsets", 8, 32, 12, 2, "stages=4 ahead=2"),
    LOOKAHEAD("bytes_of_offsets", 4, 16, 16, 3, "stages=3"),
    LOOKAHEAD("near_of_offsets", 2, 8, 40, 2, "stages=3"),
    LOOKAHEAD("of_offsets", 2, 16, 4, 3, "stages=2 ahead=2"),
    LOOKAHEAD("in_offsets", 4, 8, 4, 3, "stages=4 ahead=1"),
    LOOKAHEAD("in_offsets", 8, 32, 12, 2, "stages=5 ahead=2"),
    LOOKAHEAD("in_wider_offsets", 4, 8, 4, 1, "stages=4 ahead=1"),
    LOOKAHEAD("parts_in_offsets", 4, 8, 4, 3, "stages=4 ahead=1"),
    LOOKAHEAD("parts_in_offsets", 8, 32, 12, 2, "stages=5 ahead=2"),
    FALLBACK("parts_in_offsets", 4, 8, 4, 3, "spin=1 withhold=2"),
    FALLBACK("in_offsets_back", 4, 16, 4, 4, "spin=2 withhold=block"),
    MAP("map_given", 4, 8, 8, 3),
    TWICE("by_key", 8, 16, 4, 4),
    TWICE("means", 4, 8, 4, 4),
    TWICE("parted", 4, 16, 4, 5),
    LOOKBACK("kept", 4, 8, 4, 5, NULL),
    LOOKBACK("kept_bytes", 4, 8, 8, 4, "descriptor=flagged"),
    LOOKBACK("by_key", 4, 8, 4, 5, "ahead=1"),
    LOOKBACK("by_key", 32, 64, 2, 3, "descriptor=wide"),
    LOOKBACK("kept_sums", 8, 16, 4, 3, "lookback=serial"),
    LOOKBACK("placed_sums", 4, 8, 4, 3, "descriptor=tagged"),
    LOOKBACK("parted", 2, 8, 4, 5, NULL),
    LOOKBACK("kept", 4, 8, 4, 5, "packs=0 ahead=1"),
    LOOKBACK("kept", 1, 8, 4, 5, "ahead=1"),
    LOOKBACK("kept_bytes", 8, 8, 8, 4, "ahead=1"),
    LOOKBACK("kept_bytes", 4, 8, 16, 4, "packs=2 ahead=1 vector=4"),
    LOOKBACK("by_key", 4, 8, 4, 5, "packs=0"),
    LOOKBACK("by_key", 4, 16, 8, 3, "packs=1 ahead=1 vector=4"),
    LOOKBACK("runs", 8, 16, 8, 3, "ahead=1 vector=8"),
    LOOKBACK("runs", 4, 8, 8, 3, "packs=2 ahead=1 vector=4"),
    LOOKBACK("parted", 4, 8, 4, 5, "packs=0 ahead=1"),
    LOOKBACK("parted", 16, 16, 4, 3, "ahead=1"),
    LOOKBACK("parted", 4, 8, 8, 3, "packs=1 vector=4"),
    LOOKBACK("kept_sums", 4, 8, 8, 3, "packs=0 vector=4"),
    /* Counters of a tile share words. */
    SINGLE("sieved", 4, 8, 8),
    TWICE("sieved_maps", 4, 8, 4, 3),
    LOOKBACK("sieved", 4, 8, 8, 4, "ahead=1"),
    LOOKBACK("sieved", 8, 16, 8, 3, "packs=0 ahead=1"),
    LOOKBACK("sieved", 4, 8, 16, 3, "packs=2 vector=8"),
    LOOKBACK("sieved", 1, 8, 8, 3, NULL),
    LOOKBACK("sieved_maps", 4, 8, 4, 4, "packs=0 ahead=1"),
    LOOKBACK("sieved_maps", 4, 16, 8, 3, "packs=1 vector=4 counts=64"),
    FALLBACK("sieved", 4, 8, 8, 5, "spin=2 withhold=2"),
    FALLBACK("sieved_maps", 2, 8, 4, 5, "spin=1 withhold=block"),
    LOOKAHEAD("sieved", 4, 8, 8, 3, "stages=4 ahead=2"),
    LOOKAHEAD("sieved", 8, 16, 8, 2, "stages=4 ahead=1 counts=64"),
    LOOKAHEAD("sieved_maps", 4, 8, 4, 3, "stages=5 ahead=2"),
    SINGLE("together", 4, 16, 4),
    TWICE("together_sums", 2, 8, 4, 5),
    LOOKBACK("together", 4, 8, 4, 3, "packs=1"),
    LOOKBACK("together_sums", 8, 16, 4, 3, "packs=1 ahead=1"),
    LOOKBACK("together_sums", 1, 8, 8, 3, "counts=64"),
    LOOKAHEAD("together", 4, 8, 8, 3, "stages=4 ahead=1"),
    LOOKAHEAD("together", 8, 16, 36, 2, "stages=3 ahead=1 counts=64"),
    LOOKAHEAD("together_sums", 4, 8, 4, 3, "stages=4 ahead=2"),
    LOOKAHEAD("together_sums", 8, 16, 8, 2, "stages=4 ahead=1 counts=64"),
    SINGLE("runs", 8, 8, 4),
    TWICE("runs", 4, 4, 8, 3),
    CHAINED("runs", 4, 8, 4, 3, NULL),
    FALLBACK("runs", 4, 8, 4, 5, "spin=2 withhold=2"),
    FALLBACK("kept_sums", 4, 8, 4, 4, "spin=1"),
    FALLBACK("by_key", 2, 8, 4, 5, "spin=1 withhold=block"),
    SINGLE("spread", 4, 16, 8),
    LOOKBACK("spread", 4, 8, 8, 4, "packs=0 ahead=1"),
    SINGLE("spread_wide", 16, 48, 12),
    TWICE("spread", 4, 8, 8, 3),
    LOOKBACK("spread", 2, 8, 8, 5, "ahead=1"),
    LOOKBACK("spread_wide", 4, 8, 4, 4, NULL),
    CHAINED("spread_wide", 1, 8, 4, 3, NULL),
    FALLBACK("spread", 4, 8, 8, 5, "spin=2 withhold=2"),
    TWICE("heaped", 4, 8, 4, 3),
    TWICE("heaped", 1, 8, 4, 3),
    LOOKBACK("heaped", 4, 8, 8, 4, "ahead=1"),
    LOOKBACK("heaped", 8, 8, 4, 3, NULL),
    CHAINED("heaped_any", 4, 8, 8, 3, NULL),
    FALLBACK("heaped", 4, 8, 4, 5, "spin=2 withhold=2"),
    BLOCK_ATOMIC("heaped_any", 4, 8, 8, 4),
    BLOCK_ATOMIC("heaped_any", 8, 8, 8, 4),
    SINGLE("heaped", 4, 16, 4),
    SINGLE("strewn", 4, 16, 8),
    LOOKBACK("strewn", 4, 8, 4, 4, NULL),
    BLOCK_ATOMIC("strewn", 4, 8, 8, 3),
    BLOCK_ATOMIC("strewn_wide", 8, 8, 4, 5),
    BLOCK_ATOMIC("strewn", 1, 16, 4, 4),
    ATOMIC_BUMP("strewn", 4, 16, 4, 4),
    ATOMIC_BUMP("strewn_wide", 4, 8, 4, 3),
    ATOMIC_BUMP("strewn", 8, 8, 8, 2),
    MAP("map_arrays", 4, 16, 4, 3),
    MAP("map_scattered", 4, 16, 4, 3),
    MAP("map_uniforms", 4, 16, 4, 3),
    TWICE("uniform_sums", 4, 16, 4, 3),
    LOOKBACK("uniform_sums", 4, 8, 4, 3, "descriptor=tagged"),
    FALLBACK("uniform_sums", 4, 8, 2, 4, "spin=2 withhold=2"),
    LOOKAHEAD("uniform_sums", 4, 8, 4, 3, "stages=4 ahead=2"),
    LOOKBACK("uniform_kept", 4, 8, 4, 3, "ahead=1"),
    LOOKAHEAD("uniform_kept", 4, 8, 4, 3, "stages=4 ahead=2"),
    SINGLE("uniform_total", 4, 16, 4),
    TWICE("uniform_total", 1, 16, 4, 3),
    /* States decide what is kept. */
    SINGLE("kept_by_sum", 4, 16, 4),
    SINGLE("kept_by_state", 8, 16, 4),
    TWICE("kept_by_sum", 1, 8, 4, 3),
    TWICE("kept_by_sum", 4, 8, 4, 9),
    TWICE("kept_by_state", 4, 16, 8, 4),
    TWICE("kept_by_state", 32, 64, 2, 2),
    WAITING("reduce_then_scan", MSW_PROGRESS_NONE, "kept_by_state", 2, 8, 4, 5, "counts=64"),
    LOOKBACK("kept_by_sum", 4, 8, 4, 9, NULL),
    LOOKBACK("kept_by_sum", 4, 4, 4, 5, "ahead=1"), /* a block of one subgroup */
    LOOKBACK("kept_by_state", 4, 16, 8, 4, "ahead=1 descriptor=wide"),
    LOOKBACK("kept_by_state", 2, 8, 4, 5, "ahead=1 counts=64 lookback=2"),
    LOOKBACK("kept_by_state", 1, 8, 4, 4, "descriptor=flagged lookback=serial"),
    CHAINED("kept_by_state", 4, 8, 4, 5, NULL),
    SINGLE("of_sums.scan_2", 4, 16, 4), /* a scan of a scan */
    TWICE("of_sums.scan_2", 4, 8, 4, 5),
    LOOKBACK("of_sums.scan_2", 4, 8, 4, 9, NULL),
    LOOKBACK("of_sums.scan_2", 8, 8, 2, 5, "ahead=1 vector=1"),
    SINGLE("of_states.last", 4, 8, 4),
    TWICE("of_states.last", 8, 16, 2, 4),
    LOOKBACK("of_states.last", 4, 16, 4, 4, "ahead=1 descriptor=wide"),
    LOOKBACK("of_states.last", 2, 8, 4, 5, "ahead=1 lookback=2"),
    LOOKBACK("of_states.last", 1, 8, 4, 4, "descriptor=flagged lookback=serial"),
    CHAINED("of_states.last", 4, 8, 4, 5, "ahead=1"),
    /* Counters and places of 64 bits, which plans take beyond 2^32 elements. */
    WAITING("single_block", MSW_PROGRESS_NONE, "kept_bytes", 4, 16, 4, 1, "counts=64"),
    WAITING("reduce_then_scan", MSW_PROGRESS_NONE, "kept_sums", 4, 16, 4, 3, "counts=64"),
    WAITING("elementwise", MSW_PROGRESS_NONE, "map_scattered", 4, 16, 4, 3, "counts=64"),
    LOOKBACK("kept", 4, 8, 4, 5, "counts=64"),
    LOOKBACK("by_key", 2, 8, 4, 4, "descriptor=flagged counts=64"),
    LOOKBACK("runs", 4, 8, 8, 3, "packs=2 ahead=1 vector=4 counts=64"),
    LOOKBACK("parted", 4, 8, 4, 5, "packs=1 counts=64"),
    LOOKBACK("parted", 2, 8, 4, 4, "ahead=1 counts=64"),
    FALLBACK("runs", 4, 8, 4, 5, "spin=2 withhold=2 counts=64"),
    LOOKBACK("placed_sums", 4, 8, 4, 3, "descriptor=tagged counts=64"),
    LOOKBACK("spread", 2, 8, 8, 5, "ahead=1 counts=64"),
    FALLBACK("spread_wide", 4, 8, 4, 4, "spin=1 counts=64"),
    WAITING("block_atomic", MSW_PROGRESS_NONE, "strewn", 4, 8, 8, 3, "counts=64"),
    WAITING("atomic_bump", MSW_PROGRESS_NONE, "strewn", 4, 8, 8, 3, "counts=64"),
    LOOKAHEAD("kept", 8, 16, 12, 3, "stages=5 ahead=3 counts=64"),
    LOOKAHEAD("kept_bytes", 4, 8, 8, 2, "stages=4 ahead=2 counts=64"),
    LOOKAHEAD("parted", 4, 8, 4, 2, "stages=5 ahead=2 counts=64"),
    LOOKAHEAD("runs", 4, 16, 4, 2, "stages=4 ahead=2 counts=64"),
    LOOKAHEAD("by_key", 4, 8, 4, 2, "stages=4 ahead=2 counts=64"),
    LOOKAHEAD("kept_sums", 4, 8, 4, 3, "stages=4 ahead=1 counts=64"),
    LOOKAHEAD("placed_sums", 4, 8, 4, 3, "stages=4 ahead=2 counts=64"),
    /* Kernels that read nothing. */
    MAP("made", 4, 16, 8, 3),
    SINGLE("made_states", 4, 16, 4),
    LOOKBACK("made_states", 4, 8, 4, 5, "ahead=1"),
    FALLBACK("made_states", 4, 8, 4, 4, "spin=2 withhold=2"),
    TWICE("made_total", 4, 16, 2, 4),
    LOOKBACK("made_kept", 4, 8, 4, 4, "ahead=1"),
    LOOKBACK("made_kept", 8, 16, 8, 3, "packs=1 vector=4"),
    TWICE("made_kept", 1, 8, 4, 3),
    LOOKBACK("made_spread", 2, 8, 8, 5, NULL),
    MAP("map_near", 8, 16, 8, 5),
    MAP("map_words", 4, 16, 8, 3),
    MAP("map_bytes", 8, 32, 16, 40),
    MAP("map_wider", 1, 8, 4, 2),
    MAP("map_padded", 32, 64, 4, 5),
    SORT_TWICE("sort_u64", 2, 8, 2, 9, "digit_bits=9 vector=1"),
    SORT_TWICE("sort_splats", 16, 32, 2, 1, "digit_bits=3 vector=1"),
    SORT_TWICE("sort_huge", 8, 16, 2, 4, "digit_bits=7 vector=1"),
    SORT_TWICE("sort_map", 1, 1, 3, 4, "digit_bits=2 vector=1"),
    SORT_TWICE("sort_bits", 4, 16, 2, 6, "digit_bits=1 vector=1"),
    SPLIT("sort_byte", 4, 8, 4, 3, "vector=4"),
    SPLIT("sort_byte", 1, 8, 4, 5, "vector=4"),
    SPLIT("sort_i16", 8, 16, 2, 4, "vector=2"),
    SPLIT("sort_u32", 32, 64, 2, 2, "vector=1"),
    SPLIT("sort_f32", 64, 128, 3, 2, "vector=1"),
    SPLIT("sort_huge", 2, 8, 1, 9, "vector=1"),
    SPLIT("sort_splats", 16, 32, 2, 1, "vector=1"),
    SPLIT("sort_map", 1, 1, 3, 4, "vector=1"),
    SPLIT("sort_bits", 128, 128, 1, 3, "vector=1"),
    WAITING("auto", MSW_PROGRESS_NONE, "sort_i16", 4, 8, 4, 5, "digit_bits=4 spin=2 vector=2"),
    WAITING("auto", MSW_PROGRESS_OCCUPANCY, "sort_u32", 4, 8, 8, 4, "digit_bits=4 vector=1"), /* few keys have smaller tiles */
    WAITING("auto", MSW_PROGRESS_NONE, "sort_bits", 4, 8, 4, 5, "digit_bits=3 spin=2 withhold=2 vector=1"),
    FALLBACK_SORT("sort_byte", 4, 8, 4, 9, "digit_bits=4 spin=2 vector=4"),
    FALLBACK_SORT("sort_byte", 1, 8, 4, 5, "digit_bits=3 spin=1 withhold=2 vector=4"),
    FALLBACK_SORT("sort_byte", 2, 8, 4, 4, "digit_bits=1 descriptor=flagged spin=3 withhold=1 vector=4"),
    FALLBACK_SORT("sort_u32", 8, 16, 2, 3, "digit_bits=8 spin=1 lookback=4 vector=1"),
    FALLBACK_SORT("sort_i16", 4, 8, 4, 9, "digit_bits=4 spin=1 withhold=block vector=2"),
    FALLBACK_SORT("sort_f32", 32, 32, 2, 2, "digit_bits=8 spin=2 descriptor=wide withhold=3 vector=1"),
    FALLBACK_SORT("sort_bits", 4, 8, 4, 9, "digit_bits=2 spin=2 lookback=serial withhold=3 vector=1"),
    FALLBACK_SORT("sort_splats", 16, 32, 2, 5, "digit_bits=3 spin=1 descriptor=flagged withhold=block vector=1"),
    FALLBACK_SORT("sort_map", 4, 8, 4, 5, "digit_bits=3 spin=2 descriptor=wide withhold=2 vector=1"),
    COUNTING("sort_counted", 4, 8, 4, 3, "digit_bits=8 vector=4"),
    COUNTING("sort_counted", 1, 16, 8, 5, "digit_bits=8 vector=4"),
    COUNTING("sort_counted", 2, 4, 4, 4, "digit_bits=11 vector=4"),
    COUNTING("sort_counted", 8, 16, 4, 4, "digit_bits=4 vector=4"),
    COUNTING("sort_counted", 2, 24, 4, 3, "digit_bits=7 vector=4"),         /* rows of values that are not full */
    COUNTING_IN(320, "sort_counted", 4, 8, 8, 9, "digit_bits=4 vector=8"),  /* a block counts 32 of 256 values */
    COUNTING_IN(384, "sort_counted", 8, 16, 4, 2, "digit_bits=2 vector=4"), /* fewer blocks than shares */
    HYBRID("sort_byte", 4, 8, 4, 9, "digit_bits=2 vector=4"),
    HYBRID("sort_u32", 4, 8, 4, 4, "digit_bits=4 vector=1"),
    HYBRID("sort_u32", 32, 64, 2, 3, "digit_bits=3 descriptor=wide vector=1"),
    HYBRID("sort_u32", 8, 32, 4, 4, "digit_bits=9 vector=1"),
    HYBRID("sort_u32", 4, 16, 3, 3, "digit_bits=3 vector=1"),
    HYBRID("sort_u32", 2, 32, 2, 4, "digit_bits=4 vector=1"),
    HYBRID("sort_u32", 1, 16, 4, 3, "digit_bits=3 vector=1"), /* no thread has keys come by themselves */
    HYBRID("sort_alone", 8, 16, 3, 3, "digit_bits=3 vector=1"),
    HYBRID("sort_alone", 4, 4, 1, 4, "digit_bits=2 vector=1"),
    HYBRID("sort_i16", 8, 16, 4, 5, "digit_bits=3 lookback=serial vector=2"),
    HYBRID("sort_f32", 4, 16, 3, 4, "digit_bits=4 lookback=2 vector=1"),
    HYBRID("sort_u64", 8, 16, 2, 3, "digit_bits=3 lookback=4 vector=1"),
    HYBRID("sort_u64", 8, 16, 8, 4, "digit_bits=2 vector=1"), /* buckets are merged */
    HYBRID("sort_long", 4, 8, 3, 5, "digit_bits=5 lookback=1 vector=1"),
    HYBRID("sort_huge", 8, 16, 2, 4, "digit_bits=3 vector=1"),
    HYBRID("sort_bits", 2, 8, 4, 9, "digit_bits=2 vector=1"),
    HYBRID("sort_bits", 4, 4, 4, 9, "digit_bits=3 descriptor=flagged vector=1"),
    HYBRID("sort_splats", 8, 24, 1, 4, "digit_bits=3 descriptor=wide vector=1"),
    HYBRID("sort_map", 4, 8, 4, 5, "digit_bits=2 lookback=2 vector=1"),
    /* Blocks count a share of the buckets each: as many blocks as shares, several for each, one after another. */
    HYBRID_IN(2112, "sort_u32", 4, 8, 2, 4, "digit_bits=3 vector=1"),
    HYBRID_IN(2112, "sort_u32", 4, 8, 2, 9, "digit_bits=3 vector=1"),
    HYBRID_IN(2112, "sort_alone", 4, 8, 2, 2, "digit_bits=3 vector=1"),
    HYBRID_IN(2080, "sort_u64", 8, 8, 1, 5, "digit_bits=3 vector=1"),
    HYBRID("sort_map", 1, 16, 4, 3, "digit_bits=1 vector=1"),
    FALLBACK_HYBRID("sort_i16", 4, 8, 4, 9, "digit_bits=3 spin=1 withhold=block vector=2"),
    FALLBACK_HYBRID("sort_u64", 8, 16, 2, 3, "digit_bits=3 spin=1 withhold=2 vector=1"),
    /* Results of maps where a sort stores: of both, of keys alone, of values alone, of values that go by themselves. */
    SORT("mapped.both", 4, 8, 4, 5, "digit_bits=4 vector=2"),
    SORT("mapped.both", 8, 16, 4, 3, "digit_bits=6 descriptor=flagged vector=2"),
    SORT("mapped_keys.alone", 4, 8, 4, 4, "digit_bits=8 vector=1"),
    SORT("mapped_keys.alone", 8, 16, 16, 3, "digit_bits=7 vector=1"),
    SORT("mapped_index.index", 4, 8, 4, 9, "digit_bits=3 vector=4"),
    SORT("mapped_large.large", 4, 8, 4, 5, "digit_bits=3 vector=1"),
    SORT("mapped_large.large", 1, 1, 1, 9, "digit_bits=3 vector=1"),
    SORT("mapped_bits.bits", 4, 8, 4, 4, "digit_bits=4 vector=1"),
    SORT("mapped_values.values", 4, 8, 4, 4, "digit_bits=8 vector=1"),
    SORT_BLOCK("mapped.both", 4, 16, 4, "digit_bits=5 vector=2"),
    SORT_BLOCK("mapped_keys.alone", 8, 16, 4, "digit_bits=4 vector=1"),
    SORT_BLOCK("mapped_index.index", 4, 8, 4, "digit_bits=4 vector=4"),
    SORT_BLOCK("mapped_large.large", 4, 4, 4, "digit_bits=6 vector=1"),
    SORT_BLOCK("mapped_values.values", 4, 16, 4, "digit_bits=8 vector=1"),
    SORT_TWICE("mapped.both", 8, 16, 2, 4, "digit_bits=6 vector=2"),
    SORT_TWICE("mapped_keys.alone", 4, 8, 4, 3, "digit_bits=7 vector=1"),
    SORT_TWICE("mapped_large.large", 4, 8, 4, 5, "digit_bits=2 vector=1"),
    SPLIT("mapped_index.index", 4, 8, 4, 3, "vector=4"),
    FALLBACK_SORT("mapped.both", 4, 8, 4, 9, "digit_bits=4 spin=1 withhold=block vector=2"),
    HYBRID("mapped.both", 4, 8, 4, 5, "digit_bits=3 vector=2"),
    HYBRID("mapped_keys.alone", 4, 8, 4, 4, "digit_bits=4 vector=1"),
    HYBRID("mapped_keys.alone", 8, 16, 8, 4, "digit_bits=2 vector=1"), /* buckets are merged */
    HYBRID("mapped_index.index", 4, 8, 4, 9, "digit_bits=2 vector=4"),
    HYBRID("mapped_large.large", 4, 8, 4, 5, "digit_bits=2 vector=1"),
    HYBRID("mapped_bits.bits", 4, 8, 4, 9, "digit_bits=2 vector=1"),
    HYBRID("mapped_values.values", 8, 16, 2, 3, "digit_bits=3 vector=1"),
    /* Whole pipelines, whose sorts share places. */
    SORT("sorts", 4, 8, 4, 5, "digit_bits=4 vector=2"),
    FALLBACK_SORT("sorts", 4, 8, 4, 9, "digit_bits=4 spin=1 withhold=block vector=2"),
    SORT_TWICE("sorts", 4, 8, 4, 5, "digit_bits=4 vector=2"),
    HYBRID("sorts", 4, 8, 4, 5, "digit_bits=3 vector=2"),
};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

static sim *machine;
static sim_suite *suite;

static int compile_all(void **state)
{
    static char message[1 << 14];
    (void)state;
    machine = sim_create();
    if (machine) suite = sim_suite_create(machine, MSW_SOURCE_DIR "/tests/simulator/operations.lua", cases, CASE_COUNT, message, sizeof message);
    if (!suite) print_error("%s\n", message);
    return !suite;
}

static int release_all(void **state)
{
    (void)state;
    sim_suite_destroy(suite);
    sim_destroy(machine);
    return 0;
}

/* Whether the environment asks for this one, by its beginning, or for none in particular. */
static int is_wanted(const char *variable, const char *value)
{
    const char *wanted = getenv(variable);
    return !wanted || !strncmp(wanted, value, strlen(wanted));
}

/* Blocks wait for others, and nothing is done where those do not run. */
static int may_dead_lock(const sim_case *c, sim_scheduler scheduler)
{
    const int waits = !strcmp(c->strategy, "lookback") || !strcmp(c->strategy, "chained_scan") || !strcmp(c->strategy, "onesweep") ||
                      !strcmp(c->strategy, "msd_hybrid") || !strcmp(c->strategy, "lookahead") || !strcmp(c->strategy, "auto");
    return waits && c->blocks > 1 && c->progress != MSW_PROGRESS_NONE && !sim_scheduler_is_fair(scheduler);
}

/* One schedule; 1: dead-locked, as it may. */
static int run_once(uint32_t index, sim_scheduler scheduler, uint64_t seed)
{
    const sim_options options = sim_suite_options(scheduler, seed);
    if (!sim_suite_run(suite, index, &options)) return 0;
    if (!may_dead_lock(&cases[index], scheduler) || strncmp(sim_suite_failure(suite), "dead-lock", strlen("dead-lock")))
        fail_msg("%s", sim_suite_failure(suite));
    return 1;
}

static void run_case(uint32_t index)
{
    const char *only = getenv("MSW_SIM_SEED");
    const char *wider = getenv("MSW_SIM_SEEDS");
    const uint64_t seeds = wider ? strtoull(wider, NULL, 10) : cases[index].block >= WIDE_BLOCK ? WIDE_SEEDS : SEEDS;
    int dead_locks = 0, may = 0;
    for (int scheduler = 0; scheduler < SIM_SCHEDULER_COUNT; scheduler++) {
        if (!is_wanted("MSW_SIM_SCHEDULER", sim_scheduler_name((sim_scheduler)scheduler))) continue;
        const uint64_t first = only ? strtoull(only, NULL, 10) : 1;
        for (uint64_t seed = first; seed < first + (only ? 1 : seeds); seed++) dead_locks += run_once(index, (sim_scheduler)scheduler, seed);
        may |= may_dead_lock(&cases[index], (sim_scheduler)scheduler);
    }
    if (may && !only && !dead_locks) fail_msg("%s: no schedule without progress made it wait for ever", sim_suite_name(suite, index));
}

static void test_case(void **state)
{
    const uint32_t index = (uint32_t)(uintptr_t)*state;
    if (is_wanted("MSW_SIM_CASE", sim_suite_name(suite, index))) run_case(index);
}

/* Without look-back floats are combined in an order that the schedule does not change. */
static void test_deterministic(void **state)
{
    (void)state;
    for (uint32_t index = 0; index < CASE_COUNT; index++) {
        uint64_t digest = 0;
        const int looks_ahead = !strcmp(cases[index].strategy, "lookahead"); /* which the number of blocks may change */
        if ((strcmp(cases[index].op, "decay") && strcmp(cases[index].op, "means")) || (cases[index].progress && !looks_ahead)) continue;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            sim_options options = sim_suite_options((sim_scheduler)(seed % (looks_ahead ? SIM_ABANDON : SIM_SCHEDULER_COUNT)), seed);
            options.data_seed = 1;
            if (looks_ahead) options.resident_blocks = 0;
            if (sim_suite_run(suite, index, &options)) fail_msg("%s", sim_suite_failure(suite));
            if (seed > 1 && digest != sim_suite_digest(suite)) fail_msg("%s: other bits with seed %u", sim_suite_name(suite, index), (unsigned)seed);
            digest = sim_suite_digest(suite);
        }
    }
}

int main(void)
{
    struct CMUnitTest tests[CASE_COUNT + 1] = {[CASE_COUNT] = cmocka_unit_test(test_deterministic)};
    static char names[CASE_COUNT][64];
    for (int i = 0; i < CASE_COUNT; i++) {
        snprintf(names[i], sizeof names[i], "%s %s subgroup %u block %u", cases[i].op, cases[i].strategy, cases[i].subgroup, cases[i].block);
        tests[i] = (struct CMUnitTest){.name = names[i], .test_func = test_case, .initial_state = (void *)(uintptr_t)i};
    }
    return cmocka_run_group_tests(tests, compile_all, release_all);
}
