// monosweep gen tests/corpus/scattered.lua --op first_of_bytes --target cuda --set counts=64
// first_of_bytes: map of u8 to bin, any
// monosweep 0.1.0, templates/map/map.tpl, strategy elementwise: block 256, subgroup 32, items 16, vector 16
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint VECTOR = 16u; // consecutive items of a lane
constexpr uint ROWS = 1u; // of a tile, for each subgroup
constexpr uint TILE = 4096u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // in: u8[n], 4-byte aligned; bin: u8[256], 4-byte aligned; any: u8[7], 4-byte aligned
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

__device__ __forceinline__ uint lane_id()
{
    return threadIdx.x % LANES;
}

__device__ __forceinline__ uint subgroup_id()
{
    return threadIdx.x / LANES;
}

struct Result {
    u8 bin;
    u8 any;
    u64 place_of_bin;
    u64 place_of_any;
};

__device__ __forceinline__ Result map_item(u8 x, u64 i)
{
    uint converted = (uint)x;
    return Result{x, (u8)i, (u64)converted, (u64)(converted & 7u)};
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

// Array `bin`.
struct Out1 {
    u8 *at;
    __device__ explicit Out1(u64 address) : at((u8 *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ void store_output1(Out1 items, u64 i, u8 item)
{
    items.at[i] = item;
}

// Array `any`.
struct Out2 {
    u8 *at;
    __device__ explicit Out2(u64 address) : at((u8 *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ void store_output2(Out2 items, u64 i, u8 item)
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
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (group.at[v].place_of_bin < 256u) store_output1(Out1(items.array1), group.at[v].place_of_bin, group.at[v].bin);
        }
    }
    if (is_given(items.array2)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (group.at[v].place_of_any < 7u) store_output2(Out2(items.array2), group.at[v].place_of_any, group.at[v].any);
        }
    }
}

// Elements start .. start + VECTOR - 1 but for those from n on.
__device__ __forceinline__ void store_outputs(Out items, u64 start, u64 n, Outputs group)
{
    if (is_given(items.array1)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (start + v < n && group.at[v].place_of_bin < 256u) store_output1(Out1(items.array1), group.at[v].place_of_bin, group.at[v].bin);
        }
    }
    if (is_given(items.array2)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (start + v < n && group.at[v].place_of_any < 7u) store_output2(Out2(items.array2), group.at[v].place_of_any, group.at[v].any);
        }
    }
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

extern "C" __global__ void __launch_bounds__(BLOCK) map_elements_wide(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out{params.buffers[1], params.buffers[2]};
    const bool is_aligned = is_vector_aligned(params.buffers[0]) && true;
    const TileRange tiles = owned_tiles(tile_count(n));

    for (uint tile = tiles.first; tile < tiles.end && (is_given(params.buffers[1]) || is_given(params.buffers[2])); tile++) {
        const u64 start = tile_start(tile, n);
        if (is_aligned && start + TILE <= n) {
            Inputs rows[ROWS];
            UNROLL for (uint row = 0u; row < ROWS; row++) rows[row] = load_full_inputs(in_items, start + row_place(row));
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const u64 first = start + row_place(row);
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) outputs.at[v] = map_item(rows[row].at[v], first + v);
                store_full_outputs(out_items, first, outputs);
            }
        } else {
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const u64 first = start + row_place(row);
                const Inputs inputs = load_inputs(in_items, first, n);
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v < n) outputs.at[v] = map_item(inputs.at[v], first + v);
                }
                store_outputs(out_items, first, n, outputs);
            }
        }
    }
}
