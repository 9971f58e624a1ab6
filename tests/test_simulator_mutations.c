/* Kernels with one thing broken each: the simulator must find every one of them, or it would not find it in ours. MSW_SIM_CASE=NAME runs one,
 * MSW_SIM_SHOW=1 shows what was found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "simulator/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 600 }; /* of every scheduler, at most; most are found within a few */

#define LOOKBACK "scan_lookback"
#define LOOKAHEAD "scan_lookahead"
#define PASS "sort_pass"
#define BLOCK "sort_single_block"

/* The kernels that are broken. */
enum { TAGGED, TAGGED_AHEAD, SERIAL, FLAGGED, WIDE, FALLBACK, FALLBACK_SERIAL, FLOATS, NO_SUBGROUPS, TWICE, SINGLE, AHEAD, AHEAD_REVERSE, AHEAD_NARROW, AHEAD_FAR, AHEAD_WORDS,
      SORT, SORT_FLAGGED, SORT_FALLBACK, SORT_ALONE, SORT_LARGE, SORT_LONG, SORT_KEYS, SORT_BLOCK, SORT_BLOCK_VALUES, SORT_TWICE, SPLIT };
static const sim_case kernels[] = {
    [TAGGED] = {.op = "affine", .strategy = "lookback", .subgroup = 4, .block = 16, .items = 2, .blocks = 5, .progress = MSW_PROGRESS_OCCUPANCY,
                .knobs = "lookback=2 descriptor=tagged"},
    [TAGGED_AHEAD] = {.op = "affine", .strategy = "lookback", .subgroup = 4, .block = 8, .items = 2, .blocks = 3,
                      .progress = MSW_PROGRESS_OCCUPANCY, .knobs = "descriptor=tagged ahead=1"},
    [SERIAL] = {.op = "affine_reverse", .strategy = "lookback", .subgroup = 4, .block = 8, .items = 2, .blocks = 9,
                .progress = MSW_PROGRESS_OCCUPANCY, .knobs = "lookback=serial descriptor=tagged"},
    [FLAGGED] = {.op = "affine", .strategy = "lookback", .subgroup = 4, .block = 8, .items = 2, .blocks = 9, .progress = MSW_PROGRESS_OCCUPANCY,
                 .knobs = "descriptor=flagged"},
    [WIDE] = {.op = "big", .strategy = "lookback", .subgroup = 4, .block = 8, .items = 1, .blocks = 5, .progress = MSW_PROGRESS_OCCUPANCY,
              .knobs = "descriptor=wide"},
    [FALLBACK] = {.op = "affine", .strategy = "lookback", .subgroup = 4, .block = 8, .items = 2, .blocks = 5, .progress = MSW_PROGRESS_NONE,
                  .knobs = "spin=2 descriptor=tagged"},
    [FALLBACK_SERIAL] = {.op = "affine", .strategy = "lookback", .subgroup = 4, .block = 8, .items = 2, .blocks = 9, .progress = MSW_PROGRESS_NONE,
                         .knobs = "spin=2 lookback=serial descriptor=tagged"},
    [FLOATS] = {.op = "decay", .strategy = "lookback", .subgroup = 4, .block = 8, .items = 4, .blocks = 9, .progress = MSW_PROGRESS_NONE,
                .knobs = "spin=1 descriptor=tagged"},
    [NO_SUBGROUPS] = {.op = "affine", .strategy = "lookback", .subgroup = 1, .block = 8, .items = 2, .blocks = 5, .progress = MSW_PROGRESS_OCCUPANCY,
                      .knobs = "descriptor=tagged"},
    [TWICE] = {.op = "affine", .strategy = "reduce_then_scan", .subgroup = 2, .block = 4, .items = 2, .blocks = 9},
    [SINGLE] = {.op = "affine", .strategy = "single_block", .subgroup = 4, .block = 16, .items = 2, .blocks = 1},
    [AHEAD] = {.op = "affine", .strategy = "lookahead", .subgroup = 4, .block = 8, .items = 2, .blocks = 2, .progress = MSW_PROGRESS_OCCUPANCY,
               .knobs = "stages=4 ahead=2 descriptor=tagged"},
    [AHEAD_REVERSE] = {.op = "affine_reverse", .strategy = "lookahead", .subgroup = 4, .block = 8, .items = 2, .blocks = 1,
                       .progress = MSW_PROGRESS_OCCUPANCY, .knobs = "stages=3 ahead=1 descriptor=tagged"},
    [AHEAD_NARROW] = {.op = "narrow", .strategy = "lookahead", .subgroup = 4, .block = 8, .items = 4, .blocks = 2,
                      .progress = MSW_PROGRESS_OCCUPANCY, .knobs = "stages=3 ahead=1 descriptor=tagged"},
    [AHEAD_FAR] = {.op = "affine", .strategy = "lookahead", .subgroup = 2, .block = 8, .items = 2, .blocks = 6, .progress = MSW_PROGRESS_OCCUPANCY,
                   .knobs = "stages=3 ahead=1 descriptor=tagged"},
    [AHEAD_WORDS] = {.op = "sum_exclusive", .strategy = "lookahead", .subgroup = 4, .block = 8, .items = 4, .blocks = 2,
                     .progress = MSW_PROGRESS_OCCUPANCY, .knobs = "stages=3 ahead=1 descriptor=tagged"},
    [SORT] = {.op = "sort_byte", .strategy = "onesweep", .subgroup = 4, .block = 8, .items = 4, .blocks = 9, .progress = MSW_PROGRESS_OCCUPANCY,
              .knobs = "digit_bits=3 lookback=2 descriptor=tagged vector=4"},
    [SORT_FLAGGED] = {.op = "sort_bits", .strategy = "onesweep", .subgroup = 8, .block = 8, .items = 4, .blocks = 9,
                      .progress = MSW_PROGRESS_OCCUPANCY, .knobs = "digit_bits=4 descriptor=flagged vector=1"},
    [SORT_FALLBACK] = {.op = "sort_byte", .strategy = "onesweep", .subgroup = 4, .block = 8, .items = 4, .blocks = 9, .progress = MSW_PROGRESS_NONE,
                       .knobs = "digit_bits=4 spin=1 lookback=2 descriptor=tagged vector=4"},
    [SORT_ALONE] = {.op = "sort_bits", .strategy = "onesweep", .subgroup = 1, .block = 8, .items = 4, .blocks = 5,
                    .progress = MSW_PROGRESS_OCCUPANCY, .knobs = "digit_bits=4 descriptor=tagged vector=1"},
    [SORT_LARGE] = {.op = "sort_map", .strategy = "onesweep", .subgroup = 4, .block = 16, .items = 2, .blocks = 5,
                    .progress = MSW_PROGRESS_OCCUPANCY, .knobs = "digit_bits=3 descriptor=wide vector=1"},
    [SORT_LONG] = {.op = "sort_long", .strategy = "onesweep", .subgroup = 4, .block = 8, .items = 4, .blocks = 4,
                   .progress = MSW_PROGRESS_OCCUPANCY, .knobs = "digit_bits=7 descriptor=tagged vector=1"},
    [SORT_KEYS] = {.op = "sort_u32", .strategy = "onesweep", .subgroup = 4, .block = 8, .items = 4, .blocks = 4,
                   .progress = MSW_PROGRESS_OCCUPANCY, .knobs = "digit_bits=8 descriptor=tagged vector=1"},
    [SORT_BLOCK] = {.op = "sort_byte", .strategy = "single_block", .subgroup = 4, .block = 16, .items = 4, .blocks = 1, .knobs = "digit_bits=3 vector=4"},
    [SORT_BLOCK_VALUES] = {.op = "sort_i16", .strategy = "single_block", .subgroup = 4, .block = 16, .items = 2, .blocks = 1,
                           .knobs = "digit_bits=5 vector=2"},
    [SORT_TWICE] = {.op = "sort_byte", .strategy = "upsweep_downsweep", .subgroup = 4, .block = 8, .items = 4, .blocks = 3,
                    .knobs = "digit_bits=3 vector=4"},
    [SPLIT] = {.op = "sort_byte", .strategy = "split", .subgroup = 4, .block = 8, .items = 4, .blocks = 3, .knobs = "vector=4"},
};

