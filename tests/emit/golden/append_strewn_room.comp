// monosweep gen tests/corpus/append.lua --op append_strewn_room --target glsl --set strategy=atomic_bump
// ---- append_strewn_room, kernel 1 of 2: scan_atomic_bump
// append_strewn_room: append of u32 to out, count
// monosweep 0.1.0, templates/scan/any_order.tpl, strategy atomic_bump: block 128, subgroup 32, items 16, vector 2
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 128) in;

const uint BLOCK = 128u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint VECTOR = 2u; // consecutive items of a lane
const uint ROWS = 8u; // of a tile, for each subgroup
const uint TILE = 2048u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // in: u32[n], 4-byte aligned; out: Splat[20000], 4-byte aligned; count: u64, 8-byte aligned
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

// A block_barrier that orders what they do in buffers, too.
void block_barrier_all_memory()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
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

struct Splat {
    uint tile;
    float depth;
};

struct Result {
    Splat out_;
};

struct Counts {
    uint64_t count;
};

uint64_t combine(uint64_t a, uint64_t b)
{
    return a + b;
}

uint64_t map_item(uint x, uint i)
{
    return uint64_t(x % 6u);
}

Counts totals_of(uint64_t total)
{
    return Counts(total);
}

Result item_of(uint x, uint i, uint k)
{
    return Result(Splat(i * 16u + k, float(x & 0xffffu)));
}

uint reach(uint64_t from, uint64_t to)
{
    uint64_t difference = to - from;
    return mix(0xffffffffu, uint(difference), difference < 0xfffffffful);
}

uint64_t identity()
{
    return 0ul;
}

// The value of another lane. All lanes of the subgroup call it.
uint64_t shuffle(uint64_t x, uint lane)
{
    return packUint2x32(subgroupShuffle(unpackUint2x32(x), lane));
}

// The value of the lane `distance` before; any value where there is none.
uint64_t shuffle_up(uint64_t x, uint distance)
{
    return packUint2x32(subgroupShuffleUp(unpackUint2x32(x), distance));
}

