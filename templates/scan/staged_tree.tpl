$ -- What a staged tile's items add up to, and their scan, by a balanced tree. Uses staged_tile.tpl, tree.tpl; defines sum_tile, scan_tile.
$ -- to_stage: results of tiles that are not whole go to their stage, too.
$ include("scan/group_tree", {item_size = input.size})

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
    return sum_groups(totals, stage, turn);
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