static const struct mutation {
    const char *name;
    int kernel;
    sim_patch patch;
} mutations[] = {
    /* tags */
    {"a post's tag is ignored", TAGGED, {LOOKBACK, "word0.tag >> 1 == tag && ", "word0.tag != 0u && "}},
    {"the tag of a prefix is ignored", FALLBACK,
     {LOOKBACK, "prefix0.tag == (tag << 1 | 1u) && prefix1.tag == (tag << 1 | 1u)", "prefix0.tag != 0u && prefix1.tag != 0u"}},
    {"one word's tag is taken for all", FALLBACK,
     {LOOKBACK, "prefix0.tag == (tag << 1 | 1u) && prefix1.tag == (tag << 1 | 1u)", "prefix0.tag == (tag << 1 | 1u)"}},
    {"the other word's tag is taken for all", FALLBACK,
     {LOOKBACK, "aggregate0.tag == tag << 1 && aggregate1.tag == tag << 1", "aggregate1.tag == tag << 1"}},
    {"every launch has one tag", TAGGED, {LOOKBACK, "LAUNCH_OFFSET, MS_RELAXED) + 1u", "LAUNCH_OFFSET, MS_RELAXED) * 0u + 1u"}},
    {"the launches are not counted", SERIAL, {LOOKBACK, "launch_tag(scratch) % 0x7fffffffu, MS", "launch_tag(scratch) - 1u, MS"}},
    {"the tag has no bit for the state", WIDE, {LOOKBACK, "% 0x7fffffffu", "% 0x80000000u"}},
    {"a wide post may be of two stores", WIDE, {LOOKBACK, " && word1.tag == word0.tag", ""}},

    {"a late aggregate over the prefix", WIDE,
     {LOOKBACK, "publish_prefix(posts, tile, tag, inclusive);",
      "publish_prefix(posts, tile, tag, inclusive); publish_aggregate(posts, tile, tag, summed.block.total);"}},
    {"a missing aggregate of almost the same bits", FLOATS,
     {LOOKBACK, "return block_scan(total).total;", "total = block_scan(total).total; total.b *= 1.0000001f; return total;"}},
    {"a post of another value", FALLBACK, {LOOKBACK, "else publish_missing(posts, missing, tag, aggregate);",
                                           "else publish_missing(posts, missing, tag, combine(aggregate, first));"}},

    /* memory order */
    {"the flag is not released", FLAGGED, {LOOKBACK, "tag, MS_RELEASE);", "tag, MS_RELAXED);"}},
    {"the flag is not acquired", FLAGGED, {LOOKBACK, "MS_ACQUIRE) == tag", "MS_RELAXED) == tag"}},
    {"the flag before the value", FLAGGED,
     {LOOKBACK, "    store_word(__LINE__, (u64)&posts.at[first + 1u]",
      "    store_word(__LINE__, (u64)&posts.at[first], tag, MS_RELEASE);\n    store_word(__LINE__, (u64)&posts.at[first + 1u]"}},
    {"the value by an ordinary store", FLAGGED,
     {LOOKBACK, "store_word(__LINE__, (u64)&posts.at[first + 2u], x.b, MS_RELAXED);", "posts.at[first + 2u] = x.b;"}},
    {"the launch counter by an ordinary load", TAGGED,
     {LOOKBACK, "load_word(__LINE__, scratch + LAUNCH_OFFSET, MS_RELAXED)", "*(const uint *)(scratch + LAUNCH_OFFSET)"}},

    /* order of operands */
    {"the window after what it comes before", SERIAL, {LOOKBACK, "combine(look.aggregate, value)", "combine(value, look.aggregate)"}},
    {"a lane's descriptors backwards", TAGGED, {LOOKBACK, "combine(value, seen[k].value)", "combine(seen[k].value, value)"}},
    {"the tile before its prefix", TAGGED, {LOOKBACK, "combine(look.aggregate, summed.block.total)", "combine(summed.block.total, look.aggregate)"}},
    {"the subgroup before its block", TAGGED, {LOOKBACK, "combine(prefix, summed.block.before)", "combine(summed.block.before, prefix)"}},
    {"reverse is forward", SERIAL, {LOOKBACK, "combine(x, earlier)", "combine(earlier, x)"}},

    /* the protocol */
    {"aggregates where prefixes are", FALLBACK,
     {LOOKBACK, "publish(posts, tile * 2u * WORDS, tag << 1, x);", "publish(posts, (tile * 2u + 1u) * WORDS, tag << 1 | 1u, x);"}},
    {"an aggregate is taken for a prefix", TAGGED, {LOOKBACK, "? AGGREGATE : PREFIX", "? PREFIX : PREFIX"}},
    {"a prefix is taken for an aggregate", FALLBACK_SERIAL, {LOOKBACK, "descriptor.state = PREFIX;", "descriptor.state = AGGREGATE;"}},
    {"the prefix without the tile", TAGGED,
     {LOOKBACK, "publish_prefix(posts, tile, tag, inclusive);", "(void)inclusive; publish_prefix(posts, tile, tag, look.aggregate);"}},
    {"lanes before the last prefix count", TAGGED, {LOOKBACK, "if (prefix_lane < LANES && lane_id() < prefix_lane) {", "if (false) {"}},
    {"a tile of every window is left out", SERIAL, {LOOKBACK, "0u : look.end - WINDOW", "0u : look.end - WINDOW - 1u"}},
    {"a window is not waited for", TAGGED,
     {LOOKBACK, "is_waiting = last_lane(look.missing != NO_TILE) < LANES;",
      "is_waiting = last_lane(has_prefix) == LANES && look.missing != NO_TILE && false;"}},
    {"tiles out of their order", SERIAL,
     {LOOKBACK, "const uint tile = ticket[0];", "const uint tile = (ticket[0] ^ 1u) < tile_count(n) ? ticket[0] ^ 1u : ticket[0];"}},
    {"a ticket that is no update", TAGGED,
     {LOOKBACK, "ticket[0] = take_ticket(scratch);",
      "{ ticket[0] = load_word(__LINE__, scratch + TICKET_OFFSET, MS_RELAXED);"
      " store_word(__LINE__, scratch + TICKET_OFFSET, ticket[0] + 1u, MS_RELAXED); }"}},
    {"the tickets go on", TAGGED, {LOOKBACK, "    store_word(__LINE__, scratch + TICKET_OFFSET, 0u, MS_RELAXED);\n", ""}},
    {"the finished blocks go on", TAGGED, {LOOKBACK, "    store_word(__LINE__, scratch + FINISHED_OFFSET, 0u, MS_RELAXED);\n", ""}},
    {"the last block but one ends the launch", SERIAL, {LOOKBACK, "others != block_count() - 1u", "others + 2u < block_count()"}},
    {"the carry-in is forgotten", TAGGED, {LOOKBACK, "look.aggregate = first_prefix[0];", "look.aggregate = identity();"}},
    {"every thread reads the carry-in", SERIAL, {LOOKBACK, "if (thread_id() == 0u && tile == 0u) {", "if (tile == 0u) {"}},
    {"the first prefix is not posted", TAGGED, {LOOKBACK, "if (thread_id() == 0u && tile == 0u) {", "if (false) {"}},
    {"the first prefix without the carry-in", TAGGED,
     {LOOKBACK, "combine(first, summed.block.total)", "((void)first, summed.block.total)"}},
    {"the carry-out of the last but one", TAGGED,
     {LOOKBACK, "store_carry(params.carry_out, combine(prefix, summed.block.total))", "store_carry(params.carry_out, prefix)"}},

    /* fallback */
    {"no end to the polls", FALLBACK, {LOOKBACK, "is_waiting && polls < SPIN_LIMIT", "is_waiting"}},
    {"a missing aggregate is posted as a prefix", FALLBACK,
     {LOOKBACK, "else publish_missing(posts, missing, tag, aggregate);", "else publish_prefix(posts, missing, tag, aggregate);"}},
    {"the first tile as an aggregate", FALLBACK, {LOOKBACK, "if (missing == 0u) publish_prefix", "if (false) publish_prefix"}},
    {"the first tile without the carry-in", FALLBACK,
     {LOOKBACK, "publish_prefix(posts, missing, tag, combine(first, aggregate));",
      "{ (void)first; publish_prefix(posts, missing, tag, aggregate); }"}},
    {"another tile is summed up", FALLBACK, {LOOKBACK, "tile_start(missing, n)", "tile_start(missing + 1u, n)"}},
    {"what was missing is not posted", FALLBACK, {LOOKBACK, "else publish_missing(posts, missing, tag, aggregate);", ""}},
    {"no barrier before the missing tile is read", FALLBACK,
     {LOOKBACK, "            block_barrier();\n            missing = missing_tile[0];", "            missing = missing_tile[0];"}},
    {"the look-back begins anew", FALLBACK_SERIAL,
     {LOOKBACK, "look = look_back(posts, tag, look);", "look.end = tile; look = look_back(posts, tag, look);"}},

    /* barriers, votes, who takes part */
    {"no barrier after the ticket", TAGGED, {LOOKBACK, "block_barrier();\n    const uint tile = ticket[0];", "const uint tile = ticket[0];"}},
    {"no barrier before the prefix is read", TAGGED, {LOOKBACK, "block_barrier();\n        const Affine prefix", "const Affine prefix"}},
    {"a subgroup barrier before the prefix is read", TAGGED,
     {LOOKBACK, "block_barrier();\n        const Affine prefix", "subgroup_barrier();\n        const Affine prefix"}},
    {"no barrier in the block's scan", TAGGED,
     {LOOKBACK, "subgroup_totals[subgroup_id()] = subgroup_total;\n    block_barrier();", "subgroup_totals[subgroup_id()] = subgroup_total;"}},
    {"no barrier after the block's scan", SINGLE, {"scan_single_block", "    block_barrier();\n    return scan;", "    return scan;"}},
    {"one lane looks back alone", TAGGED, {LOOKBACK, "if (subgroup_id() == 0u) look", "if (thread_id() == 0u) look"}},
    {"a thread leaves before the barrier", TAGGED,
     {LOOKBACK, "if (summed.tile >= tiles) break;", "if (summed.tile >= tiles || (summed.tile == 1u && thread_id() == 3u)) break;"}},

    /* a tile ahead */
    {"the last tile ahead is left out", TAGGED_AHEAD, {LOOKBACK, "while (next.tile < tiles) {", "while (next.tile + 1u < tiles) {"}},
    {"the tile ahead in the place of this one", TAGGED_AHEAD, {LOOKBACK, "tile_start(tile, n), n);\n        if (tile", "tile_start(next.tile, n), n);\n        if (tile"}},
    {"the tile ahead for this one's sum", TAGGED_AHEAD,
     {LOOKBACK, "combine(look.aggregate, summed.block.total)", "combine(look.aggregate, next.block.total)"}},
    {"no tile ahead where there are more tiles than blocks", TAGGED_AHEAD, {LOOKBACK, "tiles > block_count())", "false)"}},

    {"no barrier between two exchanges", NO_SUBGROUPS, {LOOKBACK, "    block_barrier();\n    return other;", "    return other;"}},
    {"no barrier between two votes", NO_SUBGROUPS, {LOOKBACK, "    block_barrier();\n    return last == 0u", "    return last == 0u"}},
    {"votes that nobody cleared", NO_SUBGROUPS, {LOOKBACK, "    if (lane_id() == 0u) votes[0] = 0u;\n", ""}},

    /* the scan and its ends */
    {"a lane takes from where nobody is", TAGGED, {LOOKBACK, "if (lane_id() >= step) x = ", "if (lane_id() + 1u >= step) x = "}},
    {"the lane before is not shifted in", TAGGED, {LOOKBACK, "shuffle_up(x, 1u)", "shuffle_up(x, 0u)"}},
    {"full tiles beyond the end", SINGLE, {"scan_single_block", "is_aligned && start + TILE <= n", "is_aligned"}},
    {"a store beyond the end", SINGLE,
     {"scan_single_block", "if (start + v < n) items.at[start + v] = group.at[v];", "if (start + v <= n) items.at[start + v] = group.at[v];"}},
    {"a load beyond the end", SINGLE,
     {"scan_single_block", "if (start + v < n) group.at[v] = items.at[start + v];", "if (start + v <= n) group.at[v] = items.at[start + v];"}},
#ifndef __clang__ /* which does not see it */
    {"16-byte moves at any address", SINGLE, {"scan_single_block", "return address % 16u == 0u;", "return true;"}},
#endif
    {"a block's aggregate in another's place", TWICE,
     {"reduce_tiles", "aggregates.at[block_id() + 1u] = total;", "aggregates.at[block_id()] = total;"}},
    {"aggregates beyond the blocks before", TWICE,
     {"scan_tiles", "if (first + thread_id() <= block_id()) x =", "if (first + thread_id() <= block_id() + 1u) x ="}},
    {"the blocks' order", TWICE, {"scan_tiles", "combine(before, more)", "combine(more, before)"}},

    /* sorts: histogram and starts */
    {"keys beyond the last are counted", SORT, {"sort_histogram", "if (first + v < n) count_key", "if (first + v <= n) count_key"}},
    {"no barrier after the histogram is cleared", SORT,
     {"sort_histogram", "counts[i] = 0u;\n    block_barrier();", "counts[i] = 0u;"}},
    {"no barrier before the histogram is added up", SORT,
     {"sort_histogram", "    block_barrier();\n    Histogram histogram", "    Histogram histogram"}},
    {"blocks add to the histogram by loads and stores", SORT,
     {"sort_histogram", "ms_machine_running->update(__LINE__, (u64)&histogram.at[bin], sizeof histogram.at[bin], MS_ADD, count, 0u, MS_RELAXED)",
      "histogram.at[bin] += count"}},
    {"a copy of the histogram is left out", SORT, {"sort_histogram", "copy < COPIES", "copy < LANES / 2u"}},
    {"every pass has the first one's histogram", SORT, {"sort_histogram", "digit_of_pass(pass)", "digit_of_pass(0u)"}},
    {"the histogram is not cleared", SORT, {"sort_starts", "histogram.at[pass * BINS + bin] = 0u;", ""}},
    {"an inclusive scan of the bins", SORT,
     {"sort_starts", "if (bin < BINS) starts.at[pass * BINS + bin] = start;\n            start += counts[b];",
      "start += counts[b];\n            if (bin < BINS) starts.at[pass * BINS + bin] = start;"}},
    {"every pass is left out", SORT, {"sort_starts", "varies.at[pass] = 1u - has_one_bin[0];", "varies.at[pass] = 0u;"}},
    {"no barrier before it is told whether keys differ", SORT_FLAGGED,
     {"sort_starts", "block_barrier();\n        if (thread_id() == 0u) varies", "if (thread_id() == 0u) varies"}},

    /* sorts: digits and ranks */
    {"a digit stops at its word's end", SORT_LONG, {PASS, "(word >> shift | above << 1u << (31u - shift))", "(word >> shift | above * 0u)"}},
    {"places beyond the last item do not repeat one", SORT, {PASS, "min(row_place(row), last)", "row_place(row) % (last + 1u)"}},
    {"a key beyond the end is loaded", SORT, {PASS, "min(row_place(row), last)", "min(row_place(row), last + 1u)"}},
    {"the last digit is another thread's", SORT, {PASS, "if (thread_id() == BLOCK - 1u) {\n        last_digit", "if (thread_id() == 0u) {\n        last_digit"}},
    {"the counts are not cleared", SORT, {PASS, "digit_counts[first + thread_id()] = 0u;", "digit_counts[first + thread_id()] += 0u;"}},
    {"ranks one too high", SORT, {PASS, ", peers[r].last) + peers[r].before;", ", peers[r].last) + peers[r].before + 1u;"}},
    {"peers in the opposite order", SORT, {PASS, "peers.before += lane < lane_id();", "peers.before += lane > lane_id();"}},
    {"the leader does not count itself", SORT, {PASS, "peers[r].before + 1u, 0u", "peers[r].before, 0u"}},
    {"every peer counts", SORT, {PASS, "peers[r].last == lane_id() ? subgroup_id() * BINS + bin : SUBGROUPS * BINS + lane_id()", "subgroup_id() * BINS + bin"}},
    {"a bit of the digit does not matter", SORT, {PASS, "bit < DIGIT_BITS; bit++", "bit + 1u < DIGIT_BITS; bit++"}},
    {"leaders of two rows at a time", SORT,
     {PASS, "            subgroup_barrier();\n        }\n        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {\n            const uint row",
      "        }\n        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {\n            const uint row"}},
    {"subgroups begin where their tile does", SORT,
     {PASS, "digit_counts[subgroup * BINS + bin] = rank;\n                rank += count;",
      "digit_counts[subgroup * BINS + bin] = rank;\n                if (subgroup > 0u) rank += count;"}},
    {"no barrier between two matches", SORT_ALONE, {PASS, "    block_barrier();\n    return peers;", "    return peers;"}},
    {"no barrier before digits are matched", SORT_ALONE, {PASS, "= digit;\n    block_barrier();", "= digit;"}},

    /* sorts: the tile's barriers */
    {"no barrier after the counts are cleared", SORT,
     {PASS, "block_barrier();\n        const uint tile = ticket[0];", "const uint tile = ticket[0];"}},
    {"no barrier after the digits are counted", SORT,
     {PASS, "count_digits(keys, digit);\n        block_barrier();", "count_digits(keys, digit);"}},
    {"no barrier before the items are ranked", SORT,
     {PASS, "bins = place_thread_bins(bins);\n        block_barrier();", "bins = place_thread_bins(bins);"}},
    {"no barrier before the keys are moved", SORT, {PASS, "block_barrier();\n        const uint end = first_repeat[0];", "const uint end = first_repeat[0];"}},
    {"no barrier before the values are exchanged", SORT,
     {PASS, "if (moves_values) {\n            block_barrier();", "if (moves_values) {"}},
    {"no barrier before the values are moved", SORT,
     {PASS, "store_exchanged_value(rank_of(ranks, row), values.at[row]);\n            block_barrier();",
      "store_exchanged_value(rank_of(ranks, row), values.at[row]);"}},

    /* sorts: look-back of every bin */
    {"a sort's tiles by block instead of by ticket", SORT,
     {PASS, "ticket[0] = take_ticket(params.scratch);", "ticket[0] = ms_machine_running->place.block_id + round * block_count();"}},
    {"the tag of a bin's post is ignored", SORT, {PASS, "word0.tag >> 1 == tag", "word0.tag != 0u"}},
    {"a bin's aggregate is taken for a prefix", SORT, {PASS, "? AGGREGATE : PREFIX", "? PREFIX : PREFIX"}},
    {"a bin's prefix is taken for an aggregate", SORT, {PASS, "? AGGREGATE : PREFIX", "? AGGREGATE : AGGREGATE"}},
    {"a bin's flag is not released", SORT_FLAGGED, {PASS, "tag, MS_RELEASE);", "tag, MS_RELAXED);"}},
    {"a bin's flag is not acquired", SORT_FLAGGED, {PASS, "MS_ACQUIRE) == tag", "MS_RELAXED) == tag"}},
    {"another bin's descriptor", SORT, {PASS, "(look.end - back) * BINS + look.bin", "(look.end - back) * BINS + look.bin / 2u"}},
    {"the tile after the descriptor's", SORT,
     {PASS, "publish_aggregate(posts, tile * BINS + bin,", "publish_aggregate(posts, (tile - 1u) * BINS + bin,"}},
    {"the prefix without the tile's count", SORT, {PASS, "tag, looks[b].aggregate + count);", "tag, looks[b].aggregate);"}},
    {"repeats are counted", SORT,
     {PASS, "bins.counts[b] - repeats : bins.counts[b];\n                publish_prefix",
      "bins.counts[b] : bins.counts[b];\n                publish_prefix"}},
    {"repeats are moved", SORT, {PASS, "rank - end >= repeats", "rank + end != ~0u"}},
    {"repeats stand before their digit's others", SORT, {PASS, "first_repeat[0] = bins.starts[b] + count;", "first_repeat[0] = bins.starts[b];"}},
    {"the rank is not taken off", SORT, {PASS, "looks[b].aggregate - bins.starts[b];", "looks[b].aggregate;"}},
    {"every pass has the first one's starts", SORT, {PASS, "starts.at[first_start + bin]", "starts.at[first_start * 0u + bin]"}},
    {"posts beside the keys", SORT,
     {PASS, "address_after(scratch, zeroed_count(scratch) * 16u - tiles * (DESCRIPTOR_BYTES / 16u), 16u)",
      "(address_at(spares.values, tiles * TILE * 4u) + 15u) / 16u * 16u"}},

    /* sorts: fallback */
    {"no end to the polls of a bin", SORT_FALLBACK, {PASS, "is_waiting && polls < SPIN_LIMIT", "is_waiting"}},
    {"the digits of another tile", SORT_FALLBACK, {PASS, "u64(missing - 1u) * TILE", "u64(missing) * TILE"}},
    {"the missing counts are not cleared", SORT_FALLBACK, {PASS, "if (looks[b].bin < BINS) missing_counts[looks[b].bin] = 0u;", ""}},
    {"missing counts over the prefix of their own block", SORT_FALLBACK,
     {PASS, "publish_missing(posts, (missing - 1u) * BINS + bin", "publish_aggregate(posts, (missing - 1u) * BINS + bin"}},
    {"missing counts over a prefix that has come by now", SORT_FALLBACK, {PASS, "(u64)there.tag << 32 | there.x, MS_RELAXED);",
     "(u64)post_word(posts, tile).tag << 32 | post_word(posts, tile).x, MS_RELAXED);"}},
    {"missing counts over any post", SORT_FALLBACK, {PASS, "if (there.tag >> 1 == tag) return;", ""}},
    {"a bin's old post stays", SORT_FALLBACK, {PASS, "if (there.tag >> 1 == tag) return;", "if (there.tag != 0u) return;"}},
    {"missing counts are posted as a prefix", SORT_FALLBACK,
     {PASS, "publish_missing(posts, (missing - 1u) * BINS + bin", "publish_prefix(posts, (missing - 1u) * BINS + bin"}},
    {"no barrier before the missing digits are counted", SORT_FALLBACK,
     {PASS, "block_barrier();\n            missing = missing_tiles[0];", "missing = missing_tiles[0];"}},
    {"no barrier before the missing counts are posted", SORT_FALLBACK,
     {PASS, "                }\n                block_barrier();\n", "                }\n"}},
    {"the last missing tile is kept", SORT_FALLBACK,
     {PASS, "if (thread_id() == 0u) missing_tiles[0] = 0u;", "if (thread_id() == 0u && missing == 0u) missing_tiles[0] = 0u;"}},

    /* sorts: between which buffers */
    {"in place an odd number of passes", SORT, {PASS, "PASSES % 2u : 0u)) more++;", "PASSES % 2u : 0u)) more += 0u;"}},
    {"equal keys are not moved", SORT, {PASS, "uint more = varied == 0u ? 1u : 0u;", "uint more = 0u;"}},
    {"the first pass reads the inputs though it is left out", SORT, {PASS, "route.is_first = before == 0u;", "route.is_first = pass == 0u;"}},
    {"the first pass is the last", SORT, {PASS, "route.is_last = before + 1u == varied + more;", "route.is_last = before == 0u;"}},
    {"the first pass writes the outputs", SORT, {PASS, "(varied + more - before) % 2u == 1u", "before % 2u == 0u"}},
    {"keys without an output take the place of others", SORT, {PASS, "params.buffers[1] : spares.more_keys", "params.buffers[1] : spares.keys"}},
    {"keys at no address", SORT_KEYS, {PASS, "if (!route.runs || !is_given(params.buffers[1])) return;", "if (!route.runs) return;"}},
    {"values by place instead of rank", SORT,
     {PASS, "store_exchanged_value(rank_of(ranks, row), values", "store_exchanged_value(rank_of(ranks, row) * 0u + row * BLOCK + thread_id(), values"}},
    {"a value beyond the last is moved", SORT_LARGE, {PASS, "row_place(row) <= last", "row_place(row) <= last + 1u"}},
    {"two values at a place", SORT_LARGE, {PASS, "+ rank_of(ranks, row);", "+ rank_of(ranks, row) / 2u * 2u;"}},
    {"n above its bound", SORT, {PASS, "min(*(const u64 *)n_address, n)", "*(const u64 *)n_address"}},

    /* sorts of one block */
    {"repeats are taken for items", SORT_BLOCK, {BLOCK, "item < end ? item : item + (TILE - 1u - last)", "item"}},
    {"the item beside the first repeat", SORT_BLOCK, {BLOCK, "item < end ?", "item <= end ?"}},
    {"a last item too many", SORT_BLOCK, {BLOCK, "const uint last = n - 1u;", "const uint last = n;"}},
    {"a pass is left out where most keys agree", SORT_BLOCK, {BLOCK, "bins.counts[b] == TILE ?", "bins.counts[b] >= TILE - 4u ?"}},
    {"the last digit of a key is left out", SORT_BLOCK, {BLOCK, "pass < PASSES; pass++", "pass < PASSES - 1u; pass++"}},
    {"places stay where they were", SORT_BLOCK, {BLOCK, "places.at[row] = load_exchanged_place", "load_exchanged_place"}},
    {"no barrier after the counts of a pass are cleared", SORT_BLOCK,
     {BLOCK, "clear_digit_counts();\n        block_barrier();", "clear_digit_counts();"}},
    {"no barrier after the digits of a pass are counted", SORT_BLOCK,
     {BLOCK, "count_digits(keys, digit);\n        block_barrier();", "count_digits(keys, digit);"}},
    {"no barrier before ranks", SORT_BLOCK, {BLOCK, "        block_barrier();\n        if (is_settled", "        if (is_settled"}},
    {"no barrier before keys come back", SORT_BLOCK,
     {BLOCK, "            block_barrier();\n            UNROLL for (uint row = 0u; row < ROWS; row++) keys.at[row] = load_ex",
      "            UNROLL for (uint row = 0u; row < ROWS; row++) keys.at[row] = load_ex"}},
    {"no barrier before places are exchanged", SORT_BLOCK,
     {BLOCK, "            block_barrier();\n            UNROLL for (uint row = 0u; row < ROWS; row++) store_ex",
      "            UNROLL for (uint row = 0u; row < ROWS; row++) store_ex"}},
    {"no barrier before places come back", SORT_BLOCK,
     {BLOCK, "            block_barrier();\n            UNROLL for (uint row = 0u; row < ROWS; row++) places.at[row] = load_ex",
      "            UNROLL for (uint row = 0u; row < ROWS; row++) places.at[row] = load_ex"}},
    {"outputs are stored before values are loaded", SORT_BLOCK_VALUES, {BLOCK, "    block_barrier(); // outputs", "    // outputs"}},

    /* sorts by upsweep and downsweep */
    {"repeats are counted in an upsweep", SORT_TWICE, {"sort_upsweep", "count -= repeats;", "count -= 0u;"}},
    {"no barrier after an upsweep's counts are cleared", SORT_TWICE,
     {"sort_upsweep", "clear_digit_counts();\n    block_barrier();", "clear_digit_counts();"}},
    {"no barrier before an upsweep's counts are added up", SORT_TWICE, {"sort_upsweep", "    block_barrier();\n    // Places", "    // Places"}},
    {"the table by block instead of by bin", SORT_TWICE, {"sort_upsweep", "bin * block_count() + block_id()", "block_id() * BINS + bin"}},
    {"an inclusive scan of the table", SORT_TWICE, {"sort_scan_bins", "table.at[entry] = place;\n            place += count;",
                                                    "place += count;\n            table.at[entry] = place;"}},
    {"the last entry of the table is left out", SORT_TWICE, {"sort_scan_bins", "if (entry < entries) sum", "if (entry + 1u < entries / 2u) sum"}},
    {"places are not carried from tile to tile", SORT_TWICE, {"sort_downsweep", "next_places[b] += count;", "next_places[b] += 0u;"}},
    {"a downsweep's repeats are moved on", SORT_TWICE, {"sort_downsweep", "bins.counts[b] - repeats : bins.counts[b];", "bins.counts[b] : bins.counts[b];"}},
    {"an odd number of passes in place", SORT_TWICE, {"sort_downsweep", "PASSES + PASSES % 2u : PASSES", "PASSES : PASSES"}},

    /* sorts bit by bit */
    {"a one does not stand behind the zeros", SPLIT, {"sort_downsweep", "rank_of_one = zeros + ones_before;", "rank_of_one = zeros * 0u + ones_before;"}},
    {"ones are not counted from item to item", SPLIT, {"sort_downsweep", "ones_before += digits.at[row];", "ones_before += 0u;"}},
    {"a zero keeps its place", SPLIT, {"sort_downsweep", "row_place(row) - ones_before;", "row_place(row);"}},
    {"ones first", SPLIT, {"sort_downsweep", "digits.at[row] != 0u ? rank_of_one : rank_of_zero", "digits.at[row] == 0u ? rank_of_one : rank_of_zero"}},
    {"the block's scan is left out", SPLIT, {"sort_downsweep", "return block.before + earlier;", "return block.before * 0u + earlier;"}},
    {"the zeros of another thread's items are not counted", SPLIT, {"sort_upsweep", "ROWS - ones", "thread_id() == 1u ? 0u : ROWS - ones"}},
    {"ones begin where zeros do", SPLIT, {"sort_downsweep", "== 1u ? zeros : 0u", "== 1u ? zeros * 0u : 0u"}},
    {"no barrier after a tile's bits are cleared", SPLIT, {"sort_downsweep", "clear_digit_counts();\n        block_barrier();", "clear_digit_counts();"}},
    {"no barrier after a tile's bits are counted", SPLIT, {"sort_downsweep", "count_digits(keys, digit);\n        block_barrier();", "count_digits(keys, digit);"}},
    {"no barrier in the scan of a tile's bits", SPLIT,
     {"sort_downsweep", "subgroup_totals[subgroup_id()] = subgroup_total;\n    block_barrier();", "subgroup_totals[subgroup_id()] = subgroup_total;"}},

    /* look-ahead: the hand-shake of threads, copies and the subgroup that looks for what comes before */
    {"a tile's coming is not waited for", AHEAD, {LOOKAHEAD, "wait_for_signal(COME + stage, round / STAGES);", ""}},
    {"one thread alone waits for a tile's coming", AHEAD, {LOOKAHEAD, "wait_for_signal(COME", "if (thread_id() == 0u) wait_for_signal(COME"}},
    {"a tile's sum is not waited for", AHEAD, {LOOKAHEAD, "wait_for_signal(SUMMED + slot, round / STAGES);", ""}},
    {"what comes before is not waited for", AHEAD, {LOOKAHEAD, "wait_for_signal(PRECEDED + stage, earlier / STAGES);", ""}},
    {"one thread alone waits for what comes before", AHEAD,
     {LOOKAHEAD, "wait_for_signal(PRECEDED", "if (thread_id() == 0u) wait_for_signal(PRECEDED"}},
    {"nobody is told of a sum", AHEAD, {LOOKAHEAD, "give_signal(SUMMED + stage);", ""}},
    {"nobody is told of what comes before", AHEAD, {LOOKAHEAD, "give_signal(PRECEDED + slot);", ""}},
    {"told of a sum before it is there", AHEAD,
     {LOOKAHEAD, "tile_totals[stage] = sum.total;\n                give_signal(SUMMED + stage);",
      "give_signal(SUMMED + stage);\n                tile_totals[stage] = sum.total;"}},
    {"told of what comes before before it is there", AHEAD,
     {LOOKAHEAD, "tile_prefixes[slot] = prefix;\n            give_signal(PRECEDED + slot);",
      "give_signal(PRECEDED + slot);\n            tile_prefixes[slot] = prefix;"}},
    {"a tile that takes no stage leaves a turn out", AHEAD_REVERSE, {LOOKAHEAD, "give_signal(COME + stage);\n    else", "return;\n   "}},
    {"a total is let go before all have read it", AHEAD, {LOOKAHEAD, "        subgroup_barrier(); // all", "        // all"}},
    {"two meanings of a signal", AHEAD, {LOOKAHEAD, "#define PRECEDED (2u * STAGES)", "#define PRECEDED (2u * STAGES - 1u)"}},
    {"a stage is not readied", AHEAD, {LOOKAHEAD, "ready_stage();\n            block_barrier();", "block_barrier();"}},
    {"a stage is readied after the barrier", AHEAD,
     {LOOKAHEAD, "ready_stage();\n            block_barrier();", "block_barrier();\n            ready_stage();"}},
    {"no barrier before a tile leaves", AHEAD, {LOOKAHEAD, "ready_stage();\n            block_barrier();", "ready_stage();"}},
    {"no barrier between the loads and stores of a stage", AHEAD_NARROW,
     {LOOKAHEAD, "        block_barrier(); // results", "        // results"}},
    {"no barrier before a tile is moved in its stage", AHEAD,
     {LOOKAHEAD, "    block_barrier();\n    for (uint i = 0u; i < 4u * THREAD_WORDS", "    for (uint i = 0u; i < 4u * THREAD_WORDS"}},
    {"no barrier after a tile is moved in its stage", AHEAD, {LOOKAHEAD, "= moved[i];\n    }\n    block_barrier();", "= moved[i];\n    }"}},

    /* look-ahead: stages in turn */
    {"a stage is filled while its tile leaves", AHEAD, {LOOKAHEAD, "                wait_for_earlier_leaves();\n", ""}},
    {"a stage is filled one tile early", AHEAD, {LOOKAHEAD, "wait_for_copies(__LINE__, 1u)", "wait_for_copies(__LINE__, 2u)"}},
    {"rounds of leaves do not end", AHEAD, {LOOKAHEAD, "                end_leaves();\n", ""}},
    {"the last tile's leave is not waited for", AHEAD, {LOOKAHEAD, "    wait_for_leaves();\n", ""}},
    {"every stage is filled at the beginning", AHEAD, {LOOKAHEAD, "s < STAGES - 1u; s++", "s < STAGES; s++"}},
    {"a stage less is filled at the beginning", AHEAD, {LOOKAHEAD, "s < STAGES - 1u; s++", "s < STAGES - 2u; s++"}},
    {"the stage before is filled", AHEAD, {LOOKAHEAD, "(earlier + STAGES - 1u) % STAGES", "(earlier + STAGES - 2u) % STAGES"}},
    {"a tile later than its turn", AHEAD, {LOOKAHEAD, "tile + (STAGES - 1u) * block_count()", "tile + STAGES * block_count()"}},
    {"what comes before is in the next stage's place", AHEAD, {LOOKAHEAD, "slot = round % STAGES", "slot = (round + 1u) % STAGES"}},
    {"as far ahead as there are stages", AHEAD, {LOOKAHEAD, "#define AHEAD (2u)", "#define AHEAD (3u)"}},
    {"a tile ends a round late", AHEAD, {LOOKAHEAD, "if (round >= AHEAD) {", "if (round > AHEAD) {"}},
    {"what came before in another tile", AHEAD, {LOOKAHEAD, "combine(prefix, befores[0])", "combine(prefix, befores[1])"}},
    {"a round less", AHEAD, {LOOKAHEAD, "round < own_tiles + AHEAD;", "round + 1u < own_tiles + AHEAD;"}},
    {"a tile beyond the end is taken for whole", AHEAD, {LOOKAHEAD, "tiles.n - start >= TILE", "tiles.n - start + 1u >= TILE"}},
    {"what is before the array is copied", AHEAD, {LOOKAHEAD, "start + tiles.head == 0u ? tiles.head * 8u + tiles.shift : 0u", "0u"}},
    {"what is behind the array is copied", AHEAD, {LOOKAHEAD, "left < most ? uint(left) : most", "left == 0u ? 0u : most"}},
    {"bytes at a tile's ends are left out", AHEAD_WORDS, {LOOKAHEAD, "(bytes.first | bytes.end) % 16u != 0u", "false"}},
    {"no barrier after the bytes at a tile's ends", AHEAD_WORDS, {LOOKAHEAD, "    }\n    block_barrier();\n}\n\n// Every", "    }\n}\n\n// Every"}},
    {"places before the array are written", AHEAD_WORDS, {LOOKAHEAD, "bytes.first = empty_places(tile, tiles) * 4u;", "bytes.first = 0u;"}},
    {"a last tile is written whole", AHEAD_WORDS, {LOOKAHEAD, "(left < TILE ? uint(left) : TILE) * 4u", "(left == 0u ? 0u : TILE) * 4u"}},
    {"a tile that is not aligned stays so", AHEAD, {LOOKAHEAD, "if (tiles.shift != 0u) align_stage(stage, tiles.shift, bytes);", ""}},
    {"tiles that are not aligned are not moved", AHEAD_WORDS, {LOOKAHEAD, "tiles.head = stage_shift(in) / 4u;", "tiles.head = 0u;"}},
    {"tiles are moved twice as far", AHEAD_WORDS, {LOOKAHEAD, "stage_shift(in) / 4u", "stage_shift(in) / 2u"}},
    {"a moved tile less", AHEAD_WORDS, {LOOKAHEAD, "uint((n + tiles.head + (TILE - 1u)) / TILE)", "uint((n + (TILE - 1u)) / TILE)"}},
    {"a tile begins before the array", AHEAD_WORDS, {LOOKAHEAD, "start < tiles.n && ", ""}},
    {"moved tiles leave as if they were not", AHEAD_WORDS, {LOOKAHEAD, "address_after(params.buffers[1], tile_start(0u, tiles), 4u)) == 0u", "params.buffers[1]) == 0u"}},
    {"a tile leaves for an address that is not aligned", AHEAD, {LOOKAHEAD, "writes && out_is_aligned && is_whole", "writes && (out_is_aligned || true) && is_whole"}},
    {"a tile leaves for no address", AHEAD, {LOOKAHEAD, "leaves = writes && out_is_aligned", "leaves = out_is_aligned"}},

    /* look-ahead: posts, and what is made of them */
    {"posts of earlier launches", AHEAD, {LOOKAHEAD, "word0.tag >> 1 == tag && ", "word0.tag != 0u && "}},
    {"a post of every launch", AHEAD, {LOOKAHEAD, "launch_tag(scratch) % 0x7fffffffu, MS", "launch_tag(scratch) - 1u, MS"}},
    {"missing posts are not waited for", AHEAD, {LOOKAHEAD, "while (last_lane(is_missing) < LANES) {", "if (last_lane(is_missing) < LANES) {"}},
    {"a post less is read", AHEAD, {LOOKAHEAD, "own + k < end", "own + k + 1u < end"}},
    {"the tile's own post is read, too", AHEAD, {LOOKAHEAD, "sum_posts(posts, tag, first, tile)", "sum_posts(posts, tag, first, tile + 1u)"}},
    {"the tile's own post is read a round later", AHEAD, {LOOKAHEAD, "first = tile + 1u;", "first = tile;"}},
    {"the next tile's post is left out", AHEAD, {LOOKAHEAD, "first = tile + 1u;", "first = tile + 2u;"}},
    {"a lane's posts overlap the next one's", AHEAD_FAR, {LOOKAHEAD, "lane_id() * DEPTH", "lane_id() * (DEPTH - 1u)"}},
    {"the first prefix is left out", AHEAD, {LOOKAHEAD, "round == 0u ? combine(first_prefix[0], sum.total) : sum.total", "sum.total"}},
    {"the first prefix in every tile", AHEAD,
     {LOOKAHEAD, "round == 0u ? combine(first_prefix[0], sum.total) : sum.total", "combine(first_prefix[0], sum.total)"}},
    {"the first prefix in every block", AHEAD, {LOOKAHEAD, "block_id() == 0u ? starting_prefix", "true ? starting_prefix"}},
    {"a total with the first prefix", AHEAD,
     {LOOKAHEAD, "tile_totals[stage] = sum.total;", "const Affine total = combine(first_prefix[0], sum.total); tile_totals[stage] = total;"}},
    {"posts before what was there", AHEAD, {LOOKAHEAD, "combine(prefix, since)", "combine(since, prefix)"}},
    {"the tile before what comes before it", AHEAD, {LOOKAHEAD, "combine(prefix, total)", "combine(total, prefix)"}},
    {"a lane's posts backwards", AHEAD_FAR, {LOOKAHEAD, "combine(sum, seen[k].value)", "combine(seen[k].value, sum)"}},
    {"the first tile before the first prefix", AHEAD, {LOOKAHEAD, "combine(first_prefix[0], sum.total)", "combine(sum.total, first_prefix[0])"}},
    {"the tile's items before its prefix", AHEAD, {LOOKAHEAD, "combine(prefix, befores[0])", "combine(befores[0], prefix)"}},
    {"a thread before its subgroup", AHEAD, {LOOKAHEAD, "combine(block.before, earlier)", "combine(earlier, block.before)"}},
    {"a thread's items backwards", AHEAD, {LOOKAHEAD, "combine(sum, x)", "combine(x, sum)"}},
    {"an item before what comes before it", AHEAD, {LOOKAHEAD, "combine(prefix, x)", "combine(x, prefix)"}},
    {"the last tile before its prefix", AHEAD, {LOOKAHEAD, "combine(prefix, tile_totals[stage])", "combine(tile_totals[stage], prefix)"}},
    {"the carry of another tile", AHEAD, {LOOKAHEAD, "if (tile == tiles.count - 1u) store_carry", "if (tile == 0u) store_carry"}},
    {"no carry without items", AHEAD, {LOOKAHEAD, "if (tiles.count == 0u && block_id() == 0u)", "if (false)"}},
    {"reverse tiles forward", AHEAD_REVERSE, {LOOKAHEAD, "tiles.count - 1u - tile", "tile"}},
};
enum { MUTATION_COUNT = sizeof mutations / sizeof *mutations, KERNEL_COUNT = sizeof kernels / sizeof *kernels };

