$ -- What the items of a tile of several arrays add up to, one item after the other. Uses staged_arrays.tpl, block.tpl; defines sum_tile.
$ -- item(j), near_own(j, first, n): of a whole tile's items `own`, and what is near them; j: a thread's j-th item from where the scan begins.
$ -- Where states are one counter and a bit says whether an item is kept (`sides`, gen/emit/kept.lua), these bits are all that is counted. Items of
$ -- fewer bytes than a word get theirs where they are loaded: as values of two branches each would be moved from register to register.
$ if sides then
// Which of a thread's items are counted: a bit each, from where the scan begins.
struct Kept {
    uint words[(ITEMS + 31u) / 32u];
};

// Of a whole tile's items, of which the lowest is the array's item `first`.
Kept find_kept(Items own, $(Index) first, $(Index) n)
{
    Kept kept;
    UNROLL for (uint w = 0u; w < (ITEMS + 31u) / 32u; w++) kept.words[w] = 0u;
    UNROLL for (uint j = 0u; j < ITEMS; j++) {
        const $(P) x = $(tile_map(item(j), "first + " .. j, near_own(j, "first", "n")));
        kept.words[j / 32u] |= (x != 0u ? 1u : 0u) << j % 32u;
    }
    return kept;
}

$ end
// What a tile's items add up to, and those before this thread's.
struct TileSum {
    $(P) before;
    $(P) total;
$ if packs_early then
    Items own;
$ end
$ if sides then
    Kept kept;
$ end
};

// The whole block calls it, with 0 and 1 by turns.
TileSum sum_tile(uint stage, In items, uint tile, Tiles tiles, uint turn)
{
    const $(Index) first = thread_start(tile, tiles);
    $(P) sum = $(nothing);
$ if packs_early then
    TileSum result;
$ end
    if (is_whole(tile, tiles)) {
$ if sides then
$ if has_aligned then
        if (are_aligned(items)) {
            result.own = load_aligned_items(stage, items, thread_place(), first, tiles.n);
            result.kept = find_kept(result.own, first, tiles.n);
        } else {
            result.own = load_items(stage, items, thread_place(), first, tiles.n);
            result.kept = find_kept(result.own, first, tiles.n);
        }
$ else
        result.own = load_items(stage, items, thread_place(), first, tiles.n);
        result.kept = find_kept(result.own, first, tiles.n);
$ end
        UNROLL for (uint w = 0u; w < (ITEMS + 31u) / 32u; w++) sum += $(bit_count("result.kept.words[w]"));
$ else
        const Items own = load_items(stage, items, thread_place(), first, tiles.n);
$ if packs_early then
        result.own = own;
$ end
        UNROLL for (uint j = 0u; j < ITEMS; j++) {
            const $(P) x = $(tile_map(item(j), "first + " .. j, near_own(j, "first", "tiles.n")));
            sum = j == 0u ? x : $(tile_join("sum", "x"));
        }
$ end
    } else {
        ROLL for (uint g = 0u; g < GROUPS; g++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint j = g * VECTOR + v, place = thread_place() + $(j);
                const $(Index) i = first + $(j);
                if (i < tiles.n) {
                    const $(P) x = $(tile_map("load_item(stage, items, place)", "i", "near_place(stage, items, place, i, tiles.n)"));
                    sum = $(tile_join("sum", "x"));
                }
            }
        }
    }
    const $(P) inclusive = subgroup_scan(sum);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u), turn);
    const $(P) earlier = subgroup_shift(inclusive);
$ if not packs_early then
    TileSum result;
$ end
    result.before = $(tile_join("block.before", "earlier"));
    result.total = block.total;
    return result;
}
