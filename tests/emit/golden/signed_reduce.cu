// monosweep gen tests/corpus/summaries.lua --op max_subarray_total --target cuda --set strategy=single_block --quiet
// max_subarray_total: reduction of i8 by monoid of Run
// monosweep 0.1.0, templates/scan/reduce.tpl, strategy single_block: block 256, subgroup 32, items 16, vector 16
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef signed char i8;
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
    u64 carry_in; // Run: what comes before all elements
    u64 carry_out; // Run: what all add up to
    u64 buffers[8]; // in: i8[n], 4-byte aligned; out: Run, 4-byte aligned
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

struct Run {
    int sum;
    int prefix;
    int suffix;
    int best;
};

__device__ __forceinline__ Run combine(Run a, Run b)
{
    return Run{
        (int)((uint)a.sum + (uint)b.sum),
        max(a.prefix, (int)((uint)a.sum + (uint)b.prefix)),
        max(b.suffix, (int)((uint)b.sum + (uint)a.suffix)),
        max(max(a.best, b.best), (int)((uint)a.suffix + (uint)b.prefix))};
}

__device__ __forceinline__ Run map_item(i8 x)
{
    int sum = (int)x;
    int prefix = max(sum, 0);
    return Run{sum, prefix, prefix, prefix};
}

__device__ __forceinline__ Run identity()
{
    return Run{0, 0, 0, 0};
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ Run shuffle(Run x, uint lane)
{
    return Run{
        __shfl_sync(ALL_LANES, x.sum, lane),
        __shfl_sync(ALL_LANES, x.prefix, lane),
        __shfl_sync(ALL_LANES, x.suffix, lane),
        __shfl_sync(ALL_LANES, x.best, lane)};
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ Run shuffle_up(Run x, uint distance)
{
    return Run{
        __shfl_up_sync(ALL_LANES, x.sum, distance),
        __shfl_up_sync(ALL_LANES, x.prefix, distance),
        __shfl_up_sync(ALL_LANES, x.suffix, distance),
        __shfl_up_sync(ALL_LANES, x.best, distance)};
}

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ Run subgroup_scan_of(Run x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const Run earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ Run subgroup_shift(Run x)
{
    const Run earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    Run before;
    Run total;
};

const uint TOTALS = 8u; // one for each subgroup
__shared__ Run subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(Run subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    Run total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

struct In {
    const i8 *at;
    __device__ explicit In(u64 address) : at((const i8 *)address) {}
};

struct Inputs {
    alignas(16) i8 at[VECTOR];
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

// What one lane's part of each row adds up to.
struct Tile {
    Run rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
__device__ __forceinline__ Tile load_tile(In in_items, bool is_aligned, u64 start, u64 n)
{
    Tile tile;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const Run x = map_item(inputs.at[v]);
                if (v == 0u) tile.rows[row] = x;
                else tile.rows[row] = combine(tile.rows[row], x);
            }
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            tile.rows[row] = identity();
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if (first + v < n) {
                    const Run x = map_item(inputs.at[v]);
                    tile.rows[row] = combine(tile.rows[row], x);
                }
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

struct Out {
    Run *at;
    __device__ explicit Out(u64 address) : at((Run *)address) {}
};

__device__ __forceinline__ void store_first_outputs(Out items, Run item)
{
    items.at[0] = item;
}

struct Carry {
    Run *at;
    __device__ explicit Carry(u64 address) : at((Run *)address) {}
};

// The first item alone.
__device__ __forceinline__ Run load_first_elements(Carry items)
{
    return items.at[0];
}

__device__ __forceinline__ void store_first_elements(Carry items, Run item)
{
    items.at[0] = item;
}

// The carry-in if there is one, else the identity.
__device__ __forceinline__ Run starting_prefix(u64 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return identity();
}

// One thread's total becomes the carry-out, if one is asked for.
__device__ __forceinline__ void store_carry(u64 carry_out, Run total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
}

// What the tile adds up to. The whole block calls it, and every thread gets it.
__device__ __forceinline__ Run reduce_tile(In in_items, bool is_aligned, u64 start, u64 n)
{
    Tile tile = load_tile(in_items, is_aligned, start, n);
    Run total = tile.rows[0];
    // Across the lanes that have parts of one row. Those are of use whose number has no bit of a step so far.
    UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
        const Run later = shuffle(total, lane_id() ^ step);
        total = combine(total, later);
    }
    return block_scan(shuffle(total, 0u)).total;
}

extern "C" __global__ void __launch_bounds__(BLOCK) reduce_single_block(const __grid_constant__ Parameters params)
{
    Run total = identity();
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const TileRange tiles = owned_tiles(tile_count(n));

    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const Run aggregate = reduce_tile(in_items, is_aligned, tile_start(tile, n), n);
        total = combine(total, aggregate);
    }
    if (thread_id() != 0u) return;
    const Run start = starting_prefix(params.carry_in);
    total = combine(start, total);
    store_carry(params.carry_out, total);
    if (is_given(params.buffers[1])) store_first_outputs(Out(params.buffers[1]), total);
}
