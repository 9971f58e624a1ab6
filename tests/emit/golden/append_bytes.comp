// monosweep gen tests/corpus/append.lua --op append_bytes --target glsl --without int8,int64 --set strategy=reduce_then_scan
// ---- append_bytes, kernel 1 of 4: reduce_tiles
// append_bytes: append of u8 to out, count
// monosweep 0.1.0, templates/scan/reduce.tpl, strategy reduce_then_scan: block 128, subgroup 32, items 16, vector 16
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

layout(local_size_x = 128) in;

const uint LANES = 32u; // of a subgroup
const uint VECTOR = 16u; // consecutive items of a lane
const uint ROWS = 1u; // of a tile, for each subgroup
const uint TILE = 2048u; // items of a tile

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

const uint TOTALS = 4u; // one for each subgroup
shared uvec2 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uvec2 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
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

const uint AGGREGATES_OFFSET = 384u; // bytes, in the scratch

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
// ---- append_bytes, kernel 2 of 4: scan_tiles
// append_bytes: append of u8 to out, count
// monosweep 0.1.0, templates/scan/scan.tpl, strategy reduce_then_scan: block 128, subgroup 32, items 16, vector 16
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 128) in;

const uint BLOCK = 128u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint VECTOR = 16u; // consecutive items of a lane
const uint ROWS = 1u; // of a tile, for each subgroup
const uint TILE = 2048u; // items of a tile

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

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
uint last_lane(bool p)
{
    const uvec4 lanes = subgroupBallot(p);
    return lanes == uvec4(0u) ? LANES : subgroupBallotFindMSB(lanes);
}

// The last lane before this one for which p holds, or LANES. All lanes of the subgroup call it.
uint last_lane_before(bool p)
{
    const uvec4 lanes = subgroupBallot(p) & gl_SubgroupLtMask;
    return lanes == uvec4(0u) ? LANES : subgroupBallotFindMSB(lanes);
}

// The same of numbers.
uint shuffle_uint(uint x, uint lane)
{
    return subgroupShuffle(x, lane);
}

uint shuffle_uint_up(uint x, uint distance)
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

const uint TOTALS = 4u; // one for each subgroup
shared uvec2 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uvec2 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
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
    uint word[]; // 4 words for 16 elements of 1 byte
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Out1Words {
    uvec4 at[];
};

struct Outputs1 {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_outputs1(Out1 items, uint start, Outputs1 group)
{
    Out1Words words = Out1Words(uvec2(items));
    const uint first = start / VECTOR;
    words.at[first] = uvec4(group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u), group.at[4] | (group.at[5] << 8u) | (group.at[6] << 16u) | (group.at[7] << 24u), group.at[8] | (group.at[9] << 8u) | (group.at[10] << 16u) | (group.at[11] << 24u), group.at[12] | (group.at[13] << 8u) | (group.at[14] << 16u) | (group.at[15] << 24u));
}

// Addresses of the arrays.
struct Out {
    uvec2 array1;
};

