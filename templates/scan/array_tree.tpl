$ -- What the items of a tile of several arrays add up to, by a balanced tree. Uses staged_arrays.tpl, tree.tpl; defines sum_tile, and of groups of
$ -- items whole_group and last_group. item(j), near_own(j, first, n): of a group's items `own`, and what is near them.
$ local widest = 1
$ for _, field in ipairs(inputs.fields) do widest = math.max(widest, field.type.size) end
$ include("scan/group_tree", {item_size = widest})

$(shared(T, "last_end")) // what all items come to, if the last tile is not whole

// A group of a whole tile, up.
Group whole_group(Items own, $(Index) first, $(Index) n)
{
    Group x;
    UNROLL for (uint v = 0u; v < VECTOR; v++) x.at[v] = $(map(item("v"), "first + v", near_own("v", "first", "n")));
    return group_up(x);
}

// A group of the last tile, up: the identity beyond n.
Group last_group(uint stage, In items, uint place, $(Index) first, $(Index) n)
{
    Group x;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        x.at[v] = identity();
        if (first + v < n) x.at[v] = $(map("load_item(stage, items, place + v)", "first + v", "near_place(stage, items, place + v, first + v, n)"));
    }
    return group_up(x);
}

// The whole block calls it, with 0 and 1 by turns.
TileSum sum_tile(uint stage, In items, uint tile, Tiles tiles, uint turn)
{
    const $(Index) start = tile_start(tile, tiles);
    Totals totals;
    if (is_whole(tile, tiles)) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = start + group_place(g);
            totals.at[g] = whole_group(load_items(stage, items, group_place(g), first, tiles.n), first, tiles.n).at[VECTOR - 1u];
        }
    } else {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            totals.at[g] = last_group(stage, items, group_place(g), start + group_place(g), tiles.n).at[VECTOR - 1u];
        }
    }
    return sum_groups(totals, stage, turn);
}
