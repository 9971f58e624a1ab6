// monosweep gen tests/corpus/tables.lua --op quoted --target cuda --quiet
// ---- quoted, kernel 1 of 3: scan_single_block
// quoted: exclusive scan of u8 by monoid of vec(u8, 3)
// monosweep 0.1.0, templates/scan/scan.tpl, strategy single_block: block 256, subgroup 32, items 16, vector 16
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 16u; // consecutive items of a lane
constexpr uint ROWS = 1u; // of a tile, for each subgroup
constexpr uint TILE = 4096u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // vec(u8, 3): what comes before all elements
    u64 carry_out; // vec(u8, 3): what all add up to
    u64 buffers[8]; // in: u8[n], 4-byte aligned; out: u8[n], 4-byte aligned
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

// A barrier of the block orders what its threads do in device memory, too.
__device__ __forceinline__ void block_barrier_all_memory()
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

struct u8x3 {
    u8 x, y, z;
};

__device__ __forceinline__ u8x3 combine(u8x3 f, u8x3 g)
{
    return u8x3{
        f.x == 0 ? g.x : f.x == 1 ? g.y : g.z,
        f.y == 0 ? g.x : f.y == 1 ? g.y : g.z,
        f.z == 0 ? g.x : f.z == 1 ? g.y : g.z};
}

__device__ const u8 step[768] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

__device__ __forceinline__ u8x3 map_item(u8 x)
{
    uint converted = (uint)x;
    return u8x3{step[converted], step[converted + 256u], step[converted + 512u]};
}

__device__ __forceinline__ u8 output_item(u8x3 s)
{
    return s.x;
}

