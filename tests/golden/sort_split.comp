// monosweep gen tests/corpus/sorts.lua --op u32_down --target glsl --set strategy=split --quiet
// ---- u32_down, kernel 1 of 3: sort_upsweep
// u32_down: descending sort of u32 by 32 bits, with values of vec(u8, 3)
// monosweep 0.1.0, templates/upsweep.tpl, strategy split: block 128, subgroup 32, items 32, vector 1
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 128) in;

const uint BLOCK = 128u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint ROWS = 32u; // of a tile, for each subgroup
const uint TILE = 4096u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // keys: u32[n], 4-byte aligned; values: vec(u8, 3)[n], 4-byte aligned; keys_out: u32[n], 4-byte aligned; values_out: vec(u8, 3)[n], 4-byte aligned
    uint argument;
} params;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Count {
    uvec2 value;
};

bool is_given(uvec2 address)
{
    return address != uvec2(0u);
}

uvec2 address_at(uvec2 address, uint offset_bytes)
{
    const uint low = address.x + offset_bytes;
    return uvec2(low, address.y + uint(low < offset_bytes));
}

// `count` things of so many bytes further, beyond 4 GiB too.
uvec2 address_after(uvec2 address, uint count, uint bytes)
{
    uint high, low;
    umulExtended(count, bytes, high, low);
    const uvec2 end = address_at(address, low);
    return uvec2(end.x, end.y + high);
}

