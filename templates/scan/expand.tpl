$ -- What a tile's elements expand to: the block writes the items of the tile one after the other, whatever element they are of. Uses tile_scan.tpl;
$ -- defines expand_tile.
$ -- Source: Merrill & Garland 2016, "Merge-based Parallel Sparse Matrix-Vector Multiplication": threads share the output out, not the input.
$ local bits = 0
$ while 1 << bits < BLOCK * ITEMS do bits = bits + 1 end
$ local has_places = strategy == "atomic_bump" -- an element's items by themselves: where they begin, and lengths that fit
$ local length = outputs.fields[1].length
$ local room = length and length .. "u" or "out_items.n"
$ local left = (length or Index == "uint" or is_wide) and room .. " - first" or ("uint(%s - first)"):format(room) -- a plan's n_max has 32 bits
$ include("parts/any_element", {array = "Sources", name = "source"})

$(shared(Place, "starts", "TILE")) // where the items of each of the tile's elements begin among the tile's
$ if has_places then
$(shared(Place, "places", "TILE")) // and where they go

// Takes room for the items of each element, whose lengths become those that fit.
Tile take_rooms(Tile tile, Out out_items, $(Address) scratch)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const $(T) none = identity(), length = tile.rows[row].at[v];
            if (length == none) continue;
            const $(T) place = take_room(scratch, length);
            const $(Place) first = $(reach("none", "place"));
            places[row_place(row) + v] = first;
            tile.rows[row].at[v] = first < $(room) ? $(T)(min($(reach("none", "length")), $(left))) : none;
        }
    }
    return tile;
}
$ end

// Writes the items of a tile: `prefix` are those before it, `end` with its own; subgroup_prefix: those before this subgroup. The whole block
// calls it.
void expand_tile(In in_items, Out out_items, TileScan scan, $(T) prefix, $(T) subgroup_prefix, $(T) end, $(Index) start)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const $(T) before = $(join("subgroup_prefix", "scan.row_prefix[row]"));
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            $(T) s = before;
            if (v > 0u) s = $(join("before", "scan.rows[row].at[v - 1u]"));
            starts[row_place(row) + v] = $(reach("prefix", "s"));
        }
    }
    block_barrier();
    const $(T) none = identity();
    const $(Place) first = $(reach("none", "prefix"));
    const $(Place) count = first < $(room) ? min($(reach("prefix", "end")), $(left)) : 0u;
    // All threads take part in each round, so that they are together again behind the last one.
    for ($(Place) round = 0u; round < count; round += BLOCK) {
        const $(Place) j = round + thread_id();
        uint source = 0u; // the last element whose items begin no later: it has item j
        UNROLL for (uint bit = 0u; bit < $(bits)u; bit++) {
            const uint later = source + ($(1 << bits >> 1)u >> bit);
            if ($(1 << bits == BLOCK * ITEMS and "" or "later < TILE && ")starts[later] <= j) source = later;
        }
        const $(Index) i = start + source;
        if (j < count) store_output(out_items, $(has_places and "places[source] + (j - starts[source])" or "first + j"), $(item("load_source(in_items, i)", "i", is_wide and "uint(j - starts[source])" or "j - starts[source]")));
    }
$ if (SUBGROUPS == 1 and strategy ~= "block_atomic") or has_places then -- there the block meets when it has taken room
    block_barrier(); // the next tile's starts take the place of these; a block of several subgroups meets when it scans their totals
$ end
}
