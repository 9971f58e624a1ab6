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

#define shuffle_at(line, x, lane) shuffle(x, lane)
$ else
// The value of another lane. All lanes of the subgroup call it, on one line.
$(T) shuffle_at(int line, $(T) x, uint lane)
{
    $(T) other;
    ms_machine_running->shuffle(line, &x, &other, sizeof x, lane);
    return other;
}

#define shuffle(x, lane) shuffle_at(__LINE__, x, lane)
$ end

// The value of the lane `distance` before; any value where there is none.
#define shuffle_up(x, distance) shuffle_at(__LINE__, x, lane_id() - (distance))

struct Aggregates {
    $(T) *at;
};
#define Aggregates(address) ((Aggregates){($(T) *)(address)})
