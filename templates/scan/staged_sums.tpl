$ -- What a staged tile's items add up to, and their scan, one item after the other. Uses staged_tile.tpl; defines sum_tile, scan_tile. to_stage:
$ -- results of tiles that are not whole go to their stage, too.
// What a tile's items add up to, and those before this thread's.
struct TileSum {
    $(T) before;
    $(T) total;
};

$ local group = reverse and "(GROUPS - 1u - g)" or "g"
$ local whole_index = "tile_start(tile, tiles) + at + " .. place
$ local one_place = reverse and "thread_place() + GROUPS * VECTOR - 1u - i" or "thread_place() + i"
$ local one_item = ("load_first_inputs(In(address_after(stage_address(stage), at, %du)))"):format(input.size)
$ local one_index = "tile_start(tile, tiles) + at"
$ local function place_of(group) return ("thread_place() + %s * VECTOR"):format(group) end
// The whole block calls it, with 0 and 1 by turns.
TileSum sum_tile(uint stage, uint tile, Tiles tiles, uint turn)
{
    $(T) sum = identity();
    if (is_whole(tile, tiles)) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const uint at = $(place_of(group));
            const Inputs inputs = load_full_inputs(In(stage_address(stage)), at);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const $(T) x = $(map("inputs.at[" .. place .. "]", whole_index));
                sum = g == 0u && v == 0u ? x : $(join("sum", "x"));
            }
        }
    } else {
        ROLL for (uint i = 0u; i < GROUPS * VECTOR; i++) { // one by one: it comes once
            const uint at = $(one_place);
            if (tile_start(tile, tiles) + at < tiles.n) {
                const $(T) x = $(map(one_item, one_index));
                sum = $(join("sum", "x"));
            }
        }
    }
    const $(T) inclusive = subgroup_scan(sum);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u), turn);
    const $(T) earlier = subgroup_shift(inclusive);
    TileSum result;
    result.before = $(join("block.before", "earlier"));
    result.total = block.total;
    return result;
}

$ local item = ("inputs[%s].at[%s]"):format(group, place)
$ local function result(item, index)
$     local s = exclusive and "prefix" or "inclusive"
$     return output_map and output_map(s, item, index) or s
$ end
// Puts the scan of this thread's items, after `prefix`, into the stage$(not to_stage and ", or where it belongs, if the tile is not whole" or ""). The whole block calls it.
void scan_tile(uint stage, $(not to_stage and Address .. " out, " or "")uint tile, Tiles tiles, $(T) prefix)
{
    if (is_whole(tile, tiles)) {
        Inputs inputs[GROUPS];
        UNROLL for (uint g = 0u; g < GROUPS; g++) inputs[g] = load_full_inputs(In(stage_address(stage)), $(place_of("g")));
$ if not to_stage then
        block_barrier(); // results lie where others' items are
$ end
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const uint at = $(place_of(group));
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const $(T) x = $(map(item, whole_index));
                const $(T) inclusive = $(join("prefix", "x"));
                outputs.at[$(place)] = $(result(item, whole_index));
                prefix = inclusive;
            }
            store_full_outputs(Out(stage_address(stage)), at, outputs);
        }
    } else {
        ROLL for (uint i = 0u; i < GROUPS * VECTOR; i++) {
            const uint at = $(one_place);
            if ($(one_index) < tiles.n) {
                const $(type_name(input)) item = $(one_item);
                const $(T) x = $(map("item", one_index));
                const $(T) inclusive = $(join("prefix", "x"));
                const $(type_name(output)) result = $(result("item", one_index));
                prefix = inclusive;
                store_first_outputs(Out(address_after($(to_stage and "stage_address(stage), at" or "out, " .. one_index), $(output.size)u)), result);
            }
        }
    }
}
