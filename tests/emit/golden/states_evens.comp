// monosweep gen tests/corpus/sweeps.lua --op evens --target glsl --set strategy=scan_then_propagate
// ---- evens, kernel 1 of 2: scan_tiles
// evens: compact of u32 to out, count
// monosweep 0.1.0, templates/scan/scan.tpl, strategy scan_then_propagate: block 256, subgroup 32, items 24, vector 4
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
const uint VECTOR = 4u; // consecutive items of a lane
const uint ROWS = 6u; // of a tile, for each subgroup
const uint TILE = 6144u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // in: u32[n], 4-byte aligned; out: u32[n], 4-byte aligned; count: u64, 8-byte aligned
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

uint combine(uint a, uint b)
{
    return a + b;
}

uint map_item(uint x)
{
    return (x & 1u) == 0u ? 1u : 0u;
}

uint identity()
{
    return 0u;
}

// The value of another lane. All lanes of the subgroup call it.
uint shuffle(uint x, uint lane)
{
    return subgroupShuffle(x, lane);
}

// The value of the lane `distance` before; any value where there is none.
uint shuffle_up(uint x, uint distance)
{
    return subgroupShuffleUp(x, distance);
}

// The monoid's elements of one lane in one row.
struct Elements {
    uint at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
uint subgroup_scan_of(uint x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
uint subgroup_scan(uint x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
uint subgroup_shift(uint x)
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
shared uint subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uint subgroup_total)
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

// The carry-in if there is one, else the identity.
uint starting_prefix(uvec2 carry_in)
{
    return identity();
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
    uint row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    uint total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
TileScan scan_tile(Tile tile)
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

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer StatesAt {
    uint at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer StatesAtWords {
    uvec4 at[];
};

struct States {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_states(StatesAt items, uint start, States group)
{
    StatesAtWords words = StatesAtWords(uvec2(items));
    const uint first = start / VECTOR;
    words.at[first] = uvec4(group.at[0], group.at[1], group.at[2], group.at[3]);
}

const uint STATES_OFFSET = 2064u; // bytes, in the scratch

StatesAt states_at(uvec2 scratch)
{
    return StatesAt(address_at(scratch, STATES_OFFSET));
}

// Leaves the states of a tile's items; `prefix` is what comes before this subgroup in the block.
void leave_states(uvec2 scratch, TileScan scan, uint prefix, uint start)
{
    StatesAt states = states_at(scratch);
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint before = combine(prefix, scan.row_prefix[row]);
        States group;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            group.at[v] = before;
            if (v > 0u) group.at[v] = combine(before, scan.rows[row].at[v - 1u]);
        }
        store_full_states(states, start + row_place(row), group);
    }
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Aggregates {
    uint at[];
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

Aggregates block_aggregates(uvec2 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const TileRange tiles = owned_tiles(tile_count(n));

    uint prefix = identity();
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const uint start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const uint subgroup_prefix = combine(prefix, block.before);
        prefix = combine(prefix, block.total);
        leave_states(params.scratch, scan, subgroup_prefix, start);
    }
    if (thread_id() == 0u) {
        Aggregates aggregates = block_aggregates(params.scratch);
        if (block_id() == 0u) aggregates.at[0] = starting_prefix(params.carry_in);
        aggregates.at[block_id() + 1u] = prefix;
    }
}
// ---- evens, kernel 2 of 2: propagate_prefixes
// evens: compact of u32 to out, count
// monosweep 0.1.0, templates/scan/scan.tpl, strategy scan_then_propagate: block 256, subgroup 32, items 24, vector 4
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 256) in;

const uint BLOCK = 256u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint VECTOR = 4u; // consecutive items of a lane
const uint ROWS = 6u; // of a tile, for each subgroup
const uint TILE = 6144u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // in: u32[n], 4-byte aligned; out: u32[n], 4-byte aligned; count: u64, 8-byte aligned
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

struct Result {
    uint out_;
    uint place_of_out;
};

struct Counts {
    uint64_t count;
};

uint combine(uint a, uint b)
{
    return a + b;
}

Result output_item(uint state, uint x)
{
    return Result(x, (x & 1u) == 0u ? state : 0xffffffffu);
}

Counts totals_of(uint total)
{
    return Counts(uint64_t(total));
}

uint identity()
{
    return 0u;
}

// The value of another lane. All lanes of the subgroup call it.
uint shuffle(uint x, uint lane)
{
    return subgroupShuffle(x, lane);
}

// The value of the lane `distance` before; any value where there is none.
uint shuffle_up(uint x, uint distance)
{
    return subgroupShuffleUp(x, distance);
}

// The monoid's elements of one lane in one row.
struct Elements {
    uint at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
uint subgroup_scan_of(uint x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
uint subgroup_scan(uint x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
uint subgroup_shift(uint x)
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
shared uint subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uint subgroup_total)
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

const uint NOWHERE = 0xffffffffu; // the place of what is not written

// Array `out`.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out1 {
    uint at[];
};

void store_output1(Out1 items, uint i, uint item)
{
    items.at[i] = item;
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
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (group.at[v].place_of_out != NOWHERE) store_output1(Out1(items.array1), group.at[v].place_of_out, group.at[v].out_);
        }
    }
}

// Elements start .. start + VECTOR - 1 but for those from n on.
void store_outputs(Out items, uint start, uint n, Outputs group)
{
    if (is_given(items.array1)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (start + v < n && group.at[v].place_of_out != NOWHERE) store_output1(Out1(items.array1), group.at[v].place_of_out, group.at[v].out_);
        }
    }
}

// Array `count`.
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer CountsAt1 {
    uint64_t at[];
};

void store_number1(CountsAt1 items, uint i, uint64_t item)
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
void store_carry(uvec2 carry_out, CountsAt numbers, uint total)
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

// Writes what is made of the states of the tile's items after `prefix`, which holds what comes before this block.
void store_tile(Out out_items, In in_items, bool is_aligned, Tile scan, uint prefix, uint start, uint n)
{
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint s = combine(prefix, scan.rows[row].at[v]);
                outputs.at[v] = output_item(s, inputs.at[v]);
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint s = combine(prefix, scan.rows[row].at[v]);
                if (first + v < n) outputs.at[v] = output_item(s, inputs.at[v]);
            }
            store_outputs(out_items, first, n, outputs);
        }
    }
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer StatesAt {
    uint at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer StatesAtWords {
    uvec4 at[];
};

struct States {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
States load_full_states(StatesAt items, uint start)
{
    States group;
    StatesAtWords words = StatesAtWords(uvec2(items));
    const uint first = start / VECTOR;
    const uvec4 word0 = words.at[first];
    group.at[0] = word0.x;
    group.at[1] = word0.y;
    group.at[2] = word0.z;
    group.at[3] = word0.w;
    return group;
}

const uint STATES_OFFSET = 2064u; // bytes, in the scratch

StatesAt states_at(uvec2 scratch)
{
    return StatesAt(address_at(scratch, STATES_OFFSET));
}

// The states that an earlier launch has left of a tile's items.
Tile take_states(uvec2 scratch, uint start)
{
    StatesAt states = states_at(scratch);
    Tile tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const States group = load_full_states(states, start + row_place(row));
        UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = group.at[v];
    }
    return tile;
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Aggregates {
    uint at[];
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

Aggregates block_aggregates(uvec2 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

// What one value a thread adds up to, in thread order. The whole block calls it.
uint block_reduce(uint x)
{
    const uint inclusive = subgroup_scan(x);
    return block_scan(shuffle(inclusive, LANES - 1u)).total;
}

// What comes before this block: the starting prefix and the blocks before it.
uint aggregate_before(Aggregates aggregates)
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

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const bool out_is_aligned = in_is_aligned && true;
    const TileRange tiles = owned_tiles(tile_count(n));

    uint prefix = aggregate_before(block_aggregates(params.scratch));
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const uint start = tile_start(tile, n);
        const Tile states = take_states(params.scratch, start);
        if (is_given(params.buffers[1])) store_tile(out_items, in_items, out_is_aligned, states, prefix, start, n);
    }
    if (block_id() == block_count() - 1u && thread_id() == 0u) {
        Aggregates aggregates = block_aggregates(params.scratch);
        const uint aggregate = aggregates.at[block_id() + 1u];
        const uint total = combine(prefix, aggregate);
        store_carry(params.carry_out, CountsAt(params.buffers[2]), total);
    }
}
