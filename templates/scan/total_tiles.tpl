$ -- What a subgroup of its own does for the others of a block whose segments have one result each (staged_segments.tpl), while these go on: it
$ -- posts what tiles add up to, writes the results of segments that have items of several subgroups, and has stages filled again.
$ local per = (SUBGROUPS + LANES - 1) // LANES
const uint OWN_SUMS = $(per)u; // of subgroups, that a lane adds up

// The segment that crosses into a subgroup's items, of which `before` are what the tile has before these.
void join_crossing(uint stage, uint turn, uint subgroup, Out out_items, $(T) before)
{
    const uint segment = crossing_segments[turn * SUBGROUPS + subgroup], place = crossing_places[turn * SUBGROUPS + subgroup];
    if (segment == NOT_THERE) return;
    const $(type_name(parts.type)) own = load_part(Part(place_address(stage * STAGE_BYTES)), (place & ~OPENS) - 1u);
    const $(type_name(parts.type)) part = $(parts.joined("before", "own"));
    crossing_segments[turn * SUBGROUPS + subgroup] = NOT_THERE;
    if (place < OPENS) {
        store_part(out_items, segment, part);
    } else { // left to who finds out what comes before the tile
        open_segments[stage] = segment;
        open_parts[stage] = part;
    }
}

void total_tiles(Posts posts, uint tag, uint own_tiles, In in_items, Out out_items, Tiles tiles)
{
    for (uint s = 0u; s < STAGES && lane_id() == 0u; s++) {
        if (s < own_tiles) fill_with_tile(s, in_items, block_id() + s * block_count(), tiles);
    }
    for (uint round = 0u; round < own_tiles; round++) {
        const uint tile = block_id() + round * block_count(), stage = round % STAGES, turn = round % TURNS;
        wait_for_signal(FREED + stage, round / STAGES);
        const uint refilled = round - 1u + STAGES; // its stage is free since the block has met
        if (lane_id() == 0u && round > 0u && refilled < own_tiles) fill_with_tile(refilled % STAGES, in_items, block_id() + refilled * block_count(), tiles);
        $(T) sums[OWN_SUMS];
        UNROLL for (uint k = 0u; k < OWN_SUMS; k++) {
            sums[k] = identity();
            if (lane_id() * OWN_SUMS + k < SUBGROUPS) sums[k] = subgroup_sums[stage * SUBGROUPS + lane_id() * OWN_SUMS + k];
        }
        $(T) sum = sums[0];
        UNROLL for (uint k = 1u; k < OWN_SUMS; k++) sum = $(join("sum", "sums[k]"));
        const $(T) inclusive = subgroup_scan(sum);
        const $(T) total = shuffle(inclusive, LANES - 1u);
        $(T) before = subgroup_shift(inclusive);
        if (lane_id() == 0u) {
            publish_aggregate(posts, tile, tag, round == 0u ? $(join("first_prefix", "total")) : total);
            if (round >= STAGES) wait_for_signal(PRECEDED + stage, round / STAGES - 1u); // what stood there has been read
            open_segments[stage] = NOT_THERE;
            tile_totals[stage] = total;
        }
        subgroup_barrier();
        UNROLL for (uint k = 0u; k < OWN_SUMS; k++) {
            if (lane_id() * OWN_SUMS + k < SUBGROUPS) join_crossing(stage, turn, lane_id() * OWN_SUMS + k, out_items, before);
            before = $(join("before", "sums[k]"));
        }
        subgroup_barrier();
        if (lane_id() == 0u) give_signal(SUMMED + stage);
    }
}
