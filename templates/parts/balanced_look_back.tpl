$ -- The look-back of a balanced tree (parts/balanced.tpl). Each tile posts what it adds up to; the last of each LANES tiles what these do, the
$ -- last of each LANES * LANES, and so on: nodes. A tile reads, level by level, the nodes before it in the node above, fewer than LANES.
$ -- It waits for posts of earlier tiles alone, and no post says more when it comes later: timing decides nothing. Uses posts.tpl. One subgroup
$ -- calls these functions.
const uint NO_TILE = 0xffffffffu;

// Where the node of `level` that ends with `tile` is posted: in the order in which nodes end, after the starting prefix at 0.
uint post_of(uint tile, uint level)
{
    uint post = 1u + tile + level;
    for (uint nodes = tile / LANES; nodes > 0u; nodes /= LANES) post += nodes;
    return post;
}

// `count` nodes of `width` tiles each, from number `first` on, then `own`: one a lane, up.
$(T) nodes_from(Posts posts, uint tag, uint first, uint count, uint width, uint level, $(T) own)
{
    $(T) x = own;
    bool is_waiting = true;
    while (is_waiting) {
        bool is_missing = false;
        if (lane_id() < count) {
            const Descriptor seen = poll(posts, post_of((first + lane_id() + 1u) * width - 1u, level), tag);
            if (seen.state == EMPTY) is_missing = true;
            else x = seen.value;
        }
        is_waiting = last_lane(is_missing) < LANES;
    }
    return subgroup_up(x, LANES);
}

// What comes before nodes, up, joined with the first `count` of them, fewer than LANES.
$(T) join_nodes($(T) prefix, $(T) nodes, uint count)
{
    for (uint step = LANES / 2u; step > 0u; step /= 2u) {
        if (count / step % 2u != 0u) {
            const $(T) more = shuffle(nodes, count / step * step - 1u);
            prefix = $(join("prefix", "more"));
        }
    }
    return prefix;
}

$ include "parts/posted_start"

// The ends of a tile that adds up to `total`; posts the nodes that end with it.
Ends tile_ends(Posts posts, uint tag, uint tile, $(T) total)
{
    uint level = 0u, width = 1u;
    $(T) own = total;
    for (uint node = tile; node % LANES == LANES - 1u; node /= LANES) {
        own = shuffle(nodes_from(posts, tag, node - (LANES - 1u), LANES - 1u, width, level, own), LANES - 1u);
        level++;
        width *= LANES;
        if (lane_id() == 0u) publish_aggregate(posts, post_of(tile, level), tag, own);
    }
    const uint own_level = level;
    while (tile / width >= LANES) {
        level++;
        width *= LANES;
    }
    Ends ends;
    ends.before = posted_start(posts, tag);
    ends.through = ends.before;
    for (uint left = level + 1u; left > 0u; left--) {
        const uint node = tile / width, count = node % LANES;
        const $(T) nodes = nodes_from(posts, tag, node - count, count, width, left - 1u, own);
        if (left - 1u == own_level) ends.through = join_nodes(ends.before, nodes, count + 1u);
        ends.before = join_nodes(ends.before, nodes, count);
        width /= LANES;
    }
    return ends;
}
