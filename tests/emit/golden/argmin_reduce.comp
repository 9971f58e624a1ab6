// monosweep gen tests/emit/golden/extra.lua --op smallest --target glsl --set strategy=single_block
// smallest: reduction of f32 by argmin(f32)
// monosweep 0.1.0, templates/scan/reduce.tpl, strategy single_block: block 256, subgroup 32, items 16, vector 2
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
const uint ROWS = 8u; // of a tile, for each subgroup
const uint TILE = 4096u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // argmin_f32: what comes before all elements
    uvec2 carry_out; // argmin_f32: what all add up to
    uvec2 buffers[8]; // in: f32[n], 4-byte aligned; out: argmin_f32, 4-byte aligned
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

struct argmin_f32_struct {
    float value;
    uint index;
};

argmin_f32_struct combine(argmin_f32_struct a, argmin_f32_struct b)
{
    bool both = a.value == uintBitsToFloat(0x7f800000u) && a.index != 0xffffffffu;
    bool either = a.value < f32_veiled(uintBitsToFloat(0x7f800000u)) || both;
    bool both2 = b.value == uintBitsToFloat(0x7f800000u) && b.index != 0xffffffffu;
    bool either2 = b.value < f32_veiled(uintBitsToFloat(0x7f800000u)) || both2;
    bool both3 = !(either2 && !(a.value <= b.value)) && a.index <= b.index;
    return (either && !(b.value <= a.value)) || both3 ? a : b;
}

argmin_f32_struct map_item(float x, uint i)
{
    return argmin_f32_struct(x, i);
}

argmin_f32_struct identity()
{
    return argmin_f32_struct(f32_veiled(uintBitsToFloat(0x7f800000u)), 0xffffffffu | zero_word());
}

// The value of another lane. All lanes of the subgroup call it.
argmin_f32_struct shuffle(argmin_f32_struct x, uint lane)
{
    return argmin_f32_struct(subgroupShuffle(x.value, lane), subgroupShuffle(x.index, lane));
}

// The value of the lane `distance` before; any value where there is none.
argmin_f32_struct shuffle_up(argmin_f32_struct x, uint distance)
{
    return argmin_f32_struct(subgroupShuffleUp(x.value, distance), subgroupShuffleUp(x.index, distance));
}

// The monoid's elements of one lane in one row.
struct Elements {
    argmin_f32_struct at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
argmin_f32_struct subgroup_scan_of(argmin_f32_struct x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const argmin_f32_struct earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
argmin_f32_struct subgroup_scan(argmin_f32_struct x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
argmin_f32_struct subgroup_shift(argmin_f32_struct x)
{
    const argmin_f32_struct earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    argmin_f32_struct before;
    argmin_f32_struct total;
};

const uint TOTALS = 8u; // one for each subgroup
shared argmin_f32_struct subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(argmin_f32_struct subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    argmin_f32_struct total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In {
    float at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer InWords {
    uvec2 at[];
};

struct Inputs {
    float at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs load_full_inputs(In items, uint start)
{
    Inputs group;
    InWords words = InWords(uvec2(items));
    const uint first = start / VECTOR;
    const uvec2 word0 = words.at[first];
    group.at[0] = uintBitsToFloat(word0.x);
    group.at[1] = uintBitsToFloat(word0.y);
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

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out {
    argmin_f32_struct at[];
};

void store_first_outputs(Out items, argmin_f32_struct item)
{
    items.at[0] = item;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Carry {
    argmin_f32_struct at[];
};

// The first item alone.
argmin_f32_struct load_first_elements(Carry items)
{
    return items.at[0];
}

void store_first_elements(Carry items, argmin_f32_struct item)
{
    items.at[0] = item;
}

// The carry-in if there is one, else the identity.
argmin_f32_struct starting_prefix(uvec2 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return identity();
}

// One thread's total becomes the carry-out, if one is asked for.
void store_carry(uvec2 carry_out, argmin_f32_struct total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
}

// What one value a thread adds up to, in thread order. The whole block calls it.
argmin_f32_struct block_reduce(argmin_f32_struct x)
{
    const argmin_f32_struct inclusive = subgroup_scan(x);
    return block_scan(shuffle(inclusive, LANES - 1u)).total;
}

void main()
{
    argmin_f32_struct total = identity();
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const TileRange tiles = owned_tiles(tile_count(n));

    // The order does not matter: each thread sums its own items.
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const Tile x = load_tile(in_items, is_aligned, tile_start(tile, n), n);
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) total = combine(total, x.rows[row].at[v]);
        }
    }
    total = block_reduce(total);
    if (thread_id() != 0u) return;
    const argmin_f32_struct start = starting_prefix(params.carry_in);
    total = combine(start, total);
    store_carry(params.carry_out, total);
    if (is_given(params.buffers[1])) store_first_outputs(Out(params.buffers[1]), total);
}
