$ -- Tiles in stages: a thread owns ITEMS consecutive items. Uses stages.tpl; defines Tiles, tiles_of, tile_start, is_whole, fill_with_tile,
$ -- complete_tile, staged_array, subgroup_results. step: bytes, 16 where an address may not move the tiles; stays_unaligned: some inputs' tiles do
$ -- not begin where 16 bytes do.
$ local period, inverse = 16 // step, 1 -- the number of items after which 16 bytes begin again
$ while input.size // step * inverse % period ~= 1 % period do inverse = inverse + 1 end
$ local in_bytes = input.size > 1 and (" * %du"):format(input.size) or "" -- after a number of items
$ local out_bytes = output.size > 1 and (" * %du"):format(output.size) or ""
$ local from_end = balanced and reverse -- tiles begin at the last item
$ local function times(count, bytes) return bytes == "" and count or "(" .. count .. ")" .. bytes end
const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread

// How an array is cut into tiles. Places before the array and beyond its end have indices that are not below n.
struct Tiles {
    $(Index) n;
    uint count;
    uint head; // places of the lowest tile that lie before the array, so that tiles $(from_end and "end with it" or "begin where 16 bytes do")
$ if stays_unaligned then
    uint shift; // bytes after it, where no head comes nearer
$ end
};

Tiles tiles_of($(Address) in, $(Index) n)
{
    Tiles tiles;
    tiles.n = n;
$ if from_end then
    tiles.head = uint(TILE - n % TILE) % TILE;
$ else
    tiles.head = $(period == 1 and "0u" or ("stage_shift(in)%s%s"):format(step > 1 and (" / %du"):format(step) or "", inverse ~= 1 and (" * %du %% %du"):format(inverse, period) or ""));
$ end
$ if stays_unaligned then
    tiles.shift = stage_shift(in$(from_end and " - tiles.head" .. in_bytes or "")) % $(step)u;
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
    return $(reverse and "(BLOCK - 1u - thread_id())" or "thread_id()") * (GROUPS * VECTOR);
}

// Whether all of a tile's places have items.
bool is_whole(uint tile, Tiles tiles)
{
    const $(Index) start = tile_start(tile, tiles);
    return start < tiles.n && tiles.n - start >= TILE;
}

// How many places come before the first that has an item.
uint empty_places(uint tile, Tiles tiles)
{
    return tile_start(tile, tiles) < tiles.n ? 0u : tiles.head;
}

// The bytes of the array that lie in a tile's stage, which begins where 16 bytes do.
Bytes staged_bytes(uint tile, Tiles tiles)
{
    const $(Index) start = tile_start(tile, tiles), left = $(times("tiles.n - start", in_bytes))$(stays_unaligned and " + tiles.shift" or "");
$ if stays_unaligned then
    const uint most = tiles.shift == 0u ? TILE$(in_bytes) : TILE$(in_bytes) + 16u;
$ if from_end then
    uint first = 0u;
    if (start >= tiles.n) first = $(times("tiles.head", in_bytes)) + tiles.shift;
    else if ($(times("start", in_bytes)) < tiles.shift) first = tiles.shift - uint($(times("start", in_bytes))); // the tile below has less
$ else
    const uint first = start + tiles.head == 0u ? tiles.head$(in_bytes) + tiles.shift : 0u;
$ end
$ else
    const uint most = TILE$(in_bytes), first = empty_places(tile, tiles)$(in_bytes);
$ end
    Bytes bytes;
    bytes.first = first;
    bytes.end = left < most ? uint(left) : most;
    return bytes;
}

// Has a tile brought to a stage, but for bytes at its ends. One thread calls it.
void fill_with_tile(uint stage, $(Address) in, uint tile, Tiles tiles)
{
    fill_stage(stage, address_after(in, tile_start(tile, tiles), $(input.size)u), staged_bytes(tile, tiles));
}

// What is missing of a tile that has come. The whole block calls it.
void complete_tile(uint stage, $(Address) in, uint tile, Tiles tiles)
{
    const Bytes bytes = staged_bytes(tile, tiles);
    if ((bytes.first | bytes.end) % 16u != 0u) complete_stage(stage, address_after(in, tile_start(tile, tiles), $(input.size)u), bytes);
$ if stays_unaligned then
    if (tiles.shift != 0u) align_stage(stage, tiles.shift, thread_place()$(in_bytes), bytes);
$ end
}

// Where the array would begin if a tile's items, of `bytes` bytes each, were where they are in the stage.
$(Address) staged_array(uint stage, uint tile, Tiles tiles, uint bytes)
{
    return stage_address(stage) - tile_start(tile, tiles) * bytes;
}

const uint SUBGROUP_ITEMS = $(LANES * ITEMS)u;

// The bytes of this subgroup's items in the stage of their results.
Bytes subgroup_results(uint tile, Tiles tiles)
{
    const uint first = $(reverse and ("(%du - subgroup_id())"):format(SUBGROUPS - 1) or "subgroup_id()") * SUBGROUP_ITEMS, empty = empty_places(tile, tiles);
    const $(Index) left = tiles.n - tile_start(tile, tiles);
    Bytes bytes;
    bytes.first = $(times("first < empty ? empty : first", out_bytes));
    bytes.end = $(times("left < first + SUBGROUP_ITEMS ? uint(left) : first + SUBGROUP_ITEMS", out_bytes));
    return bytes;
}
