// monosweep gen tests/corpus/everywhere.lua --op total --target glsl --subgroup 4 --set strategy=reduce_then_scan --set block=32 --quiet
// ---- total, kernel 1 of 2: reduce_tiles
// total: reduction of u32 by sum(f32)
// monosweep 0.1.0, templates/scan/reduce.tpl, strategy reduce_then_scan: block 32, subgroup 4, items 32, vector 4
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

layout(local_size_x = 32) in;

const uint LANES = 4u; // of a subgroup
const uint VECTOR = 4u; // consecutive items of a lane
const uint ROWS = 8u; // of a tile, for each subgroup
const uint TILE = 1024u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // f32: what comes before all elements
    uvec2 carry_out; // f32: what all add up to
    uvec2 buffers[8]; // in: u32[n], 4-byte aligned; out: f32, 4-byte aligned
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

// 0, which the driver does not know: blocks are dispatched along x.
uint zero_word()
{
    return gl_WorkGroupID.z;
}

// The same number or numbers, of which the driver knows nothing: where it sees a 0 or an infinity, it may leave out NaN, infinities and signs.
float f32_veiled(float a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}
vec2 f32_veiled(vec2 a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}
vec3 f32_veiled(vec3 a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}
vec4 f32_veiled(vec4 a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}

// By way of int: drivers round the upper half of the range twice. The last bit tells of the one shifted out.
float u32_to_f32(uint a)
{
    return mix(float(int(a)), 2.0 * float(int(a >> 1 | (a & 1u))), int(a) < 0);
}

float combine(float a, float b)
{
    return a + b;
}

precise float map_item(uint x)
{
    return mix(u32_to_f32(x) * 0.7, mix(0.0, f32_veiled(-0.0), (x & 2u) == 0u), (x & 1u) == 0u);
}

float identity()
{
    return f32_veiled(0.0);
}

// The value of another lane. All lanes of the subgroup call it.
float shuffle(float x, uint lane)
{
    return subgroupShuffle(x, lane);
}

// The value of the lane `distance` before; any value where there is none.
float shuffle_up(float x, uint distance)
{
    return subgroupShuffleUp(x, distance);
}

// The monoid's elements of one lane in one row.
struct Elements {
    float at[VECTOR];
};

// What comes before some values, and that joined with them.
struct Ends {
    float before;
    float through;
};

// Up in the first `lanes` lanes, a power of two. All lanes of the subgroup call it.
float subgroup_up(float x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const float left = shuffle_up(x, step);
        if (lane_id() % (2u * step) == 2u * step - 1u) x = combine(left, x);
    }
    return x;
}

shared float subgroup_totals[8u];

// One value a subgroup, up.
struct BlockScan {
    float own; // of the longest block that ends with this subgroup; of all subgroups they are in subgroup_totals
    float total; // of all
};

// One value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(float subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();
    for (uint step = 1u; step < 8u; step *= 2u) {
        if (thread_id() < 8u && thread_id() % (2u * step) == 2u * step - 1u) {
            subgroup_totals[thread_id()] = combine(subgroup_totals[thread_id() - step], subgroup_totals[thread_id()]);
        }
        block_barrier();
    }
    scan.own = subgroup_totals[subgroup_id()];
    scan.total = subgroup_totals[7u];
    block_barrier();
    return scan;
}

// Of the longest block that ends with this subgroup. The whole block calls it.
float own_total(BlockScan scan)
{
    return scan.own;
}

const uint LEVELS = 32u; // more than 2^32 parts there are not
shared float level_total[LEVELS]; // of the last block of 2^k parts
shared float level_before[LEVELS]; // what comes before it

// The ends of part k: parts of one power of two of values follow each other, each of `total`. The whole block calls it in turn for all parts from 0
// on, and meets in between.
Ends grow(uint k, float before, float total)
{
    Ends ends;
    ends.before = before;
    uint level = 0u;
    for (; (k >> level) % 2u != 0u; level++) {
        total = combine(level_total[level], total);
        before = level_before[level];
    }
    if (thread_id() == 0u) {
        level_total[level] = total;
        level_before[level] = before;
    }
    ends.through = combine(before, total);
    return ends;
}