struct Outputs {
    Result at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
void store_full_outputs(Out items, uint start, Outputs group)
{
    if (is_given(items.array1)) {
        Outputs1 group1;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group1.at[v] = group.at[v].out_;
        store_full_outputs1(Out1(items.array1), start, group1);
    }
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

const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TURN = 2u; // launches that have ended, modulo 2
const uint PARTS = 3u; // parts of large tiles' items: launches count them here and in the next word, by turns
const uint FINISHED = 64u; // blocks that need none of the counters any more

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Counters {
    uint at[];
};

uint load_counter(uvec2 scratch, uint counter)
{
    return atomicLoad(Counters(scratch).at[counter], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// One that does not change during a launch.
uint constant_counter(uvec2 scratch, uint counter)
{
    return Counters(scratch).at[counter];
}

void store_counter(uvec2 scratch, uint counter, uint value)
{
    atomicStore(Counters(scratch).at[counter], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Adds 1; returns what was there.
uint add_counter(uvec2 scratch, uint counter)
{
    return atomicAdd(Counters(scratch).at[counter], 1u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Adds `more` after everything that the thread has done; returns what was there.
uint release_counter(uvec2 scratch, uint counter, uint more)
{
    return atomicAdd(Counters(scratch).at[counter], more, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
}

// Call after reading a counter that others released: their earlier writes are then visible.
void acquire_counters()
{
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
}

// Units of 256 bytes of the scratch that were zeroed.
uint zeroed_count(uvec2 scratch)
{
    return constant_counter(scratch, ZEROED);
}

// Where a launch counts its parts, 0 or 1. What is counted stays until the next launch has ended.
uint parts_turn(uvec2 scratch)
{
    return load_counter(scratch, TURN);
}

// The number of a new part.
uint take_part(uvec2 scratch, uint turn)
{
    return add_counter(scratch, PARTS + turn);
}

// The last block calls it: the next launch counts from 0.
void end_parts(uvec2 scratch)
{
    const uint next = 1u - load_counter(scratch, TURN);
    store_counter(scratch, PARTS + next, 0u);
    store_counter(scratch, TURN, next);
}

// One thread of each block calls it, once, after the block's last use of the counters above. Returns how many blocks have done so before.
uint finish_block(uvec2 scratch)
{
    return release_counter(scratch, FINISHED, 1u);
}

// Whether it was the last block: then the other blocks' uses of the counters come before what follows.
bool is_last_block(uvec2 scratch, uint others)
{
    if (others != block_count() - 1u) return false;
    acquire_counters();
    store_counter(scratch, FINISHED, 0u);
    return true;
}

const uint PART = 16384u; // items

struct Part {
    uint tile;
    uint begin; // among the tile's items
    uint first; // place of the tile's first item
    uint count; // the tile's items, as far as there is room
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Parts {
    Part at[];
};

// The place of a part of that number, of an array that begins where the scratch does.
uint part_place(uvec2 scratch, uint number)
{
    return zeroed_count(scratch) * 16u - 1u - number;
}

// Whether all parts that a launch can leave lie in what was zeroed of the scratch, behind what else it has.
bool has_parts_of(uvec2 scratch)
{
    return 11u <= zeroed_count(scratch);
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

struct Starts {
    uint at[VECTOR];
};

// Where items begin among the tile's.
struct TileScan {
    Starts rows[ROWS]; // each element's
    uint ends[ROWS];   // and those of the element after the lane's part of a row
    uint total;        // the tile's items
};

shared uint subgroup_lengths[BLOCK / LANES];

// Each row: a lane's own lengths, then across the lanes, then after the rows and subgroups before it. The whole block calls it.
TileScan scan_lengths(Tile tile)
{
    const uvec2 none = identity();
    TileScan scan;
    uint total = 0u; // of the subgroup
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        uint end = 0u;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const uvec2 length = tile.rows[row].at[v];
            scan.rows[row].at[v] = end;
            end += min(reach(none, length), PART + 1u);
        }
        uint inclusive = end;
        UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
            const uint earlier = shuffle_uint_up(inclusive, step);
            if (lane_id() >= step) inclusive += earlier;
        }
        scan.ends[row] = total + inclusive;
        const uint earlier_items = total + inclusive - end;
        total += shuffle_uint(inclusive, LANES - 1u);
        UNROLL for (uint v = 0u; v < VECTOR; v++) scan.rows[row].at[v] += earlier_items;
    }
    if (lane_id() == 0u) subgroup_lengths[subgroup_id()] = total;
    block_barrier();
    uint before = 0u;
    scan.total = 0u;
    UNROLL for (uint subgroup = 0u; subgroup < BLOCK / LANES; subgroup++) {
        if (subgroup == subgroup_id()) before = scan.total;
        scan.total += subgroup_lengths[subgroup];
    }
    block_barrier(); // all have read them before the next tile's take their place; the other strategies' blocks meet for their tiles' prefixes
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) scan.rows[row].at[v] += before;
        scan.ends[row] += before;
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

// The element that has item j of the tile, the same in all lanes: the last whose items begin no later. All lanes of the subgroup call it.
uint source_of(uint j)
{
    uint source = 0u;
    source += last_lane(starts[source + lane_id() * 64u] <= j) * 64u;
    source += last_lane(starts[source + lane_id() * 2u] <= j) * 2u;
    source += last_lane(lane_id() * 1u < 2u && starts[source + lane_id()] <= j);
    return source;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Alone {
    uint word[]; // items of 1 byte
};

void store_alone(Alone items, uint i, uint item)
{
    const uint first = i / 4u;
    const uint shift = i % 4u * 8u;
    const uint word0 = item;
    atomicAnd(items.word[first], ~(0xffu << shift));
    atomicOr(items.word[first], word0 << shift);
}

const uint CHUNK = 2u * TILE; // items that are written between two barriers
const uint GROUPS = CHUNK / (BLOCK * VECTOR); // of VECTOR items, of a lane

shared uint marks[CHUNK]; // at the first item of an element its place in the tile, plus 1; at all others 0

// Which of a lane's elements have items.
struct Heads {
    uint rows[ROWS]; // a bit each
};

// Notes which of a chunk's items are the first of an element. The whole block calls it.
void mark_items(Heads heads, uint chunk, uint shift, uint count)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const uint begin = starts[row_place(row) + v], place = begin + shift - chunk;
            if ((heads.rows[row] >> v & 1u) != 0u && begin < count && place < CHUNK) marks[place] = row_place(row) + v + 1u;
        }
    }
    block_barrier();
}

// The elements of the items of a lane's group.
struct Group {
    uint at[VECTOR];
};

// Of the group that begins at `place` of the chunk; before: the element of the item before the subgroup's groups. All lanes of the subgroup call it.
Group sources_of(uint place, uint before)
{
    Group group;
    uint last = 0u;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        const uint head = marks[place + v];
        if (head != 0u) last = head;
        group.at[v] = last;
    }
    const uint lane = last_lane_before(last != 0u);
    const uint earlier = shuffle_uint(last, lane);
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (group.at[v] == 0u) group.at[v] = lane < LANES ? earlier : before + 1u;
        group.at[v] -= 1u;
    }
    return group;
}

// Notes where the elements' items begin. Returns which have any.
Heads write_starts(TileScan scan)
{
    Heads heads;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        heads.rows[row] = 0u;
        uint end = scan.ends[row];
        UNROLL for (uint next = VECTOR; next > 0u; next--) {
            const uint begin = scan.rows[row].at[next - 1u];
            if (begin != end) heads.rows[row] |= 1u << (next - 1u);
            end = begin;
        }
        UNROLL for (uint v = 0u; v < VECTOR; v++) starts[row_place(row) + v] = scan.rows[row].at[v];
    }
    return heads;
}

// Writes the tile's items from `from` on before `to`; first: the place of the tile's first item. The whole block calls it.
void write_items(In in_items, Out out_items, Heads heads, uint first, uint from, uint to, uint start)
{
    const bool is_aligned = is_vector_aligned(out_items.array1);
    const uint shift = from < to ? first % VECTOR : 0u; // so that groups begin where whole ones are stored
    for (uint chunk = from; chunk < shift + to; chunk += CHUNK) {
        const uint groups = min((shift + to - chunk + (BLOCK * VECTOR - 1u)) / (BLOCK * VECTOR), GROUPS);
        for (uint g = 0u; g < groups; g++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) marks[(g * BLOCK + thread_id()) * VECTOR + v] = 0u;
        }
        block_barrier();
        mark_items(heads, chunk, shift, to);

        // Subgroups have equal shares of the groups that there are, one behind the other.
        const uint begin = subgroup_id() * groups * (LANES * VECTOR);
        uint source = source_of(chunk + begin > shift ? chunk + begin - shift : 0u);
        for (uint g = 0u; g < groups; g++) {
            const uint place = begin + (g * LANES + lane_id()) * VECTOR;
            const uint j = chunk + place - shift; // of the group's first item
            const Group sources = sources_of(place, source);
            source = shuffle_uint(sources.at[VECTOR - 1u], LANES - 1u);
            if (is_aligned && chunk + place >= shift + from && to - from >= VECTOR && j <= to - VECTOR) {
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) outputs.at[v] = item_of(load_source(in_items, start + sources.at[v]), start + sources.at[v], j + v - starts[sources.at[v]]);
                store_full_outputs(out_items, first + j, outputs);
            } else {
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (j + v - from < to - from) store_alone(Alone(out_items.array1), first + j + v, item_of(load_source(in_items, start + sources.at[v]), start + sources.at[v], j + v - starts[sources.at[v]]).out_);
                }
            }
        }
        block_barrier(); // the next chunk's marks take the place of these
    }
}