// n, or the bound of a device-side n, as it was launched.
uint launch_bound(uvec2 n)
{
    return n.x;
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

uint key_image(uint x)
{
    return x ^ 0xffffffffu;
}

const uint DIGIT_BITS = 1u;
const uint BINS = 2u; // values of a digit
const uint PASSES = 32u; // digits of the key's 32 bits, the lowest first

// A digit of all keys.
struct Digit {
    uint first_bit;
    uint mask;
};

Digit digit_of_pass(uint pass)
{
    Digit digit;
    digit.first_bit = pass < PASSES ? pass * DIGIT_BITS : 0u;
    digit.mask = pass < PASSES ? BINS - 1u : 0u; // beyond the last digit all keys are equal
    return digit;
}

uint digit_of(uint key, Digit digit)
{
    const uint image = key_image(key);
    return image >> digit.first_bit & digit.mask;
}

// For each bin and block, items that the block's tiles have, later where the first of them goes: at[bin * blocks + block].
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer BinTable {
    uint at[];
};

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

const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

struct TileKeys {
    uint at[ROWS];
};

// What a thread knows of its bins.
struct ThreadBins {
    uint counts[THREAD_BINS]; // the tile's items
    uint starts[THREAD_BINS]; // where they begin in the sorted tile
};

shared uint last_digit[1];

// The bits of a thread's items.
struct TileDigits {
    uint at[ROWS];
};

shared uint digit_counts[BINS]; // the tile's zeros and ones

uint row_place(uint row)
{
    return thread_id() * ROWS + row;
}

// A barrier must follow.
void clear_digit_counts()
{
    if (thread_id() == 0u) {
        digit_counts[0] = 0u;
        digit_counts[1] = 0u;
    }
}

uint count_ones(TileDigits digits)
{
    uint ones = 0u;
    UNROLL for (uint row = 0u; row < ROWS; row++) ones += digits.at[row];
    return ones;
}

// A barrier must follow.
TileDigits count_digits(TileKeys keys, Digit digit)
{
    TileDigits digits;
    UNROLL for (uint row = 0u; row < ROWS; row++) digits.at[row] = digit_of(keys.at[row], digit);
    const uint ones = count_ones(digits);
    atomicAdd(digit_counts[0], ROWS - ones, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    atomicAdd(digit_counts[1], ones, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    if (thread_id() == BLOCK - 1u) last_digit[0] = digits.at[ROWS - 1u];
    return digits;
}

ThreadBins sum_thread_bins()
{
    ThreadBins bins;
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
        const uint bin = thread_id() * THREAD_BINS + b;
        bins.counts[b] = bin < BINS ? digit_counts[bin] : 0u;
        bins.starts[b] = 0u;
    }
    return bins;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Keys {
    uint at[];
};

uint load_key(Keys items, uint i)
{
    return items.at[i];
}

uint tile_count(uint n)
{
    return uint((n + (TILE - 1u)) / TILE);
}

// The places of a tile's items: up to this one, which stands for those beyond it.
uint last_place(uint start, uint n)
{
    return start + TILE <= n ? TILE - 1u : uint(n - start) - 1u;
}

// The key at a place in the tile that begins at `start`.
uint key_at(uvec2 keys, uint start, uint place)
{
    return load_key(Keys(address_after(keys, start, 4u)), place);
}

// The keys of the tile's rows.
TileKeys load_keys(uvec2 keys, uint start, uint last)
{
    TileKeys tile;
    if (last == TILE - 1u) {
        UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = key_at(keys, start, row_place(row));
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = key_at(keys, start, min(row_place(row), last));
    }
    return tile;
}

const uint IN_PLACE = 0x10000u; // added to the argument of a pass: outputs may be inputs
const uint SPARE_OFFSET = 2048u; // bytes, in the scratch
const uint TILE_KEY_BYTES = 16384u; // of a tile's keys there

struct Route {
    bool runs;
    bool is_first;
    bool is_last;
    bool to_outputs; // else to the scratch
};

// All passes run.
Route route_of(uvec2 scratch, uint argument)
{
    const uint pass = argument % IN_PLACE;
    const uint passes = argument >= IN_PLACE ? PASSES + PASSES % 2u : PASSES;
    Route route;
    route.runs = true;
    route.is_first = pass == 0u;
    route.is_last = pass + 1u == passes;
    route.to_outputs = (passes - pass) % 2u == 1u;
    return route;
}

// Keys and values on their way.
struct Spares {
    uvec2 keys;
    uvec2 more_keys; // instead of keys_out where that is not given
    uvec2 values;
};

Spares spares_of(uvec2 scratch, uint n)
{
    const uint tiles = tile_count(n);
    Spares spares;
    spares.keys = address_at(scratch, SPARE_OFFSET);
    spares.more_keys = address_after(spares.keys, tiles, TILE_KEY_BYTES);
    spares.values = address_after(spares.more_keys, tiles, TILE_KEY_BYTES);
    return spares;
}

void main()
{
    const uint n = element_count(params.n, params.n_address);
    const Route route = route_of(params.scratch, params.argument);
    if (!route.runs) return;
    const Digit digit = digit_of_pass(params.argument % IN_PLACE);
    const Spares spares = spares_of(params.scratch, launch_bound(params.n));
    const uvec2 keys_out_or_spare = is_given(params.buffers[2]) ? params.buffers[2] : spares.more_keys;
    const uvec2 keys_in = route.is_first ? params.buffers[0] : route.to_outputs ? spares.keys : keys_out_or_spare;
    const uint tiles = tile_count(n);
    const TileRange range = owned_tiles(tiles);

    clear_digit_counts();
    block_barrier();
    for (uint tile = range.first; tile < range.end; tile++) {
        const uint start = uint(tile) * TILE;
        count_digits(load_keys(keys_in, start, last_place(start, n)), digit);
    }
    block_barrier();
    // Places beyond the last item have been counted, too.
    const uint repeats = range.first < range.end && range.end == tiles ? uint(uint(tiles) * TILE - n) : 0u;
    const ThreadBins bins = sum_thread_bins();
    BinTable table = BinTable(params.scratch);
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
        const uint bin = thread_id() * THREAD_BINS + b;
        uint count = bins.counts[b];
        if (repeats > 0u && bin == last_digit[0]) count -= repeats;
        if (bin < BINS) table.at[bin * block_count() + block_id()] = count;
    }
}
// ---- u32_down, kernel 2 of 3: sort_scan_bins
// u32_down: descending sort of u32 by 32 bits, with values of vec(u8, 3)
// monosweep 0.1.0, templates/scan_bins.tpl, strategy split: block 128, subgroup 32, items 32, vector 4
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

layout(local_size_x = 128) in;

const uint BLOCK = 128u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint EARLIER_TILE = 4096u; // items of a tile, and blocks at most, of the launch before
const uint EARLIER_BLOCKS = 256u;

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // keys: u32[n], 4-byte aligned; values: vec(u8, 3)[n], 4-byte aligned; keys_out: u32[n], 4-byte aligned; values_out: vec(u8, 3)[n], 4-byte aligned
    uint argument;
} params;

// n, or the bound of a device-side n, as it was launched.
uint launch_bound(uvec2 n)
{
    return n.x;
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

const uint BINS = 2u; // values of a digit

// For each bin and block, items that the block's tiles have, later where the first of them goes: at[bin * blocks + block].
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer BinTable {
    uint at[];
};

// Inclusive scan of one value a lane (Kogge-Stone). All lanes of the subgroup call it.
uint subgroup_scan(uint x)
{
    UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = earlier + x;
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

shared uint subgroup_totals[4];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uint subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
    uint total = identity();
    if (lane_id() < 4u) total = subgroup_totals[lane_id()];
    total = subgroup_scan(total);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, 3u);
    block_barrier();
    return scan;
}

// What comes before a thread in its block. The whole block calls it.
uint thread_scan(uint x)
{
    const uint inclusive = subgroup_scan(x);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u));
    const uint earlier = subgroup_shift(inclusive);
    return block.before + earlier;
}

