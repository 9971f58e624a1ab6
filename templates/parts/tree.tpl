$ -- A balanced tree across the lanes of a subgroup (parts/balanced.tpl has the order): Ends, subgroup_up, subgroup_down.
// What comes before some values, and that joined with them.
struct Ends {
    $(T) before;
    $(T) through;
};

// Up in the first `lanes` lanes, a power of two. All lanes of the subgroup call it.
$(T) subgroup_up($(T) x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const $(T) left = shuffle_up(x, step);
        if (lane_id() % (2u * step) == 2u * step - 1u) x = $(join("left", "x"));
    }
    return x;
}

// Down. All lanes of the subgroup call it.
$(T) subgroup_down($(T) x, Ends ends, uint lanes)
{
    if (lane_id() == lanes - 1u) x = ends.through;
    UNROLL for (uint step = lanes / 2u; step > 0u; step /= 2u) {
        $(T) left = shuffle_up(x, step);
        if (lane_id() < step) left = ends.before;
        if (lane_id() % (2u * step) == step - 1u) x = $(join("left", "x"));
    }
    return x;
}
