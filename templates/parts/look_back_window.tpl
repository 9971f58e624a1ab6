$ -- Decoupled look-back: what comes before a tile, from the descriptors of the tiles before it, a window of them at a time.
$ -- A subgroup looks together, its lanes at DEPTH descriptors each; or every lane looks by itself (lookback_lanes 1), for as many tiles as it has
$ -- been told, none too. Sources: Merrill & Garland 2016; fallback: Smith, Levien & Owens 2025. Uses posts.tpl, together subgroup.tpl too.
$ assert(lookback_lanes == LANES or lookback_lanes == 1)
$ local together = lookback_lanes > 1
const uint DEPTH = $(lookback_depth)u; // consecutive descriptors of a lane, read together
const uint WINDOW = $(lookback_lanes * lookback_depth)u; // descriptors of $(together and "the subgroup" or "a lane")
$ if fallback then
const uint SPIN_LIMIT = $(spin_limit)u; // polls of a window until the block sums up a missing tile by itself
$ end
const uint NO_TILE = 0xffffffffu;

// A look-back that has come to tile `end`: what the tiles from there up to its own add up to.
struct LookBack {
    $(T) aggregate;
$ if looks_for then
    $(looks_for)
$ end
    uint end;     // 0: that is all
    uint missing; // the tile this lane waits for, or NO_TILE
};

// Takes a look-back further, $(fallback and "to its end or to a tile whose post does not come" or "to its end").$(together and " One subgroup calls it." or "")
LookBack look_back(Posts posts, uint tag, LookBack look)
{
$ if together then
    const uint place = lane_id() * DEPTH; // in the window, whose lowest tile is end - WINDOW
$ end
$ local at_once = together and lookback_depth > 1
$ local back = together and "WINDOW - place - k" or "WINDOW - k"
    bool is_waiting = false;
    while (look.end > 0u && !is_waiting) {
        Descriptor seen[DEPTH];
$ if not at_once then
        UNROLL for (uint k = 0u; k < DEPTH; k++) seen[k].state = EMPTY;
$ end
        $(T) value = identity();
        bool has_prefix = false;
$ if together then
        uint prefix_lane = LANES;
$ end
        is_waiting = true;
        $(fallback and "for (uint polls = 0u; is_waiting && polls < SPIN_LIMIT; polls++)" or "while (is_waiting)") {
$ if at_once then
            // All posts are on their way together: a load that a condition leaves out would wait for the one before.
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = $(back);
                seen[k] = poll(posts, $(descriptor_index("(back <= look.end ? look.end - back : 0u)")), tag);
            }
$ else
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = $(back);
                if (back <= look.end && seen[k].state == EMPTY) seen[k] = poll(posts, $(descriptor_index("look.end - back")), tag);
            }
$ end
            // What this lane's tiles add up to, from its last inclusive prefix on.
            value = identity();
            look.missing = NO_TILE;
            has_prefix = false;
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = $(back);
                if (back > look.end) {
                    // no such tile
                } else if (seen[k].state == EMPTY) {
                    look.missing = look.end - back;
                } else if (seen[k].state == AGGREGATE) {
                    value = $(join("value", "seen[k].value"));
                } else {
                    value = seen[k].value;
                    look.missing = NO_TILE;
                    has_prefix = true;
                }
            }
$ if together then
            // Lanes before the last inclusive prefix do not matter.
            prefix_lane = last_lane(has_prefix);
            if (prefix_lane < LANES && lane_id() < prefix_lane) {
                value = identity();
                look.missing = NO_TILE;
            }
            is_waiting = last_lane(look.missing != NO_TILE) < LANES;
$ else
            is_waiting = look.missing != NO_TILE;
$ end
        }
$ local indent = fallback and "    " or ""
$ if fallback then
        if (!is_waiting) {
$ end
$ if together then
        $(indent)value = shuffle$(of)(subgroup_scan$(of)(value), LANES - 1u);
$ end
        $(indent)look.aggregate = $(join("value", "look.aggregate"));
        $(indent)look.end = $(together and "prefix_lane < LANES" or "has_prefix") || look.end <= WINDOW ? 0u : look.end - WINDOW;
$ if fallback then
        }
$ end
    }
    return look;
}
