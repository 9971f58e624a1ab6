// monosweep gen tests/corpus/monoids.lua --op dfa_reverse --target glsl --without int8,int16 --set strategy=single_block --quiet
// dfa_reverse: inclusive scan of u8 by monoid of u8, from the last element
// monosweep 0.1.0, template templates/scan.tpl, strategy single_block; block 256, subgroup 32, items 16, vector 4
//
// Parameters: push constants of 120 bytes. Buffers are device addresses: 0 is in (u8), 1 is out (u8).
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
const uint VECTOR = 4u; // consecutive items of a lane
const uint ROWS = 4u; // of a tile, for each subgroup
const uint TILE = 4096u; // items of a tile

layout(push_constant, scalar) uniform Parameters {
    uvec2 n;
    uvec2 n_address; // of n, when that is known on the device only
    uvec2 scratch;
    uvec2 carry_in;
    uvec2 carry_out;
    uvec2 buffers[8];
    uint argument;
} params;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Count {
    uvec2 value;
};

bool is_given(uvec2 address)
{
    return address != uvec2(0u);
}

// n, or the bound of a device-side n, as it was launched.
uint launch_bound()
{
    return params.n.x;
}

uint element_count()
{
    if (!is_given(params.n_address)) return params.n.x;
    const uvec2 n = Count(params.n_address).value;
    return n.y == 0u ? min(n.x, params.n.x) : params.n.x;
}

uint block_id()
{
    return gl_WorkGroupID.x;
}

uint block_count()
{
    return gl_NumWorkGroups.x;
}

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

uint combine(uint f, uint g)
{
    uint merged = 0u | ((((g >> ((((f >> 0) & 3u) * 2u) & 255u & 7u)) & 3u) << 0) & 255u);
    uint merged2 = merged | ((((g >> ((((f >> 2) & 3u) * 2u) & 255u & 7u)) & 3u) << 2) & 255u);
    uint merged3 = merged2 | ((((g >> ((((f >> 4) & 3u) * 2u) & 255u & 7u)) & 3u) << 4) & 255u);
    return merged3 | ((((g >> ((((f >> 6) & 3u) * 2u) & 255u & 7u)) & 3u) << 6) & 255u);
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

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Aggregates {
    uint at[];
};

// The monoid's elements of one lane in one row.
struct Elements {
    uint at[VECTOR];
};

// Inclusive scan of one value a lane (Kogge-Stone). All lanes of the subgroup call it.
uint subgroup_scan(uint x)
{
    UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(x, earlier);
    }
    return x;
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

shared uint subgroup_totals[8];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uint subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    uint total = identity();
    if (lane_id() < 8u) total = subgroup_totals[lane_id()];
    total = subgroup_scan(total);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, 7u);
    block_barrier();
    return scan;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In {
    uint word[]; // 4 elements of 1 bytes in 1
};

struct Inputs {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1; those from n on are not read.
Inputs load_inputs(In items, uint start, uint n)
{
    Inputs group;
    const uint first = start / VECTOR * 1u;
    uint words[1];
    words[0] = start < n ? items.word[first] : 0u;
    group.at[0] = bitfieldExtract(words[0], 0, 8);
    group.at[1] = bitfieldExtract(words[0] >> 8u, 0, 8);
    group.at[2] = bitfieldExtract(words[0] >> 16u, 0, 8);
    group.at[3] = bitfieldExtract(words[0] >> 24u, 0, 8);
    return group;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out {
    uint word[]; // 4 elements of 1 bytes in 1
};

struct Outputs {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1 but for those from n on.
void store_outputs(Out items, uint start, uint n, Outputs group)
{
    const uint first = start / VECTOR * 1u;
    if (start + 3u < n) {
        items.word[first] = group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u);
    } else if (start < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * ((n - start) * 1u - 0u))) - 1u;
        atomicAnd(items.word[first], ~mask);
        atomicOr(items.word[first], (group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u)) & mask);
    }
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Carry {
    uint word[]; // 4 elements of 1 bytes in 1
};

