// monosweep gen tests/corpus/sweeps.lua --op backward --target cuda --set strategy=scan_then_propagate --set counts=32
// ---- backward, kernel 1 of 2: scan_tiles
// backward: scan of a, b to s, odd, odd_count by sum(u32), from the last element
// monosweep 0.1.0, templates/scan/scan.tpl, strategy scan_then_propagate: block 256, subgroup 32, items 12, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint ROWS = 3u; // of a tile, for each subgroup
constexpr uint TILE = 3072u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // u32: what comes before all elements
    u64 carry_out; // u32: what all add up to
    u64 buffers[8]; // a: u32[n], 4-byte aligned; b: u8[n], 4-byte aligned; s: u32[n], 4-byte aligned; odd: u32[n], 4-byte aligned; odd_count: u64, 8-byte aligned
    uint argument;
    uint reserved[3];
};

__device__ __forceinline__ bool is_given(u64 address)
{
    return address != 0u;
}

__device__ __forceinline__ bool is_vector_aligned(u64 address)
{
    return address % 16u == 0u;
}

__device__ __forceinline__ u64 address_at(u64 address, u64 offset_bytes)
{
    return address + offset_bytes;
}

__device__ __forceinline__ u64 element_count(u64 n, u64 n_address)
{
    return is_given(n_address) ? min(*(const u64 *)n_address, n) : n;
}

__device__ __forceinline__ uint block_id()
{
    return blockIdx.x;
}

__device__ __forceinline__ uint block_count()
{
    return gridDim.x;
}

__device__ __forceinline__ void block_barrier()
{
    __syncthreads();
}

__device__ __forceinline__ uint lane_id()
{
    return threadIdx.x % LANES;
}

__device__ __forceinline__ uint subgroup_id()
{
    return threadIdx.x / LANES;
}

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

struct State {
    uint s;
    uint kept;
};

struct Element {
    uint a;
    u8 b;
};

__device__ __forceinline__ State combine(State a, State b)
{
    return State{a.s + b.s, a.kept + b.kept};
}

__device__ __forceinline__ State map_item(Element x)
{
    return State{x.a + (uint)x.b, (x.b & 1) != 0 ? 1u : 0u};
}

__device__ __forceinline__ State state_of_carry(uint carry)
{
    return State{carry, 0u};
}

