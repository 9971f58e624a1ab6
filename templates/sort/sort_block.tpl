$ -- Sorts what is one tile at most, in one launch: a digit after another, the lowest first, the keys between two digits in registers.
$ -- Values stay where they are until the end: each key carries its place.
$ assert(strategy == "single_block")
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$ include "sort/exchange"

$ include "sort/tile_rank"

$ include("sort/tile_items", {is_ordered = true})

$ include "sort/settled_tile"

$(kernel("sort_single_block"))
{
$ include "parts/begin"
    const uint n = uint(element_count(params.n, params.n_address));
    if (n == 0u) return;
    const uint items = n;
$ if rows_vary then
    const uint rows = rows_of(items);
$ end
    const $(Address) keys_out = params.buffers[$(keys_out_index)];
    TileKeys keys = load_keys(params.buffers[0], $(op_map and "true, " or "")0u, items - 1u$(of_rows));
$ if value then
    const $(Address) values_out = params.buffers[$(values_out_index)];
$ end
$ include "sort/settle_digits"

$ include("sort/settled_items", {barrier = "block_barrier_all_memory(); // outputs may be inputs", place = ("row_place(row%s)"):format(of_rows)})
}