__device__ __forceinline__ u8x3 identity()
{
    return u8x3{0, 1, 2};
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ u8x3 shuffle(u8x3 x, uint lane)
{
    return u8x3{
        (u8)__shfl_sync(ALL_LANES, (uint)x.x, lane),
        (u8)__shfl_sync(ALL_LANES, (uint)x.y, lane),
        (u8)__shfl_sync(ALL_LANES, (uint)x.z, lane)};
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ u8x3 shuffle_up(u8x3 x, uint distance)
{
    return u8x3{
        (u8)__shfl_up_sync(ALL_LANES, (uint)x.x, distance),
        (u8)__shfl_up_sync(ALL_LANES, (uint)x.y, distance),
        (u8)__shfl_up_sync(ALL_LANES, (uint)x.z, distance)};
}

// The monoid's elements of one lane in one row.
struct Elements {
    u8x3 at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ u8x3 subgroup_scan_of(u8x3 x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const u8x3 earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ u8x3 subgroup_scan(u8x3 x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ u8x3 subgroup_shift(u8x3 x)
{
    const u8x3 earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    u8x3 before;
    u8x3 total;
};

const uint TOTALS = 8u; // one for each subgroup
__shared__ u8x3 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(u8x3 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    u8x3 total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

struct In {
    const u8 *at;
    __device__ explicit In(u64 address) : at((const u8 *)address) {}
};

struct Inputs {
    alignas(16) u8 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs load_full_inputs(In items, u64 start)
{
    return *(const Inputs *)(items.at + start);
}

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs load_inputs(In items, u64 start, u64 n)
{
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

struct Out {
    u8 *at;
    __device__ explicit Out(u64 address) : at((u8 *)address) {}
};

struct Outputs {
    alignas(16) u8 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ void store_full_outputs(Out items, u64 start, Outputs group)
{
    *(Outputs *)(items.at + start) = group;
}

// Items start .. start + VECTOR - 1 but for those from n on.
__device__ __forceinline__ void store_outputs(Out items, u64 start, u64 n, Outputs group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = group.at[v];
    }
}

struct Carry {
    u8x3 *at;
    __device__ explicit Carry(u64 address) : at((u8x3 *)address) {}
};

// The first item alone.
__device__ __forceinline__ u8x3 load_first_elements(Carry items)
{
    return items.at[0];
}

__device__ __forceinline__ void store_first_elements(Carry items, u8x3 item)
{
    items.at[0] = item;
}

// The carry-in if there is one, else the identity.
__device__ __forceinline__ u8x3 starting_prefix(u64 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return identity();
}

// One thread's total becomes the carry-out, if one is asked for.
__device__ __forceinline__ void store_carry(u64 carry_out, u8x3 total)
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
    u8x3 row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    u8x3 total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
__device__ __forceinline__ TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v - 1u], x.at[v]);
        const u8x3 inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const u8x3 exclusive = subgroup_shift(inclusive);
        const u8x3 row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(scan.total, exclusive);
        scan.total = combine(scan.total, row_total);
    }
    return scan;
}

// Writes the scan of the tile after `prefix`, which holds what comes before this subgroup.
__device__ __forceinline__ void store_tile(Out out_items, bool is_aligned, TileScan scan, u8x3 prefix, u64 start, u64 n)
{
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const u8x3 before = combine(prefix, scan.row_prefix[row]);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                u8x3 s = before;
                if (v > 0u) s = combine(before, scan.rows[row].at[v - 1u]);
                outputs.at[v] = output_item(s);
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const u8x3 before = combine(prefix, scan.row_prefix[row]);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                u8x3 s = before;
                if (v > 0u) s = combine(before, scan.rows[row].at[v - 1u]);
                if (first + v < n) outputs.at[v] = output_item(s);
            }
            store_outputs(out_items, first, n, outputs);
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) scan_single_block(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const bool out_is_aligned = is_vector_aligned(params.buffers[1]);
    const TileRange tiles = owned_tiles(tile_count(n));

    u8x3 prefix = starting_prefix(params.carry_in);
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const u64 start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const u8x3 subgroup_prefix = combine(prefix, block.before);
        prefix = combine(prefix, block.total);
        if (is_given(params.buffers[1])) store_tile(out_items, out_is_aligned, scan, subgroup_prefix, start, n);
    }
    block_barrier_all_memory(); // all have read the carry-in, which may be the carry-out
    if (block_id() == block_count() - 1u && thread_id() == 0u) store_carry(params.carry_out, prefix);
}
// ---- quoted, kernel 2 of 3: scan_lookback
// quoted: exclusive scan of u8 by monoid of vec(u8, 3)
// monosweep 0.1.0, templates/scan/lookback.tpl, strategy lookback: block 256, subgroup 32, items 16, vector 16
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 16u; // consecutive items of a lane
constexpr uint ROWS = 1u; // of a tile, for each subgroup
constexpr uint TILE = 4096u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // vec(u8, 3): what comes before all elements
    u64 carry_out; // vec(u8, 3): what all add up to
    u64 buffers[8]; // in: u8[n], 4-byte aligned; out: u8[n], 4-byte aligned
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

// A barrier of the block orders what its threads do in device memory, too.
__device__ __forceinline__ void block_barrier_all_memory()
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

struct u8x3 {
    u8 x, y, z;
};

__device__ __forceinline__ u8x3 combine(u8x3 f, u8x3 g)
{
    return u8x3{
        f.x == 0 ? g.x : f.x == 1 ? g.y : g.z,
        f.y == 0 ? g.x : f.y == 1 ? g.y : g.z,
        f.z == 0 ? g.x : f.z == 1 ? g.y : g.z};
}

__device__ const u8 step[768] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};

__device__ __forceinline__ u8x3 map_item(u8 x)
{
    uint converted = (uint)x;
    return u8x3{step[converted], step[converted + 256u], step[converted + 512u]};
}

__device__ __forceinline__ u8 output_item(u8x3 s)
{
    return s.x;
}

__device__ __forceinline__ u8x3 identity()
{
    return u8x3{0, 1, 2};
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ u8x3 shuffle(u8x3 x, uint lane)
{
    return u8x3{
        (u8)__shfl_sync(ALL_LANES, (uint)x.x, lane),
        (u8)__shfl_sync(ALL_LANES, (uint)x.y, lane),
        (u8)__shfl_sync(ALL_LANES, (uint)x.z, lane)};
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ u8x3 shuffle_up(u8x3 x, uint distance)
{
    return u8x3{
        (u8)__shfl_up_sync(ALL_LANES, (uint)x.x, distance),
        (u8)__shfl_up_sync(ALL_LANES, (uint)x.y, distance),
        (u8)__shfl_up_sync(ALL_LANES, (uint)x.z, distance)};
}

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
__device__ __forceinline__ uint last_lane(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}

// The monoid's elements of one lane in one row.
struct Elements {
    u8x3 at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ u8x3 subgroup_scan_of(u8x3 x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const u8x3 earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ u8x3 subgroup_scan(u8x3 x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ u8x3 subgroup_shift(u8x3 x)
{
    const u8x3 earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    u8x3 before;
    u8x3 total;
};

const uint TOTALS = 8u; // one for each subgroup
__shared__ u8x3 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(u8x3 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    u8x3 total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

struct In {
    const u8 *at;
    __device__ explicit In(u64 address) : at((const u8 *)address) {}
};

struct Inputs {
    alignas(16) u8 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs load_full_inputs(In items, u64 start)
{
    return *(const Inputs *)(items.at + start);
}

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs load_inputs(In items, u64 start, u64 n)
{
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

struct Out {
    u8 *at;
    __device__ explicit Out(u64 address) : at((u8 *)address) {}
};

struct Outputs {
    alignas(16) u8 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ void store_full_outputs(Out items, u64 start, Outputs group)
{
    *(Outputs *)(items.at + start) = group;
}

// Items start .. start + VECTOR - 1 but for those from n on.
__device__ __forceinline__ void store_outputs(Out items, u64 start, u64 n, Outputs group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = group.at[v];
    }
}

struct Carry {
    u8x3 *at;
    __device__ explicit Carry(u64 address) : at((u8x3 *)address) {}
};

// The first item alone.
__device__ __forceinline__ u8x3 load_first_elements(Carry items)
{
    return items.at[0];
}

__device__ __forceinline__ void store_first_elements(Carry items, u8x3 item)
{
    items.at[0] = item;
}

// The carry-in if there is one, else the identity.
__device__ __forceinline__ u8x3 starting_prefix(u64 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return identity();
}

// One thread's total becomes the carry-out, if one is asked for.
__device__ __forceinline__ void store_carry(u64 carry_out, u8x3 total)
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

struct TileScan {
    Elements rows[ROWS]; // inclusive in each lane's part of a row
    u8x3 row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    u8x3 total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
__device__ __forceinline__ TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v - 1u], x.at[v]);
        const u8x3 inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const u8x3 exclusive = subgroup_shift(inclusive);
        const u8x3 row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(scan.total, exclusive);
        scan.total = combine(scan.total, row_total);
    }
    return scan;
}

// Writes the scan of the tile after `prefix`, which holds what comes before this subgroup.
__device__ __forceinline__ void store_tile(Out out_items, bool is_aligned, TileScan scan, u8x3 prefix, u64 start, u64 n)
{
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const u8x3 before = combine(prefix, scan.row_prefix[row]);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                u8x3 s = before;
                if (v > 0u) s = combine(before, scan.rows[row].at[v - 1u]);
                outputs.at[v] = output_item(s);
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const u8x3 before = combine(prefix, scan.row_prefix[row]);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                u8x3 s = before;
                if (v > 0u) s = combine(before, scan.rows[row].at[v - 1u]);
                if (first + v < n) outputs.at[v] = output_item(s);
            }
            store_outputs(out_items, first, n, outputs);
        }
    }
}

const uint DESCRIPTORS_OFFSET = 384u; // bytes, in the scratch
const uint WORDS = 1u; // of a post

// Counters at the start of the scratch, as indices of 4-byte words. Those that all blocks change have a cache line each.
const uint LAUNCH = 0u; // launches that have ended, modulo 2^31 - 1
const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TICKET = 32u; // tiles taken
const uint FINISHED = 64u; // blocks that need none of the counters any more

__device__ __forceinline__ uint load_counter(u64 scratch, uint counter)
{
    return ((const volatile uint *)scratch)[counter];
}

// One that does not change during a launch.
__device__ __forceinline__ uint constant_counter(u64 scratch, uint counter)
{
    return ((const uint *)scratch)[counter];
}

__device__ __forceinline__ void store_counter(u64 scratch, uint counter, uint value)
{
    ((volatile uint *)scratch)[counter] = value;
}

// Adds 1; returns what was there.
__device__ __forceinline__ uint add_counter(u64 scratch, uint counter)
{
    return atomicAdd((uint *)scratch + counter, 1u);
}

// Adds `more` after everything that the thread has done; returns what was there.
__device__ __forceinline__ uint release_counter(u64 scratch, uint counter, uint more)
{
    uint before;
    asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global((uint *)scratch + counter)), "r"(more)
                 : "memory");
    return before;
}

// Call after reading a counter that others released: their earlier writes are then visible.
__device__ __forceinline__ void acquire_counters()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

// The tag of this launch: 1 to 2^31 - 1, so that tag * 2 + 1 fits 32 bits.
__device__ __forceinline__ uint launch_tag(u64 scratch)
{
    return load_counter(scratch, LAUNCH) + 1u;
}

// Units of 256 bytes of the scratch that were zeroed.
__device__ __forceinline__ u64 zeroed_count(u64 scratch)
{
    return constant_counter(scratch, ZEROED);
}

__device__ __forceinline__ uint take_ticket(u64 scratch)
{
    return add_counter(scratch, TICKET);
}

// One thread of each block calls it, once, after the block's last use of the counters above. Returns how many blocks have done so before.
__device__ __forceinline__ uint finish_block(u64 scratch)
{
    return release_counter(scratch, FINISHED, 1u);
}

// Whether it was the last block: then the other blocks' uses of the counters come before what follows.
__device__ __forceinline__ bool is_last_block(u64 scratch, uint others)
{
    if (others != block_count() - 1u) return false;
    acquire_counters();
    store_counter(scratch, FINISHED, 0u);
    return true;
}

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
__device__ __forceinline__ void end_launch(u64 scratch)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    store_counter(scratch, LAUNCH, launch_tag(scratch) % 0x7fffffffu);
    store_counter(scratch, TICKET, 0u);
}