__device__ __forceinline__ State identity()
{
    return State{0u, 0u};
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ State shuffle(State x, uint lane)
{
    return State{__shfl_sync(ALL_LANES, x.s, lane), __shfl_sync(ALL_LANES, x.kept, lane)};
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ State shuffle_up(State x, uint distance)
{
    return State{__shfl_up_sync(ALL_LANES, x.s, distance), __shfl_up_sync(ALL_LANES, x.kept, distance)};
}

// The monoid's elements of one lane in one row.
struct Elements {
    State at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ State subgroup_scan_of(State x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const State earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(x, earlier);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ State subgroup_scan(State x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ State subgroup_shift(State x)
{
    const State earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    State before;
    State total;
};

const uint TOTALS = 8u; // one for each subgroup
__shared__ State subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(State subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    State total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// Array `a`.
struct In1 {
    const uint *at;
    __device__ explicit In1(u64 address) : at((const uint *)address) {}
};

struct Inputs1 {
    alignas(16) uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs1 load_full_inputs1(In1 items, u64 start)
{
    return *(const Inputs1 *)(items.at + start);
}

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs1 load_inputs1(In1 items, u64 start, u64 n)
{
    Inputs1 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

// Array `b`.
struct In2 {
    const u8 *at;
    __device__ explicit In2(u64 address) : at((const u8 *)address) {}
};

struct Inputs2 {
    alignas(4) u8 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs2 load_full_inputs2(In2 items, u64 start)
{
    return *(const Inputs2 *)(items.at + start);
}

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs2 load_inputs2(In2 items, u64 start, u64 n)
{
    Inputs2 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

// Addresses of the arrays.
struct In {
    u64 array1, array2;
};

struct Inputs {
    Element at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
__device__ __forceinline__ Inputs load_full_inputs(In items, u64 start)
{
    const Inputs1 group1 = load_full_inputs1(In1(items.array1), start);
    const Inputs2 group2 = load_full_inputs2(In2(items.array2), start);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = Element{group1.at[v], group2.at[v]};
    return group;
}

// Elements start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs load_inputs(In items, u64 start, u64 n)
{
    const Inputs1 group1 = load_inputs1(In1(items.array1), start, n);
    const Inputs2 group2 = load_inputs2(In2(items.array2), start, n);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = Element{group1.at[v], group2.at[v]};
    return group;
}

struct Carry {
    const uint *at;
    __device__ explicit Carry(u64 address) : at((const uint *)address) {}
};

// The first item alone.
__device__ __forceinline__ uint load_first_carries(Carry items)
{
    return items.at[0];
}

// The carry-in if there is one, else the operation's init.
__device__ __forceinline__ State starting_prefix(u64 carry_in)
{
    if (is_given(carry_in)) return state_of_carry(load_first_carries(Carry(carry_in)));
    return State{7u, 0u};
}

__device__ __forceinline__ uint tile_count(u64 n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the lowest item of a tile. Tiles, rows, lanes and items go from the last item to the first; places beyond n come first.
__device__ __forceinline__ u64 tile_start(u64 tile, u64 n)
{
    return (tile_count(n) - 1u - tile) * TILE;
}

// Place in its tile of the lowest item of this lane's part of a row.
__device__ __forceinline__ u64 row_place(uint row)
{
    return u64(TILE) - ((subgroup_id() * ROWS + row) * LANES + lane_id() + 1u) * VECTOR;
}

// The monoid's elements of one lane, row by row, last item first.
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
__device__ __forceinline__ Tile load_tile(In in_items, bool is_aligned, u64 start, u64 n)
{
    Tile tile;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[VECTOR - 1u - v] = map_item(inputs.at[v]);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[VECTOR - 1u - v] = identity();
                if (first + v < n) tile.rows[row].at[VECTOR - 1u - v] = map_item(inputs.at[v]);
            }
        }
    }
    return tile;
}

struct TileRange {
    uint first;
    uint end;
};

// The tiles of this block: an even share of all, in order.
__device__ __forceinline__ TileRange owned_tiles(uint tiles)
{
    const uint share = (tiles + block_count() - 1u) / block_count();
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

struct TileScan {
    Elements rows[ROWS]; // inclusive in each lane's part of a row
    State row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    State total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
__device__ __forceinline__ TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v], x.at[v - 1u]);
        const State inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const State exclusive = subgroup_shift(inclusive);
        const State row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(exclusive, scan.total);
        scan.total = combine(row_total, scan.total);
    }
    return scan;
}

struct StatesAt {
    State *at;
    __device__ explicit StatesAt(u64 address) : at((State *)address) {}
};

struct States {
    alignas(16) State at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ void store_full_states(StatesAt items, u64 start, States group)
{
    *(States *)(items.at + start) = group;
}

const uint STATES_OFFSET = 2064u; // bytes, in the scratch

__device__ __forceinline__ StatesAt states_at(u64 scratch)
{
    return StatesAt(address_at(scratch, STATES_OFFSET));
}

// Leaves the states of a tile's items; `prefix` is what comes before this subgroup in the block.
__device__ __forceinline__ void leave_states(u64 scratch, TileScan scan, State prefix, u64 start)
{
    StatesAt states = states_at(scratch);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const State before = combine(scan.row_prefix[row], prefix);
        States group;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            group.at[VECTOR - 1u - v] = before;
            if (v > 0u) group.at[VECTOR - 1u - v] = combine(scan.rows[row].at[v - 1u], before);
        }
        store_full_states(states, start + row_place(row), group);
    }
}

struct Aggregates {
    State *at;
    __device__ explicit Aggregates(u64 address) : at((State *)address) {}
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

__device__ __forceinline__ Aggregates block_aggregates(u64 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

extern "C" __global__ void __launch_bounds__(BLOCK) scan_tiles(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In{params.buffers[0], params.buffers[1]};
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]) && is_vector_aligned(params.buffers[1]);
    const TileRange tiles = owned_tiles(tile_count(n));

    State prefix = identity();
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const u64 start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const State subgroup_prefix = combine(block.before, prefix);
        prefix = combine(block.total, prefix);
        leave_states(params.scratch, scan, subgroup_prefix, start);
    }
    if (thread_id() == 0u) {
        Aggregates aggregates = block_aggregates(params.scratch);
        if (block_id() == 0u) aggregates.at[0] = starting_prefix(params.carry_in);
        aggregates.at[block_id() + 1u] = prefix;
    }
}
// ---- backward, kernel 2 of 2: propagate_prefixes
// backward: scan of a, b to s, odd, odd_count by sum(u32), from the last element
// monosweep 0.1.0, templates/scan/scan.tpl, strategy scan_then_propagate: block 256, subgroup 32, items 12, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint ROWS = 3u; // of a tile, for each subgroup
constexpr uint TILE = 3072u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // u32: what comes before all elements
    u64 carry_out; // u32: what all add up to
    u64 buffers[8]; // a: u32[n], 4-byte aligned; b: u8[n], 4-byte aligned; s: u32[n], 4-byte aligned; odd: u32[n], 4-byte aligned; odd_count: u64, 8-byte aligned
    uint argument;
    uint reserved[3];
};

__device__ __forceinline__ bool is_given(u64 address)
{
    return address != 0u;
}

__device__ __forceinline__ bool is_vector_aligned(u64 address)
{
    return address % 16u == 0u;
}

__device__ __forceinline__ u64 address_at(u64 address, u64 offset_bytes)
{
    return address + offset_bytes;
}

__device__ __forceinline__ u64 element_count(u64 n, u64 n_address)
{
    return is_given(n_address) ? min(*(const u64 *)n_address, n) : n;
}

__device__ __forceinline__ uint block_id()
{
    return blockIdx.x;
}

__device__ __forceinline__ uint block_count()
{
    return gridDim.x;
}

__device__ __forceinline__ void block_barrier()
{
    __syncthreads();
}

__device__ __forceinline__ uint lane_id()
{
    return threadIdx.x % LANES;
}

__device__ __forceinline__ uint subgroup_id()
{
    return threadIdx.x / LANES;
}

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

struct State {
    uint s;
    uint kept;
};

struct Element {
    uint a;
    u8 b;
};

struct Result {
    uint s;
    uint odd;
    uint place_of_odd;
};

struct Counts {
    u64 odd_count;
};

__device__ __forceinline__ State combine(State a, State b)
{
    return State{a.s + b.s, a.kept + b.kept};
}

__device__ __forceinline__ Result output_item(State state, Element x)
{
    return Result{state.s, state.s ^ x.a, (x.b & 1) != 0 ? state.kept : 0xffffffffu};
}

__device__ __forceinline__ uint carry_of_state(State total)
{
    return total.s;
}

__device__ __forceinline__ Counts totals_of(State total)
{
    return Counts{(u64)total.kept};
}

__device__ __forceinline__ State identity()
{
    return State{0u, 0u};
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ State shuffle(State x, uint lane)
{
    return State{__shfl_sync(ALL_LANES, x.s, lane), __shfl_sync(ALL_LANES, x.kept, lane)};
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ State shuffle_up(State x, uint distance)
{
    return State{__shfl_up_sync(ALL_LANES, x.s, distance), __shfl_up_sync(ALL_LANES, x.kept, distance)};
}

// The monoid's elements of one lane in one row.
struct Elements {
    State at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ State subgroup_scan_of(State x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const State earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(x, earlier);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ State subgroup_scan(State x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ State subgroup_shift(State x)
{
    const State earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    State before;
    State total;
};

const uint TOTALS = 8u; // one for each subgroup
__shared__ State subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(State subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    State total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// Array `a`.
struct In1 {
    const uint *at;
    __device__ explicit In1(u64 address) : at((const uint *)address) {}
};

struct Inputs1 {
    alignas(16) uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs1 load_full_inputs1(In1 items, u64 start)
{
    return *(const Inputs1 *)(items.at + start);
}

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs1 load_inputs1(In1 items, u64 start, u64 n)
{
    Inputs1 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

// Array `b`.
struct In2 {
    const u8 *at;
    __device__ explicit In2(u64 address) : at((const u8 *)address) {}
};

struct Inputs2 {
    alignas(4) u8 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs2 load_full_inputs2(In2 items, u64 start)
{
    return *(const Inputs2 *)(items.at + start);
}

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs2 load_inputs2(In2 items, u64 start, u64 n)
{
    Inputs2 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

// Addresses of the arrays.
struct In {
    u64 array1, array2;
};

struct Inputs {
    Element at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
__device__ __forceinline__ Inputs load_full_inputs(In items, u64 start)
{
    const Inputs1 group1 = load_full_inputs1(In1(items.array1), start);
    const Inputs2 group2 = load_full_inputs2(In2(items.array2), start);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = Element{group1.at[v], group2.at[v]};
    return group;
}

// Elements start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs load_inputs(In items, u64 start, u64 n)
{
    const Inputs1 group1 = load_inputs1(In1(items.array1), start, n);
    const Inputs2 group2 = load_inputs2(In2(items.array2), start, n);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = Element{group1.at[v], group2.at[v]};
    return group;
}

const uint NOWHERE = 0xffffffffu; // the place of what is not written

// Array `s`.
struct Out1 {
    uint *at;
    __device__ explicit Out1(u64 address) : at((uint *)address) {}
};

struct Outputs1 {
    alignas(16) uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ void store_full_outputs1(Out1 items, u64 start, Outputs1 group)
{
    *(Outputs1 *)(items.at + start) = group;
}

// Items start .. start + VECTOR - 1 but for those from n on.
__device__ __forceinline__ void store_outputs1(Out1 items, u64 start, u64 n, Outputs1 group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = group.at[v];
    }
}

// Array `odd`.
struct Out2 {
    uint *at;
    __device__ explicit Out2(u64 address) : at((uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ void store_output2(Out2 items, u64 i, uint item)
{
    items.at[i] = item;
}

// Addresses of the arrays.
struct Out {
    u64 array1, array2;
};

struct Outputs {
    Result at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
__device__ __forceinline__ void store_full_outputs(Out items, u64 start, Outputs group)
{
    if (is_given(items.array1)) {
        Outputs1 group1;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group1.at[v] = group.at[v].s;
        store_full_outputs1(Out1(items.array1), start, group1);
    }
    if (is_given(items.array2)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (group.at[v].place_of_odd != NOWHERE) store_output2(Out2(items.array2), group.at[v].place_of_odd, group.at[v].odd);
        }
    }
}

// Elements start .. start + VECTOR - 1 but for those from n on.
__device__ __forceinline__ void store_outputs(Out items, u64 start, u64 n, Outputs group)
{
    if (is_given(items.array1)) {
        Outputs1 group1;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group1.at[v] = group.at[v].s;
        store_outputs1(Out1(items.array1), start, n, group1);
    }
    if (is_given(items.array2)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (start + v < n && group.at[v].place_of_odd != NOWHERE) store_output2(Out2(items.array2), group.at[v].place_of_odd, group.at[v].odd);
        }
    }
}

struct Carry {
    uint *at;
    __device__ explicit Carry(u64 address) : at((uint *)address) {}
};

__device__ __forceinline__ void store_first_carries(Carry items, uint item)
{
    items.at[0] = item;
}

// Array `odd_count`.
struct CountsAt1 {
    u64 *at;
    __device__ explicit CountsAt1(u64 address) : at((u64 *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ void store_number1(CountsAt1 items, u64 i, u64 item)
{
    items.at[i] = item;
}

// Addresses of the arrays.
struct CountsAt {
    u64 array1;
};

__device__ __forceinline__ void store_number(CountsAt items, u64 i, Counts item)
{
    if (is_given(items.array1)) store_number1(CountsAt1(items.array1), i, item.odd_count);
}

// One thread's total becomes the carry-out, if one is asked for; and the numbers of what was written.
__device__ __forceinline__ void store_carry(u64 carry_out, CountsAt numbers, State total)
{
    if (is_given(carry_out)) store_first_carries(Carry(carry_out), carry_of_state(total));
    store_number(numbers, 0u, totals_of(total));
}

__device__ __forceinline__ uint tile_count(u64 n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the lowest item of a tile. Tiles, rows, lanes and items go from the last item to the first; places beyond n come first.
__device__ __forceinline__ u64 tile_start(u64 tile, u64 n)
{
    return (tile_count(n) - 1u - tile) * TILE;
}

// Place in its tile of the lowest item of this lane's part of a row.
__device__ __forceinline__ u64 row_place(uint row)
{
    return u64(TILE) - ((subgroup_id() * ROWS + row) * LANES + lane_id() + 1u) * VECTOR;
}

// The monoid's elements of one lane, row by row, last item first.
struct Tile {
    Elements rows[ROWS];
};

struct TileRange {
    uint first;
    uint end;
};

// The tiles of this block: an even share of all, in order.
__device__ __forceinline__ TileRange owned_tiles(uint tiles)
{
    const uint share = (tiles + block_count() - 1u) / block_count();
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

// Writes what is made of the states of the tile's items after `prefix`, which holds what comes before this block.
__device__ __forceinline__ void store_tile(Out out_items, In in_items, bool is_aligned, Tile scan, State prefix, u64 start, u64 n)
{
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const State s = combine(scan.rows[row].at[v], prefix);
                outputs.at[VECTOR - 1u - v] = output_item(s, inputs.at[VECTOR - 1u - v]);
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const State s = combine(scan.rows[row].at[v], prefix);
                if (first + VECTOR - 1u - v < n) outputs.at[VECTOR - 1u - v] = output_item(s, inputs.at[VECTOR - 1u - v]);
            }
            store_outputs(out_items, first, n, outputs);
        }
    }
}

struct StatesAt {
    const State *at;
    __device__ explicit StatesAt(u64 address) : at((const State *)address) {}
};

struct States {
    alignas(16) State at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ States load_full_states(StatesAt items, u64 start)
{
    return *(const States *)(items.at + start);
}

const uint STATES_OFFSET = 2064u; // bytes, in the scratch

__device__ __forceinline__ StatesAt states_at(u64 scratch)
{
    return StatesAt(address_at(scratch, STATES_OFFSET));
}

// The states that an earlier launch has left of a tile's items.
__device__ __forceinline__ Tile take_states(u64 scratch, u64 start)
{
    StatesAt states = states_at(scratch);
    Tile tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const States group = load_full_states(states, start + row_place(row));
        UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = group.at[VECTOR - 1u - v];
    }
    return tile;
}

struct Aggregates {
    State *at;
    __device__ explicit Aggregates(u64 address) : at((State *)address) {}
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

__device__ __forceinline__ Aggregates block_aggregates(u64 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

// What one value a thread adds up to, in thread order. The whole block calls it.
__device__ __forceinline__ State block_reduce(State x)
{
    const State inclusive = subgroup_scan(x);
    return block_scan(shuffle(inclusive, LANES - 1u)).total;
}

// What comes before this block: the starting prefix and the blocks before it.
__device__ __forceinline__ State aggregate_before(Aggregates aggregates)
{
    State before = identity();
    for (uint first = 0u; first <= block_id(); first += BLOCK) {
        State x = identity();
        if (first + thread_id() <= block_id()) x = aggregates.at[first + thread_id()];
        const State more = block_reduce(x);
        before = combine(more, before);
    }
    return before;
}

extern "C" __global__ void __launch_bounds__(BLOCK) propagate_prefixes(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In{params.buffers[0], params.buffers[1]};
    Out out_items = Out{params.buffers[2], params.buffers[3]};
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]) && is_vector_aligned(params.buffers[1]);
    const bool out_is_aligned = in_is_aligned && is_vector_aligned(params.buffers[2]);
    const TileRange tiles = owned_tiles(tile_count(n));

    State prefix = aggregate_before(block_aggregates(params.scratch));
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const u64 start = tile_start(tile, n);
        const Tile states = take_states(params.scratch, start);
        if ((is_given(params.buffers[2]) || is_given(params.buffers[3]))) store_tile(out_items, in_items, out_is_aligned, states, prefix, start, n);
    }
    if (block_id() == block_count() - 1u && thread_id() == 0u) {
        Aggregates aggregates = block_aggregates(params.scratch);
        const State aggregate = aggregates.at[block_id() + 1u];
        const State total = combine(aggregate, prefix);
        store_carry(params.carry_out, CountsAt{params.buffers[4]}, total);
    }
}
