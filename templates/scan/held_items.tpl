$ -- A tile's items in registers, for kernels that make their results of them (packed_tile.tpl, packed_rows.tpl). Uses tile_places.tpl, subgroup.tpl;
$ -- defines Items, load_items, RowScan, scan_items.
$ if has_inputs then
// A lane's items of a tile, row by row.
struct Items {
    Inputs rows[ROWS];
$ if near then
    Edges edges[ROWS];
$ end
};

// Of those from n on they mean nothing.
Items load_items(In in_items, bool is_aligned, $(Index) start, $(Index) n)
{
    Items items;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) items.rows[row] = load_full_inputs(in_items, start + row_place(row));
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) items.rows[row] = load_inputs(in_items, start + row_place(row), n);
    }
$ if near then
    UNROLL for (uint row = 0u; row < ROWS; row++) items.edges[row] = load_edges(in_items, start + row_place(row), n);
$ end
    return items;
}
$ end

struct RowScan {
    $(P) before[ROWS]; // what comes before the lane's part of a row in the subgroup's rows
    $(P) total; // of the subgroup's rows
};

// By the same tree as a tile whose results are not put together.
RowScan scan_items($(takes_items)$(Index) start, $(Index) n)
{
    $(P) sums[ROWS];
    if (start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const $(P) x = $(tile_map(held.item, held.index, held.near));
                sums[row] = v == 0u ? x : $(tile_join("sums[row]", "x"));
            }
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            sums[row] = $(nothing);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                $(P) x = $(nothing);
                if ($(held.index) < n) x = $(tile_map(held.item, held.index, held.near));
                sums[row] = v == 0u ? x : $(tile_join("sums[row]", "x"));
            }
        }
    }
    RowScan scan;
    scan.total = $(nothing);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const $(P) inclusive = subgroup_scan(sums[row]);
        const $(P) earlier = subgroup_shift(inclusive);
        const $(P) row_total = shuffle(inclusive, LANES - 1u);
        scan.before[row] = $(tile_join("scan.total", "earlier"));
        scan.total = $(tile_join("scan.total", "row_total"));
    }
    return scan;
}