// Whether the posts of `tiles` tiles lie in what was zeroed of the scratch.
__device__ __forceinline__ bool has_posts_of(u64 scratch, uint tiles)
{
    const u64 words = DESCRIPTORS_OFFSET / 8u + u64(tiles) * 2u; // of 8 bytes
    return (words + 31u) / 32u <= zeroed_count(scratch);
}

const uint EMPTY = 0u;
const uint AGGREGATE = 1u;
const uint PREFIX = 2u;

struct Descriptor {
    u8x3 value;
    uint state;
};

struct alignas(16) Word {
    uint x, y, z, tag;
};

struct Posts {
    Word *at;
    __device__ explicit Posts(u64 address) : at((Word *)address) {}
};

__device__ __forceinline__ Word load_word(Posts posts, u64 index)
{
    u64 low, high;
    asm volatile("{.reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word;}"
                 : "=l"(low), "=l"(high)
                 : "l"(__cvta_generic_to_global(posts.at + index)));
    return Word{(uint)low, (uint)(low >> 32), (uint)high, (uint)(high >> 32)};
}

__device__ __forceinline__ void store_word(Posts posts, u64 index, Word word)
{
    const u64 low = word.x | (u64)word.y << 32, high = word.z | (u64)word.tag << 32;
    asm volatile("{.reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word;}" ::"l"(__cvta_generic_to_global(posts.at + index)),
                 "l"(low), "l"(high));
}

