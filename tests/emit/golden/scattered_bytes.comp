// monosweep gen tests/corpus/scattered.lua --op first_of_bytes --target glsl
// first_of_bytes: map of u8 to bin, any
// monosweep 0.1.0, templates/map/map.tpl, strategy elementwise: block 256, subgroup 32, items 16, vector 16
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 256) in;

const uint LANES = 32u; // of a subgroup
const uint VECTOR = 16u; // consecutive items of a lane
const uint ROWS = 1u; // of a tile, for each subgroup
const uint TILE = 4096u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // in: u8[n], 4-byte aligned; bin: u8[256], 4-byte aligned; any: u8[7], 4-byte aligned
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

struct Result {
    uint bin;
    uint any_;
    uint place_of_bin;
    uint place_of_any;
};

Result map_item(uint x, uint i)
{
    uint place_of_bin = x;
    return Result(x, i & 255u, place_of_bin, place_of_bin & 7u);
}

layout(buffer_reference, scalar, buffer_reference_align = 1) buffer In {
    uint8_t at[];
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
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = uint(items.at[start + v]);
    }
    return group;
}

// Array `bin`.
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Out1 {
    uint8_t at[];
};

void store_output1(Out1 items, uint i, uint item)
{
    items.at[i] = uint8_t(item);
}

// Array `any`.
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Out2 {
    uint8_t at[];
};

void store_output2(Out2 items, uint i, uint item)
{
    items.at[i] = uint8_t(item);
}

// Addresses of the arrays.
struct Out {
    uvec2 array1, array2;
};

struct Outputs {
    Result at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
void store_full_outputs(Out items, uint start, Outputs group)
{
    if (is_given(items.array1)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (group.at[v].place_of_bin < 256u) store_output1(Out1(items.array1), group.at[v].place_of_bin, group.at[v].bin);
        }
    }
    if (is_given(items.array2)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (group.at[v].place_of_any < 7u) store_output2(Out2(items.array2), group.at[v].place_of_any, group.at[v].any_);
        }
    }
}

// Elements start .. start + VECTOR - 1 but for those from n on.
void store_outputs(Out items, uint start, uint n, Outputs group)
{
    if (is_given(items.array1)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (start + v < n && group.at[v].place_of_bin < 256u) store_output1(Out1(items.array1), group.at[v].place_of_bin, group.at[v].bin);
        }
    }
    if (is_given(items.array2)) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if (start + v < n && group.at[v].place_of_any < 7u) store_output2(Out2(items.array2), group.at[v].place_of_any, group.at[v].any_);
        }
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
    Out out_items = Out(params.buffers[1], params.buffers[2]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]) && true;
    const TileRange tiles = owned_tiles(tile_count(n));

    for (uint tile = tiles.first; tile < tiles.end && (is_given(params.buffers[1]) || is_given(params.buffers[2])); tile++) {
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