shared uint left_turn; // where this launch counts its parts

// Leaves the items of a tile to the next launch. The whole block calls it.
void leave_parts(uvec2 scratch, uint tile, uint first, uint count)
{
    if (thread_id() == 0u) left_turn = parts_turn(scratch); // it ends the block's launch later
    block_barrier();
    Parts parts = Parts(scratch);
    const uint end = count / PART + (count % PART != 0u ? 1u : 0u);
    for (uint p = thread_id(); p < end; p += BLOCK) {
        const Part part = Part(tile, p * PART, first, count);
        parts.at[part_place(scratch, take_part(scratch, left_turn))] = part;
    }
}

// Writes the items of a tile: `prefix` are those before it, `end` with its own. The whole block
// calls it. Many are left to the next launch.
void expand_tile(In in_items, Out out_items, TileScan scan, uvec2 prefix, uvec2 end, uint tile, uint start, uvec2 scratch)
{
    const uvec2 none = identity();
    const uint first = reach(none, prefix);
    const uint count = first < 60000u ? min(reach(prefix, end), 60000u - first) : 0u;
    if (scan.total > PART) {
        leave_parts(scratch, tile, first, count);
        return;
    }
    const Heads heads = write_starts(scan);
    write_items(in_items, out_items, heads, first, 0u, count, start);
}

