// monosweep gen tests/corpus/tables.lua --op records --target glsl --quiet
// records: map of u32 to Step
// monosweep 0.1.0, templates/map/map.tpl, strategy elementwise: block 256, subgroup 32, items 8, vector 4
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 256) in;

const uint LANES = 32u; // of a subgroup
const uint VECTOR = 4u; // consecutive items of a lane
const uint ROWS = 2u; // of a tile, for each subgroup
const uint TILE = 2048u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // in: u32[n], 4-byte aligned; out: Step[n], 4-byte aligned
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

uint lane_id()
{
    return gl_SubgroupInvocationID;
}

uint subgroup_id()
{
    return gl_SubgroupID;
}

struct Step {
    uint to;
    float gain;
    ivec2 way;
};

const uint steps_to_words[3] = {0x03020100u, 0x07060504u, 0x000a0908u};

uint steps_to(uint i)
{
    return bitfieldExtract(steps_to_words[i >> 2u], int(i & 3u) << 3, 8);
}

const float steps_gain[11] = {0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5};

const uint steps_way_x_words[6] = {
    0xffff0000u, 0xfffdfffeu, 0xfffbfffcu, 0xfff9fffau, 0xfff7fff8u, 0x0000fff6u
};

int steps_way_x(uint i)
{
    return bitfieldExtract(int(steps_way_x_words[i >> 1u]), int(i & 1u) << 4, 16);
}

const uint steps_way_y_words[6] = {
    0x00010000u, 0x00090004u, 0x00190010u, 0x00310024u, 0x00510040u, 0x00000064u
};

int steps_way_y(uint i)
{
    return bitfieldExtract(int(steps_way_y_words[i >> 1u]), int(i & 1u) << 4, 16);
}

Step map_item(uint x)
{
    uint remainder = x % 12u;
    uint place = min(remainder, 10u);
    return Step(steps_to(place), steps_gain[place], ivec2(steps_way_x(place), steps_way_y(place)));
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

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out {
    uint word[]; // 12 words for 4 elements of 12 bytes
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer OutWords {
    uvec4 at[];
};

struct Outputs {
    Step at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_outputs(Out items, uint start, Outputs group)
{
    OutWords words = OutWords(uvec2(items));
    const uint first = start / VECTOR * 3u;
    words.at[first] = uvec4(group.at[0].to, floatBitsToUint(group.at[0].gain), bitfieldExtract(uint(group.at[0].way.x), 0, 16) | (bitfieldExtract(uint(group.at[0].way.y), 0, 16) << 16u), group.at[1].to);
    words.at[first + 1u] = uvec4(floatBitsToUint(group.at[1].gain), bitfieldExtract(uint(group.at[1].way.x), 0, 16) | (bitfieldExtract(uint(group.at[1].way.y), 0, 16) << 16u), group.at[2].to, floatBitsToUint(group.at[2].gain));
    words.at[first + 2u] = uvec4(bitfieldExtract(uint(group.at[2].way.x), 0, 16) | (bitfieldExtract(uint(group.at[2].way.y), 0, 16) << 16u), group.at[3].to, floatBitsToUint(group.at[3].gain), bitfieldExtract(uint(group.at[3].way.x), 0, 16) | (bitfieldExtract(uint(group.at[3].way.y), 0, 16) << 16u));
}

// Items start .. start + VECTOR - 1 but for those from n on.
void store_outputs(Out items, uint start, uint n, Outputs group)
{
    const uint first = start / VECTOR * 12u;
    if (start < n) {
        items.word[first] = group.at[0].to;
        items.word[first + 1u] = floatBitsToUint(group.at[0].gain);
        items.word[first + 2u] = bitfieldExtract(uint(group.at[0].way.x), 0, 16) | (bitfieldExtract(uint(group.at[0].way.y), 0, 16) << 16u);
    }
    if (start + 1u < n) {
        items.word[first + 3u] = group.at[1].to;
        items.word[first + 4u] = floatBitsToUint(group.at[1].gain);
        items.word[first + 5u] = bitfieldExtract(uint(group.at[1].way.x), 0, 16) | (bitfieldExtract(uint(group.at[1].way.y), 0, 16) << 16u);
    }
    if (start + 2u < n) {
        items.word[first + 6u] = group.at[2].to;
        items.word[first + 7u] = floatBitsToUint(group.at[2].gain);
        items.word[first + 8u] = bitfieldExtract(uint(group.at[2].way.x), 0, 16) | (bitfieldExtract(uint(group.at[2].way.y), 0, 16) << 16u);
    }
    if (start + 3u < n) {
        items.word[first + 9u] = group.at[3].to;
        items.word[first + 10u] = floatBitsToUint(group.at[3].gain);
        items.word[first + 11u] = bitfieldExtract(uint(group.at[3].way.x), 0, 16) | (bitfieldExtract(uint(group.at[3].way.y), 0, 16) << 16u);
    }
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

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]) && is_vector_aligned(params.buffers[1]);
    const TileRange tiles = owned_tiles(tile_count(n));

    for (uint tile = tiles.first; tile < tiles.end && is_given(params.buffers[1]); tile++) {
        const uint start = tile_start(tile, n);
        if (is_aligned && start + TILE <= n) {
            Inputs rows[ROWS];
            UNROLL for (uint row = 0u; row < ROWS; row++) rows[row] = load_full_inputs(in_items, start + row_place(row));
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const uint first = start + row_place(row);
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) outputs.at[v] = map_item(rows[row].at[v]);
                store_full_outputs(out_items, first, outputs);
            }
        } else {
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const uint first = start + row_place(row);
                const Inputs inputs = load_inputs(in_items, first, n);
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v < n) outputs.at[v] = map_item(inputs.at[v]);
                }
                store_outputs(out_items, first, n, outputs);
            }
        }
    }
}
