// monosweep gen tests/corpus/maps.lua --op dfa_back --target glsl --without int8,int16 --set strategy=single_block --quiet
// dfa_back: exclusive scan of u8 by monoid of u8, from the last element
// monosweep 0.1.0, templates/scan/scan.tpl, strategy single_block: block 256, subgroup 32, items 32, vector 16
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
const uint ROWS = 2u; // of a tile, for each subgroup
const uint TILE = 8192u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // u8: what comes before all elements
    uvec2 carry_out; // u8: what all add up to
    uvec2 buffers[8]; // in: u8[n], 4-byte aligned; out: u8[n], 4-byte aligned
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

uint combine(uint f, uint g)
{
    uint merged = ((g >> ((f & 3u) * 2u)) & 3u) | (((g >> (((f >> 2) & 3u) * 2u)) & 3u) << 2);
    uint merged2 = merged | (((g >> (((f >> 4) & 3u) * 2u)) & 3u) << 4);
    return merged2 | (((g >> (((f >> 6) & 3u) * 2u)) & 3u) << 6);
}

uint identity()
{
    return 228u;
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
        if (lane_id() >= step) x = combine(x, earlier);
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
    uint word[]; // 4 words for 16 elements of 1 byte
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
Inputs load_inputs(In items, uint start, uint n)
{
    Inputs group;
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

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out {
    uint word[]; // 4 words for 16 elements of 1 byte
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer OutWords {
    uvec4 at[];
};

struct Outputs {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_outputs(Out items, uint start, Outputs group)
{
    OutWords words = OutWords(uvec2(items));
    const uint first = start / VECTOR;
    words.at[first] = uvec4(group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u), group.at[4] | (group.at[5] << 8u) | (group.at[6] << 16u) | (group.at[7] << 24u), group.at[8] | (group.at[9] << 8u) | (group.at[10] << 16u) | (group.at[11] << 24u), group.at[12] | (group.at[13] << 8u) | (group.at[14] << 16u) | (group.at[15] << 24u));
}

// Items start .. start + VECTOR - 1 but for those from n on.
void store_outputs(Out items, uint start, uint n, Outputs group)
{
    const uint first = start / VECTOR * 4u;
    if (start + 3u < n) {
        items.word[first] = group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u);
    } else if (start < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * (n - start))) - 1u;
        atomicAnd(items.word[first], ~mask);
        atomicOr(items.word[first], (group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u)) & mask);
    }
    if (start + 7u < n) {
        items.word[first + 1u] = group.at[4] | (group.at[5] << 8u) | (group.at[6] << 16u) | (group.at[7] << 24u);
    } else if (start + 4u < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * (n - start - 4u))) - 1u;
        atomicAnd(items.word[first + 1u], ~mask);
        atomicOr(items.word[first + 1u], (group.at[4] | (group.at[5] << 8u) | (group.at[6] << 16u) | (group.at[7] << 24u)) & mask);
    }
    if (start + 11u < n) {
        items.word[first + 2u] = group.at[8] | (group.at[9] << 8u) | (group.at[10] << 16u) | (group.at[11] << 24u);
    } else if (start + 8u < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * (n - start - 8u))) - 1u;
        atomicAnd(items.word[first + 2u], ~mask);
        atomicOr(items.word[first + 2u], (group.at[8] | (group.at[9] << 8u) | (group.at[10] << 16u) | (group.at[11] << 24u)) & mask);
    }
    if (start + 15u < n) {
        items.word[first + 3u] = group.at[12] | (group.at[13] << 8u) | (group.at[14] << 16u) | (group.at[15] << 24u);
    } else if (start + 12u < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * (n - start - 12u))) - 1u;
        atomicAnd(items.word[first + 3u], ~mask);
        atomicOr(items.word[first + 3u], (group.at[12] | (group.at[13] << 8u) | (group.at[14] << 16u) | (group.at[15] << 24u)) & mask);
    }
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Carry {
    nonprivate uint word[]; // 4 words for 16 elements of 1 byte
};

