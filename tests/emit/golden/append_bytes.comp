// monosweep gen tests/corpus/append.lua --op append_bytes --target glsl --without int8,int64 --set strategy=reduce_then_scan
// ---- append_bytes, kernel 1 of 2: reduce_tiles
// append_bytes: append of u8 to out, count
// monosweep 0.1.0, templates/scan/reduce.tpl, strategy reduce_then_scan: block 256, subgroup 32, items 16, vector 16
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 256) in;

const uint LANES = 32u; // of a subgroup
const uint VECTOR = 16u; // consecutive items of a lane
const uint ROWS = 1u; // of a tile, for each subgroup
const uint TILE = 4096u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // in: u8[n], 4-byte aligned; out: u8[60000], 4-byte aligned; count: u64, 8-byte aligned
    uint argument;
} params;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Count {
    uvec2 value;
};

bool is_given(uvec2 address)
{
    return address != uvec2(0u);
}

bool is_vector_aligned(uvec2 address)
{
    return (address.x & 15u) == 0u;
}

uvec2 address_at(uvec2 address, uint offset_bytes)
{
    const uint low = address.x + offset_bytes;
    return uvec2(low, address.y + uint(low < offset_bytes));
}

uint element_count(uvec2 n, uvec2 n_address)
{
    if (!is_given(n_address)) return n.x;
    const uvec2 count = Count(n_address).value;
    return count.y == 0u ? min(count.x, n.x) : n.x;
}

uint block_id()
{
    return gl_WorkGroupID.x;
}

uint block_count()
{
    return gl_NumWorkGroups.x;
}

// Orders what the threads of the block do in shared memory alone.
void block_barrier()
{
    barrier();
}

uint lane_id()
{
    return gl_SubgroupInvocationID;
}

uint subgroup_id()
{
    return gl_SubgroupID;
}

uint thread_id()
{
    return subgroup_id() * LANES + lane_id();
}