// How many items a tile has, where `sum` is what scan_lengths returns: by loads of one element, since it is seldom more than PART. The whole block calls it.
uvec2 tile_length(uint sum, In in_items, uint start, uint n)
{
    if (sum <= PART) return uvec2(sum, 0u);
    uvec2 length = identity();
    for (uint i = start + thread_id(); i < n && i < start + TILE; i += BLOCK) {
        const uvec2 more = map_item(load_source(in_items, i));
        length = combine(length, more);
    }
    return block_scan(shuffle(subgroup_scan(length), LANES - 1u)).total;
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Aggregates {
    uvec2 at[];
};

const uint AGGREGATES_OFFSET = 384u; // bytes, in the scratch

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
    if (!has_parts_of(params.scratch)) return;

    uvec2 prefix = aggregate_before(block_aggregates(params.scratch));
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const uint start = tile_start(tile, n);
        const TileScan scan = scan_lengths(load_tile(in_items, in_is_aligned, start, n));
        const uvec2 length = tile_length(scan.total, in_items, start, n);
        const uvec2 end = combine(prefix, length);
        if (is_given(params.buffers[1])) expand_tile(in_items, out_items, scan, prefix, end, tile, start, params.scratch);
        prefix = end;
    }
    if (block_id() == block_count() - 1u && thread_id() == 0u) store_carry(params.carry_out, CountsAt(params.buffers[2]), prefix);
    if (thread_id() == 0u && is_last_block(params.scratch, finish_block(params.scratch))) end_parts(params.scratch);
}
// ---- append_bytes, kernel 3 of 4: expand_parts
// append_bytes: append of u8 to out, count
// monosweep 0.1.0, templates/scan/expand_parts.tpl, strategy reduce_then_scan: block 128, subgroup 32, items 16, vector 16
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 128) in;

const uint BLOCK = 128u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint VECTOR = 16u; // consecutive items of a lane
const uint ROWS = 1u; // of a tile, for each subgroup
const uint TILE = 2048u; // items of a tile

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

uvec2 combine(uvec2 a, uvec2 b)
{
    return u64_add(a, b);
}