// Items start .. start + VECTOR - 1; those from n on are not read.
Elements load_elements(Carry items, uint start, uint n)
{
    Elements group;
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

// The first item alone.
uint load_first_elements(Carry items)
{
    return load_elements(items, 0u, 1u).at[0];
}

// Items start .. start + VECTOR - 1 but for those from n on.
void store_elements(Carry items, uint start, uint n, Elements group)
{
    const uint first = start / VECTOR * 4u;
    if (start + 3u < n) {
        items.word[first] = group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u);
    } else if (start < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * (n - start))) - 1u;
        atomicAnd(items.word[first], ~mask);
        atomicOr(items.word[first], (group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u)) & mask);
    }
    if (start + 7u < n) {
        items.word[first + 1u] = group.at[4] | (group.at[5] << 8u) | (group.at[6] << 16u) | (group.at[7] << 24u);
    } else if (start + 4u < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * (n - start - 4u))) - 1u;
        atomicAnd(items.word[first + 1u], ~mask);
        atomicOr(items.word[first + 1u], (group.at[4] | (group.at[5] << 8u) | (group.at[6] << 16u) | (group.at[7] << 24u)) & mask);
    }
    if (start + 11u < n) {
        items.word[first + 2u] = group.at[8] | (group.at[9] << 8u) | (group.at[10] << 16u) | (group.at[11] << 24u);
    } else if (start + 8u < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * (n - start - 8u))) - 1u;
        atomicAnd(items.word[first + 2u], ~mask);
        atomicOr(items.word[first + 2u], (group.at[8] | (group.at[9] << 8u) | (group.at[10] << 16u) | (group.at[11] << 24u)) & mask);
    }
    if (start + 15u < n) {
        items.word[first + 3u] = group.at[12] | (group.at[13] << 8u) | (group.at[14] << 16u) | (group.at[15] << 24u);
    } else if (start + 12u < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * (n - start - 12u))) - 1u;
        atomicAnd(items.word[first + 3u], ~mask);
        atomicOr(items.word[first + 3u], (group.at[12] | (group.at[13] << 8u) | (group.at[14] << 16u) | (group.at[15] << 24u)) & mask);
    }
}

void store_first_elements(Carry items, uint item)
{
    Elements group;
    group.at[0] = item;
    store_elements(items, 0u, 1u, group);
}

// The carry-in if there is one, else the identity.
uint starting_prefix(uvec2 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return identity();
}

// One thread's total becomes the carry-out, if one is asked for.
void store_carry(uvec2 carry_out, uint total)
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
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v], x.at[v - 1u]);
        const uint inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const uint exclusive = subgroup_shift(inclusive);
        const uint row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(exclusive, scan.total);
        scan.total = combine(row_total, scan.total);
    }
    return scan;
}

// Writes the scan of the tile after `prefix`, which holds what comes before this subgroup.
void store_tile(Out out_items, bool is_aligned, TileScan scan, uint prefix, uint start, uint n)
{
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const uint before = combine(scan.row_prefix[row], prefix);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                uint s = before;
                if (v > 0u) s = combine(scan.rows[row].at[v - 1u], before);
                outputs.at[VECTOR - 1u - v] = s;
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const uint before = combine(scan.row_prefix[row], prefix);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                uint s = before;
                if (v > 0u) s = combine(scan.rows[row].at[v - 1u], before);
                outputs.at[VECTOR - 1u - v] = s;
            }
            store_outputs(out_items, first, n, outputs);
        }
    }
}

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const bool out_is_aligned = is_vector_aligned(params.buffers[1]);
    const TileRange tiles = owned_tiles(tile_count(n));

    uint prefix = starting_prefix(params.carry_in);
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const uint start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const uint subgroup_prefix = combine(block.before, prefix);
        prefix = combine(block.total, prefix);
        if (is_given(params.buffers[1])) store_tile(out_items, out_is_aligned, scan, subgroup_prefix, start, n);
    }
    block_barrier_all_memory(); // all have read the carry-in, which may be the carry-out
    if (block_id() == block_count() - 1u && thread_id() == 0u) store_carry(params.carry_out, prefix);
}
