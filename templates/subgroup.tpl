$ -- Scans inside one subgroup, of any type; join(a, b) puts a before b.
$ assert(LANES & (LANES - 1) == 0 and LANES >= 1, "a subgroup's size is a power of two")
// Inclusive scan of one value a lane (Kogge-Stone). All lanes of the subgroup call it.
$(T) subgroup_scan($(T) x)
{
    UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
        const $(T) earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = $(join("earlier", "x"));
    }
    return x;
}

// The value of the lane before; the identity in lane 0.
$(T) subgroup_shift($(T) x)
{
    const $(T) earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}
