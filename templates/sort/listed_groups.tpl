$ -- Sorts the groups of buckets that are left to it, which have many keys that agree in their upper bits: each in a block, digit by digit.
$ assert(strategy == "msd_hybrid" and pass_tile)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ include "sort/bucket_table"

$ include "sort/bucket_groups"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$ include "sort/exchange"

$ include "sort/tile_rank"

$ include("sort/tile_items", {is_ordered = true})

$ include "sort/route"

$ include "sort/settled_tile"

$(kernel("sort_listed"))
{
$ include "parts/begin"
$ include "sort/group_arrays"
    const uint listed = totals.at[LISTED];

$ enclosed("for (uint entry = block_id(); entry < listed; entry += block_count()) {", function()
    const uint group = listed_groups.at[entry];
$ include "sort/group_range"
$ if rows_vary then
    const uint rows = rows_of(items);
$ end
    TileKeys keys = load_keys(keys_from, $(op_map and "false, " or "")start, items - 1u$(of_rows));
$ include "sort/settle_digits"

$ if value then
    TileValues values;
$ enclosed(not takes_value and "if (is_given(values_to)) {", function()
    $(for_rows)values.at[row] = load_value(Values(address_after(values_from, start, $(value.size)u)), places.at[row]);
$ end)
$ end
    block_barrier_all_memory(); // what is stored to may be what was loaded from
    $(for_rows){
        const uint place = row_place(row$(of_rows));
        if (place < items) {
            $(may_lack_keys and "if (is_given(keys_to)) " or "")store_key(Keys(address_after(keys_to, start, $(key.size)u)), place, keys.at[row]);
$ if value then
            if (is_given(values_to)) store_value(Values(address_after(values_to, start, $(value.size)u)), place, values.at[row]);
$ end
$ if results then
            if (stores_results) store_result(results, start + place, $(result("keys.at[row]", "values.at[row]", "start + place")));
$ end
        }
    }
    block_barrier();
$ end)
}
