// monosweep gen tests/corpus/everywhere.lua --op steps_backwards --target cuda --set strategy=reduce_then_scan
// ---- steps_backwards, kernel 1 of 2: reduce_tiles
// steps_backwards: inclusive scan of f32 by monoid of Step, from the last element
// monosweep 0.1.0, templates/scan/reduce.tpl, strategy reduce_then_scan: block 256, subgroup 32, items 8, vector 2
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 2u; // consecutive items of a lane
constexpr uint ROWS = 4u; // of a tile, for each subgroup
constexpr uint TILE = 2048u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // Step: what comes before all elements
    u64 carry_out; // Step: what all add up to
    u64 buffers[8]; // in: f32[n], 4-byte aligned; out: Step[n], 4-byte aligned
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

struct Step {
    float a;
    float b;
};

__device__ __forceinline__ Step combine(Step f, Step g)
{
    return Step{__fmul_rn(f.a, g.a), __fmul_rn(f.b, g.a) + g.b};
}

__device__ __forceinline__ Step map_item(float x)
{
    return Step{1.0f + __fmul_rn(x, 9.536743e-07f), __fmul_rn(x, 0.3f)};
}

__device__ __forceinline__ Step identity()
{
    return Step{1.0f, 0.0f};
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ Step shuffle(Step x, uint lane)
{
    return Step{__shfl_sync(ALL_LANES, x.a, lane), __shfl_sync(ALL_LANES, x.b, lane)};
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ Step shuffle_up(Step x, uint distance)
{
    return Step{__shfl_up_sync(ALL_LANES, x.a, distance), __shfl_up_sync(ALL_LANES, x.b, distance)};
}

// The monoid's elements of one lane in one row.
struct Elements {
    Step at[VECTOR];
};

// What comes before some values, and that joined with them.
struct Ends {
    Step before;
    Step through;
};

// Up in the first `lanes` lanes, a power of two. All lanes of the subgroup call it.
__device__ __forceinline__ Step subgroup_up(Step x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const Step left = shuffle_up(x, step);
        if (lane_id() % (2u * step) == 2u * step - 1u) x = combine(x, left);
    }
    return x;
}

__shared__ Step subgroup_totals[8u];

// One value a subgroup, up.
struct BlockScan {
    Step totals; // in lane s: of the longest block that ends with subgroup s
    Step total; // of all
};

// One value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(Step subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();
    scan.totals = subgroup_total;
    if (lane_id() < 8u) scan.totals = subgroup_totals[lane_id()];
    scan.totals = subgroup_up(scan.totals, 8u);
    scan.total = shuffle(scan.totals, 7u);
    block_barrier();
    return scan;
}

// Of the longest block that ends with this subgroup. The whole block calls it.
__device__ __forceinline__ Step own_total(BlockScan scan)
{
    return shuffle(scan.totals, subgroup_id());
}

const uint LEVELS = 32u; // more than 2^32 parts there are not
__shared__ Step level_total[LEVELS]; // of the last block of 2^k parts
__shared__ Step level_before[LEVELS]; // what comes before it

// The ends of part k: parts of one power of two of values follow each other, each of `total`. The whole block calls it in turn for all parts from 0
// on, and meets in between.
__device__ __forceinline__ Ends grow(uint k, Step before, Step total)
{
    Ends ends;
    ends.before = before;
    uint level = 0u;
    for (; (k >> level) % 2u != 0u; level++) {
        total = combine(total, level_total[level]);
        before = level_before[level];
    }
    if (thread_id() == 0u) {
        level_total[level] = total;
        level_before[level] = before;
    }
    ends.through = combine(total, before);
    return ends;
}

// k of 2^k, the length of the longest block that ends before place `end`.
__device__ __forceinline__ uint level_of(u64 end)
{
    uint level = 0u;
    while ((end >> level) % 2u == 0u) level++;
    return level;
}

__shared__ Step tail[LEVELS]; // of a part that is not whole: of its block of 2^k values

