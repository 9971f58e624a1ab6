$ -- Scans inside one subgroup, of any type; join(a, b) puts a before b.
$ assert(LANES & (LANES - 1) == 0 and LANES >= 1, "a subgroup's size is a power of two")
// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
$(T) subgroup_scan_of$(of)($(T) x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const $(T) earlier = shuffle_up$(of)(x, step);
        if (lane_id() >= step) x = $(join("earlier", "x"));
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
$(T) subgroup_scan$(of)($(T) x)
{
    return subgroup_scan_of$(of)(x, LANES);
}

// The value of the lane before; the identity in lane 0.
$(T) subgroup_shift$(of)($(T) x)
{
    const $(T) earlier = shuffle_up$(of)(x, 1u);
    if (lane_id() == 0u) return $(nothing);
    return earlier;
}