void main()
{
    const uint bound = launch_bound(params.n);
    const uint tiles = bound / EARLIER_TILE + (bound % EARLIER_TILE != 0u ? 1u : 0u);
    const uint blocks = tiles < 1u ? 1u : tiles > EARLIER_BLOCKS ? EARLIER_BLOCKS : uint(tiles);
    const uint entries = BINS * blocks;
    const uint share = (entries + BLOCK - 1u) / BLOCK; // consecutive ones of a thread
    BinTable table = BinTable(params.scratch);
    uint sum = 0u;
    for (uint i = 0u; i < share; i++) {
        const uint entry = thread_id() * share + i;
        if (entry < entries) sum += table.at[entry];
    }
    uint place = thread_scan(sum);
    for (uint i = 0u; i < share; i++) {
        const uint entry = thread_id() * share + i;
        if (entry < entries) {
            const uint count = table.at[entry];
            table.at[entry] = place;
            place += count;
        }
    }
}
// ---- u32_down, kernel 3 of 3: sort_downsweep
// u32_down: descending sort of u32 by 32 bits, with values of vec(u8, 3)
// monosweep 0.1.0, templates/onesweep.tpl, strategy split: block 128, subgroup 32, items 32, vector 1
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 128) in;

const uint BLOCK = 128u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint ROWS = 32u; // of a tile, for each subgroup
const uint TILE = 4096u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // keys: u32[n], 4-byte aligned; values: vec(u8, 3)[n], 4-byte aligned; keys_out: u32[n], 4-byte aligned; values_out: vec(u8, 3)[n], 4-byte aligned
    uint argument;
} params;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Count {
    uvec2 value;
};

bool is_given(uvec2 address)
{
    return address != uvec2(0u);
}

uvec2 address_at(uvec2 address, uint offset_bytes)
{
    const uint low = address.x + offset_bytes;
    return uvec2(low, address.y + uint(low < offset_bytes));
}

// `count` things of so many bytes further, beyond 4 GiB too.
uvec2 address_after(uvec2 address, uint count, uint bytes)
{
    uint high, low;
    umulExtended(count, bytes, high, low);
    const uvec2 end = address_at(address, low);
    return uvec2(end.x, end.y + high);
}

