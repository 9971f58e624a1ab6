$ -- A tile in a stage: a thread owns ITEMS consecutive items. Uses stages.tpl, block.tpl; defines tile_count, is_staged,
$ -- fill_with_tile, sum_tile, scan_tile.
const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread

uint tile_count($(Index) n)
{
    return uint((n + (TILE - 1u)) / TILE);
}

// Index of the lowest item of a tile$(reverse and "; tiles, threads and items go from the last item to the first" or "").
$(Index) tile_start(uint tile, $(Index) n)
{
    return $(Index)($(reverse and "tile_count(n) - 1u - tile" or "tile")) * TILE;
}

// Place in its tile of this thread's lowest item.
uint thread_place()
{
    return $(reverse and "(BLOCK - 1u - thread_id())" or "thread_id()") * $(ITEMS)u;
}

// Whether a tile comes to a stage: it is whole, and where it begins `shift` bytes after a multiple of 16, so are the 16 bytes at its ends. Other tiles' threads read their items and write their results.
bool is_staged(uint tile, uint shift, $(Index) n)
{
    const $(Index) start = tile_start(tile, n);
    return shift == 0u ? start + TILE <= n : start >= 16u && start + (TILE + 16u) <= n;
}

// Has a tile's items brought to a stage, where it comes to one, and the signal given in any case. One thread calls it.
void fill_with_tile(uint stage, $(Address) in, uint tile, uint shift, $(Index) n)
{
    if (!is_staged(tile, shift, n)) give_signal(COME + stage);
    else fill_stage(stage, address_after(in, tile_start(tile, n), $(input.size)u), TILE * $(input.size)u);
}

// What a tile's items add up to, and those before this thread's.
struct TileSum {
    $(T) before;
    $(T) total;
};

$ local group = reverse and "(GROUPS - 1u - g)" or "g"
$ local index, staged_index = ("first + %s"):format(place), ("tile_start(tile, n) + at + %s"):format(place)
// The whole block calls it.
TileSum sum_tile(uint stage, In in_items, bool staged, uint tile, $(Index) n)
{
    $(T) sum = identity();
    if (staged) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const uint at = thread_place() + $(group) * VECTOR;
            const Inputs inputs = load_full_inputs(In(stage_address(stage)), at);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const $(T) x = $(map("inputs.at[" .. place .. "]", staged_index));
                sum = g == 0u && v == 0u ? x : $(join("sum", "x"));
            }
        }
    } else {
        for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = tile_start(tile, n) + thread_place() + $(group) * VECTOR;
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if ($(index) < n) {
                    const $(T) x = $(map("inputs.at[" .. place .. "]", index));
                    sum = $(join("sum", "x"));
                }
            }
        }
    }
    const $(T) inclusive = subgroup_scan(sum);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u));
    const $(T) earlier = subgroup_shift(inclusive);
    TileSum result;
    result.before = $(join("block.before", "earlier"));
    result.total = block.total;
    return result;
}

$ local function result(item, index)
$     local s = exclusive and "prefix" or "inclusive"
$     return output_map and output_map(s, item, index) or s
$ end
// Writes the scan of this thread's items, after `prefix`, to where they are in the stage, or to where results go.
void scan_tile(uint stage, In in_items, Out out_items, bool staged, uint tile, $(Index) n, $(T) prefix)
{
    if (staged) {
        Out results = Out(stage_address(stage));
        Inputs inputs[GROUPS];
        UNROLL for (uint g = 0u; g < GROUPS; g++) inputs[g] = load_full_inputs(In(stage_address(stage)), thread_place() + g * VECTOR);
$ if input.size ~= output.size then
        block_barrier(); // results lie where others' items are
$ end
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const uint at = thread_place() + $(group) * VECTOR;
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
$ local item = ("inputs[%s].at[%s]"):format(group, place)
                const $(T) x = $(map(item, staged_index));
                const $(T) inclusive = $(join("prefix", "x"));
                outputs.at[$(place)] = $(result(item, staged_index));
                prefix = inclusive;
            }
            store_full_outputs(results, at, outputs);
        }
    } else {
        for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = tile_start(tile, n) + thread_place() + $(group) * VECTOR;
            const Inputs inputs = load_inputs(in_items, first, n);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if ($(index) < n) {
$ local item = ("inputs.at[%s]"):format(place)
                    const $(T) x = $(map(item, index));
                    const $(T) inclusive = $(join("prefix", "x"));
                    outputs.at[$(place)] = $(result(item, index));
                    prefix = inclusive;
                }
            }
            store_outputs(out_items, first, n, outputs);
        }
    }
}
