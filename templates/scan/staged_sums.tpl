$ -- What a staged tile's items add up to, and their scan, one item after the other. Uses staged_tile.tpl; defines sum_tile, scan_tile. to_stage:
$ -- results of tiles that are not whole go to their stage, too.
// What a tile's items add up to, and those before this thread's.
struct TileSum {
    $(T) before;
    $(T) total;
};

$ local group = reverse and "(GROUPS - 1u - g)" or "g"
$ local index, whole_index = "first + " .. place, "tile_start(tile, tiles) + at + " .. place
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
        const In items = In(staged_array(stage, tile, tiles, $(input.size)u));
        ROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = tile_start(tile, tiles) + $(place_of(group));
            const Inputs inputs = load_inputs(items, first, tiles.n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if ($(index) < tiles.n) {
                    const $(T) x = $(map("inputs.at[" .. place .. "]", index));
                    sum = $(join("sum", "x"));
                }
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
void scan_tile(uint stage, $(not to_stage and "Out out_items, " or "")uint tile, Tiles tiles, $(T) prefix)
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
        const In items = In(staged_array(stage, tile, tiles, $(input.size)u));
        const Out results = $(to_stage and ("Out(staged_array(stage, tile, tiles, %du))"):format(output.size) or "out_items");
        ROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = tile_start(tile, tiles) + $(place_of(group));
            const Inputs inputs = load_inputs(items, first, tiles.n);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if ($(index) < tiles.n) {
$ local item = ("inputs.at[%s]"):format(place)
                    const $(T) x = $(map(item, index));
                    const $(T) inclusive = $(join("prefix", "x"));
                    outputs.at[$(place)] = $(result(item, index));
                    prefix = inclusive;
                }
            }
            store_outputs(results, first, tiles.n, outputs);
        }
    }
}