// Items start .. start + VECTOR - 1; those from n on are not read.
Elements load_elements(Carry items, uint start, uint n)
{
    Elements group;
    const uint first = start / VECTOR * 1u;
    uint words[1];
    words[0] = start < n ? items.word[first] : 0u;
    group.at[0] = bitfieldExtract(words[0], 0, 8);
    group.at[1] = bitfieldExtract(words[0] >> 8u, 0, 8);
    group.at[2] = bitfieldExtract(words[0] >> 16u, 0, 8);
    group.at[3] = bitfieldExtract(words[0] >> 24u, 0, 8);
    return group;
}

// Items start .. start + VECTOR - 1 but for those from n on.
void store_elements(Carry items, uint start, uint n, Elements group)
{
    const uint first = start / VECTOR * 1u;
    if (start + 3u < n) {
        items.word[first] = group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u);
    } else if (start < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * ((n - start) * 1u - 0u))) - 1u;
        atomicAnd(items.word[first], ~mask);
        atomicOr(items.word[first], (group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u)) & mask);
    }
}

// The carry-in if there is one, else the identity.
uint starting_prefix()
{
    if (is_given(params.carry_in)) return load_elements(Carry(params.carry_in), 0u, 1u).at[0];
    return identity();
}

void carry_out(uint total)
{
    if (!is_given(params.carry_out) || thread_id() != 0u) return;
    Elements elements;
    elements.at[0] = total;
    store_elements(Carry(params.carry_out), 0u, 1u, elements);
}

struct TileRange {
    uint first;
    uint end;
};

// The tiles of this block: an even share of all, in order.
TileRange owned_tiles(uint n)
{
    const uint tiles = n / TILE + (n % TILE != 0u ? 1u : 0u);
    const uint share = tiles / block_count() + (tiles % block_count() != 0u ? 1u : 0u);
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

// Index of the lowest item of this lane's part of a row. Tiles, rows, lanes and items go from the last item to the first;
// places beyond n come first.
uint row_start(uint tile, uint row, uint n)
{
    const uint tiles = n / TILE + (n % TILE != 0u ? 1u : 0u);
    const uint place = ((subgroup_id() * ROWS + row) * LANES + lane_id() + 1u) * VECTOR;
    return (tiles - tile) * TILE - place;
}

// The monoid's elements of one lane in one row, last item first; the identity beyond n.
Elements row_elements(Inputs inputs, uint start, uint n)
{
    Elements x;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        const uint i = start + v;
        x.at[VECTOR - 1u - v] = identity();
        if (i < n) x.at[VECTOR - 1u - v] = inputs.at[v];
    }
    return x;
}

void main()
{
    const uint n = element_count();
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const TileRange tiles = owned_tiles(n);

    uint prefix = starting_prefix();
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        // Each row: a lane's own items, then across the lanes, then after the rows before it.
        Elements rows[ROWS];
        uint row_prefix[ROWS];
        uint subgroup_total = identity();
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint start = row_start(tile, row, n);
            Elements x = row_elements(load_inputs(in_items, start, n), start, n);
            UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v], x.at[v - 1u]);
            const uint lanes = subgroup_scan(x.at[VECTOR - 1u]);
            const uint lanes_before = subgroup_shift(lanes);
            const uint row_total = shuffle(lanes, LANES - 1u);
            row_prefix[row] = combine(lanes_before, subgroup_total);
            subgroup_total = combine(row_total, subgroup_total);
            rows[row] = x;
        }

        const BlockScan block = block_scan(subgroup_total);
        const uint subgroup_prefix = combine(block.before, prefix);
        prefix = combine(block.total, prefix);
        if (!is_given(params.buffers[1])) continue; // the carry alone is wanted

        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint start = row_start(tile, row, n);
            const uint before = combine(row_prefix[row], subgroup_prefix);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint s = combine(rows[row].at[v], before);
                outputs.at[VECTOR - 1u - v] = s;
            }
            store_outputs(out_items, start, n, outputs);
        }
    }
    if (block_id() == block_count() - 1u) carry_out(prefix);
}
