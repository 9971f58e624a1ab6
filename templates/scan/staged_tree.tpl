$ -- What a staged tile's items add up to, and their scan, by a balanced tree (parts/balanced.tpl has the order). A thread's items are a power of
$ -- two of groups; threads take theirs in different orders, so that they reach for different banks of shared memory. Uses staged_tile.tpl,
$ -- tree.tpl; defines sum_tile, scan_tile. to_stage: results of tiles that are not whole go to their stage, too.
$ assert(ITEMS & (ITEMS - 1) == 0 and VECTOR & (VECTOR - 1) == 0 and SUBGROUPS <= LANES)
$ local groups, size = ITEMS // VECTOR, input.size * VECTOR
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

$ local item, index = "inputs.at[" .. place .. "]", "first + " .. place
// A group of a whole tile.
Group whole_group(Inputs inputs, $(Index) first)
{
    Group x;
    UNROLL for (uint v = 0u; v < VECTOR; v++) x.at[v] = $(map(item, index));
    return group_up(x);
}

// A group of the last tile: the identity beyond n.
Group last_group(Inputs inputs, $(Index) first, $(Index) n)
{
    Group x;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        x.at[v] = identity();
        if ($(index) < n) x.at[v] = $(map(item, index));
    }
    return group_up(x);
}

$(shared(T, "subgroup_totals", "2u * SUBGROUPS"))
$(shared(T, "subgroup_ups", "STAGES * SUBGROUPS")) // the same, up

// What a tile's items add up to, and the longest block in the subgroup that ends with this thread's items.
struct TileSum {
    $(T) up;
    $(T) total;
};

// The whole block calls it, with 0 and 1 by turns.
TileSum sum_tile(uint stage, uint tile, Tiles tiles, uint turn)
{
    Totals totals;
    if (is_whole(tile, tiles)) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const Inputs inputs = load_full_inputs(In(stage_address(stage)), group_place(g));
            totals.at[g] = whole_group(inputs, tile_start(tile, tiles) + group_place(g)).at[VECTOR - 1u];
        }
    } else {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = tile_start(tile, tiles) + group_place(g);
            const Inputs inputs = load_inputs(In(staged_array(stage, tile, tiles, $(input.size)u)), first, tiles.n);
            totals.at[g] = last_group(inputs, first, tiles.n).at[VECTOR - 1u];
        }
    }
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

$ local s = exclusive and "before" or "x.at[v]"
$ local result = output_map and output_map(s, item, index) or s
$ local place_of_results = to_stage and "the stage" or "the stage, or, if the tile is not whole, where it belongs"
// Puts the scan of this thread's items, whose ends these are, into $(place_of_results).
// Who has the last item of all leaves the carry. The whole block calls it.
void scan_tile(uint stage, $(not to_stage and "Out out_items, bool writes, " or "")uint tile, Tiles tiles, Ends ends, $(Address) carry_out)
{
    Inputs taken[GROUPS];
    Totals totals;
    if (is_whole(tile, tiles)) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            taken[g] = load_full_inputs(In(stage_address(stage)), group_place(g));
            totals.at[g] = whole_group(taken[g], tile_start(tile, tiles) + group_place(g)).at[VECTOR - 1u];
        }
$ if not to_stage then
        block_barrier(); // results lie where others' items are
$ end
        const GroupEnds group_ends = groups_down(groups_up(totals), ends);
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = tile_start(tile, tiles) + group_place(g);
            const Inputs inputs = taken[g];
            const Group x = group_down(whole_group(inputs, first), group_ends.at[g]);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
$ if exclusive then
                $(T) before = group_ends.at[g].before;
                if (v > 0u) before = x.at[v - 1u];
$ end
                outputs.at[$(place)] = $(result);
            }
            store_full_outputs(Out(stage_address(stage)), group_place(g), outputs);
        }
        if (tile == tiles.count - 1u && thread_id() == BLOCK - 1u) store_carry(carry_out, ends.through);
    } else {
        const In items = In(staged_array(stage, tile, tiles, $(input.size)u));
        const Out results = $(to_stage and ("Out(staged_array(stage, tile, tiles, %du))"):format(output.size) or "out_items");
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = tile_start(tile, tiles) + group_place(g);
            taken[g] = load_inputs(items, first, tiles.n);
            totals.at[g] = last_group(taken[g], first, tiles.n).at[VECTOR - 1u];
        }
        const GroupEnds group_ends = groups_down(groups_up(totals), ends);
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = tile_start(tile, tiles) + group_place(g);
            const Inputs inputs = taken[g];
            const Group x = group_down(last_group(inputs, first, tiles.n), group_ends.at[g]);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if ($(index) < tiles.n) {
$ if exclusive then
                    $(T) before = group_ends.at[g].before;
                    if (v > 0u) before = x.at[v - 1u];
$ end
                    outputs.at[$(place)] = $(result);
                    if ($(index) == $(reverse and "0u" or "tiles.n - 1u")) store_carry(carry_out, x.at[v]);
                }
            }
            $(to_stage and "" or "if (writes) ")store_outputs(results, first, tiles.n, outputs);
        }
    }
}
