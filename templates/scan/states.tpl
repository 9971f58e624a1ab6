$ -- States of items within their block, exclusive ones without the item itself: scan_then_propagate's first launch leaves them in the scratch, where
$ -- an item has the place that it has in the array, and later ones take them. All tiles are whole there. Uses tiles.tpl, tile_scan.tpl.
$ include("memory", {array = "StatesAt", group = "States", type = state, reads = takes_states, writes = leaves_states})

const uint STATES_OFFSET = $(states_offset)u; // bytes, in the scratch

$ if segments then
// They lie behind what says how many segments begin before each tile.
StatesAt states_at($(Address) scratch, $(Index) n)
{
    return StatesAt(address_after(address_at(scratch, STATES_OFFSET), tile_count(n) / 4u, 16u));
}
$ else
StatesAt states_at($(Address) scratch)
{
    return StatesAt(address_at(scratch, STATES_OFFSET));
}
$ end

$ local address = segments and "states_at(scratch, n)" or "states_at(scratch)"
$ local takes_n = segments and ", " .. Index .. " n" or ""
$ if leaves_states then
// Leaves the states of a tile's items; `prefix` is what comes before this subgroup in the block.
void leave_states($(Address) scratch, TileScan scan, $(T) prefix, $(Index) start$(takes_n))
{
    StatesAt states = $(address);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const $(T) before = $(join("prefix", "scan.row_prefix[row]"));
        States group;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
$ if exclusive then
            group.at[$(place)] = before;
            if (v > 0u) group.at[$(place)] = $(join("before", "scan.rows[row].at[v - 1u]"));
$ else
            group.at[$(place)] = $(join("before", "scan.rows[row].at[v]"));
$ end
        }
        store_full_states(states, start + row_place(row), group);
    }
}
$ else
// The states that an earlier launch has left of a tile's items.
Tile take_states($(Address) scratch, $(Index) start$(takes_n))
{
    StatesAt states = $(address);
    Tile tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const States group = load_full_states(states, start + row_place(row));
        UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = group.at[$(place)];
    }
    return tile;
}
$ end