// The monoid's elements of one lane in one row.
struct Elements {
    uint64_t at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
uint64_t subgroup_scan_of(uint64_t x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uint64_t earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
uint64_t subgroup_scan(uint64_t x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
uint64_t subgroup_shift(uint64_t x)
{
    const uint64_t earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    uint64_t before;
    uint64_t total;
};

const uint TOTALS = 4u; // one for each subgroup
shared uint64_t subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uint64_t subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
    uint64_t total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// Array `in`.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In1 {
    uint at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer In1Words {
    uvec2 at[];
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
    const uvec2 word0 = words.at[first];
    group.at[0] = word0.x;
    group.at[1] = word0.y;
    return group;
}

// Items start .. start + VECTOR - 1; those from n on are not read.
Inputs1 load_inputs1(In1 items, uint start, uint n)
{
    Inputs1 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
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
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Out1 {
    Splat at[];
};

void store_output1(Out1 items, uint i, Splat item)
{
    items.at[i] = item;
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
void store_carry(uvec2 carry_out, CountsAt numbers, uint64_t total)
{
    store_number(numbers, 0u, totals_of(total));
}

const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint ROOM = 32u; // items that have room, in 8 bytes
const uint FINISHED = 64u; // blocks that need none of the counters any more

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Counters {
    uint at[];
};

// One that does not change during a launch.
uint constant_counter(uvec2 scratch, uint counter)
{
    return Counters(scratch).at[counter];
}

void store_counter(uvec2 scratch, uint counter, uint value)
{
    atomicStore(Counters(scratch).at[counter], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer WideCounters {
    uint64_t at[];
};

// Of 8 bytes. Adds; returns what was there.
uint64_t add_wide_counter(uvec2 scratch, uint counter, uint64_t value)
{
    return atomicAdd(WideCounters(scratch).at[counter / 2u], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Of 8 bytes. Returns what was there.
uint64_t exchange_wide_counter(uvec2 scratch, uint counter, uint64_t value)
{
    return atomicExchange(WideCounters(scratch).at[counter / 2u], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
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

// Takes room for that many items; returns where it begins.
uint64_t take_room(uvec2 scratch, uint64_t count)
{
    return add_wide_counter(scratch, ROOM, count);
}

// How many items have taken room; the next launch begins anew.
uint64_t end_rooms(uvec2 scratch)
{
    return exchange_wide_counter(scratch, ROOM, identity());
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
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = map_item(inputs.at[v], first + v);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[v] = identity();
                if (first + v < n) tile.rows[row].at[v] = map_item(inputs.at[v], first + v);
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
    uint64_t row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    uint64_t total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v - 1u], x.at[v]);
        const uint64_t inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const uint64_t exclusive = subgroup_shift(inclusive);
        const uint64_t row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(scan.total, exclusive);
        scan.total = combine(scan.total, row_total);
    }
    return scan;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Sources1 {
    uint at[];
};

uint load_source1(Sources1 items, uint i)
{
    return items.at[i];
}

uint load_source(In items, uint i)
{
    return load_source1(Sources1(items.array1), i);
}

shared uint starts[TILE]; // where the items of each of the tile's elements begin among the tile's
shared uint places[TILE]; // and where they go

// Takes room for the items of each element, whose lengths become those that fit.
Tile take_rooms(Tile tile, Out out_items, uvec2 scratch)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const uint64_t none = identity(), length = tile.rows[row].at[v];
            if (length == none) continue;
            const uint64_t place = take_room(scratch, length);
            const uint first = reach(none, place);
            places[row_place(row) + v] = first;
            tile.rows[row].at[v] = first < 20000u ? uint64_t(min(reach(none, length), 20000u - first)) : none;
        }
    }
    return tile;
}

// The element that has item j of the tile: the last whose items begin no later.
uint source_of(uint j)
{
    uint source = 0u;
    UNROLL for (uint bit = 0u; bit < 11u; bit++) {
        const uint later = source + (1024u >> bit);
        if (starts[later] <= j) source = later;
    }
    return source;
}

// Notes where the elements' items begin: `prefix` are those before the tile, subgroup_prefix those before this subgroup.
void write_starts(TileScan scan, uint64_t prefix, uint64_t subgroup_prefix)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint64_t before = combine(subgroup_prefix, scan.row_prefix[row]);
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            uint64_t s = before;
            if (v > 0u) s = combine(before, scan.rows[row].at[v - 1u]);
            starts[row_place(row) + v] = reach(prefix, s);
        }
    }
}

// Writes the tile's items from `from` on before `to`; first: the place of the tile's first item. The whole block calls it.
void write_items(In in_items, Out out_items, uint first, uint from, uint to, uint start)
{
    block_barrier();
    // All threads take part in each round, so that they are together again behind the last one.
    for (uint round = from; round < to; round += BLOCK) {
        const uint j = round + thread_id();
        const uint source = source_of(j);
        if (j < to) store_output(out_items, places[source] + (j - starts[source]), item_of(load_source(in_items, start + source), start + source, j - starts[source]));
    }
    block_barrier(); // the next tile's starts take the place of these; a block of several subgroups meets when it scans their totals
}

// Writes the items of a tile: `prefix` are those before it, `end` with its own; subgroup_prefix: those before this subgroup. The whole block
// calls it.
void expand_tile(In in_items, Out out_items, TileScan scan, uint64_t prefix, uint64_t subgroup_prefix, uint64_t end, uint start)
{
    const uint64_t none = identity();
    const uint first = reach(none, prefix);
    const uint count = first < 20000u ? min(reach(prefix, end), 20000u - first) : 0u;
    write_starts(scan, prefix, subgroup_prefix);
    write_items(in_items, out_items, first, 0u, count, start);
}

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const TileRange tiles = owned_tiles(tile_count(n));
    if (zeroed_count(params.scratch) < 2u) return; // the counters

    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const uint start = tile_start(tile, n);
        const TileScan scan = scan_tile(take_rooms(load_tile(in_items, in_is_aligned, start, n), out_items, params.scratch));
        const BlockScan block = block_scan(scan.total);
        if (is_given(params.buffers[1])) {
            const uint64_t prefix = identity();
            const uint64_t subgroup_prefix = combine(prefix, block.before);
            const uint64_t end = combine(prefix, block.total);
            expand_tile(in_items, out_items, scan, prefix, subgroup_prefix, end, start);
        }
    }
    block_barrier_all_memory(); // all of the block's items have taken room
    if (thread_id() != 0u || !is_last_block(params.scratch, finish_block(params.scratch))) return;
    store_carry(params.carry_out, CountsAt(params.buffers[2]), end_rooms(params.scratch));
}
// ---- append_strewn_room, kernel 2 of 2: zero_scratch
// append_strewn_room: append of u32 to out, count
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 128, subgroup 32, items 16, vector 2
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
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
    uvec2 buffers[8]; // in: u32[n], 4-byte aligned; out: Splat[20000], 4-byte aligned; count: u64, 8-byte aligned
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
