$ -- How a subgroup of its own finds out what comes before a block's tiles (lookahead.tpl) in a balanced tree (parts/balanced.tpl). It keeps the
$ -- levels of the tree over nodes of LANES tiles, takes in the nodes that have become whole since the block's last tile, and comes down the node
$ -- that the tile is in. Uses posts.tpl, tree.tpl, staged_tree.tpl. One subgroup calls these functions.
$ include "parts/posted_start"

const uint DEPTH = $((blocks + LANES - 1) // LANES + 1)u; // nodes between a block's tiles, with those of both: posts that each lane reads together

// Posts of nodes, a tile a lane.
struct Asked {
    Descriptor at[DEPTH];
};

// Asks for all at once: one wait for what is far away. Of tiles behind the last one that one stands there.
Asked ask(Posts posts, uint tag, uint first, uint last)
{
    const uint lowest = first * LANES + lane_id();
    Asked asked;
    UNROLL for (uint k = 0u; k < DEPTH; k++) asked.at[k] = poll(posts, 1u + min(lowest + k * LANES, last), tag);
    return asked;
}

// From node `first` to that of tile `last`, with its tiles up to this one: what is missing is asked for again.
Asked ask_until_there(Posts posts, uint tag, uint first, uint last)
{
    const uint lowest = first * LANES + lane_id();
    Asked asked = ask(posts, tag, first, last);
    bool is_missing = true;
    while (last_lane(is_missing) < LANES) {
        is_missing = false;
        UNROLL for (uint k = 0u; k < DEPTH; k++) {
            if (lowest + k * LANES <= last && asked.at[k].state == EMPTY) {
                asked.at[k] = poll(posts, 1u + lowest + k * LANES, tag);
                is_missing = is_missing || asked.at[k].state == EMPTY;
            }
        }
    }
    return asked;
}

// The last blocks of 2^k nodes: in lane k what each adds up to, and what comes before it.
struct Levels {
    $(T) total;
    $(T) before;
};

struct Grown {
    Levels levels;
    $(T) through;
};

// With a node whose tiles add up to `total`, which comes after `before`: nodes from 0 on, one after the other.
Grown grow(Levels levels, uint node, $(T) before, $(T) total)
{
    uint level = 0u;
    for (; (node >> level) % 2u != 0u; level++) {
        const $(T) earlier = shuffle(levels.total, level);
        total = $(join("earlier", "total"));
        before = shuffle(levels.before, level);
    }
    if (lane_id() == level) {
        levels.total = total;
        levels.before = before;
    }
    Grown grown;
    grown.levels = levels;
    grown.through = $(join("before", "total"));
    return grown;
}

// The last subgroup finds out what comes before the block's tiles, while the others go on.
void precede_tiles(Posts posts, uint tag, uint own_tiles)
{
    if (own_tiles == 0u) return;
    $(T) before = posted_start(posts, tag); // what comes before node `node`
    uint node = 0u;
    Levels levels;
    levels.total = before;
    levels.before = before;
    for (uint round = 0u; round < own_tiles; round++) {
        const uint tile = block_id() + round * block_count(), slot = round % STAGES;
        wait_for_signal(SUMMED + slot, round / STAGES);
        const Asked asked = ask_until_there(posts, tag, node, tile);
        $(T) nodes[DEPTH]; // up
        UNROLL for (uint k = 0u; k < DEPTH; k++) nodes[k] = subgroup_up(asked.at[k].value, LANES);
        $(T) own = nodes[0];
        UNROLL for (uint k = 1u; k < DEPTH; k++) {
            if (node < tile / LANES) {
                const Grown grown = grow(levels, node, before, shuffle(own, LANES - 1u));
                levels = grown.levels;
                before = grown.through;
                own = nodes[k];
                node++;
            }
        }

        Ends ends;
        ends.before = before;
        ends.through = before; // of a node that is not whole: nothing is made of it
        const $(T) down = subgroup_down(own, ends, LANES), earlier = shuffle(down, tile % LANES - 1u);
        if (tile % LANES != 0u) ends.before = earlier;
        ends.through = shuffle(down, tile % LANES);
        if (tile % LANES == LANES - 1u) ends.through = grow(levels, node, before, shuffle(own, LANES - 1u)).through;

        $(T) subgroups = own;
        if (lane_id() < SUBGROUPS) subgroups = subgroup_ups[slot * SUBGROUPS + lane_id()];
        subgroups = subgroup_down(subgroups, ends, SUBGROUPS);
        if (lane_id() == 0u) subgroup_places[slot * PLACES] = ends.before;
        if (lane_id() < SUBGROUPS) subgroup_places[slot * PLACES + 1u + lane_id()] = subgroups;
        subgroup_barrier();
        if (lane_id() == 0u) give_signal(PRECEDED + slot);
    }
}