__device__ __forceinline__ void publish(Posts posts, u64 first, uint tag, u8x3 x)
{
    store_word(posts, first, Word{(uint)x.x, (uint)x.y, (uint)x.z, tag});
}

// What a tile has posted.
__device__ __forceinline__ Descriptor poll(Posts posts, uint tile, uint tag)
{
    const u64 first = u64(tile) * WORDS;
    const Word word0 = load_word(posts, first);
    Descriptor descriptor;
    descriptor.state = EMPTY;
    if (word0.tag >> 1 == tag) {
        descriptor.state = word0.tag % 2u == 0u ? AGGREGATE : PREFIX;
        descriptor.value = u8x3{(u8)word0.x, (u8)word0.y, (u8)word0.z};
    }
    return descriptor;
}

__device__ __forceinline__ void publish_aggregate(Posts posts, uint tile, uint tag, u8x3 x)
{
    publish(posts, u64(tile) * WORDS, tag << 1, x);
}

__device__ __forceinline__ void publish_prefix(Posts posts, uint tile, uint tag, u8x3 x)
{
    publish(posts, u64(tile) * WORDS, tag << 1 | 1u, x);
}

const uint DEPTH = 1u; // consecutive descriptors of a lane, read together
const uint WINDOW = 32u; // descriptors of the subgroup
const uint NO_TILE = 0xffffffffu;

