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
    const uint last = n - 1u;
    const $(Address) keys_out = params.buffers[$(keys_out_index)];
    TileKeys keys = load_keys(params.buffers[0], $(op_map and "true, " or "")0u, last);
$ if value then
    const $(Address) values_out = params.buffers[$(values_out_index)];
$ end
$ include "sort/settle_digits"

$ if value then
    TileValues values;
$ if gives_index then
    UNROLL for (uint row = 0u; row < ROWS; row++) values.at[row] = $(index_value(Index .. "(places.at[row])"));
$ else
$ enclosed(not takes_value and "if (is_given(values_out)) {", function()
    UNROLL for (uint row = 0u; row < ROWS; row++) values.at[row] = load_value(Values(params.buffers[$(values_index)]), places.at[row]);
$ end)
$ end
$ end
    block_barrier_all_memory(); // outputs may be inputs: nothing is stored until all is loaded
    if (is_given(keys_out)) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            if (row_place(row) <= last) store_key(Keys(keys_out), row_place(row), keys.at[row]);
        }
    }
$ if value then
    if (is_given(values_out)) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            if (row_place(row) <= last) store_value(Values(values_out), row_place(row), values.at[row]);
        }
    }
$ end
$ if results then
    if ($(results.is_given)) {
        Results results = $(results.value);
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            if (row_place(row) <= last) store_result(results, row_place(row), $(result("keys.at[row]", "values.at[row]", "row_place(row)")));
        }
    }
$ end
}