uvec2 map_item(uint x)
{
    return uvec2(x & 3u, 0u);
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

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
uint last_lane(bool p)
{
    const uvec4 lanes = subgroupBallot(p);
    return lanes == uvec4(0u) ? LANES : subgroupBallotFindMSB(lanes);
}

// The last lane before this one for which p holds, or LANES. All lanes of the subgroup call it.
uint last_lane_before(bool p)
{
    const uvec4 lanes = subgroupBallot(p) & gl_SubgroupLtMask;
    return lanes == uvec4(0u) ? LANES : subgroupBallotFindMSB(lanes);
}

// The same of numbers.
uint shuffle_uint(uint x, uint lane)
{
    return subgroupShuffle(x, lane);
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

const uint TOTALS = 4u; // one for each subgroup
shared uvec2 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uvec2 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
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
    uint word[]; // 4 words for 16 elements of 1 byte
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Out1Words {
    uvec4 at[];
};

struct Outputs1 {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_outputs1(Out1 items, uint start, Outputs1 group)
{
    Out1Words words = Out1Words(uvec2(items));
    const uint first = start / VECTOR;
    words.at[first] = uvec4(group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u), group.at[4] | (group.at[5] << 8u) | (group.at[6] << 16u) | (group.at[7] << 24u), group.at[8] | (group.at[9] << 8u) | (group.at[10] << 16u) | (group.at[11] << 24u), group.at[12] | (group.at[13] << 8u) | (group.at[14] << 16u) | (group.at[15] << 24u));
}

// Addresses of the arrays.
struct Out {
    uvec2 array1;
};

struct Outputs {
    Result at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
void store_full_outputs(Out items, uint start, Outputs group)
{
    if (is_given(items.array1)) {
        Outputs1 group1;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group1.at[v] = group.at[v].out_;
        store_full_outputs1(Out1(items.array1), start, group1);
    }
}

const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TURN = 2u; // launches that have ended, modulo 2
const uint PARTS = 3u; // parts of large tiles' items: launches count them here and in the next word, by turns

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Counters {
    uint at[];
};

uint load_counter(uvec2 scratch, uint counter)
{
    return atomicLoad(Counters(scratch).at[counter], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// One that does not change during a launch.
uint constant_counter(uvec2 scratch, uint counter)
{
    return Counters(scratch).at[counter];
}

// Units of 256 bytes of the scratch that were zeroed.
uint zeroed_count(uvec2 scratch)
{
    return constant_counter(scratch, ZEROED);
}

// How many parts the launch before this one has counted.
uint part_count(uvec2 scratch)
{
    return load_counter(scratch, PARTS + (1u - load_counter(scratch, TURN)));
}

const uint PART = 16384u; // items

struct Part {
    uint tile;
    uint begin; // among the tile's items
    uint first; // place of the tile's first item
    uint count; // the tile's items, as far as there is room
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Parts {
    Part at[];
};

// The place of a part of that number, of an array that begins where the scratch does.
uint part_place(uvec2 scratch, uint number)
{
    return zeroed_count(scratch) * 16u - 1u - number;
}

// Whether all parts that a launch can leave lie in what was zeroed of the scratch, behind what else it has.
bool has_parts_of(uvec2 scratch)
{
    return 11u <= zeroed_count(scratch);
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

// The element that has item j of the tile, the same in all lanes: the last whose items begin no later. All lanes of the subgroup call it.
uint source_of(uint j)
{
    uint source = 0u;
    source += last_lane(starts[source + lane_id() * 64u] <= j) * 64u;
    source += last_lane(starts[source + lane_id() * 2u] <= j) * 2u;
    source += last_lane(lane_id() * 1u < 2u && starts[source + lane_id()] <= j);
    return source;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Alone {
    uint word[]; // items of 1 byte
};

void store_alone(Alone items, uint i, uint item)
{
    const uint first = i / 4u;
    const uint shift = i % 4u * 8u;
    const uint word0 = item;
    atomicAnd(items.word[first], ~(0xffu << shift));
    atomicOr(items.word[first], word0 << shift);
}

const uint CHUNK = 2u * TILE; // items that are written between two barriers
const uint GROUPS = CHUNK / (BLOCK * VECTOR); // of VECTOR items, of a lane

shared uint marks[CHUNK]; // at the first item of an element its place in the tile, plus 1; at all others 0

// Which of a lane's elements have items.
struct Heads {
    uint rows[ROWS]; // a bit each
};

// Notes which of a chunk's items are the first of an element. The whole block calls it.
void mark_items(Heads heads, uint chunk, uint shift, uint count)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const uint begin = starts[row_place(row) + v], place = begin + shift - chunk;
            if ((heads.rows[row] >> v & 1u) != 0u && begin < count && place < CHUNK) marks[place] = row_place(row) + v + 1u;
        }
    }
    block_barrier();
}

// The elements of the items of a lane's group.
struct Group {
    uint at[VECTOR];
};

// Of the group that begins at `place` of the chunk; before: the element of the item before the subgroup's groups. All lanes of the subgroup call it.
Group sources_of(uint place, uint before)
{
    Group group;
    uint last = 0u;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        const uint head = marks[place + v];
        if (head != 0u) last = head;
        group.at[v] = last;
    }
    const uint lane = last_lane_before(last != 0u);
    const uint earlier = shuffle_uint(last, lane);
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (group.at[v] == 0u) group.at[v] = lane < LANES ? earlier : before + 1u;
        group.at[v] -= 1u;
    }
    return group;
}

// Notes where the elements' items begin: `prefix` are those before the tile, subgroup_prefix those before this subgroup. Returns which have any.
Heads write_starts(TileScan scan, uvec2 prefix, uvec2 subgroup_prefix)
{
    Heads heads;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uvec2 before = combine(subgroup_prefix, scan.row_prefix[row]);
        heads.rows[row] = 0u;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            uvec2 s = before;
            if (v > 0u) s = combine(before, scan.rows[row].at[v - 1u]);
            starts[row_place(row) + v] = reach(prefix, s);
            uvec2 earlier = identity();
            if (v > 0u) earlier = scan.rows[row].at[v - 1u];
            if (scan.rows[row].at[v] != earlier) heads.rows[row] |= 1u << v;
        }
    }
    return heads;
}

// Writes the tile's items from `from` on before `to`; first: the place of the tile's first item. The whole block calls it.
void write_items(In in_items, Out out_items, Heads heads, uint first, uint from, uint to, uint start)
{
    const bool is_aligned = is_vector_aligned(out_items.array1);
    const uint shift = from < to ? first % VECTOR : 0u; // so that groups begin where whole ones are stored
    for (uint chunk = from; chunk < shift + to; chunk += CHUNK) {
        const uint groups = min((shift + to - chunk + (BLOCK * VECTOR - 1u)) / (BLOCK * VECTOR), GROUPS);
        for (uint g = 0u; g < groups; g++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) marks[(g * BLOCK + thread_id()) * VECTOR + v] = 0u;
        }
        block_barrier();
        mark_items(heads, chunk, shift, to);

        // Subgroups have equal shares of the groups that there are, one behind the other.
        const uint begin = subgroup_id() * groups * (LANES * VECTOR);
        uint source = source_of(chunk + begin > shift ? chunk + begin - shift : 0u);
        for (uint g = 0u; g < groups; g++) {
            const uint place = begin + (g * LANES + lane_id()) * VECTOR;
            const uint j = chunk + place - shift; // of the group's first item
            const Group sources = sources_of(place, source);
            source = shuffle_uint(sources.at[VECTOR - 1u], LANES - 1u);
            if (is_aligned && chunk + place >= shift + from && to - from >= VECTOR && j <= to - VECTOR) {
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) outputs.at[v] = item_of(load_source(in_items, start + sources.at[v]), start + sources.at[v], j + v - starts[sources.at[v]]);
                store_full_outputs(out_items, first + j, outputs);
            } else {
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (j + v - from < to - from) store_alone(Alone(out_items.array1), first + j + v, item_of(load_source(in_items, start + sources.at[v]), start + sources.at[v], j + v - starts[sources.at[v]]).out_);
                }
            }
        }
        block_barrier(); // the next chunk's marks take the place of these
    }
}

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    if (!has_parts_of(params.scratch)) return; // what lies there an earlier enqueue left
    Parts parts = Parts(params.scratch);
    const uint count = part_count(params.scratch);

    for (uint number = block_id(); number < count; number += block_count()) {
        const Part part = parts.at[part_place(params.scratch, number)];
        const uint start = tile_start(part.tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const Heads heads = write_starts(scan, identity(), block.before);
        write_items(in_items, out_items, heads, part.first, part.begin, part.count - part.begin < PART ? part.count : part.begin + PART, start);
    }
}
// ---- append_bytes, kernel 4 of 4: zero_scratch
// append_bytes: append of u8 to out, count
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 128, subgroup 32, items 16, vector 16
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model

