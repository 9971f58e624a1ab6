$ -- Tiles in stages: a thread owns ITEMS consecutive items. Uses stages.tpl, block.tpl; defines Tiles, tiles_of, tile_start, is_staged,
$ -- fill_with_tile, sum_tile, scan_tile. step: bytes, 16 where an address may not move the tiles; stays_unaligned: some inputs' tiles do
$ -- not begin where 16 bytes do.
$ local period, inverse = 16 // step, 1 -- 16 bytes begin again after so many items
$ while input.size // step * inverse % period ~= 1 % period do inverse = inverse + 1 end
const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread

// How an array is cut into tiles. Places before the array and beyond its end have indices that are not below n.
struct Tiles {
    $(Index) n;
    uint count;
    uint head; // places of the lowest tile that lie before the array, so that tiles begin where 16 bytes do
$ if stays_unaligned then
    uint shift; // so many bytes after it, where no head comes nearer
$ end
};

Tiles tiles_of($(Address) in, $(Index) n)
{
    Tiles tiles;
    tiles.n = n;
    tiles.head = $(period == 1 and "0u" or ("stage_shift(in) / %du%s"):format(step, inverse ~= 1 and (" * %du %% %du"):format(inverse, period) or ""));
$ if stays_unaligned then
    tiles.shift = stage_shift(in) % $(step)u;
$ end
    tiles.count = n == 0u ? 0u : uint((n + tiles.head + (TILE - 1u)) / TILE);
    return tiles;
}

// Index of the lowest place of a tile$(reverse and "; tiles, threads and items go from the last item to the first" or "").
$(Index) tile_start(uint tile, Tiles tiles)
{
    return $(Index)($(reverse and "tiles.count - 1u - tile" or "tile")) * TILE - tiles.head;
}

// Place in its tile of this thread's lowest item.
uint thread_place()
{
    return $(reverse and "(BLOCK - 1u - thread_id())" or "thread_id()") * $(ITEMS)u;
}

// Whether a tile comes to a stage: it is whole$(stays_unaligned and ", and the array has the rest of the 16 bytes at its ends" or ""). Other tiles' threads read their items and write their results.
bool is_staged(uint tile, Tiles tiles)
{
    const $(Index) start = tile_start(tile, tiles);
$ if stays_unaligned then
    if (start >= tiles.n || tiles.n - start < TILE) return false;
    return tiles.shift == 0u || (start >= 16u && tiles.n - start >= TILE + 16u);
$ else
    return start < tiles.n && tiles.n - start >= TILE;
$ end
}

// Has a tile's items brought to a stage, where it comes to one, and the signal given in any case. One thread calls it.
void fill_with_tile(uint stage, $(Address) in, uint tile, Tiles tiles)
{
    if (!is_staged(tile, tiles)) give_signal(COME + stage);
    else fill_stage(stage, address_after(in, tile_start(tile, tiles), $(input.size)u), TILE * $(input.size)u);
}

// What a tile's items add up to, and those before this thread's.
struct TileSum {
    $(T) before;
    $(T) total;
};

$ local group = reverse and "(GROUPS - 1u - g)" or "g"
$ local index, staged_index = ("first + %s"):format(place), ("tile_start(tile, tiles) + at + %s"):format(place)
// The whole block calls it.
TileSum sum_tile(uint stage, In in_items, bool staged, uint tile, Tiles tiles)
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
            const $(Index) first = tile_start(tile, tiles) + thread_place() + $(group) * VECTOR;
            const Inputs inputs = load_inputs(in_items, first, tiles.n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if ($(index) < tiles.n) {
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
void scan_tile(uint stage, In in_items, Out out_items, bool staged, uint tile, Tiles tiles, $(T) prefix)
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
            const $(Index) first = tile_start(tile, tiles) + thread_place() + $(group) * VECTOR;
            const Inputs inputs = load_inputs(in_items, first, tiles.n);
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
            store_outputs(out_items, first, tiles.n, outputs);
        }
    }
}
