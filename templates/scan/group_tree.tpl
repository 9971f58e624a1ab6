$ -- A thread's items of a staged tile by a balanced tree (parts/balanced.tpl has the order): a power of two of groups, which threads take in
$ -- different orders, so that they reach for different banks of shared memory. Uses tree.tpl, and GROUPS and thread_place of its includer; defines
$ -- group_up, group_down, groups_up, groups_down, sum_groups, thread_ends. item_size: bytes of an item in a stage.
$ assert(ITEMS & (ITEMS - 1) == 0 and VECTOR & (VECTOR - 1) == 0 and SUBGROUPS <= LANES)
$ local groups, size = ITEMS // VECTOR, item_size * VECTOR
$ local line = 128 // math.min(16, size & -size) -- groups, or parts of them, that the banks serve together
$ local of_thread = groups >= line and ("thread_id() %% %du"):format(line) or ("thread_id() / %du %% GROUPS"):format(line // groups)
const uint SUBGROUPS = $(SUBGROUPS)u; // of the block

// The elements of a group of items.
struct Group {
    $(T) at[VECTOR];
};

// What groups add up to, up: nodes have their total at their first group, and that of their earlier half at the first of the other half.
struct Totals {
    $(T) at[GROUPS];
};

struct GroupEnds {
    Ends at[GROUPS];
};

// The group that a thread takes first: it takes group g ^ first_group() after g others.
uint first_group()
{
    return $(groups == 1 and "0u" or of_thread);
}

// Place in its tile of the group that this thread takes after g others.
uint group_place(uint g)
{
    return thread_place() + (g ^ first_group()$(reverse and " ^ (GROUPS - 1u)" or "")) * VECTOR;
}

// Up in a group: where a block of items ends is what it adds up to.
Group group_up(Group x)
{
$ for _, step in ipairs(steps_up(VECTOR)) do
    x.at[$(step.to)] = $(join(("x.at[%d]"):format(step.from), ("x.at[%d]"):format(step.to)));
$ end
    return x;
}

// Down: what comes before each item's end.
Group group_down(Group x, Ends ends)
{
    x.at[VECTOR - 1u] = ends.through;
$ for _, step in ipairs(steps_down(VECTOR)) do
$     local left = step.from and ("x.at[%d]"):format(step.from) or "ends.before"
    x.at[$(step.to)] = $(join(left, ("x.at[%d]"):format(step.to)));
$ end
    return x;
}

Totals groups_up(Totals x)
{
    UNROLL for (uint step = 1u; step < GROUPS; step *= 2u) {
        const bool is_turned = (first_group() & step) != 0u;
        UNROLL for (uint g = 0u; g < GROUPS; g += 2u * step) {
            $(T) earlier = x.at[g], later = x.at[g + step];
            if (is_turned) {
                earlier = x.at[g + step];
                later = x.at[g];
            }
            x.at[g] = $(join("earlier", "later"));
            x.at[g + step] = earlier;
        }
    }
    return x;
}

// The ends of groups, from those of all.
GroupEnds groups_down(Totals x, Ends ends)
{
    GroupEnds result;
    result.at[0] = ends;
    UNROLL for (uint step = GROUPS / 2u; step > 0u; step /= 2u) {
        const bool is_turned = (first_group() & step) != 0u;
        UNROLL for (uint g = 0u; g < GROUPS; g += 2u * step) {
            Ends earlier = result.at[g], later = result.at[g];
            earlier.through = $(join("earlier.before", "x.at[g + step]"));
            later.before = earlier.through;
            result.at[g] = earlier;
            result.at[g + step] = later;
            if (is_turned) {
                result.at[g] = later;
                result.at[g + step] = earlier;
            }
        }
    }
    return result;
}

$(shared(T, "subgroup_totals", "2u * SUBGROUPS"))
$(shared(T, "subgroup_ups", "STAGES * SUBGROUPS")) // the same, up

// What a tile's items add up to, and the longest block in the subgroup that ends with this thread's items.
struct TileSum {
    $(T) up;
    $(T) total;
};

// What the threads' groups come to, of a tile. The whole block calls it, with 0 and 1 by turns.
TileSum sum_groups(Totals totals, uint stage, uint turn)
{
    TileSum sum;
    sum.up = subgroup_up(groups_up(totals).at[0], LANES);
    if (lane_id() == LANES - 1u) subgroup_totals[turn * SUBGROUPS + subgroup_id()] = sum.up;
    block_barrier();
    $(T) subgroups = sum.up;
    if (lane_id() < SUBGROUPS) subgroups = subgroup_totals[turn * SUBGROUPS + lane_id()];
    subgroups = subgroup_up(subgroups, SUBGROUPS);
    if (thread_id() < SUBGROUPS) subgroup_ups[stage * SUBGROUPS + thread_id()] = subgroups;
    subgroup_barrier(); // it is there before the signal that the first thread gives
    sum.total = shuffle(subgroups, SUBGROUPS - 1u);
    return sum;
}

const uint PLACES = $(SUBGROUPS + 1)u; // of a tile: what comes before each subgroup, and that with the last one
$(shared(T, "subgroup_places", "STAGES * PLACES"))

// The ends of this thread's items of a tile of which that is known, from the longest block in the subgroup that ends with them.
Ends thread_ends(uint slot, $(T) up)
{
    Ends ends;
    ends.before = subgroup_places[slot * PLACES + subgroup_id()];
    ends.through = subgroup_places[slot * PLACES + subgroup_id() + 1u];
    const $(T) through = subgroup_down(up, ends, LANES), earlier = shuffle_up(through, 1u);
    if (lane_id() > 0u) ends.before = earlier;
    ends.through = through;
    return ends;
}
