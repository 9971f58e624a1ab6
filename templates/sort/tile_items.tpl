$ -- The items of a sort's tile between memory and registers, each by itself: In, Keys and Values; load_keys, load_values.
$ if op_map then
$ include("items", {array = "In", name = "input", type = input, reads = true, writes = false})

$ end
$ include("items", {array = "Keys", name = "key", type = key, reads = true, writes = true})

$ if value then
$ include("items", {array = "Values", name = "value", type = value, reads = true, writes = true})

$ end
$ if results then
$ include("parts/arrays", results)

$ end
uint tile_count($(Index) n)
{
    return uint((n + (TILE - 1u)) / TILE);
}

// The places of a tile's items: up to this one, which stands for those beyond it.
uint last_place($(Index) start, $(Index) n)
{
    return start + TILE <= n ? TILE - 1u : uint(n - start) - 1u;
}

// The key at a place in the tile that begins at `start`.
$(Key) key_at($(Address) keys, $(Index) start, uint place)
{
    return load_key(Keys(address_after(keys, start, $(key.size)u)), place);
}

$ if op_map then
// The same; is_input: made of the input.
$(Key) mapped_key_at($(Address) keys, bool is_input, $(Index) start, uint place)
{
    if (is_input) return $(map("load_input(In(keys), start + place)", "start + place"));
    return key_at(keys, start, place);
}

$ end
// The keys of the tile's rows$(op_map and "; is_input: made of the input" or "").
TileKeys load_keys($(Address) keys, $(op_map and "bool is_input, " or "")$(Index) start, uint last$(takes_rows))
{
    TileKeys tile;
$ if is_map_long then
    if (is_input) { // one by one, so that there is one copy of the map: by way of this thread's places in shared memory
        ROLL for (uint row = 0u; row < $(rows_vary and "rows" or "ROWS"); row++) {
            const $(Index) i = start + min(row_place(row$(of_rows)), last);
            store_exchanged_key(row * BLOCK + thread_id(), $(map("load_input(In(keys), i)", "i")));
        }
        $(for_rows)tile.at[row] = load_exchanged_key(row * BLOCK + thread_id());
        return tile;
    }
$ elseif op_map then
    if (is_input) {
        $(for_rows){
            const $(Index) i = start + min(row_place(row$(of_rows)), last);
            tile.at[row] = $(map("load_input(In(keys), i)", "i"));
        }
        return tile;
    }
$ end
    $(for_rows)tile.at[row] = key_at(keys, start, min(row_place(row$(of_rows)), last));
    return tile;
}

$ if not memory_codec(key).words and not rows_vary then
// Of a tile that is full, and not of the input that a map makes keys of: distances from this thread's first key are constants.
TileKeys load_whole_keys($(Address) keys, $(Index) start)
{
    TileKeys tile;
    Keys own = Keys(address_after(keys, start + row_place(0u), $(key.size)u));
    UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = load_key(own, row_place(row) - row_place(0u));
    return tile;
}

$ end
$ if value then
struct TileValues {
    $(Value) at[ROWS];
};

$ if not rows_vary then
// Their values.
TileValues load_values($(Address) values, $(Index) start, uint last)
{
    TileValues tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = load_value(Values(address_after(values, start, $(value.size)u)), min(row_place(row), last));
    return tile;
}
$ end
$ end