// n, or the bound of a device-side n, as it was launched.
uint launch_bound(uvec2 n)
{
    return n.x;
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

void block_barrier()
{
    barrier();
}

// Orders what the lanes of a subgroup do in shared memory. All of them call it.
void subgroup_barrier()
{
    subgroupBarrier();
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

uint key_image(uint x)
{
    return x ^ 0xffffffffu;
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

const uint DIGIT_BITS = 1u;
const uint BINS = 2u; // values of a digit
const uint PASSES = 32u; // digits of the key's 32 bits, the lowest first

// A digit of all keys.
struct Digit {
    uint first_bit;
    uint mask;
};

Digit digit_of_pass(uint pass)
{
    Digit digit;
    digit.first_bit = pass < PASSES ? pass * DIGIT_BITS : 0u;
    digit.mask = pass < PASSES ? BINS - 1u : 0u; // beyond the last digit all keys are equal
    return digit;
}

uint digit_of(uint key, Digit digit)
{
    const uint image = key_image(key);
    return image >> digit.first_bit & digit.mask;
}

// For each bin and block, items that the block's tiles have, later where the first of them goes: at[bin * blocks + block].
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer BinTable {
    uint at[];
};

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

// Inclusive scan of one value a lane (Kogge-Stone). All lanes of the subgroup call it.
uint subgroup_scan(uint x)
{
    UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = earlier + x;
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

shared uint subgroup_totals[4];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uint subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
    uint total = identity();
    if (lane_id() < 4u) total = subgroup_totals[lane_id()];
    total = subgroup_scan(total);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, 3u);
    block_barrier();
    return scan;
}

// What comes before a thread in its block. The whole block calls it.
uint thread_scan(uint x)
{
    const uint inclusive = subgroup_scan(x);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u));
    const uint earlier = subgroup_shift(inclusive);
    return block.before + earlier;
}

shared uint moved_words[TILE * 1u]; // word w of the item at a place: moved_words[w * TILE + place]

void store_exchanged_key(uint place, uint x)
{
    moved_words[place] = x;
}

uint load_exchanged_key(uint place)
{
    return moved_words[place];
}

const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

struct TileKeys {
    uint at[ROWS];
};

// What a thread knows of its bins.
struct ThreadBins {
    uint counts[THREAD_BINS]; // the tile's items
    uint starts[THREAD_BINS]; // where they begin in the sorted tile
};

shared uint last_digit[1];

// The bits of a thread's items.
struct TileDigits {
    uint at[ROWS];
};

struct TileRanks {
    uint at[ROWS];
};

uint rank_of(TileRanks ranks, uint row)
{
    return ranks.at[row];
}

shared uint digit_counts[BINS]; // the tile's zeros and ones

uint row_place(uint row)
{
    return thread_id() * ROWS + row;
}

// A barrier must follow.
void clear_digit_counts()
{
    if (thread_id() == 0u) {
        digit_counts[0] = 0u;
        digit_counts[1] = 0u;
    }
}

uint count_ones(TileDigits digits)
{
    uint ones = 0u;
    UNROLL for (uint row = 0u; row < ROWS; row++) ones += digits.at[row];
    return ones;
}

// A barrier must follow.
TileDigits count_digits(TileKeys keys, Digit digit)
{
    TileDigits digits;
    UNROLL for (uint row = 0u; row < ROWS; row++) digits.at[row] = digit_of(keys.at[row], digit);
    const uint ones = count_ones(digits);
    atomicAdd(digit_counts[0], ROWS - ones, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    atomicAdd(digit_counts[1], ones, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    if (thread_id() == BLOCK - 1u) last_digit[0] = digits.at[ROWS - 1u];
    return digits;
}

ThreadBins sum_thread_bins()
{
    ThreadBins bins;
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
        const uint bin = thread_id() * THREAD_BINS + b;
        bins.counts[b] = bin < BINS ? digit_counts[bin] : 0u;
        bins.starts[b] = 0u;
    }
    return bins;
}

// Zeros first.
ThreadBins place_thread_bins(ThreadBins bins)
{
    const uint zeros = digit_counts[0];
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) bins.starts[b] = thread_id() * THREAD_BINS + b == 1u ? zeros : 0u;
    return bins;
}

