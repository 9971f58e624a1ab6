// monosweep gen tests/corpus/elementwise.lua --op arrays --target glsl
// arrays: map of x, flag, wide, _half to scaled, class, pixel
// monosweep 0.1.0, templates/map/map.tpl, strategy elementwise: block 256, subgroup 32, items 4, vector 4
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
const uint ROWS = 1u; // of a tile, for each subgroup
const uint TILE = 1024u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // x: f32[n], 4-byte aligned; flag: u8[n], 4-byte aligned; wide: vec(u32, 3)[n], 4-byte aligned; _half: u16[n], 4-byte aligned; scaled: f32[n], 4-byte aligned; class: u8[n], 4-byte aligned; pixel: Pixel[n], 4-byte aligned
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

struct Element {
    float x;
    uint flag;
    uvec3 wide;
    uint _half;
};

struct Pixel {
    uint level;
    uint depth;
    uint id;
};

struct Result {
    float scaled;
    uint class_;
    Pixel pixel;
};

precise Result map_item(Element x, uint i)
{
    return Result(
        x.x * 2.0 + float(i & 255u),
        x.flag & 1u,
        Pixel(x.flag, x.wide.z, (x._half + (i & 0xffffu)) & 0xffffu));
}

// Array `x`.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In1 {
    float at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer In1Words {
    uvec4 at[];
};

