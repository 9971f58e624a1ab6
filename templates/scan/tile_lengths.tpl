$ -- A tile's lengths scanned in 32 bits, the tile being in registers. A length of more than PART items counts as PART + 1, so that no sum overflows: sums
$ -- of at most PART items are right, and a tile of more leaves them to the next launch. Uses tiles.tpl, parts.tpl, block.tpl; defines scan_lengths,
$ -- tile_length and what expand.tpl or staged_items.tpl does.
$ assert(not reverse and not map_takes_near and part_items < 1 << 16 and (part_items + 1) * BLOCK * ITEMS < 1 << 32)
struct Starts {
    uint at[VECTOR];
};

// Where items begin among the tile's.
struct TileScan {
    Starts rows[ROWS]; // each element's
$ if by_groups then
    uint ends[ROWS];   // and those of the element after the lane's part of a row
$ end
    uint total;        // the tile's items
};

$ if SUBGROUPS > 1 then
$(shared("uint", "subgroup_lengths", "BLOCK / LANES"))

$ end
// Each row: a lane's own lengths, then across the lanes, then after the rows and subgroups before it. The whole block calls it.
TileScan scan_lengths(Tile tile)
{
    const $(T) none = identity();
    TileScan scan;
    uint total = 0u; // of the subgroup
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        uint end = 0u;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const $(T) length = tile.rows[row].at[v];
            scan.rows[row].at[v] = end;
            end += min($(reach("none", "length")), PART + 1u);
        }
        uint inclusive = end;
        UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
            const uint earlier = shuffle_uint_up(inclusive, step);
            if (lane_id() >= step) inclusive += earlier;
        }
$ if by_groups then
        scan.ends[row] = total + inclusive;
$ end
        const uint earlier_items = total + inclusive - end;
        total += shuffle_uint(inclusive, LANES - 1u);
        UNROLL for (uint v = 0u; v < VECTOR; v++) scan.rows[row].at[v] += earlier_items;
    }
$ if SUBGROUPS == 1 then
    scan.total = total;
$ else
    if (lane_id() == 0u) subgroup_lengths[subgroup_id()] = total;
    block_barrier();
    uint before = 0u;
    scan.total = 0u;
    UNROLL for (uint subgroup = 0u; subgroup < BLOCK / LANES; subgroup++) {
        if (subgroup == subgroup_id()) before = scan.total;
        scan.total += subgroup_lengths[subgroup];
    }
$ if strategy == "reduce_then_scan" then
    block_barrier(); // all have read them before the next tile's take their place; the other strategies' blocks meet for their tiles' prefixes
$ end
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) scan.rows[row].at[v] += before;
$ if by_groups then
        scan.ends[row] += before;
$ end
    }
$ end
    return scan;
}

$ include(chunk_items and "scan/staged_items" or "scan/expand")

// How many items a tile has, where `sum` is what scan_lengths returns: by loads of one element, since it is seldom more than PART. The whole block calls it.
$(T) tile_length(uint sum, In in_items, $(Index) start, $(Index) n)
{
    if (sum <= PART) return $(length_of("sum"));
    $(T) length = identity();
    for ($(Index) i = start + thread_id(); i < n && i < start + TILE; i += BLOCK) {
        const $(T) more = $(map("load_source(in_items, i)", "i"));
        length = $(join("length", "more"));
    }
    return block_scan(shuffle(subgroup_scan(length), LANES - 1u)).total;
}