// Ranks of this thread's items, whose keys go there in shared memory: one scan tells how many ones come before an item. A one stands behind
// all zeros and those, a zero moves up by as many places. The whole block calls it.
TileRanks rank_items(TileKeys keys, TileDigits digits)
{
    const uint zeros = digit_counts[0];
    uint ones_before = thread_scan(count_ones(digits));
    TileRanks ranks;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const uint rank_of_one = zeros + ones_before;
        const uint rank_of_zero = row_place(row) - ones_before;
        ranks.at[row] = digits.at[row] != 0u ? rank_of_one : rank_of_zero;
        ones_before += digits.at[row];
        store_exchanged_key(ranks.at[row], keys.at[row]);
    }
    return ranks;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Keys {
    uint at[];
};

uint load_key(Keys items, uint i)
{
    return items.at[i];
}

void store_key(Keys items, uint i, uint item)
{
    items.at[i] = item;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Values {
    uint word[]; // items of 3 bytes
};

uvec3 load_value(Values items, uint i)
{
    const uint first = i / 4u * 3u + i % 4u * 3u / 4u;
    const uint shift = i * 3u % 4u * 8u;
    const uint read0 = items.word[first];
    const uint read1 = items.word[first + (shift > 8u ? 1u : 0u)];
    const uint word0 = read0 >> shift | read1 << 1u << (31u - shift);
    return uvec3(bitfieldExtract(word0, 0, 8), bitfieldExtract(word0, 8, 8), bitfieldExtract(word0, 16, 8));
}

void store_value(Values items, uint i, uvec3 item)
{
    const uint first = i / 4u * 3u + i % 4u * 3u / 4u;
    const uint shift = i * 3u % 4u * 8u;
    const uint word0 = item.x | (item.y << 8u) | (item.z << 16u);
    atomicAnd(items.word[first], ~(0xffffffu << shift));
    atomicOr(items.word[first], word0 << shift);
    atomicAnd(items.word[first + (shift > 8u ? 1u : 0u)], ~(0xffffffu >> 1u >> (31u - shift)));
    atomicOr(items.word[first + (shift > 8u ? 1u : 0u)], word0 >> 1u >> (31u - shift));
}

uint tile_count(uint n)
{
    return uint((n + (TILE - 1u)) / TILE);
}

// The places of a tile's items: up to this one, which stands for those beyond it.
uint last_place(uint start, uint n)
{
    return start + TILE <= n ? TILE - 1u : uint(n - start) - 1u;
}

// The key at a place in the tile that begins at `start`.
uint key_at(uvec2 keys, uint start, uint place)
{
    return load_key(Keys(address_after(keys, start, 4u)), place);
}

// The keys of the tile's rows.
TileKeys load_keys(uvec2 keys, uint start, uint last)
{
    TileKeys tile;
    if (last == TILE - 1u) {
        UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = key_at(keys, start, row_place(row));
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = key_at(keys, start, min(row_place(row), last));
    }
    return tile;
}

struct TileValues {
    uvec3 at[ROWS];
};

// Their values.
TileValues load_values(uvec2 values, uint start, uint last)
{
    TileValues tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = load_value(Values(address_after(values, start, 3u)), min(row_place(row), last));
    return tile;
}

const uint IN_PLACE = 0x10000u; // added to the argument of a pass: outputs may be inputs
const uint SPARE_OFFSET = 2048u; // bytes, in the scratch
const uint TILE_KEY_BYTES = 16384u; // of a tile's keys there

struct Route {
    bool runs;
    bool is_first;
    bool is_last;
    bool to_outputs; // else to the scratch
};

// All passes run.
Route route_of(uvec2 scratch, uint argument)
{
    const uint pass = argument % IN_PLACE;
    const uint passes = argument >= IN_PLACE ? PASSES + PASSES % 2u : PASSES;
    Route route;
    route.runs = true;
    route.is_first = pass == 0u;
    route.is_last = pass + 1u == passes;
    route.to_outputs = (passes - pass) % 2u == 1u;
    return route;
}

// Keys and values on their way.
struct Spares {
    uvec2 keys;
    uvec2 more_keys; // instead of keys_out where that is not given
    uvec2 values;
};

Spares spares_of(uvec2 scratch, uint n)
{
    const uint tiles = tile_count(n);
    Spares spares;
    spares.keys = address_at(scratch, SPARE_OFFSET);
    spares.more_keys = address_after(spares.keys, tiles, TILE_KEY_BYTES);
    spares.values = address_after(spares.more_keys, tiles, TILE_KEY_BYTES);
    return spares;
}

const uint STORE_ROWS = 8u; // read from shared memory, then stored

shared uint bin_places[BINS]; // where a bin's items go, less their rank
shared uint first_repeat[1]; // rank of the first place beyond the last item

void main()
{
    const uint n = element_count(params.n, params.n_address);
    const Route route = route_of(params.scratch, params.argument);
    if (!route.runs) return;
    const Digit digit = digit_of_pass(params.argument % IN_PLACE);
    const Spares spares = spares_of(params.scratch, launch_bound(params.n));
    const uvec2 keys_out_or_spare = is_given(params.buffers[2]) ? params.buffers[2] : spares.more_keys;
    const uvec2 keys_in = route.is_first ? params.buffers[0] : route.to_outputs ? spares.keys : keys_out_or_spare;
    const uvec2 keys_out = route.to_outputs ? keys_out_or_spare : spares.keys;
    const bool moves_keys = !route.is_last || is_given(params.buffers[2]);
    const uvec2 values_in = route.is_first ? params.buffers[1] : route.to_outputs ? spares.values : params.buffers[3];
    const uvec2 values_out = route.to_outputs ? params.buffers[3] : spares.values;
    const bool moves_values = is_given(params.buffers[3]);
    const TileRange range = owned_tiles(tile_count(n));
    BinTable table = BinTable(params.scratch);
    uint next_places[THREAD_BINS]; // of the next items of this thread's bins
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
        const uint bin = thread_id() * THREAD_BINS + b;
        next_places[b] = bin < BINS ? table.at[bin * block_count() + block_id()] : 0u;
    }

    for (uint tile = range.first; tile < range.end; tile++) {
        clear_digit_counts();
        block_barrier();
        const uint start = uint(tile) * TILE;
        const uint last = last_place(start, n);
        const uint repeats = TILE - 1u - last;
        const TileKeys keys = load_keys(keys_in, start, last);
        const TileDigits digits = count_digits(keys, digit);
        block_barrier();
        ThreadBins bins = sum_thread_bins();
        bins = place_thread_bins(bins);
        block_barrier();
        const TileRanks ranks = rank_items(keys, digits);
        TileValues values;
        if (moves_values) values = load_values(values_in, start, last);

        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
            const uint bin = thread_id() * THREAD_BINS + b;
            if (bin < BINS) {
                const uint count = bin == last_digit[0] ? bins.counts[b] - repeats : bins.counts[b];
                bin_places[bin] = next_places[b] - bins.starts[b];
                next_places[b] += count;
                if (bin == last_digit[0]) first_repeat[0] = bins.starts[b] + count;
            }
        }
        block_barrier();
        const uint end = first_repeat[0];
        uint places[ROWS];
        UNROLL for (uint first = 0u; first < ROWS; first += STORE_ROWS) {
            uint moved[STORE_ROWS];
            UNROLL for (uint r = 0u; r < STORE_ROWS; r++) {
                const uint rank = (first + r) * BLOCK + thread_id();
                moved[r] = load_exchanged_key(rank);
                places[first + r] = bin_places[digit_of(moved[r], digit)] + rank;
            }
            subgroup_barrier(); // loads before it, stores after it: compilers would wait for each load
            if (moves_keys) {
                UNROLL for (uint r = 0u; r < STORE_ROWS; r++) {
                    const uint rank = (first + r) * BLOCK + thread_id();
                    if (rank - end >= repeats) store_key(Keys(keys_out), places[first + r], moved[r]);
                }
            }
        }
        if (moves_values) {
            UNROLL for (uint row = 0u; row < ROWS; row++) {
                const uint place = bin_places[digit_of(keys.at[row], digit)] + rank_of(ranks, row);
                if (row_place(row) <= last) store_value(Values(values_out), place, values.at[row]);
            }
        }
        block_barrier();
    }
}
