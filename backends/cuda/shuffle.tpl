$ -- Values of other lanes: shuffle(x, lane) and shuffle_up(x, distance); without subgroup operations through shared memory.
$ if SUBGROUP == 1 then
$(shared(T, "exchange", "BLOCK"))

// The value of another lane. The whole block calls it.
$(T) shuffle($(T) x, uint lane)
{
    exchange[lane_id()] = x;
    block_barrier();
    const $(T) other = exchange[lane & (LANES - 1u)];
    block_barrier();
    return other;
}

// The value of the lane `distance` before; any value where there is none.
$(T) shuffle_up($(T) x, uint distance)
{
    return shuffle(x, lane_id() - distance);
}
$ else
// The value of another lane. All lanes of the subgroup call it.
$(T) shuffle($(T) x, uint lane)
{
    return $(shuffled("x", "__shfl_sync(ALL_LANES, %s, lane)"));
}

// The value of the lane `distance` before; any value where there is none.
$(T) shuffle_up($(T) x, uint distance)
{
    return $(shuffled("x", "__shfl_up_sync(ALL_LANES, %s, distance)"));
}
$ end

struct Aggregates {
    $(T) *at;
    __device__ explicit Aggregates(u64 address) : at(($(T) *)address) {}
};
