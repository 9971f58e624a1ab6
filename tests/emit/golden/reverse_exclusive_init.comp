// monosweep gen tests/corpus/maps.lua --op affine_back --target glsl --set strategy=reduce_then_scan --quiet
// ---- affine_back, kernel 1 of 2: reduce_tiles
// affine_back: exclusive scan of Affine by monoid of Affine, from the last element
// monosweep 0.1.0, templates/scan/reduce.tpl, strategy reduce_then_scan: block 256, subgroup 32, items 12, vector 2
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
const uint VECTOR = 2u; // consecutive items of a lane
const uint ROWS = 6u; // of a tile, for each subgroup
const uint TILE = 3072u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // Affine: what comes before all elements
    uvec2 carry_out; // Affine: what all add up to
    uvec2 buffers[8]; // in: Affine[n], 4-byte aligned; out: Affine[n], 4-byte aligned
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

struct Affine {
    uint a;
    uint b;
};

Affine combine(Affine f, Affine g)
{
    return Affine(f.a * g.a, f.b * g.a + g.b);
}

Affine identity()
{
    return Affine(1u, 0u);
}

// The value of another lane. All lanes of the subgroup call it.
Affine shuffle(Affine x, uint lane)
{
    return Affine(subgroupShuffle(x.a, lane), subgroupShuffle(x.b, lane));
}

// The value of the lane `distance` before; any value where there is none.
Affine shuffle_up(Affine x, uint distance)
{
    return Affine(subgroupShuffleUp(x.a, distance), subgroupShuffleUp(x.b, distance));
}

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
Affine subgroup_scan_of(Affine x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const Affine earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(x, earlier);
    }
    return x;
}

// The value of the lane before; the identity in lane 0.
Affine subgroup_shift(Affine x)
{
    const Affine earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    Affine before;
    Affine total;
};

