$ -- How a subgroup of its own finds out what comes before a block's tiles (lookahead.tpl): the block's own prefix and what others have posted since.
$ local one_word = #payload_words("x") <= (descriptor == "wide" and 3 or 1) -- a post; others would fill the registers
$ local depth = (blocks + LANES - 1) // LANES
const uint DEPTH = $(depth)u; // posts that each lane reads together
const uint WINDOW = DEPTH * LANES; // tiles, no fewer than there are blocks

// A lane reads every LANES-th post, so that loads touch few cache lines, in which all blocks look at a time; it adds up posts that follow each other.
$(shared(T, "posted", "WINDOW"))

$ local function sum_of(first, last) -- of a lane's posts, in as few steps as there may be
$     if first == last then return ("own[%du]"):format(first) end
$     local middle = (first + last) // 2
$     return join(sum_of(first, middle), sum_of(middle + 1, last))
$ end
// What `before` and the tiles from `first` to `end` - 1 add up to, no more than WINDOW; in lane 0. One subgroup calls it.
$(T) sum_posts(Posts posts, uint tag, $(T) before, uint first, uint end)
{
    const uint lowest = first + lane_id();
    uint asked[DEPTH]; // posts that are missing, or `end`
    $(T) own[DEPTH];
    UNROLL for (uint k = 0u; k < DEPTH; k++) {
        asked[k] = min(lowest + k * LANES, end);
        own[k] = identity();
    }
    bool is_missing = true;
    while (last_lane(is_missing) < LANES) {
$ local seen = "seen"
$ if one_word then
$ seen = "seen[k]"
        Descriptor seen[DEPTH];
        UNROLL for (uint k = 0u; k < DEPTH; k++) seen[k] = poll(posts, asked[k], tag); // together: one wait for what is far away
$ end
        is_missing = false;
        UNROLL for (uint k = 0u; k < DEPTH; k++) {
            if (asked[k] < end) {
$ if not one_word then
                const Descriptor seen = poll(posts, asked[k], tag);
$ end
                if ($(seen).state != EMPTY) {
                    own[k] = $(seen).value;
                    asked[k] = end;
                }
            }
            is_missing = is_missing || asked[k] < end;
        }
    }
    UNROLL for (uint k = 0u; k < DEPTH; k++) posted[k * LANES + lane_id()] = own[k];
    subgroup_barrier();
    UNROLL for (uint k = 0u; k < DEPTH; k++) own[k] = posted[lane_id() * DEPTH + k];
    $(T) sum = $(sum_of(0, depth - 1));
    if (lane_id() == 0u) sum = $(join("before", "sum"));
    UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
        const $(T) later = shuffle$(of)(sum, lane_id() + step);
        sum = $(join("sum", "later"));
    }
    return sum;
}

$(shared(T, "first_prefix")) // of tile 0; other blocks begin with the identity
$(shared(T, "tile_totals", "STAGES"))
$ if not parts then
$(shared(T, "tile_prefixes", "STAGES")) // what comes before a tile
$ end
$ if inputs.fields and not parts then
$(shared(T, "tile_ends", "STAGES")) // the same with the tile
$ end

// The last subgroup finds out what comes before the block's tiles, while the others go on.
void precede_tiles(Posts posts, uint tag, uint own_tiles$(parts and ", Out out_items" or ""))
{
    $(T) before = first_prefix; // what the tiles before `first` add up to; from round 1 on in lane 0
    uint first = 0u;
    for (uint round = 0u; round < own_tiles; round++) {
        const uint tile = block_id() + round * block_count(), slot = round % STAGES;
$ if inputs.fields then
        const uint summed = min(round + AHEAD - 1u, own_tiles - 1u); // others have hardly posted before
        wait_for_signal(SUMMED + summed % STAGES, summed / STAGES);
$ end
        const $(T) prefix = sum_posts(posts, tag, before, first, tile);
        first = tile + 1u;
        subgroup_barrier(); // the next posts take the place of these
$ if inputs.fields then
        const $(T) total = tile_totals[slot];
        before = $(join("prefix", "total"));
$ if parts then
        subgroup_barrier(); // all have read what the signal gives free
$ end
        if (lane_id() == 0u) {
$ if parts then
            if (open_segments[slot] != NOT_THERE) store_part(out_items, open_segments[slot], $(parts.joined("prefix", "open_parts[slot]")));
$ else
            tile_prefixes[slot] = prefix;
            tile_ends[slot] = before;
$ end
            give_signal(PRECEDED + slot);
        }
$ else
        if (lane_id() == 0u) {
            tile_prefixes[slot] = prefix;
            give_signal(PRECEDED + slot);
        }
        wait_for_signal(SUMMED + slot, round / STAGES);
        const $(T) total = tile_totals[slot];
        before = $(join("prefix", "total"));
$ end
    }
}
