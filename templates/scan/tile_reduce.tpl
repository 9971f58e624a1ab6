$ -- A tile's aggregate by the same tree as tile_scan.tpl's: floats get the same bits. Uses tiles.tpl, block.tpl; defines reduce_tile.
// What the tile adds up to. The whole block calls it, and every thread gets it.
$(P) reduce_tile($(takes_inputs)$(Index) start, $(Index) n)
{
    const Tile tile = load_tile($(hands_inputs("is_aligned"))start, n);
    $(P) total = $(nothing);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        $(P) x = tile.rows[row].at[0];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x = $(tile_join("x", "tile.rows[row].at[v]"));
        const $(P) inclusive = subgroup_scan(x);
        const $(P) row_total = shuffle(inclusive, LANES - 1u);
        total = $(tile_join("total", "row_total"));
    }
    return block_scan(total).total;
}