static sim *machine;
static sim_suite *suite;
static sim_case cases[MUTATION_COUNT];

static int compile_all(void **state)
{
    static char message[1 << 14];
    (void)state;
    for (int i = 0; i < MUTATION_COUNT; i++) {
        cases[i] = kernels[mutations[i].kernel];
        cases[i].patch = &mutations[i].patch;
    }
    machine = sim_create();
    if (machine) suite = sim_suite_create(machine, MSW_SOURCE_DIR "/tests/simulator/operations.lua", cases, MUTATION_COUNT, message, sizeof message);
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

static void test_mutation(void **state)
{
    const uint32_t index = (uint32_t)(uintptr_t)*state;
    const int fair_only = cases[index].progress != MSW_PROGRESS_NONE; /* where even the whole kernel waits for ever */
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        for (int scheduler = 0; scheduler < SIM_SCHEDULER_COUNT; scheduler++) {
            if (fair_only && !sim_scheduler_is_fair((sim_scheduler)scheduler)) continue;
            const sim_options options = sim_suite_options((sim_scheduler)scheduler, seed);
            if (!sim_suite_run(suite, index, &options)) continue;
            if (getenv("MSW_SIM_SHOW")) print_message("%s", sim_suite_failure(suite));
            return;
        }
    }
    fail_msg("%s: not found", mutations[index].name);
}

int main(void)
{
    struct CMUnitTest tests[MUTATION_COUNT];
    for (int i = 0; i < MUTATION_COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = mutations[i].name, .test_func = test_mutation, .initial_state = (void *)(uintptr_t)i};
    if (getenv("MSW_SIM_CASE")) cmocka_set_test_filter(getenv("MSW_SIM_CASE"));
    return cmocka_run_group_tests(tests, compile_all, release_all);
}
