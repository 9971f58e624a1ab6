$ -- Before tiles of segments by offsets: how many segments begin before each tile, and the results of segments without elements where many of them lie
$ -- together. All blocks share the work, wherever segments begin. All threads go through the same rounds (templates/design.md).
$ include "parts/operators"

$ include("parts/arrays", inputs)

$ include("parts/arrays", outputs)

$ include "parts/tile_places"

$ include "parts/segment_results"

$ include "parts/segment_firsts"

$ if empty then
$(shared("uint", "empty_chunks", "BLOCK"))
$(shared("uint", "empty_count"))

// Chunks of segments that have no elements. Those that follow each other are different blocks'. The whole block calls it.
void store_empty_chunks(In items, Out out_items, uint chunks)
{
    for (uint row = 0u; row * BLOCK * block_count() < chunks; row++) {
        const uint chunk = (row * BLOCK + thread_id()) * block_count() + block_id();
        if (thread_id() == 0u) empty_count = 0u;
        block_barrier();
        if (chunk < chunks && offset_at(items, chunk * CHUNK) == offset_at(items, (chunk + 1u) * CHUNK)) {
            const uint place = $(shared_add("empty_count", "1u"));
            empty_chunks[place] = chunk;
        }
        block_barrier();
        const uint count = empty_count;
        for (uint k = 0u; k < count; k++) {
            for (uint j = 0u; j < CHUNK; j += BLOCK) {
                if (j + thread_id() < CHUNK) store_empty(out_items, empty_chunks[k] * CHUNK + j + thread_id());
            }
        }
        block_barrier();
    }
}

$ end
// How many of the segments begin before item i: as segments_before, by fewer loads that wait for each other.
uint segments_below(In items, uint segments, $(Index) i)
{
    uint count = 0u;
    if (segments == 0u || offset_at(items, segments - 1u) < i) return segments;
    for (uint step = 0x40000000u; step > 0u; step /= 8u) {
        const uint rest = segments - count;
        uint taken = 0u;
        UNROLL for (uint k = 1u; k < 8u; k++) {
            const bool is_there = step <= rest / k;
            const $(Index) offset = offset_at(items, is_there ? count + k * step - 1u : 0u); // without a branch: all seven together
            if (is_there && offset < i) taken = k * step;
        }
        count += taken;
    }
    return count;
}

$(kernel("find_segments"))
{
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = $(inputs.value);
    const uint segments = $(count_segments());
    const uint tiles = tile_count(n);
    if (!has_firsts_of(params.scratch, tiles)) return;
    Firsts firsts = segment_firsts(params.scratch, tiles);
    for (uint base = block_id() * BLOCK; base <= tiles; base += block_count() * BLOCK) {
        const uint tile = base + thread_id();
        if (tile <= tiles) firsts.at[tile] = segments_below(in_items, segments, tile < tiles ? $(as_index("tile")) * TILE : n);
    }
$ if empty then
    Out out_items = $(outputs.value);
    if (block_id() * $(math.min(BLOCK, chunk))u >= segments) return; // no segment is this block's, and no chunk
    const uint begun = segments_below(in_items, segments, n); // others are behind the last item
    // The rest is counted: near 2^32 segments the next one's number would wrap around.
    for (uint rest = segments - begun - min(segments - begun, block_id() * BLOCK); rest > 0u; rest -= min(rest, block_count() * BLOCK)) {
        if (thread_id() < rest) store_empty(out_items, segments - rest + thread_id());
    }
    store_empty_chunks(in_items, out_items, begun / CHUNK - (begun % CHUNK == 0u && begun > 0u ? 1u : 0u));
$ end
}