// Of a part's first `count` values, which are not all: keeps value `place`, up, if it is of one of the blocks that they are.
__device__ __forceinline__ void keep(uint place, uint count, Step x)
{
    const uint end = place + 1u;
    if (count - end < (end & (0u - end))) tail[level_of(end)] = x;
}

struct In {
    const float *at;
    __device__ explicit In(u64 address) : at((const float *)address) {}
};

struct Inputs {
    alignas(8) float at[VECTOR];
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

// Index of the lowest item of a tile. Tiles, rows, lanes and items go from the last item to the first; tile 0 has the last one.
__device__ __forceinline__ u64 tile_start(u64 tile, u64 n)
{
    return n - (tile + 1u) * TILE; // of a tile that is not whole it lies before the first item
}

// Place in its tile of the lowest item of this lane's part of a row.
__device__ __forceinline__ u64 row_place(uint row)
{
    return u64(TILE) - ((subgroup_id() * ROWS + row) * LANES + lane_id() + 1u) * VECTOR;
}

// Place of the first item of this lane's part of a row, from where the scan begins.
__device__ __forceinline__ uint scan_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// How many of the tile's items there are.
__device__ __forceinline__ uint items_of(u64 tile, u64 n)
{
    const u64 rest = n - tile * TILE;
    return rest < TILE ? uint(rest) : TILE;
}

// The monoid's elements of one lane, row by row, last item first.
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
__device__ __forceinline__ Tile load_tile(In in_items, bool is_aligned, u64 start, u64 n)
{
    Tile tile;
    if (is_aligned && start < n) {
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

// How many tiles a block of that many owns: a power of two, so that what they add up to is a block of the tree.
__device__ __forceinline__ uint share_of(uint tiles, uint blocks)
{
    uint share = 1u;
    while (share < (tiles + blocks - 1u) / blocks) share *= 2u;
    return share;
}

// The tiles of this block: an even share of all, in order.
__device__ __forceinline__ TileRange owned_tiles(uint tiles)
{
    const uint share = share_of(tiles, block_count());
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

struct Carry {
    const Step *at;
    __device__ explicit Carry(u64 address) : at((const Step *)address) {}
};

// The first item alone.
__device__ __forceinline__ Step load_first_elements(Carry items)
{
    return items.at[0];
}

// The carry-in if there is one, else the operation's init.
__device__ __forceinline__ Step starting_prefix(u64 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return Step{2.0f, -3.0f};
}

struct Aggregates {
    Step *at;
    __device__ explicit Aggregates(u64 address) : at((Step *)address) {}
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

const uint TAILS = 64u; // k is less

__device__ __forceinline__ Aggregates block_aggregates(u64 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

struct TileScan {
    Elements rows[ROWS]; // up, then down
    Step row_totals[ROWS]; // of the subgroup's rows, up, then down
    Step total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes; then the rows.
__device__ __forceinline__ TileScan scan_tile(Tile tile)
{
    TileScan scan;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        x.at[1] = combine(x.at[1], x.at[0]);
        x.at[VECTOR - 1u] = subgroup_up(x.at[VECTOR - 1u], LANES);
        scan.row_totals[row] = shuffle(x.at[VECTOR - 1u], LANES - 1u);
        scan.rows[row] = x;
    }
    scan.row_totals[1] = combine(scan.row_totals[1], scan.row_totals[0]);
    scan.row_totals[3] = combine(scan.row_totals[3], scan.row_totals[2]);
    scan.row_totals[3] = combine(scan.row_totals[3], scan.row_totals[1]);
    scan.total = scan.row_totals[ROWS - 1u];
    return scan;
}

// Of a tile's first `count` items, which are not all: keeps what their blocks add up to, for join_tail. The whole block calls it.
__device__ __forceinline__ void keep_tail(TileScan scan, BlockScan block, uint count)
{
    const Step subgroup_total = own_total(block);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            Step x = scan.rows[row].at[v];
            if (v == VECTOR - 1u && lane_id() == LANES - 1u) {
                x = scan.row_totals[row];
                if (row == ROWS - 1u) x = subgroup_total;
            }
            keep(scan_place(row) + v, count, x);
        }
    }
    block_barrier();
}

extern "C" __global__ void __launch_bounds__(BLOCK) reduce_tiles(const __grid_constant__ Parameters params)
{
    Step total = identity();
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = n % VECTOR == 0u && is_vector_aligned(params.buffers[0]);
    const TileRange tiles = owned_tiles(tile_count(n));

    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const TileScan scan = scan_tile(load_tile(in_items, is_aligned, tile_start(tile, n), n));
        const BlockScan block = block_scan(scan.total);
        const uint count = items_of(tile, n);
        if (count < TILE) {
            keep_tail(scan, block, count);
        } else {
            total = grow(tile - tiles.first, total, block.total).through;
        }
    }
    const uint share = share_of(tile_count(n), block_count());
    const uint share_level = level_of(share); // lavapipe ends loops inside of loops too early where other threads have returned
    if (thread_id() != 0u) return;
    Aggregates aggregates = block_aggregates(params.scratch);
    if (block_id() == 0u) aggregates.at[0] = starting_prefix(params.carry_in); // later launches take it from here: carry-in may be carry-out
    const uint TILE_LEVELS = 11u; // TILE is 2 to this
    const uint whole = uint(n / TILE < tiles.end ? n / TILE : tiles.end) - tiles.first; // of this block's tiles
    if (whole == share) aggregates.at[1u + TAILS + block_id()] = level_total[share_level];
    if (whole == share || tiles.first == tiles.end) return;
    for (uint level = 0u; level < TILE_LEVELS; level++) {
        if (((n % TILE) >> level) % 2u != 0u) aggregates.at[1u + level] = tail[level];
    }
    for (uint level = 0u; level < LEVELS; level++) {
        if ((whole >> level) % 2u != 0u) aggregates.at[1u + TILE_LEVELS + level] = level_total[level];
    }
}
// ---- steps_backwards, kernel 2 of 2: scan_tiles
// steps_backwards: inclusive scan of f32 by monoid of Step, from the last element
// monosweep 0.1.0, templates/scan/scan.tpl, strategy reduce_then_scan: block 256, subgroup 32, items 8, vector 2
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 2u; // consecutive items of a lane
constexpr uint ROWS = 4u; // of a tile, for each subgroup
constexpr uint TILE = 2048u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // Step: what comes before all elements
    u64 carry_out; // Step: what all add up to
    u64 buffers[8]; // in: f32[n], 4-byte aligned; out: Step[n], 4-byte aligned
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

struct Step {
    float a;
    float b;
};

__device__ __forceinline__ Step combine(Step f, Step g)
{
    return Step{__fmul_rn(f.a, g.a), __fmul_rn(f.b, g.a) + g.b};
}

__device__ __forceinline__ Step map_item(float x)
{
    return Step{1.0f + __fmul_rn(x, 9.536743e-07f), __fmul_rn(x, 0.3f)};
}

__device__ __forceinline__ Step identity()
{
    return Step{1.0f, 0.0f};
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ Step shuffle(Step x, uint lane)
{
    return Step{__shfl_sync(ALL_LANES, x.a, lane), __shfl_sync(ALL_LANES, x.b, lane)};
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ Step shuffle_up(Step x, uint distance)
{
    return Step{__shfl_up_sync(ALL_LANES, x.a, distance), __shfl_up_sync(ALL_LANES, x.b, distance)};
}

// The monoid's elements of one lane in one row.
struct Elements {
    Step at[VECTOR];
};

// What comes before some values, and that joined with them.
struct Ends {
    Step before;
    Step through;
};

// Up in the first `lanes` lanes, a power of two. All lanes of the subgroup call it.
__device__ __forceinline__ Step subgroup_up(Step x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const Step left = shuffle_up(x, step);
        if (lane_id() % (2u * step) == 2u * step - 1u) x = combine(x, left);
    }
    return x;
}

// Down. All lanes of the subgroup call it.
__device__ __forceinline__ Step subgroup_down(Step x, Ends ends, uint lanes)
{
    if (lane_id() == lanes - 1u) x = ends.through;
    UNROLL for (uint step = lanes / 2u; step > 0u; step /= 2u) {
        Step left = shuffle_up(x, step);
        if (lane_id() < step) left = ends.before;
        if (lane_id() % (2u * step) == step - 1u) x = combine(x, left);
    }
    return x;
}

__shared__ Step subgroup_totals[8u];

// One value a subgroup, up.
struct BlockScan {
    Step totals; // in lane s: of the longest block that ends with subgroup s
    Step total; // of all
};

// One value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(Step subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();
    scan.totals = subgroup_total;
    if (lane_id() < 8u) scan.totals = subgroup_totals[lane_id()];
    scan.totals = subgroup_up(scan.totals, 8u);
    scan.total = shuffle(scan.totals, 7u);
    block_barrier();
    return scan;
}

// Of the longest block that ends with this subgroup. The whole block calls it.
__device__ __forceinline__ Step own_total(BlockScan scan)
{
    return shuffle(scan.totals, subgroup_id());
}

// The ends of this subgroup's values, of those of the block's. The whole block calls it.
__device__ __forceinline__ Ends subgroup_ends(BlockScan scan, Ends ends)
{
    const Step x = subgroup_down(scan.totals, ends, 8u);
    Ends mine;
    mine.through = shuffle(x, subgroup_id());
    mine.before = shuffle(x, subgroup_id() - 1u);
    if (subgroup_id() == 0u) mine.before = ends.before;
    return mine;
}

const uint LEVELS = 32u; // more than 2^32 parts there are not
__shared__ Step level_total[LEVELS]; // of the last block of 2^k parts
__shared__ Step level_before[LEVELS]; // what comes before it

// The ends of part k: parts of one power of two of values follow each other, each of `total`. The whole block calls it in turn for all parts from 0
// on, and meets in between.
__device__ __forceinline__ Ends grow(uint k, Step before, Step total)
{
    Ends ends;
    ends.before = before;
    uint level = 0u;
    for (; (k >> level) % 2u != 0u; level++) {
        total = combine(total, level_total[level]);
        before = level_before[level];
    }
    if (thread_id() == 0u) {
        level_total[level] = total;
        level_before[level] = before;
    }
    ends.through = combine(total, before);
    return ends;
}

// k of 2^k, the length of the longest block that ends before place `end`.
__device__ __forceinline__ uint level_of(u64 end)
{
    uint level = 0u;
    while ((end >> level) % 2u == 0u) level++;
    return level;
}

__shared__ Step tail[LEVELS]; // of a part that is not whole: of its block of 2^k values

// Of a part's first `count` values, which are not all: keeps value `place`, up, if it is of one of the blocks that they are.
__device__ __forceinline__ void keep(uint place, uint count, Step x)
{
    const uint end = place + 1u;
    if (count - end < (end & (0u - end))) tail[level_of(end)] = x;
}

// What comes before the part, joined with these values.
__device__ __forceinline__ Step join_tail(Step prefix, uint count)
{
    for (uint level = LEVELS; level > 0u; level--) {
        if ((count >> (level - 1u)) % 2u != 0u) prefix = combine(tail[level - 1u], prefix);
    }
    return prefix;
}

struct In {
    const float *at;
    __device__ explicit In(u64 address) : at((const float *)address) {}
};

struct Inputs {
    alignas(8) float at[VECTOR];
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
    Step *at;
    __device__ explicit Out(u64 address) : at((Step *)address) {}
};

struct Outputs {
    alignas(16) Step at[VECTOR];
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
    Step *at;
    __device__ explicit Carry(u64 address) : at((Step *)address) {}
};

__device__ __forceinline__ void store_first_elements(Carry items, Step item)
{
    items.at[0] = item;
}

// One thread's total becomes the carry-out, if one is asked for.
__device__ __forceinline__ void store_carry(u64 carry_out, Step total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
}

__device__ __forceinline__ uint tile_count(u64 n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the lowest item of a tile. Tiles, rows, lanes and items go from the last item to the first; tile 0 has the last one.
__device__ __forceinline__ u64 tile_start(u64 tile, u64 n)
{
    return n - (tile + 1u) * TILE; // of a tile that is not whole it lies before the first item
}

// Place in its tile of the lowest item of this lane's part of a row.
__device__ __forceinline__ u64 row_place(uint row)
{
    return u64(TILE) - ((subgroup_id() * ROWS + row) * LANES + lane_id() + 1u) * VECTOR;
}

// Place of the first item of this lane's part of a row, from where the scan begins.
__device__ __forceinline__ uint scan_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// How many of the tile's items there are.
__device__ __forceinline__ uint items_of(u64 tile, u64 n)
{
    const u64 rest = n - tile * TILE;
    return rest < TILE ? uint(rest) : TILE;
}

// The monoid's elements of one lane, row by row, last item first.
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
__device__ __forceinline__ Tile load_tile(In in_items, bool is_aligned, u64 start, u64 n)
{
    Tile tile;
    if (is_aligned && start < n) {
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

// How many tiles a block of that many owns: a power of two, so that what they add up to is a block of the tree.
__device__ __forceinline__ uint share_of(uint tiles, uint blocks)
{
    uint share = 1u;
    while (share < (tiles + blocks - 1u) / blocks) share *= 2u;
    return share;
}

// The tiles of this block: an even share of all, in order.
__device__ __forceinline__ TileRange owned_tiles(uint tiles)
{
    const uint share = share_of(tiles, block_count());
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

// Whether the last tile is this block's; where there is none the first block has the end.
__device__ __forceinline__ bool owns_end(TileRange range, uint tiles)
{
    return range.end == tiles && (range.first < tiles || block_id() == 0u);
}

struct TileScan {
    Elements rows[ROWS]; // up, then down
    Step row_totals[ROWS]; // of the subgroup's rows, up, then down
    Step total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes; then the rows.
__device__ __forceinline__ TileScan scan_tile(Tile tile)
{
    TileScan scan;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        x.at[1] = combine(x.at[1], x.at[0]);
        x.at[VECTOR - 1u] = subgroup_up(x.at[VECTOR - 1u], LANES);
        scan.row_totals[row] = shuffle(x.at[VECTOR - 1u], LANES - 1u);
        scan.rows[row] = x;
    }
    scan.row_totals[1] = combine(scan.row_totals[1], scan.row_totals[0]);
    scan.row_totals[3] = combine(scan.row_totals[3], scan.row_totals[2]);
    scan.row_totals[3] = combine(scan.row_totals[3], scan.row_totals[1]);
    scan.total = scan.row_totals[ROWS - 1u];
    return scan;
}

// What comes before each item's end.
__device__ __forceinline__ TileScan descend(TileScan scan, Ends ends)
{
    scan.row_totals[ROWS - 1u] = ends.through;
    scan.row_totals[1] = combine(scan.row_totals[1], ends.before);
    scan.row_totals[0] = combine(scan.row_totals[0], ends.before);
    scan.row_totals[2] = combine(scan.row_totals[2], scan.row_totals[1]);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Ends of_row;
        of_row.before = ends.before;
        if (row > 0u) of_row.before = scan.row_totals[row - 1u];
        of_row.through = scan.row_totals[row];
        Elements x = scan.rows[row];
        x.at[VECTOR - 1u] = subgroup_down(x.at[VECTOR - 1u], of_row, LANES);
        Step before = shuffle_up(x.at[VECTOR - 1u], 1u);
        if (lane_id() == 0u) before = of_row.before;
        x.at[0] = combine(x.at[0], before);
        scan.rows[row] = x;
    }
    return scan;
}

// Of a tile's first `count` items, which are not all: keeps what their blocks add up to, for join_tail. The whole block calls it.
__device__ __forceinline__ void keep_tail(TileScan scan, BlockScan block, uint count)
{
    const Step subgroup_total = own_total(block);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            Step x = scan.rows[row].at[v];
            if (v == VECTOR - 1u && lane_id() == LANES - 1u) {
                x = scan.row_totals[row];
                if (row == ROWS - 1u) x = subgroup_total;
            }
            keep(scan_place(row) + v, count, x);
        }
    }
    block_barrier();
}

// Writes the scan of the tile.
__device__ __forceinline__ void store_tile(Out out_items, bool is_aligned, TileScan scan, u64 start, u64 n)
{
    if (is_aligned && start < n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const Step s = scan.rows[row].at[v];
                outputs.at[VECTOR - 1u - v] = s;
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const Step s = scan.rows[row].at[v];
                outputs.at[VECTOR - 1u - v] = s;
            }
            store_outputs(out_items, first, n, outputs);
        }
    }
}

struct Aggregates {
    Step *at;
    __device__ explicit Aggregates(u64 address) : at((Step *)address) {}
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

const uint TAILS = 64u; // k is less

__device__ __forceinline__ Aggregates block_aggregates(u64 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

__shared__ Step aggregate_before;
__shared__ Step aggregate_through;

// The ends of aggregate `place`, which may be the first that is not there; the whole block calls it. count: of aggregates.
__device__ __forceinline__ Ends aggregate_ends(Aggregates aggregates, uint place, uint count)
{
    Ends ends;
    Step before = aggregates.at[0];
    for (uint chunk = 0u; chunk <= place / BLOCK; chunk++) {
        const uint own = chunk * BLOCK + thread_id();
        Step x = identity();
        if (own < count) x = aggregates.at[1u + TAILS + own];
        x = subgroup_up(x, LANES);
        const BlockScan block = block_scan(shuffle(x, LANES - 1u));
        ends = grow(chunk, before, block.total);
        before = ends.through;
        if (chunk == place / BLOCK) {
            ends = subgroup_ends(block, ends);
            x = subgroup_down(x, ends, LANES);
            before = shuffle_up(x, 1u);
            if (lane_id() == 0u) before = ends.before;
            if (own == place) {
                aggregate_before = before;
                aggregate_through = x;
            }
        }
    }
    block_barrier();
    ends.before = aggregate_before;
    ends.through = aggregate_through;
    return ends;
}

extern "C" __global__ void __launch_bounds__(BLOCK) scan_tiles(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = n % VECTOR == 0u && is_vector_aligned(params.buffers[0]);
    const bool out_is_aligned = n % VECTOR == 0u && is_vector_aligned(params.buffers[1]);
    const TileRange tiles = owned_tiles(tile_count(n));

    const uint share = share_of(tile_count(n), block_count());
    const Ends owned = aggregate_ends(block_aggregates(params.scratch), block_id(), uint(n / TILE / share));
    Step prefix = owned.before;
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const u64 start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const uint count = items_of(tile, n);
        Ends ends = grow(tile - tiles.first, prefix, block.total);
        if (tile - tiles.first == share - 1u) ends.through = owned.through; // with what the tree joins it to before the block
        const TileScan prefixes = descend(scan, subgroup_ends(block, ends));
        prefix = ends.through;
        if (count < TILE) {
            keep_tail(scan, block, count);
            prefix = join_tail(ends.before, count);
        }
        if (is_given(params.buffers[1])) store_tile(out_items, out_is_aligned, prefixes, start, n);
    }
    if (owns_end(tiles, tile_count(n)) && thread_id() == 0u) store_carry(params.carry_out, prefix);
}
