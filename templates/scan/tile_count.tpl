$ -- What is kept of a tile whose states are known: defines count_tile, whose states have counters alone. Uses tile_scan.tpl. takes_states: states are
$ -- an item's each, exclusive ones without the item.
// What of the tile's items is kept, as `prefix` and their states say; the identity beyond n.
Tile count_tile($(recount_reads_input and takes_inputs or "")$(takes_states and "Tile" or "TileScan") scan, $(T) prefix, $(Index) start, $(Index) n)
{
    Tile tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const $(Index) first = start + row_place(row);
$ if not takes_states then
        const $(T) before = $(join("prefix", "scan.row_prefix[row]"));
$ end
$ if has_inputs and recount_reads_input then
        Inputs inputs;
        if (is_aligned && $(is_whole)) inputs = load_full_inputs(in_items, first);
        else inputs = load_inputs(in_items, first, n);
$ end
$ if near and has_inputs and recount_reads_input then
        const Nears nears = nears_of(in_items, inputs, first, n);
$ end
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
$ if takes_states then
            const $(T) s = $(join("prefix", "scan.rows[row].at[v]"));
$ elseif exclusive then
            $(T) s = before;
            if (v > 0u) s = $(join("before", "scan.rows[row].at[v - 1u]"));
$ else
            const $(T) s = $(join("before", "scan.rows[row].at[v]"));
$ end
            tile.rows[row].at[v] = identity();
            if (first + $(place) < n) tile.rows[row].at[v] = $(recount("s", "inputs.at[" .. place .. "]", "first + " .. place, near_text(place, "first + " .. place)));
        }
    }
    return tile;
}
