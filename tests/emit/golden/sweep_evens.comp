// monosweep gen tests/corpus/sweeps.lua --op evens --target glsl --set strategy=single_block
// evens: compact of u32 to out, count
// monosweep 0.1.0, templates/scan/scan.tpl, strategy single_block: block 256, subgroup 32, items 24, vector 4
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

// Bytes from the last multiple of 128, the size of a line of memory, to an address.
uint place_in_line(uvec2 address)
{
    return address.x & 127u;
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

// A block_barrier that orders what they do in buffers, too.
void block_barrier_all_memory()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
}

// Orders what the lanes of a subgroup do in shared memory. All of them call it.
void subgroup_barrier()
{
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
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
    uint keeps_out;
};

struct Counts {
    uint64_t count;
};

uint combine(uint a, uint b)
{
    return a + b;
}

uint map_item(uint x)
{
    return (x & 1u) == 0u ? 1u : 0u;
}

Result output_item(uint state, uint x)
{
    return Result(x, state, (x & 1u) == 0u ? 1u : 0u);
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

// The carry-in if there is one, else the identity.
uint starting_prefix(uvec2 carry_in)
{
    return identity();
}

// Array `count`.
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer CountsAt1 {
    nonprivate uint64_t at[];
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

const uint CHUNK = 1u; // rows whose results lie together
const uint ROOM = 129u; // of a subgroup

// Array `out`: what subgroups have of it.
shared uint packed1[8u * ROOM];

const uint COPIES = 4u; // that a thread has in flight

// Writes `count` packed items, the array's from `first` on; item `low` is, or would be, the room's first. Each subgroup writes whole lines. The whole
// block calls it.
void leave_output1(uvec2 array, uint low, uint first, uint count)
{
    const uint lead = (first + place_in_line(array) / 4u) % 32u;
    for (uint round = 0u; round < lead + count; round += COPIES * LANES) {
        uint moved[COPIES];
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            const uint at = round + lane_id() + c * LANES - lead;
            if (at < count) moved[c] = packed1[subgroup_id() * ROOM + first - low + at];
        }
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            const uint at = round + lane_id() + c * LANES - lead;
            if (at < count) store_output1(Out1(array), first + at, moved[c]);
        }
    }
}

// Writes the outputs of a tile that has been packed, which has the items `start` to `past` - 1. `before` is what comes before it, `end` the same
// with it. The whole block calls it.
void leave_chunk(Out out_items, uint start, uint past, uint before, uint end)
{
    const Counts count_before = totals_of(before), count_after = totals_of(end);
    if (is_given(out_items.array1)) {
        const uint first = uint(count_before.count), last = uint(count_after.count);
        leave_output1(out_items.array1, uint(count_before.count) - 1u, first, last - first);
    }
}

// A lane's items of a tile, row by row.
struct Items {
    Inputs rows[ROWS];
};

// Of those from n on they mean nothing.
Items load_items(In in_items, bool is_aligned, uint start, uint n)
{
    Items items;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) items.rows[row] = load_full_inputs(in_items, start + row_place(row));
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) items.rows[row] = load_inputs(in_items, start + row_place(row), n);
    }
    return items;
}

struct RowScan {
    uint before[ROWS]; // what comes before the lane's part of a row in the subgroup's rows
    uint total; // of the subgroup's rows
};

// By the same tree as a tile whose results are not put together.
RowScan scan_items(Items items, uint start, uint n)
{
    uint sums[ROWS];
    if (start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint x = map_item(items.rows[row].at[v]);
                sums[row] = v == 0u ? x : combine(sums[row], x);
            }
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            sums[row] = identity();
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                uint x = identity();
                if (start + row_place(row) + v < n) x = map_item(items.rows[row].at[v]);
                sums[row] = v == 0u ? x : combine(sums[row], x);
            }
        }
    }
    RowScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint inclusive = subgroup_scan(sums[row]);
        const uint earlier = subgroup_shift(inclusive);
        const uint row_total = shuffle(inclusive, LANES - 1u);
        scan.before[row] = combine(scan.total, earlier);
        scan.total = combine(scan.total, row_total);
    }
    return scan;
}

// Writes the results of this subgroup's items, where `prefix` is what comes before them. The whole block calls it.
void store_items(Out out_items, Items items, RowScan scan, uint prefix, uint start, uint n)
{
    uint before = prefix; // the chunk
    UNROLL for (uint chunk = 0u; chunk < ROWS; chunk += CHUNK) {
        uint end = combine(prefix, scan.total); // the chunk, with it
        if (chunk + CHUNK < ROWS) end = shuffle(combine(prefix, scan.before[chunk + CHUNK < ROWS ? chunk + CHUNK : 0u]), 0u);
        const Counts count_before = totals_of(before);
        const uint first = start, past = n;
        const uint low1 = uint(count_before.count) - 1u;
        UNROLL for (uint r = 0u; r < CHUNK; r++) {
            const uint row = chunk + r;
            uint state = combine(prefix, scan.before[row]);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const bool is_there = start + row_place(row) + v < n;
                const uint x = map_item(items.rows[row].at[v]);
                const uint inclusive = combine(state, x);
                const Result result = output_item(state, items.rows[row].at[v]);
                state = inclusive;
                if (is_there && result.keeps_out != 0u) packed1[subgroup_id() * ROOM + result.place_of_out - low1] = result.out_;
            }
        }
        subgroup_barrier();
        leave_chunk(out_items, first, past, before, end);
        subgroup_barrier();
        before = end;
    }
}

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const TileRange tiles = owned_tiles(tile_count(n));

    uint prefix = starting_prefix(params.carry_in);
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const uint start = tile_start(tile, n);
        const Items items = load_items(in_items, in_is_aligned, start, n);
        const RowScan scan = scan_items(items, start, n);
        const BlockScan block = block_scan(scan.total);
        const uint subgroup_prefix = combine(prefix, block.before);
        prefix = combine(prefix, block.total);
        if (is_given(params.buffers[1])) store_items(out_items, items, scan, subgroup_prefix, start, n);
    }
    block_barrier_all_memory(); // all have read the carry-in, which may be the carry-out
    if (block_id() == block_count() - 1u && thread_id() == 0u) store_carry(params.carry_out, CountsAt(params.buffers[2]), prefix);
}
