$ -- A tile scanned in registers, and its way out. Uses tiles.tpl; defines scan_tile, and store_tile or expand_tile.
struct TileScan {
    Elements rows[ROWS]; // inclusive in each lane's part of a row
    $(T) row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    $(T) total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = $(join("x.at[v - 1u]", "x.at[v]"));
        const $(T) inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const $(T) exclusive = subgroup_shift(inclusive);
        const $(T) row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = $(join("scan.total", "exclusive"));
        scan.total = $(join("scan.total", "row_total"));
    }
    return scan;
}

$ if item then
$ include "scan/expand"
$ else
$ local reads = output_reads_input and "In in_items, " or ""
// Writes the scan of the tile after `prefix`, which holds what comes before this subgroup.
void store_tile(Out out_items, $(reads)bool is_aligned, TileScan scan, $(T) prefix, $(Index) start, $(Index) n)
{
    if (is_aligned && start + TILE <= n) {
$ for _, is_full in ipairs {true, false} do
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Index) first = start + row_place(row);
            const $(T) before = $(join("prefix", "scan.row_prefix[row]"));
$     if output_reads_input then
            const Inputs inputs = $(is_full and "load_full_inputs(in_items, first)" or "load_inputs(in_items, first, n)");
$     if near then
            const Nears nears = nears_of(in_items, inputs, first, n);
$     end
$     end
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
$     if exclusive then
                $(T) s = before;
                if (v > 0u) s = $(join("before", "scan.rows[row].at[v - 1u]"));
$     else
                const $(T) s = $(join("before", "scan.rows[row].at[v]"));
$     end
$     if output_map then
                $(is_full and "" or "if (first + " .. place .. " < n) ")outputs.at[$(place)] = $(output_map("s", "inputs.at[" .. place .. "]", "first + " .. place, "nears.at[" .. place .. "]"));
$     else
                outputs.at[$(place)] = s;
$     end
            }
            $(is_full and "store_full_outputs(out_items, first, outputs)" or "store_outputs(out_items, first, n, outputs)");
        }
$     if is_full then
    } else {
$     end
$ end
    }
}
$ end