// k of 2^k, the length of the longest block that ends before place `end`.
uint level_of(uint end)
{
    uint level = 0u;
    while ((end >> level) % 2u == 0u) level++;
    return level;
}

shared float tail[LEVELS]; // of a part that is not whole: of its block of 2^k values

// Of a part's first `count` values, which are not all: keeps value `place`, up, if it is of one of the blocks that they are.
void keep(uint place, uint count, float x)
{
    const uint end = place + 1u;
    if (count - end < (end & (0u - end))) tail[level_of(end)] = x;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In {
    uint at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer InWords {
    uvec4 at[];
};

struct Inputs {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs load_full_inputs(In items, uint start)
{
    Inputs group;
    InWords words = InWords(uvec2(items));
    const uint first = start / VECTOR;
    const uvec4 word0 = words.at[first];
    group.at[0] = word0.x;
    group.at[1] = word0.y;
    group.at[2] = word0.z;
    group.at[3] = word0.w;
    return group;
}

// Items start .. start + VECTOR - 1; those from n on are not read.
Inputs load_inputs(In items, uint start, uint n)
{
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
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

// Place of the first item of this lane's part of a row, from where the scan begins.
uint scan_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// How many of the tile's items there are.
uint items_of(uint tile, uint n)
{
    const uint rest = n - tile * TILE;
    return rest < TILE ? uint(rest) : TILE;
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

// How many tiles a block of that many owns: a power of two, so that what they add up to is a block of the tree.
uint share_of(uint tiles, uint blocks)
{
    uint share = 1u;
    while (share < (tiles + blocks - 1u) / blocks) share *= 2u;
    return share;
}

// The tiles of this block: an even share of all, in order.
TileRange owned_tiles(uint tiles)
{
    const uint share = share_of(tiles, block_count());
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Carry {
    float at[];
};

// The first item alone.
float load_first_elements(Carry items)
{
    return items.at[0];
}

// The carry-in if there is one, else the operation's init.
float starting_prefix(uvec2 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return f32_veiled(-0.0);
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Aggregates {
    float at[];
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

const uint TAILS = 32u; // k is less

Aggregates block_aggregates(uvec2 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

struct TileScan {
    Elements rows[ROWS]; // up, then down
    float row_totals[ROWS]; // of the subgroup's rows, up, then down
    float total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes; then the rows.
TileScan scan_tile(Tile tile)
{
    TileScan scan;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        x.at[1] = combine(x.at[0], x.at[1]);
        x.at[3] = combine(x.at[2], x.at[3]);
        x.at[3] = combine(x.at[1], x.at[3]);
        x.at[VECTOR - 1u] = subgroup_up(x.at[VECTOR - 1u], LANES);
        scan.row_totals[row] = shuffle(x.at[VECTOR - 1u], LANES - 1u);
        scan.rows[row] = x;
    }
    scan.row_totals[1] = combine(scan.row_totals[0], scan.row_totals[1]);
    scan.row_totals[3] = combine(scan.row_totals[2], scan.row_totals[3]);
    scan.row_totals[5] = combine(scan.row_totals[4], scan.row_totals[5]);
    scan.row_totals[7] = combine(scan.row_totals[6], scan.row_totals[7]);
    scan.row_totals[3] = combine(scan.row_totals[1], scan.row_totals[3]);
    scan.row_totals[7] = combine(scan.row_totals[5], scan.row_totals[7]);
    scan.row_totals[7] = combine(scan.row_totals[3], scan.row_totals[7]);
    scan.total = scan.row_totals[ROWS - 1u];
    return scan;
}

// Of a tile's first `count` items, which are not all: keeps what their blocks add up to, for join_tail. The whole block calls it.
void keep_tail(TileScan scan, BlockScan block, uint count)
{
    const float subgroup_total = own_total(block);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            float x = scan.rows[row].at[v];
            if (v == VECTOR - 1u && lane_id() == LANES - 1u) {
                x = scan.row_totals[row];
                if (row == ROWS - 1u) x = subgroup_total;
            }
            keep(scan_place(row) + v, count, x);
        }
    }
    block_barrier();
}

void main()
{
    float total = identity();
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
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
    const uint TILE_LEVELS = 10u; // TILE is 2 to this
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
// ---- total, kernel 2 of 2: reduce_aggregates
// total: reduction of u32 by sum(f32)
// monosweep 0.1.0, templates/scan/reduce.tpl, strategy reduce_then_scan: block 32, subgroup 4, items 32, vector 4
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

layout(local_size_x = 32) in;

const uint BLOCK = 32u; // threads of a block
const uint LANES = 4u; // of a subgroup
const uint EARLIER_TILE = 1024u; // items of a tile, and blocks at most, of the launch before
const uint EARLIER_BLOCKS = 256u;

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // f32: what comes before all elements
    uvec2 carry_out; // f32: what all add up to
    uvec2 buffers[8]; // in: u32[n], 4-byte aligned; out: f32, 4-byte aligned
    uint argument;
} params;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Count {
    uvec2 value;
};

bool is_given(uvec2 address)
{
    return address != uvec2(0u);
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

// 0, which the driver does not know: blocks are dispatched along x.
uint zero_word()
{
    return gl_WorkGroupID.z;
}

// The same number or numbers, of which the driver knows nothing: where it sees a 0 or an infinity, it may leave out NaN, infinities and signs.
float f32_veiled(float a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}
vec2 f32_veiled(vec2 a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}
vec3 f32_veiled(vec3 a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}
vec4 f32_veiled(vec4 a)
{
    return uintBitsToFloat(floatBitsToUint(a) | zero_word());
}

float combine(float a, float b)
{
    return a + b;
}

float identity()
{
    return f32_veiled(0.0);
}

// The value of another lane. All lanes of the subgroup call it.
float shuffle(float x, uint lane)
{
    return subgroupShuffle(x, lane);
}

// The value of the lane `distance` before; any value where there is none.
float shuffle_up(float x, uint distance)
{
    return subgroupShuffleUp(x, distance);
}

// What comes before some values, and that joined with them.
struct Ends {
    float before;
    float through;
};

// Up in the first `lanes` lanes, a power of two. All lanes of the subgroup call it.
float subgroup_up(float x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const float left = shuffle_up(x, step);
        if (lane_id() % (2u * step) == 2u * step - 1u) x = combine(left, x);
    }
    return x;
}

// Down. All lanes of the subgroup call it.
float subgroup_down(float x, Ends ends, uint lanes)
{
    if (lane_id() == lanes - 1u) x = ends.through;
    UNROLL for (uint step = lanes / 2u; step > 0u; step /= 2u) {
        float left = shuffle_up(x, step);
        if (lane_id() < step) left = ends.before;
        if (lane_id() % (2u * step) == step - 1u) x = combine(left, x);
    }
    return x;
}

shared float subgroup_totals[8u];

// One value a subgroup, up.
struct BlockScan {
    float own; // of the longest block that ends with this subgroup; of all subgroups they are in subgroup_totals
    float total; // of all
};

// One value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(float subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();
    for (uint step = 1u; step < 8u; step *= 2u) {
        if (thread_id() < 8u && thread_id() % (2u * step) == 2u * step - 1u) {
            subgroup_totals[thread_id()] = combine(subgroup_totals[thread_id() - step], subgroup_totals[thread_id()]);
        }
        block_barrier();
    }
    scan.own = subgroup_totals[subgroup_id()];
    scan.total = subgroup_totals[7u];
    block_barrier();
    return scan;
}

// The ends of this subgroup's values, of those of the block's. The whole block calls it.
Ends subgroup_ends(BlockScan scan, Ends ends)
{
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_id() == 7u ? ends.through : scan.own;
    block_barrier();
    for (uint step = 4u; step > 0u; step /= 2u) {
        if (thread_id() < 8u && thread_id() % (2u * step) == step - 1u) {
            float left = ends.before;
            if (thread_id() >= step) left = subgroup_totals[thread_id() - step];
            subgroup_totals[thread_id()] = combine(left, subgroup_totals[thread_id()]);
        }
        block_barrier();
    }
    Ends mine;
    mine.through = subgroup_totals[subgroup_id()];
    mine.before = ends.before;
    if (subgroup_id() > 0u) mine.before = subgroup_totals[subgroup_id() - 1u];
    block_barrier();
    return mine;
}

const uint LEVELS = 32u; // more than 2^32 parts there are not
shared float level_total[LEVELS]; // of the last block of 2^k parts
shared float level_before[LEVELS]; // what comes before it

// The ends of part k: parts of one power of two of values follow each other, each of `total`. The whole block calls it in turn for all parts from 0
// on, and meets in between.
Ends grow(uint k, float before, float total)
{
    Ends ends;
    ends.before = before;
    uint level = 0u;
    for (; (k >> level) % 2u != 0u; level++) {
        total = combine(level_total[level], total);
        before = level_before[level];
    }
    if (thread_id() == 0u) {
        level_total[level] = total;
        level_before[level] = before;
    }
    ends.through = combine(before, total);
    return ends;
}

// How many tiles a block of that many owns: a power of two, so that what they add up to is a block of the tree.
uint share_of(uint tiles, uint blocks)
{
    uint share = 1u;
    while (share < (tiles + blocks - 1u) / blocks) share *= 2u;
    return share;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out {
    float at[];
};

void store_first_outputs(Out items, float item)
{
    items.at[0] = item;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Carry {
    float at[];
};

void store_first_elements(Carry items, float item)
{
    items.at[0] = item;
}

// One thread's total becomes the carry-out, if one is asked for.
void store_carry(uvec2 carry_out, float total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Aggregates {
    float at[];
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

const uint TAILS = 32u; // k is less

Aggregates block_aggregates(uvec2 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

shared float aggregate_before;
shared float aggregate_through;

// The ends of aggregate `place`, which may be the first that is not there; the whole block calls it. count: of aggregates.
Ends aggregate_ends(Aggregates aggregates, uint place, uint count)
{
    Ends ends;
    float before = aggregates.at[0];
    for (uint chunk = 0u; chunk <= place / BLOCK; chunk++) {
        const uint own = chunk * BLOCK + thread_id();
        float x = identity();
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
void main()
{
    float total = identity();
    Aggregates aggregates = block_aggregates(params.scratch);
    const uint bound = params.n.x;
    const uint tiles = bound / EARLIER_TILE + (bound % EARLIER_TILE != 0u ? 1u : 0u);
    const uint blocks = tiles < 1u ? 1u : tiles > EARLIER_BLOCKS ? EARLIER_BLOCKS : uint(tiles);
    const uint n = element_count(params.n, params.n_address);
    const uint owned = EARLIER_TILE * share_of(uint(n / EARLIER_TILE + (n % EARLIER_TILE != 0u ? 1u : 0u)), blocks); // items
    const uint rest = n % owned;

    total = aggregate_ends(aggregates, uint(n / owned), uint(n / owned)).before;
    for (uint level = TAILS; level > 0u; level--) {
        if ((rest >> (level - 1u)) % 2u == 0u) continue;
        const float more = aggregates.at[level];
        total = combine(total, more);
    }
    if (thread_id() != 0u) return;
    store_carry(params.carry_out, total);
    if (is_given(params.buffers[1])) store_first_outputs(Out(params.buffers[1]), total);
}