layout(local_size_x = 128) in;

const uint BLOCK = 128u; // threads of a block
const uint LANES = 32u; // of a subgroup

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

uvec2 address_at(uvec2 address, uint offset_bytes)
{
    const uint low = address.x + offset_bytes;
    return uvec2(low, address.y + uint(low < offset_bytes));
}

// `count` things of `bytes` bytes each after an address, beyond 4 GiB too.
uvec2 address_after(uvec2 address, uint count, uint bytes)
{
    uint high, low;
    umulExtended(count, bytes, high, low);
    const uvec2 end = address_at(address, low);
    return uvec2(end.x, end.y + high);
}

uint chunks_of_65536(uvec2 n)
{
    return n.y << 16u | n.x >> 16u;
}

uint block_id()
{
    return gl_WorkGroupID.x;
}

uint block_count()
{
    return gl_NumWorkGroups.x;
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

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
    uint at[];
};

void main()
{
    const uint chunks = chunks_of_65536(params.n);
    const uint rest = uint(params.n.x % 65536u) / 4u; // words of the last chunk
    for (uint chunk = block_id(); chunk <= chunks; chunk += block_count()) {
        Words words = Words(address_after(params.scratch, chunk, 65536u));
        const uint count = chunk < chunks ? 16384u : rest;
        for (uint i = thread_id(); i < count; i += BLOCK) words.at[i] = chunk == 0u && i == 1u ? chunks * 256u + rest / 64u : 0u;
    }
}