// A look-back that has come to tile `end`: what the tiles from there up to its own add up to.
struct LookBack {
    u8x3 aggregate;
    uint end;     // 0: that is all
    uint missing; // the tile this lane waits for, or NO_TILE
};

// Takes a look-back further, to its end. One subgroup calls it.
__device__ __forceinline__ LookBack look_back(Posts posts, uint tag, LookBack look)
{
    const uint place = lane_id() * DEPTH; // in the window, whose lowest tile is end - WINDOW
    bool is_waiting = false;
    while (look.end > 0u && !is_waiting) {
        Descriptor seen[DEPTH];
        UNROLL for (uint k = 0u; k < DEPTH; k++) seen[k].state = EMPTY;
        u8x3 value = identity();
        bool has_prefix = false;
        uint prefix_lane = LANES;
        is_waiting = true;
        while (is_waiting) {
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = WINDOW - place - k;
                if (back <= look.end && seen[k].state == EMPTY) seen[k] = poll(posts, look.end - back, tag);
            }
            // What this lane's tiles add up to, from its last inclusive prefix on.
            value = identity();
            look.missing = NO_TILE;
            has_prefix = false;
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = WINDOW - place - k;
                if (back > look.end) {
                    // no such tile
                } else if (seen[k].state == EMPTY) {
                    look.missing = look.end - back;
                } else if (seen[k].state == AGGREGATE) {
                    value = combine(value, seen[k].value);
                } else {
                    value = seen[k].value;
                    look.missing = NO_TILE;
                    has_prefix = true;
                }
            }
            // Lanes before the last inclusive prefix do not matter.
            prefix_lane = last_lane(has_prefix);
            if (prefix_lane < LANES && lane_id() < prefix_lane) {
                value = identity();
                look.missing = NO_TILE;
            }
            is_waiting = last_lane(look.missing != NO_TILE) < LANES;
        }
        value = shuffle(subgroup_scan(value), LANES - 1u);
        look.aggregate = combine(value, look.aggregate);
        look.end = prefix_lane < LANES || look.end <= WINDOW ? 0u : look.end - WINDOW;
    }
    return look;
}

__shared__ uint ticket;
__shared__ u8x3 first_prefix; // what comes before tile 0
__shared__ u8x3 tile_prefix;

// A tile that has been summed up and is to be finished.
struct Summed {
    uint tile;
    TileScan scan;
    BlockScan block;
};

// Takes the next tile, sums it up and posts the sum; from tile_count(n) on there is none. Tiles are taken in the order in which blocks come to
// run: every tile before has been begun. is_left: whether there can be one. The whole block calls it.
__device__ __forceinline__ Summed sum_next_tile(In in_items, bool is_aligned, Posts posts, uint tag, u64 n, u64 scratch, u64 carry_in, bool is_left)
{
    Summed summed;
    if (thread_id() == 0u) ticket = is_left ? take_ticket(scratch) : NO_TILE;
    block_barrier();
    const uint tile = ticket;
    summed.tile = tile;
    if (tile >= tile_count(n)) {
        if (thread_id() == 0u) end_launch(scratch);
        return summed;
    }

    summed.scan = scan_tile(load_tile(in_items, is_aligned, tile_start(tile, n), n));
    summed.block = block_scan(summed.scan.total);
    if (thread_id() == 0u && tile == 0u) { // by one: carry-in may be carry-out
        const u8x3 first = starting_prefix(carry_in);
        first_prefix = first;
        publish_prefix(posts, tile, tag, combine(first, summed.block.total));
    }
    if (thread_id() == 0u && tile > 0u) publish_aggregate(posts, tile, tag, summed.block.total);
    return summed;
}

