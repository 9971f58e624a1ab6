$ -- Scans by a balanced tree whose shape depends on places alone, so that floats have the same bits whatever subgroups, blocks and tiles are:
$ -- a block is 2^k values from a multiple of 2^k on; it adds up to its first half joined with its second. What comes before a place is the
$ -- starting prefix, joined with the blocks before it, the longest first. Values beyond n take part in blocks of which nothing is used.
$ -- Source: Brent & Kung 1982, "A Regular Layout for Parallel Adders": up, value i becomes what the longest block that ends with it adds up
$ -- to; down, what comes before value i + 1. Defines what parts/block.tpl does of a block of threads, and more: Ends, grow, keep, join_tail.
$ assert(SUBGROUPS & (SUBGROUPS - 1) == 0, "a block is a power of two of subgroups")
$ include "parts/tree"

$ local by_lanes = SUBGROUPS <= LANES
$ if SUBGROUPS > 1 then
$(shared(T, "subgroup_totals", SUBGROUPS .. "u"))

$ end
// One value a subgroup, up.
struct BlockScan {
$ if by_lanes then
    $(T) totals; // in lane s: of the longest block that ends with subgroup s
$ else
    $(T) own; // of the longest block that ends with this subgroup; of all subgroups they are in subgroup_totals
$ end
    $(T) total; // of all
};

// One value a subgroup, the same in all its lanes. The whole block calls it$(SUBGROUPS == 1 and ", and meets" or "").
BlockScan block_scan($(T) subgroup_total)
{
    BlockScan scan;
$ if SUBGROUPS == 1 then
    scan.totals = subgroup_total;
    scan.total = subgroup_total;
    block_barrier(); // grow() counts on it
$ else
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();
$ if by_lanes then
    scan.totals = subgroup_total;
    if (lane_id() < $(SUBGROUPS)u) scan.totals = subgroup_totals[lane_id()];
    scan.totals = subgroup_up(scan.totals, $(SUBGROUPS)u);
    scan.total = shuffle(scan.totals, $(SUBGROUPS - 1)u);
$ else
    for (uint step = 1u; step < $(SUBGROUPS)u; step *= 2u) {
        if (thread_id() < $(SUBGROUPS)u && thread_id() % (2u * step) == 2u * step - 1u) {
            subgroup_totals[thread_id()] = $(join("subgroup_totals[thread_id() - step]", "subgroup_totals[thread_id()]"));
        }
        block_barrier();
    }
    scan.own = subgroup_totals[subgroup_id()];
    scan.total = subgroup_totals[$(SUBGROUPS - 1)u];
$ end
    block_barrier();
$ end
    return scan;
}

// Of the longest block that ends with this subgroup. The whole block calls it.
$(T) own_total(BlockScan scan)
{
    return $(not by_lanes and "scan.own" or SUBGROUPS > 1 and "shuffle(scan.totals, subgroup_id())" or "scan.total");
}

// The ends of this subgroup's values, of those of the block's. The whole block calls it.
Ends subgroup_ends(BlockScan scan, Ends ends)
{
$ if SUBGROUPS == 1 then
    return ends;
$ elseif by_lanes then
    const $(T) x = subgroup_down(scan.totals, ends, $(SUBGROUPS)u);
    Ends mine;
    mine.through = shuffle(x, subgroup_id());
    mine.before = shuffle(x, subgroup_id() - 1u);
    if (subgroup_id() == 0u) mine.before = ends.before;
    return mine;
$ else
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_id() == $(SUBGROUPS - 1)u ? ends.through : scan.own;
    block_barrier();
    for (uint step = $(SUBGROUPS // 2)u; step > 0u; step /= 2u) {
        if (thread_id() < $(SUBGROUPS)u && thread_id() % (2u * step) == step - 1u) {
            $(T) left = ends.before;
            if (thread_id() >= step) left = subgroup_totals[thread_id() - step];
            subgroup_totals[thread_id()] = $(join("left", "subgroup_totals[thread_id()]"));
        }
        block_barrier();
    }
    Ends mine;
    mine.through = subgroup_totals[subgroup_id()];
    mine.before = ends.before;
    if (subgroup_id() > 0u) mine.before = subgroup_totals[subgroup_id() - 1u];
    block_barrier();
    return mine;
$ end
}

const uint LEVELS = 32u; // more than 2^32 parts there are not
$(shared(T, "level_total", "LEVELS")) // of the last block of 2^k parts
$(shared(T, "level_before", "LEVELS")) // what comes before it

// The ends of part k: parts of one power of two of values follow each other, each of `total`. The whole block calls it in turn for all parts from 0
// on, and meets in between.
Ends grow(uint k, $(T) before, $(T) total)
{
    Ends ends;
    ends.before = before;
    uint level = 0u;
    for (; (k >> level) % 2u != 0u; level++) {
        total = $(join("level_total[level]", "total"));
        before = level_before[level];
    }
    if (thread_id() == 0u) {
        level_total[level] = total;
        level_before[level] = before;
    }
    ends.through = $(join("before", "total"));
    return ends;
}

// k of 2^k, the length of the longest block that ends before place `end`.
uint level_of($(Index) end)
{
    uint level = 0u;
    while ((end >> level) % 2u == 0u) level++;
    return level;
}

$(shared(T, "tail", "LEVELS")) // of a part that is not whole: of its block of 2^k values

// Of a part's first `count` values, which are not all: keeps value `place`, up, if it is of one of the blocks that they are.
void keep(uint place, uint count, $(T) x)
{
    const uint end = place + 1u;
    if (count - end < (end & (0u - end))) tail[level_of(end)] = x;
}

// What comes before the part, joined with these values.
$(T) join_tail($(T) prefix, uint count)
{
    for (uint level = LEVELS; level > 0u; level--) {
        if ((count >> (level - 1u)) % 2u != 0u) prefix = $(join("prefix", "tail[level - 1u]"));
    }
    return prefix;
}