uvec2 u64_add(uvec2 a, uvec2 b)
{
    uint carry, low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

uvec2 combine(uvec2 a, uvec2 b)
{
    return u64_add(a, b);
}

uvec2 map_item(uint x)
{
    return uvec2(x & 3u, 0u);
}

uvec2 identity()
{
    return uvec2(0u, 0u);
}

// The value of another lane. All lanes of the subgroup call it.
uvec2 shuffle(uvec2 x, uint lane)
{
    return subgroupShuffle(x, lane);
}

// The value of the lane `distance` before; any value where there is none.
uvec2 shuffle_up(uvec2 x, uint distance)
{
    return subgroupShuffleUp(x, distance);
}

// The monoid's elements of one lane in one row.
struct Elements {
    uvec2 at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
uvec2 subgroup_scan_of(uvec2 x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uvec2 earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
uvec2 subgroup_scan(uvec2 x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
uvec2 subgroup_shift(uvec2 x)
{
    const uvec2 earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    uvec2 before;
    uvec2 total;
};

const uint TOTALS = 8u; // one for each subgroup
shared uvec2 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uvec2 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    uvec2 total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// Array `in`.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In1 {
    uint word[]; // 4 words for 16 elements of 1 byte
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer In1Words {
    uvec4 at[];
};

struct Inputs1 {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs1 load_full_inputs1(In1 items, uint start)
{
    Inputs1 group;
    In1Words words = In1Words(uvec2(items));
    const uint first = start / VECTOR;
    const uvec4 word0 = words.at[first];
    group.at[0] = bitfieldExtract(word0.x, 0, 8);
    group.at[1] = bitfieldExtract(word0.x, 8, 8);
    group.at[2] = bitfieldExtract(word0.x, 16, 8);
    group.at[3] = bitfieldExtract(word0.x, 24, 8);
    group.at[4] = bitfieldExtract(word0.y, 0, 8);
    group.at[5] = bitfieldExtract(word0.y, 8, 8);
    group.at[6] = bitfieldExtract(word0.y, 16, 8);
    group.at[7] = bitfieldExtract(word0.y, 24, 8);
    group.at[8] = bitfieldExtract(word0.z, 0, 8);
    group.at[9] = bitfieldExtract(word0.z, 8, 8);
    group.at[10] = bitfieldExtract(word0.z, 16, 8);
    group.at[11] = bitfieldExtract(word0.z, 24, 8);
    group.at[12] = bitfieldExtract(word0.w, 0, 8);
    group.at[13] = bitfieldExtract(word0.w, 8, 8);
    group.at[14] = bitfieldExtract(word0.w, 16, 8);
    group.at[15] = bitfieldExtract(word0.w, 24, 8);
    return group;
}

// Items start .. start + VECTOR - 1; those from n on are not read.
Inputs1 load_inputs1(In1 items, uint start, uint n)
{
    Inputs1 group;
    const uint first = start / VECTOR * 4u;
    const uint word0 = start < n ? items.word[first] : 0u;
    const uint word1 = start + 4u < n ? items.word[first + 1u] : 0u;
    const uint word2 = start + 8u < n ? items.word[first + 2u] : 0u;
    const uint word3 = start + 12u < n ? items.word[first + 3u] : 0u;
    group.at[0] = bitfieldExtract(word0, 0, 8);
    group.at[1] = bitfieldExtract(word0, 8, 8);
    group.at[2] = bitfieldExtract(word0, 16, 8);
    group.at[3] = bitfieldExtract(word0, 24, 8);
    group.at[4] = bitfieldExtract(word1, 0, 8);
    group.at[5] = bitfieldExtract(word1, 8, 8);
    group.at[6] = bitfieldExtract(word1, 16, 8);
    group.at[7] = bitfieldExtract(word1, 24, 8);
    group.at[8] = bitfieldExtract(word2, 0, 8);
    group.at[9] = bitfieldExtract(word2, 8, 8);
    group.at[10] = bitfieldExtract(word2, 16, 8);
    group.at[11] = bitfieldExtract(word2, 24, 8);
    group.at[12] = bitfieldExtract(word3, 0, 8);
    group.at[13] = bitfieldExtract(word3, 8, 8);
    group.at[14] = bitfieldExtract(word3, 16, 8);
    group.at[15] = bitfieldExtract(word3, 24, 8);
    return group;
}

// Addresses of the arrays.
struct In {
    uvec2 array1;
};

struct Inputs {
    uint at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
Inputs load_full_inputs(In items, uint start)
{
    const Inputs1 group1 = load_full_inputs1(In1(items.array1), start);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = group1.at[v];
    return group;
}

// Elements start .. start + VECTOR - 1; those from n on are not read.
Inputs load_inputs(In items, uint start, uint n)
{
    const Inputs1 group1 = load_inputs1(In1(items.array1), start, n);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = group1.at[v];
    return group;
}

uint tile_count(uint n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the first item of a tile.
uint tile_start(uint tile, uint n)
{
    return tile * TILE;
}

// Place in its tile of the first item of this lane's part of a row.
uint row_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// The monoid's elements of one lane, row by row.
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
Tile load_tile(In in_items, bool is_aligned, uint start, uint n)
{
    Tile tile;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = map_item(inputs.at[v]);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
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
TileRange owned_tiles(uint tiles)
{
    const uint share = (tiles + block_count() - 1u) / block_count();
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

// The carry-in if there is one, else the identity.
uvec2 starting_prefix(uvec2 carry_in)
{
    return identity();
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Aggregates {
    uvec2 at[];
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

Aggregates block_aggregates(uvec2 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

// What one value a thread adds up to, in thread order. The whole block calls it.
uvec2 block_reduce(uvec2 x)
{
    const uvec2 inclusive = subgroup_scan(x);
    return block_scan(shuffle(inclusive, LANES - 1u)).total;
}

void main()
{
    uvec2 total = identity();
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
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
// ---- append_bytes, kernel 2 of 2: scan_tiles
// append_bytes: append of u8 to out, count
// monosweep 0.1.0, templates/scan/scan.tpl, strategy reduce_then_scan: block 256, subgroup 32, items 16, vector 16
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 256) in;

const uint BLOCK = 256u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint VECTOR = 16u; // consecutive items of a lane
const uint ROWS = 1u; // of a tile, for each subgroup
const uint TILE = 4096u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // in: u8[n], 4-byte aligned; out: u8[60000], 4-byte aligned; count: u64, 8-byte aligned
    uint argument;
} params;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Count {
    uvec2 value;
};

bool is_given(uvec2 address)
{
    return address != uvec2(0u);
}

bool is_vector_aligned(uvec2 address)
{
    return (address.x & 15u) == 0u;
}

uvec2 address_at(uvec2 address, uint offset_bytes)
{
    const uint low = address.x + offset_bytes;
    return uvec2(low, address.y + uint(low < offset_bytes));
}

uint element_count(uvec2 n, uvec2 n_address)
{
    if (!is_given(n_address)) return n.x;
    const uvec2 count = Count(n_address).value;
    return count.y == 0u ? min(count.x, n.x) : n.x;
}

uint block_id()
{
    return gl_WorkGroupID.x;
}

uint block_count()
{
    return gl_NumWorkGroups.x;
}

// Orders what the threads of the block do in shared memory alone.
void block_barrier()
{
    barrier();
}

uint lane_id()
{
    return gl_SubgroupInvocationID;
}

uint subgroup_id()
{
    return gl_SubgroupID;
}

uint thread_id()
{
    return subgroup_id() * LANES + lane_id();
}

uvec2 u64_add(uvec2 a, uvec2 b)
{
    uint carry, low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

uvec2 u64_sub(uvec2 a, uvec2 b)
{
    uint borrow, low = usubBorrow(a.x, b.x, borrow);
    return uvec2(low, a.y - b.y - borrow);
}

bool u64_less(uvec2 a, uvec2 b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

struct Result {
    uint out_;
};

struct Counts {
    uvec2 count;
};

uvec2 combine(uvec2 a, uvec2 b)
{
    return u64_add(a, b);
}

uvec2 map_item(uint x)
{
    return uvec2(x & 3u, 0u);
}

Counts totals_of(uvec2 total)
{
    return Counts(total);
}

Result item_of(uint x, uint i, uint k)
{
    return Result((x + (k & 255u)) & 255u);
}

uint reach(uvec2 from, uvec2 to)
{
    uvec2 difference = u64_sub(to, from);
    return mix(0xffffffffu, difference.x, u64_less(difference, uvec2(0xffffffffu, 0u)));
}

uvec2 identity()
{
    return uvec2(0u, 0u);
}

// The value of another lane. All lanes of the subgroup call it.
uvec2 shuffle(uvec2 x, uint lane)
{
    return subgroupShuffle(x, lane);
}

// The value of the lane `distance` before; any value where there is none.
uvec2 shuffle_up(uvec2 x, uint distance)
{
    return subgroupShuffleUp(x, distance);
}

// The monoid's elements of one lane in one row.
struct Elements {
    uvec2 at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
uvec2 subgroup_scan_of(uvec2 x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uvec2 earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
uvec2 subgroup_scan(uvec2 x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
uvec2 subgroup_shift(uvec2 x)
{
    const uvec2 earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    uvec2 before;
    uvec2 total;
};

const uint TOTALS = 8u; // one for each subgroup
shared uvec2 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uvec2 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    uvec2 total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// Array `in`.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In1 {
    uint word[]; // 4 words for 16 elements of 1 byte
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer In1Words {
    uvec4 at[];
};

struct Inputs1 {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs1 load_full_inputs1(In1 items, uint start)
{
    Inputs1 group;
    In1Words words = In1Words(uvec2(items));
    const uint first = start / VECTOR;
    const uvec4 word0 = words.at[first];
    group.at[0] = bitfieldExtract(word0.x, 0, 8);
    group.at[1] = bitfieldExtract(word0.x, 8, 8);
    group.at[2] = bitfieldExtract(word0.x, 16, 8);
    group.at[3] = bitfieldExtract(word0.x, 24, 8);
    group.at[4] = bitfieldExtract(word0.y, 0, 8);
    group.at[5] = bitfieldExtract(word0.y, 8, 8);
    group.at[6] = bitfieldExtract(word0.y, 16, 8);
    group.at[7] = bitfieldExtract(word0.y, 24, 8);
    group.at[8] = bitfieldExtract(word0.z, 0, 8);
    group.at[9] = bitfieldExtract(word0.z, 8, 8);
    group.at[10] = bitfieldExtract(word0.z, 16, 8);
    group.at[11] = bitfieldExtract(word0.z, 24, 8);
    group.at[12] = bitfieldExtract(word0.w, 0, 8);
    group.at[13] = bitfieldExtract(word0.w, 8, 8);
    group.at[14] = bitfieldExtract(word0.w, 16, 8);
    group.at[15] = bitfieldExtract(word0.w, 24, 8);
    return group;
}

// Items start .. start + VECTOR - 1; those from n on are not read.
Inputs1 load_inputs1(In1 items, uint start, uint n)
{
    Inputs1 group;
    const uint first = start / VECTOR * 4u;
    const uint word0 = start < n ? items.word[first] : 0u;
    const uint word1 = start + 4u < n ? items.word[first + 1u] : 0u;
    const uint word2 = start + 8u < n ? items.word[first + 2u] : 0u;
    const uint word3 = start + 12u < n ? items.word[first + 3u] : 0u;
    group.at[0] = bitfieldExtract(word0, 0, 8);
    group.at[1] = bitfieldExtract(word0, 8, 8);
    group.at[2] = bitfieldExtract(word0, 16, 8);
    group.at[3] = bitfieldExtract(word0, 24, 8);
    group.at[4] = bitfieldExtract(word1, 0, 8);
    group.at[5] = bitfieldExtract(word1, 8, 8);
    group.at[6] = bitfieldExtract(word1, 16, 8);
    group.at[7] = bitfieldExtract(word1, 24, 8);
    group.at[8] = bitfieldExtract(word2, 0, 8);
    group.at[9] = bitfieldExtract(word2, 8, 8);
    group.at[10] = bitfieldExtract(word2, 16, 8);
    group.at[11] = bitfieldExtract(word2, 24, 8);
    group.at[12] = bitfieldExtract(word3, 0, 8);
    group.at[13] = bitfieldExtract(word3, 8, 8);
    group.at[14] = bitfieldExtract(word3, 16, 8);
    group.at[15] = bitfieldExtract(word3, 24, 8);
    return group;
}

// Addresses of the arrays.
struct In {
    uvec2 array1;
};

struct Inputs {
    uint at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
Inputs load_full_inputs(In items, uint start)
{
    const Inputs1 group1 = load_full_inputs1(In1(items.array1), start);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = group1.at[v];
    return group;
}

// Elements start .. start + VECTOR - 1; those from n on are not read.
Inputs load_inputs(In items, uint start, uint n)
{
    const Inputs1 group1 = load_inputs1(In1(items.array1), start, n);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = group1.at[v];
    return group;
}

// Array `out`.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out1 {
    uint word[]; // items of 1 byte
};

void store_output1(Out1 items, uint i, uint item)
{
    const uint first = i / 4u;
    const uint shift = i % 4u * 8u;
    const uint word0 = item;
    atomicAnd(items.word[first], ~(0xffu << shift));
    atomicOr(items.word[first], word0 << shift);
}

// Addresses of the arrays.
struct Out {
    uvec2 array1;
};

void store_output(Out items, uint i, Result item)
{
    if (is_given(items.array1)) store_output1(Out1(items.array1), i, item.out_);
}

// Array `count`.
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer CountsAt1 {
    uvec2 at[];
};

void store_number1(CountsAt1 items, uint i, uvec2 item)
{
    items.at[i] = item;
}

// Addresses of the arrays.
struct CountsAt {
    uvec2 array1;
};

void store_number(CountsAt items, uint i, Counts item)
{
    if (is_given(items.array1)) store_number1(CountsAt1(items.array1), i, item.count);
}

// One thread's total becomes the carry-out, if one is asked for; and the numbers of what was written.
void store_carry(uvec2 carry_out, CountsAt numbers, uvec2 total)
{
    store_number(numbers, 0u, totals_of(total));
}

uint tile_count(uint n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the first item of a tile.
uint tile_start(uint tile, uint n)
{
    return tile * TILE;
}

// Place in its tile of the first item of this lane's part of a row.
uint row_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// The monoid's elements of one lane, row by row.
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
Tile load_tile(In in_items, bool is_aligned, uint start, uint n)
{
    Tile tile;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = map_item(inputs.at[v]);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
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
TileRange owned_tiles(uint tiles)
{
    const uint share = (tiles + block_count() - 1u) / block_count();
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

struct TileScan {
    Elements rows[ROWS]; // inclusive in each lane's part of a row
    uvec2 row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    uvec2 total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v - 1u], x.at[v]);
        const uvec2 inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const uvec2 exclusive = subgroup_shift(inclusive);
        const uvec2 row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(scan.total, exclusive);
        scan.total = combine(scan.total, row_total);
    }
    return scan;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Sources1 {
    uint word[]; // items of 1 byte
};

uint load_source1(Sources1 items, uint i)
{
    const uint first = i / 4u;
    const uint shift = i % 4u * 8u;
    const uint read0 = items.word[first];
    const uint word0 = read0 >> shift;
    return bitfieldExtract(word0, 0, 8);
}

uint load_source(In items, uint i)
{
    return load_source1(Sources1(items.array1), i);
}

shared uint starts[TILE]; // where the items of each of the tile's elements begin among the tile's

// Writes the items of a tile: `prefix` are those before it, `end` with its own; subgroup_prefix: those before this subgroup. The whole block
// calls it.
void expand_tile(In in_items, Out out_items, TileScan scan, uvec2 prefix, uvec2 subgroup_prefix, uvec2 end, uint start)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uvec2 before = combine(subgroup_prefix, scan.row_prefix[row]);
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            uvec2 s = before;
            if (v > 0u) s = combine(before, scan.rows[row].at[v - 1u]);
            starts[row_place(row) + v] = reach(prefix, s);
        }
    }
    block_barrier();
    const uvec2 none = identity();
    const uint first = reach(none, prefix);
    const uint count = first < 60000u ? min(reach(prefix, end), 60000u - first) : 0u;
    // All threads take part in each round, so that they are together again behind the last one.
    for (uint round = 0u; round < count; round += BLOCK) {
        const uint j = round + thread_id();
        uint source = 0u; // the last element whose items begin no later: it has item j
        UNROLL for (uint bit = 0u; bit < 12u; bit++) {
            const uint later = source + (2048u >> bit);
            if (starts[later] <= j) source = later;
        }
        const uint i = start + source;
        if (j < count) store_output(out_items, first + j, item_of(load_source(in_items, i), i, j - starts[source]));
    }
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Aggregates {
    uvec2 at[];
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

Aggregates block_aggregates(uvec2 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

// What one value a thread adds up to, in thread order. The whole block calls it.
uvec2 block_reduce(uvec2 x)
{
    const uvec2 inclusive = subgroup_scan(x);
    return block_scan(shuffle(inclusive, LANES - 1u)).total;
}

// What comes before this block: the starting prefix and the blocks before it.
uvec2 aggregate_before(Aggregates aggregates)
{
    uvec2 before = identity();
    for (uint first = 0u; first <= block_id(); first += BLOCK) {
        uvec2 x = identity();
        if (first + thread_id() <= block_id()) x = aggregates.at[first + thread_id()];
        const uvec2 more = block_reduce(x);
        before = combine(before, more);
    }
    return before;
}

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const TileRange tiles = owned_tiles(tile_count(n));

    uvec2 prefix = aggregate_before(block_aggregates(params.scratch));
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const uint start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const uvec2 subgroup_prefix = combine(prefix, block.before);
        const uvec2 end = combine(prefix, block.total);
        if (is_given(params.buffers[1])) expand_tile(in_items, out_items, scan, prefix, subgroup_prefix, end, start);
        prefix = end;
    }
    if (block_id() == block_count() - 1u && thread_id() == 0u) store_carry(params.carry_out, CountsAt(params.buffers[2]), prefix);
}
