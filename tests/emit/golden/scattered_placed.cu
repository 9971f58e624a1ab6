// monosweep gen tests/corpus/scattered.lua --op placed --target cuda --set strategy=reduce_then_scan --set counts=32
// ---- placed, kernel 1 of 2: reduce_tiles
// placed: inclusive scan of x, taken by sum(u32)
// monosweep 0.1.0, templates/scan/reduce.tpl, strategy reduce_then_scan: block 256, subgroup 32, items 24, vector 4
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
constexpr uint ROWS = 6u; // of a tile, for each subgroup
constexpr uint TILE = 6144u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // u32: what comes before all elements
    u64 carry_out; // u32: what all add up to
    u64 buffers[8]; // x: u32[n], 4-byte aligned; taken: u8[n], 4-byte aligned; y: u32[n], 4-byte aligned; rank: u32[n], 4-byte aligned
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

struct Element {
    uint x;
    u8 taken;
};

__device__ __forceinline__ uint combine(uint a, uint b)
{
    return a + b;
}

__device__ __forceinline__ uint map_item(Element e)
{
    return (uint)e.taken & 1u;
}

__device__ __forceinline__ uint identity()
{
    return 0u;
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ uint shuffle(uint x, uint lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ uint shuffle_up(uint x, uint distance)
{
    return __shfl_up_sync(ALL_LANES, x, distance);
}

// The monoid's elements of one lane in one row.
struct Elements {
    uint at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ uint subgroup_scan_of(uint x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ uint subgroup_scan(uint x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ uint subgroup_shift(uint x)
{
    const uint earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    uint before;
    uint total;
};

const uint TOTALS = 8u; // one for each subgroup
__shared__ uint subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(uint subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    uint total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// Array `x`.
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

// Array `taken`.
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

__device__ __forceinline__ uint tile_count(u64 n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the first item of a tile.
__device__ __forceinline__ u64 tile_start(u64 tile, u64 n)
{
    return tile * TILE;
}

// Place in its tile of the first item of this lane's part of a row.
__device__ __forceinline__ uint row_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// The monoid's elements of one lane, row by row.
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
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = map_item(inputs.at[v]);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[v] = identity();
                if (first + v < n) tile.rows[row].at[v] = map_item(inputs.at[v]);
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

struct Carry {
    const uint *at;
    __device__ explicit Carry(u64 address) : at((const uint *)address) {}
};

// The first item alone.
__device__ __forceinline__ uint load_first_elements(Carry items)
{
    return items.at[0];
}

// The carry-in if there is one, else the identity.
__device__ __forceinline__ uint starting_prefix(u64 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return identity();
}

struct Aggregates {
    uint *at;
    __device__ explicit Aggregates(u64 address) : at((uint *)address) {}
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

__device__ __forceinline__ Aggregates block_aggregates(u64 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

// What one value a thread adds up to, in thread order. The whole block calls it.
__device__ __forceinline__ uint block_reduce(uint x)
{
    const uint inclusive = subgroup_scan(x);
    return block_scan(shuffle(inclusive, LANES - 1u)).total;
}

extern "C" __global__ void __launch_bounds__(BLOCK) reduce_tiles(const __grid_constant__ Parameters params)
{
    uint total = identity();
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In{params.buffers[0], params.buffers[1]};
    const bool is_aligned = is_vector_aligned(params.buffers[0]) && is_vector_aligned(params.buffers[1]);
    const TileRange tiles = owned_tiles(tile_count(n));

    // The order does not matter: each thread sums its own items.
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const Tile x = load_tile(in_items, is_aligned, tile_start(tile, n), n);
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) total = combine(total, x.rows[row].at[v]);
        }
    }
    total = block_reduce(total);
    if (thread_id() != 0u) return;
    Aggregates aggregates = block_aggregates(params.scratch);
    if (block_id() == 0u) aggregates.at[0] = starting_prefix(params.carry_in); // later launches take it from here: carry-in may be carry-out
    aggregates.at[block_id() + 1u] = total;
}
// ---- placed, kernel 2 of 2: scan_tiles
// placed: inclusive scan of x, taken by sum(u32)
// monosweep 0.1.0, templates/scan/scan.tpl, strategy reduce_then_scan: block 256, subgroup 32, items 24, vector 4
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
constexpr uint ROWS = 6u; // of a tile, for each subgroup
constexpr uint TILE = 6144u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // u32: what comes before all elements
    u64 carry_out; // u32: what all add up to
    u64 buffers[8]; // x: u32[n], 4-byte aligned; taken: u8[n], 4-byte aligned; y: u32[n], 4-byte aligned; rank: u32[n], 4-byte aligned
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

struct Element {
    uint x;
    u8 taken;
};

struct Result {
    uint y;
    uint rank;
    uint place_of_y;
};

__device__ __forceinline__ uint combine(uint a, uint b)
{
    return a + b;
}

__device__ __forceinline__ uint map_item(Element e)
{
    return (uint)e.taken & 1u;
}

__device__ __forceinline__ Result output_item(uint state, Element x, u64 i)
{
    return Result{x.x, state, ((uint)x.taken & 1u) != 0u ? state - 1u : 0xffffffffu};
}

__device__ __forceinline__ uint identity()
{
    return 0u;
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ uint shuffle(uint x, uint lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ uint shuffle_up(uint x, uint distance)
{
    return __shfl_up_sync(ALL_LANES, x, distance);
}

// The monoid's elements of one lane in one row.
struct Elements {
    uint at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ uint subgroup_scan_of(uint x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ uint subgroup_scan(uint x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ uint subgroup_shift(uint x)
{
    const uint earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    uint before;
    uint total;
};

const uint TOTALS = 8u; // one for each subgroup
__shared__ uint subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(uint subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    uint total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// Array `x`.
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

// Array `taken`.
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

// Array `y`.
struct Out1 {
    uint *at;
    __device__ explicit Out1(u64 address) : at((uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ void store_output1(Out1 items, u64 i, uint item)
{
    items.at[i] = item;
}

// Array `rank`.
struct Out2 {
    uint *at;
    __device__ explicit Out2(u64 address) : at((uint *)address) {}
};

struct Outputs2 {
    alignas(16) uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ void store_full_outputs2(Out2 items, u64 start, Outputs2 group)
{
    *(Outputs2 *)(items.at + start) = group;
}

// Items start .. start + VECTOR - 1 but for those from n on.
__device__ __forceinline__ void store_outputs2(Out2 items, u64 start, u64 n, Outputs2 group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = group.at[v];
    }
}

// Addresses of the arrays; and the length of those whose elements go anywhere.
struct Out {
    u64 array1, array2;
    u64 n;
};

struct Outputs {
    Result at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
__device__ __forceinline__ void store_full_outputs(Out items, u64 start, Outputs group)
{
    if (is_given(items.array1)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (group.at[v].place_of_y < items.n) store_output1(Out1(items.array1), group.at[v].place_of_y, group.at[v].y);
        }
    }
    if (is_given(items.array2)) {
        Outputs2 group2;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group2.at[v] = group.at[v].rank;
        store_full_outputs2(Out2(items.array2), start, group2);
    }
}

// Elements start .. start + VECTOR - 1 but for those from n on.
__device__ __forceinline__ void store_outputs(Out items, u64 start, u64 n, Outputs group)
{
    if (is_given(items.array1)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (start + v < n && group.at[v].place_of_y < items.n) store_output1(Out1(items.array1), group.at[v].place_of_y, group.at[v].y);
        }
    }
    if (is_given(items.array2)) {
        Outputs2 group2;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group2.at[v] = group.at[v].rank;
        store_outputs2(Out2(items.array2), start, n, group2);
    }
}

struct Carry {
    uint *at;
    __device__ explicit Carry(u64 address) : at((uint *)address) {}
};

__device__ __forceinline__ void store_first_elements(Carry items, uint item)
{
    items.at[0] = item;
}

// One thread's total becomes the carry-out, if one is asked for.
__device__ __forceinline__ void store_carry(u64 carry_out, uint total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
}

__device__ __forceinline__ uint tile_count(u64 n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the first item of a tile.
__device__ __forceinline__ u64 tile_start(u64 tile, u64 n)
{
    return tile * TILE;
}

// Place in its tile of the first item of this lane's part of a row.
__device__ __forceinline__ uint row_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// The monoid's elements of one lane, row by row.
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
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = map_item(inputs.at[v]);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[v] = identity();
                if (first + v < n) tile.rows[row].at[v] = map_item(inputs.at[v]);
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
    uint row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    uint total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
__device__ __forceinline__ TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v - 1u], x.at[v]);
        const uint inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const uint exclusive = subgroup_shift(inclusive);
        const uint row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(scan.total, exclusive);
        scan.total = combine(scan.total, row_total);
    }
    return scan;
}

// Writes the scan of the tile after `prefix`, which holds what comes before this subgroup.
__device__ __forceinline__ void store_tile(Out out_items, In in_items, bool is_aligned, TileScan scan, uint prefix, u64 start, u64 n)
{
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const uint before = combine(prefix, scan.row_prefix[row]);
            const Inputs inputs = load_full_inputs(in_items, first);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint s = combine(before, scan.rows[row].at[v]);
                outputs.at[v] = output_item(s, inputs.at[v], first + v);
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const uint before = combine(prefix, scan.row_prefix[row]);
            const Inputs inputs = load_inputs(in_items, first, n);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint s = combine(before, scan.rows[row].at[v]);
                if (first + v < n) outputs.at[v] = output_item(s, inputs.at[v], first + v);
            }
            store_outputs(out_items, first, n, outputs);
        }
    }
}

struct Aggregates {
    uint *at;
    __device__ explicit Aggregates(u64 address) : at((uint *)address) {}
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

__device__ __forceinline__ Aggregates block_aggregates(u64 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

// What one value a thread adds up to, in thread order. The whole block calls it.
__device__ __forceinline__ uint block_reduce(uint x)
{
    const uint inclusive = subgroup_scan(x);
    return block_scan(shuffle(inclusive, LANES - 1u)).total;
}

// What comes before this block: the starting prefix and the blocks before it.
__device__ __forceinline__ uint aggregate_before(Aggregates aggregates)
{
    uint before = identity();
    for (uint first = 0u; first <= block_id(); first += BLOCK) {
        uint x = identity();
        if (first + thread_id() <= block_id()) x = aggregates.at[first + thread_id()];
        const uint more = block_reduce(x);
        before = combine(before, more);
    }
    return before;
}

extern "C" __global__ void __launch_bounds__(BLOCK) scan_tiles(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In{params.buffers[0], params.buffers[1]};
    Out out_items = Out{params.buffers[2], params.buffers[3], n};
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]) && is_vector_aligned(params.buffers[1]);
    const bool out_is_aligned = in_is_aligned && is_vector_aligned(params.buffers[3]);
    const TileRange tiles = owned_tiles(tile_count(n));

    uint prefix = aggregate_before(block_aggregates(params.scratch));
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const u64 start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const uint subgroup_prefix = combine(prefix, block.before);
        prefix = combine(prefix, block.total);
        if ((is_given(params.buffers[2]) || is_given(params.buffers[3]))) store_tile(out_items, in_items, out_is_aligned, scan, subgroup_prefix, start, n);
    }
    if (block_id() == block_count() - 1u && thread_id() == 0u) store_carry(params.carry_out, prefix);
}
