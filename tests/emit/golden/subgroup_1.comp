// monosweep gen tests/corpus/maps.lua --op matrix2_back --target glsl --subgroup 1 --set strategy=single_block --quiet
// matrix2_back: exclusive scan of Matrix2 by monoid of Matrix2, from the last element
// monosweep 0.1.0, templates/scan/scan.tpl, strategy single_block: block 256, subgroup 1, items 6, vector 1
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 256) in;

const uint BLOCK = 256u; // threads of a block
const uint LANES = BLOCK; // no subgroup operations: the block is one subgroup, its shuffles go through shared memory
const uint VECTOR = 1u; // consecutive items of a lane
const uint ROWS = 6u; // of a tile, for each subgroup
const uint TILE = 1536u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // Matrix2: what comes before all elements
    uvec2 carry_out; // Matrix2: what all add up to
    uvec2 buffers[8]; // in: Matrix2[n], 4-byte aligned; out: Matrix2[n], 4-byte aligned
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
    return gl_LocalInvocationIndex;
}

uint subgroup_id()
{
    return 0u;
}

uint thread_id()
{
    return subgroup_id() * LANES + lane_id();
}

struct Matrix2 {
    uvec2 r1;
    uvec2 r2;
};

Matrix2 combine(Matrix2 a, Matrix2 b)
{
    return Matrix2(a.r1.x * b.r1 + a.r1.y * b.r2, a.r2.x * b.r1 + a.r2.y * b.r2);
}

Matrix2 identity()
{
    return Matrix2(uvec2(1u, 0u), uvec2(0u, 1u));
}

shared Matrix2 exchange[BLOCK];

// The value of another lane. The whole block calls it.
Matrix2 shuffle(Matrix2 x, uint lane)
{
    exchange[lane_id()] = x;
    block_barrier();
    const Matrix2 other = exchange[lane & (LANES - 1u)];
    block_barrier();
    return other;
}

// The value of the lane `distance` before; any value where there is none.
Matrix2 shuffle_up(Matrix2 x, uint distance)
{
    return shuffle(x, lane_id() - distance);
}

// The monoid's elements of one lane in one row.
struct Elements {
    Matrix2 at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
Matrix2 subgroup_scan_of(Matrix2 x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const Matrix2 earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(x, earlier);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
Matrix2 subgroup_scan(Matrix2 x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
Matrix2 subgroup_shift(Matrix2 x)
{
    const Matrix2 earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    Matrix2 before;
    Matrix2 total;
};

// The block is one subgroup.
BlockScan block_scan(Matrix2 subgroup_total)
{
    BlockScan scan;
    scan.before = identity();
    scan.total = subgroup_total;
    return scan;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In {
    Matrix2 at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer InWords {
    uvec4 at[];
};

struct Inputs {
    Matrix2 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs load_full_inputs(In items, uint start)
{
    Inputs group;
    InWords words = InWords(uvec2(items));
    const uint first = start / VECTOR;
    const uvec4 word0 = words.at[first];
    group.at[0] = Matrix2(uvec2(word0.x, word0.y), uvec2(word0.z, word0.w));
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
    Matrix2 at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer OutWords {
    uvec4 at[];
};

struct Outputs {
    Matrix2 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_outputs(Out items, uint start, Outputs group)
{
    OutWords words = OutWords(uvec2(items));
    const uint first = start / VECTOR;
    words.at[first] = uvec4(group.at[0].r1.x, group.at[0].r1.y, group.at[0].r2.x, group.at[0].r2.y);
}

// Items start .. start + VECTOR - 1 but for those from n on.
void store_outputs(Out items, uint start, uint n, Outputs group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = group.at[v];
    }
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Carry {
    nonprivate Matrix2 at[];
};

// The first item alone.
Matrix2 load_first_elements(Carry items)
{
    return items.at[0];
}

void store_first_elements(Carry items, Matrix2 item)
{
    items.at[0] = item;
}

// The carry-in if there is one, else the identity.
Matrix2 starting_prefix(uvec2 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return identity();
}

// One thread's total becomes the carry-out, if one is asked for.
void store_carry(uvec2 carry_out, Matrix2 total)
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
    Matrix2 row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    Matrix2 total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v], x.at[v - 1u]);
        const Matrix2 inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const Matrix2 exclusive = subgroup_shift(inclusive);
        const Matrix2 row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(exclusive, scan.total);
        scan.total = combine(row_total, scan.total);
    }
    return scan;
}

// Writes the scan of the tile after `prefix`, which holds what comes before this subgroup.
void store_tile(Out out_items, bool is_aligned, TileScan scan, Matrix2 prefix, uint start, uint n)
{
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Matrix2 before = combine(scan.row_prefix[row], prefix);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                Matrix2 s = before;
                if (v > 0u) s = combine(scan.rows[row].at[v - 1u], before);
                outputs.at[VECTOR - 1u - v] = s;
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Matrix2 before = combine(scan.row_prefix[row], prefix);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                Matrix2 s = before;
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

    Matrix2 prefix = starting_prefix(params.carry_in);
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const uint start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const Matrix2 subgroup_prefix = combine(block.before, prefix);
        prefix = combine(block.total, prefix);
        if (is_given(params.buffers[1])) store_tile(out_items, out_is_aligned, scan, subgroup_prefix, start, n);
    }
    block_barrier_all_memory(); // all have read the carry-in, which may be the carry-out
    if (block_id() == block_count() - 1u && thread_id() == 0u) store_carry(params.carry_out, prefix);
}
