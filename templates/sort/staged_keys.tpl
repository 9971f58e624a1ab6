$ -- Tiles of keys that come to shared memory by themselves, where they are put in order: as many stages as key_stages. Uses digits.tpl.
$ include("stages", {stages = key_stages, stage_bytes = key_stage_bytes, arrays = 1, only_comes = true, stays_unaligned = false, fills = false,
$     beyond_bytes = math.max(0, 4 * counter_words - key_stages * key_stage_bytes)})
$(shared("uint", "part_starts", "BINS + 1u")) // of all keys, where those of a part begin
$(shared("uint", "part_tiles", "BINS + 1u")) // the tiles before those of a part
$(shared("uint", "tile_items")) // of a tile, at most
$(shared("uint", "stage_parts", "STAGES")) // of which part the tile in a stage is
$(shared("uint", "stage_items", "STAGES")) // how many keys it has
$(shared("uint", "stage_firsts", "STAGES")) // the place of the first

// Starts the copy of a tile (at most tile_items keys) into a stage that is free; does nothing if there is no such tile. The whole block calls it.
void fill_with_tile(uint stage, $(Address) keys, uint tile)
{
    const uint part = thread_id();
    if (part >= BINS || tile < part_tiles[part] || tile >= part_tiles[part + 1u]) return;
    const uint start = part_starts[part] + (tile - part_tiles[part]) * tile_items;
    const uint items = min(part_starts[part + 1u] - start, tile_items);
    const $(Address) own = address_after(keys, start, $(key.size)u), own_end = address_after(own, items, $(key.size)u);
    // Whole 16 bytes that hold it, but for those that reach beyond the array.
    $(Address) first = own - stage_shift(own), end = own_end + stage_shift(0u - own_end);
    if (first < keys) first += 16u;
    if (end > address_after(keys, part_starts[BINS], $(key.size)u)) end -= 16u;
    const bool is_copied = first < end;
    const uint copied = is_copied && first > own ? uint(first - own) / $(key.size)u : 0u;
    const uint copied_end = !is_copied ? 0u : end < own_end ? uint(end - own) / $(key.size)u : items;
    const uint staged = stage * STAGE_BYTES + stage_shift(own);
    ROLL for (uint place = 0u; place < copied; place++) store_to_stage(staged, place, load_key(Keys(own), place));
    ROLL for (uint place = copied_end; place < items; place++) store_to_stage(staged, place, load_key(Keys(own), place));
    stage_parts[stage] = part;
    stage_items[stage] = items;
    stage_firsts[stage] = staged;
    ready_stage(); // what has been done in it comes before the copy
    if (is_copied) fill_place(staged + uint(first - own), first, uint(end - first), COME + stage);
    else give_signal(COME + stage);
}
