// monosweep gen tests/corpus/maps.lua --op dfa_back --target cuda --set strategy=single_block --quiet
// dfa_back: exclusive scan of u8 by monoid of u8, from the last element
// monosweep 0.1.0, templates/scan/scan.tpl, strategy single_block: block 256, subgroup 32, items 32, vector 16
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
constexpr uint ROWS = 2u; // of a tile, for each subgroup
constexpr uint TILE = 8192u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // u8: what comes before all elements
    u64 carry_out; // u8: what all add up to
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

__device__ __forceinline__ u8 combine(u8 f, u8 g)
{
    u8 merged = ((g >> ((f & 3) * 2)) & 3) | (((g >> (((f >> 2) & 3) * 2)) & 3) << 2);
    u8 merged2 = merged | (((g >> (((f >> 4) & 3) * 2)) & 3) << 4);
    return merged2 | (((g >> (((f >> 6) & 3) * 2)) & 3) << 6);
}

__device__ __forceinline__ u8 identity()
{
    return 228;
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ u8 shuffle(u8 x, uint lane)
{
    return (u8)__shfl_sync(ALL_LANES, (uint)x, lane);
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ u8 shuffle_up(u8 x, uint distance)
{
    return (u8)__shfl_up_sync(ALL_LANES, (uint)x, distance);
}

// The monoid's elements of one lane in one row.
struct Elements {
    u8 at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ u8 subgroup_scan_of(u8 x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const u8 earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(x, earlier);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ u8 subgroup_scan(u8 x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ u8 subgroup_shift(u8 x)
{
    const u8 earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    u8 before;
    u8 total;
};

const uint TOTALS = 8u; // one for each subgroup
__shared__ u8 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(u8 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    u8 total = identity();
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
    u8 *at;
    __device__ explicit Carry(u64 address) : at((u8 *)address) {}
};

// The first item alone.
__device__ __forceinline__ u8 load_first_elements(Carry items)
{
    return items.at[0];
}

__device__ __forceinline__ void store_first_elements(Carry items, u8 item)
{
    items.at[0] = item;
}

// The carry-in if there is one, else the identity.
__device__ __forceinline__ u8 starting_prefix(u64 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return identity();
}

// One thread's total becomes the carry-out, if one is asked for.
__device__ __forceinline__ void store_carry(u64 carry_out, u8 total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
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
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[VECTOR - 1u - v] = inputs.at[v];
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[VECTOR - 1u - v] = identity();
                if (first + v < n) tile.rows[row].at[VECTOR - 1u - v] = inputs.at[v];
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
    u8 row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    u8 total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
__device__ __forceinline__ TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v], x.at[v - 1u]);
        const u8 inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const u8 exclusive = subgroup_shift(inclusive);
        const u8 row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(exclusive, scan.total);
        scan.total = combine(row_total, scan.total);
    }
    return scan;
}

// Writes the scan of the tile after `prefix`, which holds what comes before this subgroup.
__device__ __forceinline__ void store_tile(Out out_items, bool is_aligned, TileScan scan, u8 prefix, u64 start, u64 n)
{
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const u8 before = combine(scan.row_prefix[row], prefix);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                u8 s = before;
                if (v > 0u) s = combine(scan.rows[row].at[v - 1u], before);
                outputs.at[VECTOR - 1u - v] = s;
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const u8 before = combine(scan.row_prefix[row], prefix);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                u8 s = before;
                if (v > 0u) s = combine(scan.rows[row].at[v - 1u], before);
                outputs.at[VECTOR - 1u - v] = s;
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

    u8 prefix = starting_prefix(params.carry_in);
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const u64 start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const u8 subgroup_prefix = combine(block.before, prefix);
        prefix = combine(block.total, prefix);
        if (is_given(params.buffers[1])) store_tile(out_items, out_is_aligned, scan, subgroup_prefix, start, n);
    }
    block_barrier_all_memory(); // all have read the carry-in, which may be the carry-out
    if (block_id() == block_count() - 1u && thread_id() == 0u) store_carry(params.carry_out, prefix);
}