struct Inputs1 {
    float at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs1 load_full_inputs1(In1 items, uint start)
{
    Inputs1 group;
    In1Words words = In1Words(uvec2(items));
    const uint first = start / VECTOR;
    const uvec4 word0 = words.at[first];
    group.at[0] = uintBitsToFloat(word0.x);
    group.at[1] = uintBitsToFloat(word0.y);
    group.at[2] = uintBitsToFloat(word0.z);
    group.at[3] = uintBitsToFloat(word0.w);
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

// Array `flag`.
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer In2 {
    uint8_t at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In2Words {
    uint at[];
};

struct Inputs2 {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs2 load_full_inputs2(In2 items, uint start)
{
    Inputs2 group;
    In2Words words = In2Words(uvec2(items));
    const uint first = start / VECTOR;
    const uint word0 = words.at[first];
    group.at[0] = bitfieldExtract(word0, 0, 8);
    group.at[1] = bitfieldExtract(word0, 8, 8);
    group.at[2] = bitfieldExtract(word0, 16, 8);
    group.at[3] = bitfieldExtract(word0, 24, 8);
    return group;
}

// Items start .. start + VECTOR - 1; those from n on are not read.
Inputs2 load_inputs2(In2 items, uint start, uint n)
{
    Inputs2 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = uint(items.at[start + v]);
    }
    return group;
}

// Array `wide`.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In3 {
    uvec3 at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer In3Words {
    uvec4 at[];
};

struct Inputs3 {
    uvec3 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs3 load_full_inputs3(In3 items, uint start)
{
    Inputs3 group;
    In3Words words = In3Words(uvec2(items));
    const uint first = start / VECTOR * 3u;
    const uvec4 word0 = words.at[first];
    const uvec4 word1 = words.at[first + 1u];
    const uvec4 word2 = words.at[first + 2u];
    group.at[0] = uvec3(word0.x, word0.y, word0.z);
    group.at[1] = uvec3(word0.w, word1.x, word1.y);
    group.at[2] = uvec3(word1.z, word1.w, word2.x);
    group.at[3] = uvec3(word2.y, word2.z, word2.w);
    return group;
}

// Items start .. start + VECTOR - 1; those from n on are not read.
Inputs3 load_inputs3(In3 items, uint start, uint n)
{
    Inputs3 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

// Array `_half`.
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer In4 {
    uint16_t at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer In4Words {
    uvec2 at[];
};

struct Inputs4 {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs4 load_full_inputs4(In4 items, uint start)
{
    Inputs4 group;
    In4Words words = In4Words(uvec2(items));
    const uint first = start / VECTOR;
    const uvec2 word0 = words.at[first];
    group.at[0] = bitfieldExtract(word0.x, 0, 16);
    group.at[1] = bitfieldExtract(word0.x, 16, 16);
    group.at[2] = bitfieldExtract(word0.y, 0, 16);
    group.at[3] = bitfieldExtract(word0.y, 16, 16);
    return group;
}

// Items start .. start + VECTOR - 1; those from n on are not read.
Inputs4 load_inputs4(In4 items, uint start, uint n)
{
    Inputs4 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = uint(items.at[start + v]);
    }
    return group;
}

// Addresses of the arrays.
struct In {
    uvec2 array1, array2, array3, array4;
};

struct Inputs {
    Element at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
Inputs load_full_inputs(In items, uint start)
{
    const Inputs1 group1 = load_full_inputs1(In1(items.array1), start);
    const Inputs2 group2 = load_full_inputs2(In2(items.array2), start);
    const Inputs3 group3 = load_full_inputs3(In3(items.array3), start);
    const Inputs4 group4 = load_full_inputs4(In4(items.array4), start);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = Element(group1.at[v], group2.at[v], group3.at[v], group4.at[v]);
    return group;
}

// Elements start .. start + VECTOR - 1; those from n on are not read.
Inputs load_inputs(In items, uint start, uint n)
{
    const Inputs1 group1 = load_inputs1(In1(items.array1), start, n);
    const Inputs2 group2 = load_inputs2(In2(items.array2), start, n);
    const Inputs3 group3 = load_inputs3(In3(items.array3), start, n);
    const Inputs4 group4 = load_inputs4(In4(items.array4), start, n);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = Element(group1.at[v], group2.at[v], group3.at[v], group4.at[v]);
    return group;
}

// Array `scaled`.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out1 {
    float at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Out1Words {
    uvec4 at[];
};

struct Outputs1 {
    float at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_outputs1(Out1 items, uint start, Outputs1 group)
{
    Out1Words words = Out1Words(uvec2(items));
    const uint first = start / VECTOR;
    words.at[first] = uvec4(floatBitsToUint(group.at[0]), floatBitsToUint(group.at[1]), floatBitsToUint(group.at[2]), floatBitsToUint(group.at[3]));
}

// Items start .. start + VECTOR - 1 but for those from n on.
void store_outputs1(Out1 items, uint start, uint n, Outputs1 group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = group.at[v];
    }
}

// Array `class`.
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Out2 {
    uint8_t at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out2Words {
    uint at[];
};

struct Outputs2 {
    uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_outputs2(Out2 items, uint start, Outputs2 group)
{
    Out2Words words = Out2Words(uvec2(items));
    const uint first = start / VECTOR;
    words.at[first] = group.at[0] | (group.at[1] << 8u) | (group.at[2] << 16u) | (group.at[3] << 24u);
}

// Items start .. start + VECTOR - 1 but for those from n on.
void store_outputs2(Out2 items, uint start, uint n, Outputs2 group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = uint8_t(group.at[v]);
    }
}

// Array `pixel`.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out3 {
    uint word[]; // 12 words for 4 elements of 12 bytes
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Out3Words {
    uvec4 at[];
};

struct Outputs3 {
    Pixel at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_outputs3(Out3 items, uint start, Outputs3 group)
{
    Out3Words words = Out3Words(uvec2(items));
    const uint first = start / VECTOR * 3u;
    words.at[first] = uvec4(group.at[0].level, group.at[0].depth, group.at[0].id, group.at[1].level);
    words.at[first + 1u] = uvec4(group.at[1].depth, group.at[1].id, group.at[2].level, group.at[2].depth);
    words.at[first + 2u] = uvec4(group.at[2].id, group.at[3].level, group.at[3].depth, group.at[3].id);
}

// Items start .. start + VECTOR - 1 but for those from n on.
void store_outputs3(Out3 items, uint start, uint n, Outputs3 group)
{
    const uint first = start / VECTOR * 12u;
    if (start < n) {
        items.word[first] = group.at[0].level;
        items.word[first + 1u] = group.at[0].depth;
        items.word[first + 2u] = group.at[0].id;
    }
    if (start + 1u < n) {
        items.word[first + 3u] = group.at[1].level;
        items.word[first + 4u] = group.at[1].depth;
        items.word[first + 5u] = group.at[1].id;
    }
    if (start + 2u < n) {
        items.word[first + 6u] = group.at[2].level;
        items.word[first + 7u] = group.at[2].depth;
        items.word[first + 8u] = group.at[2].id;
    }
    if (start + 3u < n) {
        items.word[first + 9u] = group.at[3].level;
        items.word[first + 10u] = group.at[3].depth;
        items.word[first + 11u] = group.at[3].id;
    }
}

// Addresses of the arrays.
struct Out {
    uvec2 array1, array2, array3;
};

struct Outputs {
    Result at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
void store_full_outputs(Out items, uint start, Outputs group)
{
    if (is_given(items.array1)) {
        Outputs1 group1;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group1.at[v] = group.at[v].scaled;
        store_full_outputs1(Out1(items.array1), start, group1);
    }
    if (is_given(items.array2)) {
        Outputs2 group2;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group2.at[v] = group.at[v].class_;
        store_full_outputs2(Out2(items.array2), start, group2);
    }
    if (is_given(items.array3)) {
        Outputs3 group3;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group3.at[v] = group.at[v].pixel;
        store_full_outputs3(Out3(items.array3), start, group3);
    }
}

// Elements start .. start + VECTOR - 1 but for those from n on.
void store_outputs(Out items, uint start, uint n, Outputs group)
{
    if (is_given(items.array1)) {
        Outputs1 group1;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group1.at[v] = group.at[v].scaled;
        store_outputs1(Out1(items.array1), start, n, group1);
    }
    if (is_given(items.array2)) {
        Outputs2 group2;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group2.at[v] = group.at[v].class_;
        store_outputs2(Out2(items.array2), start, n, group2);
    }
    if (is_given(items.array3)) {
        Outputs3 group3;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group3.at[v] = group.at[v].pixel;
        store_outputs3(Out3(items.array3), start, n, group3);
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
    In in_items = In(params.buffers[0], params.buffers[1], params.buffers[2], params.buffers[3]);
    Out out_items = Out(params.buffers[4], params.buffers[5], params.buffers[6]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]) && is_vector_aligned(params.buffers[1]) && is_vector_aligned(params.buffers[2]) && is_vector_aligned(params.buffers[3]) && is_vector_aligned(params.buffers[4]) && is_vector_aligned(params.buffers[5]) && is_vector_aligned(params.buffers[6]);
    const TileRange tiles = owned_tiles(tile_count(n));

    for (uint tile = tiles.first; tile < tiles.end && (is_given(params.buffers[4]) || is_given(params.buffers[5]) || is_given(params.buffers[6])); tile++) {
        const uint start = tile_start(tile, n);
        if (is_aligned && start + TILE <= n) {
            Inputs rows[ROWS];
            UNROLL for (uint row = 0u; row < ROWS; row++) rows[row] = load_full_inputs(in_items, start + row_place(row));
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const uint first = start + row_place(row);
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) outputs.at[v] = map_item(rows[row].at[v], first + v);
                store_full_outputs(out_items, first, outputs);
            }
        } else {
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const uint first = start + row_place(row);
                const Inputs inputs = load_inputs(in_items, first, n);
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v < n) outputs.at[v] = map_item(inputs.at[v], first + v);
                }
                store_outputs(out_items, first, n, outputs);
            }
        }
    }
}