const uint TOTALS = 8u; // one for each subgroup
shared Affine subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(Affine subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    Affine total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In {
    Affine at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer InWords {
    uvec4 at[];
};

struct Inputs {
    Affine at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs load_full_inputs(In items, uint start)
{
    Inputs group;
    InWords words = InWords(uvec2(items));
    const uint first = start / VECTOR;
    const uvec4 word0 = words.at[first];
    group.at[0] = Affine(word0.x, word0.y);
    group.at[1] = Affine(word0.z, word0.w);
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

// Index of the lowest item of a tile. Tiles, rows, lanes and items go from the last item to the first; places beyond n come first.
uint tile_start(uint tile, uint n)
{
    return (tile_count(n) - 1u - tile) * TILE;
}

// Place in its tile of the lowest item of this lane's part of a row.
uint row_place(uint row)
{
    return TILE - ((subgroup_id() * ROWS + row) * LANES + lane_id() + 1u) * VECTOR;
}

// What one lane's part of each row adds up to.
struct Tile {
    Affine rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
Tile load_tile(In in_items, bool is_aligned, uint start, uint n)
{
    Tile tile;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const Affine x = inputs.at[VECTOR - 1u - v];
                if (v == 0u) tile.rows[row] = x;
                else tile.rows[row] = combine(x, tile.rows[row]);
            }
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            tile.rows[row] = identity();
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if (first + VECTOR - 1u - v < n) {
                    const Affine x = inputs.at[VECTOR - 1u - v];
                    tile.rows[row] = combine(x, tile.rows[row]);
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
TileRange owned_tiles(uint tiles)
{
    const uint share = (tiles + block_count() - 1u) / block_count();
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Carry {
    Affine at[];
};

// The first item alone.
Affine load_first_elements(Carry items)
{
    return items.at[0];
}

// The carry-in if there is one, else the operation's init.
Affine starting_prefix(uvec2 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return Affine(3u, 5u);
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Aggregates {
    Affine at[];
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

Aggregates block_aggregates(uvec2 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

// Of two lanes whose numbers differ in one bit, each with an upper and a lower value: the one without the bit gets the lower ones joined, the other
// the upper ones. All lanes of the subgroup call it.
Affine deal(Affine lower, Affine upper, uint bit)
{
    const bool is_later = (lane_id() & bit) != 0u;
    Affine given = upper;
    if (is_later) given = lower;
    const Affine taken = shuffle(given, lane_id() ^ bit);
    Affine earlier = lower, later = taken;
    if (is_later) {
        earlier = taken;
        later = upper;
    }
    return combine(later, earlier);
}

// What the tile adds up to. The whole block calls it, and every thread gets it.
Affine reduce_tile(In in_items, bool is_aligned, uint start, uint n)
{
    Tile tile = load_tile(in_items, is_aligned, start, n);
    // Of 6 rows a lane keeps 3: the later ones if its number has bit 1.
    tile.rows[0] = deal(tile.rows[0], tile.rows[3], 1u);
    tile.rows[1] = deal(tile.rows[1], tile.rows[4], 1u);
    tile.rows[2] = deal(tile.rows[2], tile.rows[5], 1u);
    // Of 3 rows a lane keeps 2, or one less: the later ones if its number has bit 2.
    tile.rows[0] = deal(tile.rows[0], tile.rows[2], 2u);
    tile.rows[1] = deal(tile.rows[1], identity(), 2u);
    // Of 2 rows a lane keeps 1: the later ones if its number has bit 4.
    tile.rows[0] = deal(tile.rows[0], tile.rows[1], 4u);
    Affine total = tile.rows[0];
    // Across the lanes that have parts of one row. Those are of use whose number has no bit of a step so far.
    UNROLL for (uint step = 8u; step < LANES; step *= 2u) {
        const Affine later = shuffle(total, lane_id() ^ step);
        total = combine(later, total);
    }
    // Across rows, from the bit that dealt them out last.
    UNROLL for (uint step = 4u; step > 0u; step /= 2u) {
        const Affine later = shuffle(total, lane_id() ^ step);
        total = combine(later, total);
    }
    return block_scan(shuffle(total, 0u)).total;
}

void main()
{
    Affine total = identity();
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const TileRange tiles = owned_tiles(tile_count(n));

    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const Affine aggregate = reduce_tile(in_items, is_aligned, tile_start(tile, n), n);
        total = combine(aggregate, total);
    }
    if (thread_id() != 0u) return;
    Aggregates aggregates = block_aggregates(params.scratch);
    if (block_id() == 0u) aggregates.at[0] = starting_prefix(params.carry_in); // later launches take it from here: carry-in may be carry-out
    aggregates.at[block_id() + 1u] = total;
}
// ---- affine_back, kernel 2 of 2: scan_tiles
// affine_back: exclusive scan of Affine by monoid of Affine, from the last element
// monosweep 0.1.0, templates/scan/scan.tpl, strategy reduce_then_scan: block 256, subgroup 32, items 12, vector 2
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
const uint VECTOR = 2u; // consecutive items of a lane
const uint ROWS = 6u; // of a tile, for each subgroup
const uint TILE = 3072u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // Affine: what comes before all elements
    uvec2 carry_out; // Affine: what all add up to
    uvec2 buffers[8]; // in: Affine[n], 4-byte aligned; out: Affine[n], 4-byte aligned
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

struct Affine {
    uint a;
    uint b;
};

Affine combine(Affine f, Affine g)
{
    return Affine(f.a * g.a, f.b * g.a + g.b);
}

Affine identity()
{
    return Affine(1u, 0u);
}

// The value of another lane. All lanes of the subgroup call it.
Affine shuffle(Affine x, uint lane)
{
    return Affine(subgroupShuffle(x.a, lane), subgroupShuffle(x.b, lane));
}

// The value of the lane `distance` before; any value where there is none.
Affine shuffle_up(Affine x, uint distance)
{
    return Affine(subgroupShuffleUp(x.a, distance), subgroupShuffleUp(x.b, distance));
}

// The monoid's elements of one lane in one row.
struct Elements {
    Affine at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
Affine subgroup_scan_of(Affine x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const Affine earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(x, earlier);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
Affine subgroup_scan(Affine x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
Affine subgroup_shift(Affine x)
{
    const Affine earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    Affine before;
    Affine total;
};

const uint TOTALS = 8u; // one for each subgroup
shared Affine subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(Affine subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    Affine total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In {
    Affine at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer InWords {
    uvec4 at[];
};

struct Inputs {
    Affine at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs load_full_inputs(In items, uint start)
{
    Inputs group;
    InWords words = InWords(uvec2(items));
    const uint first = start / VECTOR;
    const uvec4 word0 = words.at[first];
    group.at[0] = Affine(word0.x, word0.y);
    group.at[1] = Affine(word0.z, word0.w);
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

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out {
    Affine at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer OutWords {
    uvec4 at[];
};

struct Outputs {
    Affine at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_outputs(Out items, uint start, Outputs group)
{
    OutWords words = OutWords(uvec2(items));
    const uint first = start / VECTOR;
    words.at[first] = uvec4(group.at[0].a, group.at[0].b, group.at[1].a, group.at[1].b);
}

// Items start .. start + VECTOR - 1 but for those from n on.
void store_outputs(Out items, uint start, uint n, Outputs group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = group.at[v];
    }
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Carry {
    Affine at[];
};

void store_first_elements(Carry items, Affine item)
{
    items.at[0] = item;
}

// One thread's total becomes the carry-out, if one is asked for.
void store_carry(uvec2 carry_out, Affine total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
}

uint tile_count(uint n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the lowest item of a tile. Tiles, rows, lanes and items go from the last item to the first; places beyond n come first.
uint tile_start(uint tile, uint n)
{
    return (tile_count(n) - 1u - tile) * TILE;
}

// Place in its tile of the lowest item of this lane's part of a row.
uint row_place(uint row)
{
    return TILE - ((subgroup_id() * ROWS + row) * LANES + lane_id() + 1u) * VECTOR;
}

// The monoid's elements of one lane, row by row, last item first.
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
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[VECTOR - 1u - v] = inputs.at[v];
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
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
    Affine row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    Affine total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v], x.at[v - 1u]);
        const Affine inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const Affine exclusive = subgroup_shift(inclusive);
        const Affine row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(exclusive, scan.total);
        scan.total = combine(row_total, scan.total);
    }
    return scan;
}

// Writes the scan of the tile after `prefix`, which holds what comes before this subgroup.
void store_tile(Out out_items, bool is_aligned, TileScan scan, Affine prefix, uint start, uint n)
{
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Affine before = combine(scan.row_prefix[row], prefix);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                Affine s = before;
                if (v > 0u) s = combine(scan.rows[row].at[v - 1u], before);
                outputs.at[VECTOR - 1u - v] = s;
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Affine before = combine(scan.row_prefix[row], prefix);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                Affine s = before;
                if (v > 0u) s = combine(scan.rows[row].at[v - 1u], before);
                outputs.at[VECTOR - 1u - v] = s;
            }
            store_outputs(out_items, first, n, outputs);
        }
    }
}

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Aggregates {
    Affine at[];
};

const uint AGGREGATES_OFFSET = 0u; // bytes, in the scratch

Aggregates block_aggregates(uvec2 scratch)
{
    return Aggregates(address_at(scratch, AGGREGATES_OFFSET));
}

// What one value a thread adds up to, in thread order. The whole block calls it.
Affine block_reduce(Affine x)
{
    const Affine inclusive = subgroup_scan(x);
    return block_scan(shuffle(inclusive, LANES - 1u)).total;
}

// What comes before this block: the starting prefix and the blocks before it.
Affine aggregate_before(Aggregates aggregates)
{
    Affine before = identity();
    for (uint first = 0u; first <= block_id(); first += BLOCK) {
        Affine x = identity();
        if (first + thread_id() <= block_id()) x = aggregates.at[first + thread_id()];
        const Affine more = block_reduce(x);
        before = combine(more, before);
    }
    return before;
}

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const bool out_is_aligned = is_vector_aligned(params.buffers[1]);
    const TileRange tiles = owned_tiles(tile_count(n));

    Affine prefix = aggregate_before(block_aggregates(params.scratch));
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const uint start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const Affine subgroup_prefix = combine(block.before, prefix);
        prefix = combine(block.total, prefix);
        if (is_given(params.buffers[1])) store_tile(out_items, out_is_aligned, scan, subgroup_prefix, start, n);
    }
    if (block_id() == block_count() - 1u && thread_id() == 0u) store_carry(params.carry_out, prefix);
}