extern "C" __global__ void __launch_bounds__(BLOCK) scan_lookback(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const bool out_is_aligned = is_vector_aligned(params.buffers[1]);
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    const uint tag = launch_tag(params.scratch);
    const uint tiles = tile_count(n);
    if (!has_posts_of(params.scratch, tiles)) return;
    block_barrier_all_memory(); // all have read the tag before one of them ends the launch

    // Before a tile waits for what comes before it, the next one is summed up: its items come, and others learn its sum, in the meantime.
    Summed next;
    uint round = 0u; // it has no tile to finish
    do {
        const Summed summed = next;
        next = sum_next_tile(in_items, in_is_aligned, posts, tag, n, params.scratch, params.carry_in, round == 0u || tiles > block_count());
        round++;
        if (round == 1u) continue;

        const uint tile = summed.tile;
        LookBack look;
        look.aggregate = identity();
        look.end = tile;
        look.missing = NO_TILE;
        if (tile == 0u && thread_id() == 0u) look.aggregate = first_prefix;
        if (subgroup_id() == 0u) look = look_back(posts, tag, look);
        if (thread_id() == 0u) {
            tile_prefix = look.aggregate;
            const u8x3 inclusive = combine(look.aggregate, summed.block.total);
            if (tile > 0u) publish_prefix(posts, tile, tag, inclusive);
        }
        block_barrier();
        const u8x3 prefix = tile_prefix;
        const u8x3 subgroup_prefix = combine(prefix, summed.block.before);
        if (is_given(params.buffers[1])) store_tile(out_items, out_is_aligned, summed.scan, subgroup_prefix, tile_start(tile, n), n);
        if (tile == tiles - 1u && thread_id() == 0u) store_carry(params.carry_out, combine(prefix, summed.block.total));
    } while (next.tile < tiles);
    if (tiles == 0u && block_id() == 0u && thread_id() == 0u) store_carry(params.carry_out, starting_prefix(params.carry_in));
}
// ---- quoted, kernel 3 of 3: zero_scratch
// quoted: exclusive scan of u8 by monoid of vec(u8, 3)
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 256, subgroup 32, items 16, vector 16
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // vec(u8, 3): what comes before all elements
    u64 carry_out; // vec(u8, 3): what all add up to
    u64 buffers[8]; // in: u8[n], 4-byte aligned; out: u8[n], 4-byte aligned
    uint argument;
    uint reserved[3];
};

__device__ __forceinline__ u64 address_after(u64 address, u64 count, u64 bytes)
{
    return address + count * bytes;
}

__device__ __forceinline__ uint chunks_of_65536(u64 n)
{
    return (uint)(n >> 16);
}

__device__ __forceinline__ uint block_id()
{
    return blockIdx.x;
}

__device__ __forceinline__ uint block_count()
{
    return gridDim.x;
}

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

struct Words {
    uint *at;
    __device__ explicit Words(u64 address) : at((uint *)address) {}
};

extern "C" __global__ void __launch_bounds__(BLOCK) zero_scratch(const __grid_constant__ Parameters params)
{
    const uint chunks = chunks_of_65536(params.n);
    const uint rest = uint(params.n % 65536u) / 4u; // words of the last chunk
    for (uint chunk = block_id(); chunk <= chunks; chunk += block_count()) {
        Words words = Words(address_after(params.scratch, chunk, 65536u));
        const uint count = chunk < chunks ? 16384u : rest;
        for (uint i = thread_id(); i < count; i += BLOCK) words.at[i] = chunk == 0u && i == 1u ? chunks * 256u + rest / 64u : 0u;
    }
}
