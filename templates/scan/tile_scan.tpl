$ -- A tile scanned in registers, and its way out. Uses tiles.tpl; defines scan_tile, and store_tile or expand_tile; balanced: also descend
$ -- and keep_tail, and what is stored has come down.
$ local has_states = parks and VECTOR == 1 -- of items; where a lane has several in a row, a prefix for them together takes fewer combinations
$ if balanced then
struct TileScan {
    Elements rows[ROWS]; // up, then down
    $(T) row_totals[ROWS]; // of the subgroup's rows, up, then down
$ if exclusive then
    $(T) row_prefix[ROWS]; // what comes before the lane's part
$ end
    $(T) total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes; then the rows.
TileScan scan_tile(Tile tile)
{
    TileScan scan;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
$ for _, step in ipairs(steps_up(VECTOR)) do
        x.at[$(step.to)] = $(join(("x.at[%d]"):format(step.from), ("x.at[%d]"):format(step.to)));
$ end
        x.at[VECTOR - 1u] = subgroup_up(x.at[VECTOR - 1u], LANES);
        scan.row_totals[row] = shuffle(x.at[VECTOR - 1u], LANES - 1u);
        scan.rows[row] = x;
    }
$ for _, step in ipairs(steps_up(ROWS)) do
    scan.row_totals[$(step.to)] = $(join(("scan.row_totals[%d]"):format(step.from), ("scan.row_totals[%d]"):format(step.to)));
$ end
    scan.total = scan.row_totals[ROWS - 1u];
    return scan;
}

// What comes before each item's end.
TileScan descend(TileScan scan, Ends ends)
{
    scan.row_totals[ROWS - 1u] = ends.through;
$ for _, step in ipairs(steps_down(ROWS)) do
$     local left = step.from and ("scan.row_totals[%d]"):format(step.from) or "ends.before"
    scan.row_totals[$(step.to)] = $(join(left, ("scan.row_totals[%d]"):format(step.to)));
$ end
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Ends of_row;
        of_row.before = ends.before;
        if (row > 0u) of_row.before = scan.row_totals[row - 1u];
        of_row.through = scan.row_totals[row];
        Elements x = scan.rows[row];
        x.at[VECTOR - 1u] = subgroup_down(x.at[VECTOR - 1u], of_row, LANES);
        $(T) before = shuffle_up(x.at[VECTOR - 1u], 1u);
        if (lane_id() == 0u) before = of_row.before;
$ for _, step in ipairs(steps_down(VECTOR)) do
$     local left = step.from and ("x.at[%d]"):format(step.from) or "before"
        x.at[$(step.to)] = $(join(left, ("x.at[%d]"):format(step.to)));
$ end
$ if exclusive then
        scan.row_prefix[row] = before;
$ end
        scan.rows[row] = x;
    }
    return scan;
}

// Of a tile's first `count` items, which are not all: keeps what their blocks add up to, for join_tail. The whole block calls it.
void keep_tail(TileScan scan, BlockScan block, uint count)
{
    const $(T) subgroup_total = own_total(block);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            $(T) x = scan.rows[row].at[v];
            if (v == VECTOR - 1u && lane_id() == LANES - 1u) {
                x = scan.row_totals[row];
                if (row == ROWS - 1u) x = subgroup_total;
            }
            keep(scan_place(row) + v, count, x);
        }
    }
    block_barrier();
}
$ elseif has_states then
struct TileScan {
    Elements rows[ROWS]; // what the subgroup's items add up to before each item$(exclusive and "" or ", and with it")
    $(P) total; // of the subgroup's rows
};

// Each row: across the lanes, then after the rows before it.
TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = $(nothing);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const $(P) inclusive = subgroup_scan(tile.rows[row].at[0]);
$ if exclusive then
        const $(P) exclusive = subgroup_shift(inclusive);
        const $(P) row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row].at[0] = $(tile_join("scan.total", "exclusive"));
        scan.total = $(tile_join("scan.total", "row_total"));
$ else
        scan.rows[row].at[0] = inclusive;
$ if ROWS > 1 then
        if (row > 0u) scan.rows[row].at[0] = $(tile_join("scan.total", "inclusive"));
$ end
        scan.total = shuffle(scan.rows[row].at[0], LANES - 1u);
$ end
    }
    return scan;
}
$ else
struct TileScan {
    Elements rows[ROWS]; // inclusive in each lane's part of a row
    $(P) row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    $(P) total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = $(nothing);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = $(tile_join("x.at[v - 1u]", "x.at[v]"));
        const $(P) inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const $(P) exclusive = subgroup_shift(inclusive);
        const $(P) row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = $(tile_join("scan.total", "exclusive"));
        scan.total = $(tile_join("scan.total", "row_total"));
    }
    return scan;
}
$ end

$ if item then
$ include "scan/expand"
$ elseif stores then
$ local reads = output_reads_input and has_inputs
$ local takes = reads and "In in_items, " or ""
$ local nearby = near_text(place, "first + " .. place)
// Writes $(takes_states and "what is made of the states of the tile's items" or "the scan of the tile")$(balanced and "" or takes_states and " after `prefix`, which holds what comes before this block" or " after `prefix`, which holds what comes before this subgroup")$(recounts and ", as `counted` does of what is kept" or "").
void store_tile(Out out_items, $(takes)bool is_aligned, $(takes_states and "Tile" or "TileScan") scan, $(balanced and "" or T .. " prefix, ")$(recounts and "TileScan counts, " .. T .. " counted, " or "")$(Index) start, $(Index) n)
{
    if (is_aligned && $(is_whole)) {
$ for _, is_full in ipairs {true, false} do
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const $(Index) first = start + row_place(row);
$     if (exclusive or not balanced) and not takes_states and not has_states then
            const $(T) before = $(balanced and "scan.row_prefix[row]" or after("prefix", "scan.row_prefix[row]"));
$     end
$     if recounts then
            const $(T) counted_before = $(join("counted", "counts.row_prefix[row]"));
$     end
$     if reads then
            const Inputs inputs = $(is_full and "load_full_inputs(in_items, first)" or "load_inputs(in_items, first, n)");
$     if output_takes_near then
            const Nears nears = nears_of(in_items, inputs, first, n);
$     end
$     end
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
$     if takes_states or has_states then
                const $(T) s = $(join("prefix", "scan.rows[row].at[v]"));
$     elseif exclusive then
                $(T) s = before;
                if (v > 0u) s = $(balanced and "scan.rows[row].at[v - 1u]" or after("before", "scan.rows[row].at[v - 1u]"));
$     else
                const $(T) s = $(balanced and "scan.rows[row].at[v]" or after("before", "scan.rows[row].at[v]"));
$     end
$     if recounts and exclusive then
                $(T) kept = counted_before;
                if (v > 0u) kept = $(join("counted_before", "counts.rows[row].at[v - 1u]"));
$     elseif recounts then
                const $(T) kept = $(join("counted_before", "counts.rows[row].at[v]"));
$     end
$     if output_map then
                $(is_full and "" or "if (first + " .. place .. " < n) ")outputs.at[$(place)] = $(output_map(recounts and with_counts("s", "kept") or "s", "inputs.at[" .. place .. "]", "first + " .. place, nearby));
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
