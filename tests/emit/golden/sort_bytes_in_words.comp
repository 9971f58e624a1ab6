// monosweep gen tests/corpus/sorts.lua --op bytes7 --target glsl --without int8,int16,int64,atomic64 --progress-model none --quiet
// ---- bytes7, kernel 1 of 5: sort_single_block
// bytes7: ascending sort of Bytes7 by 16 bits, with values of Bytes7
// monosweep 0.1.0, templates/sort/sort_block.tpl, strategy single_block: block 128, subgroup 32, items 4, vector 1
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 128) in;

const uint BLOCK = 128u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint ROWS = 4u; // of a tile, for each subgroup
const uint TILE = 512u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // keys: Bytes7[n], 4-byte aligned; values: Bytes7[n], 4-byte aligned; keys_out: Bytes7[n], 4-byte aligned; values_out: Bytes7[n], 4-byte aligned
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

// `count` things of `bytes` bytes each after an address, beyond 4 GiB too.
uvec2 address_after(uvec2 address, uint count, uint bytes)
{
    uint high, low;
    umulExtended(count, bytes, high, low);
    const uvec2 end = address_at(address, low);
    return uvec2(end.x, end.y + high);
}

uint element_count(uvec2 n, uvec2 n_address)
{
    if (!is_given(n_address)) return n.x;
    const uvec2 count = Count(n_address).value;
    return count.y == 0u ? min(count.x, n.x) : n.x;
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

// Orders what the lanes of a subgroup do in shared memory. All of them call it.
void subgroup_barrier()
{
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
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

struct Bytes7 {
    uvec4 a;
    int b;
    ivec2 c;
};

uint key_image(Bytes7 x)
{
    return ((bitfieldExtract(uint(x.b), 0, 8) ^ 128u) << 8) | x.a.w;
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

const uint DIGIT_BITS = 8u;
const uint BINS = 256u; // values of a digit
const uint PASSES = 2u; // digits of the key's 16 bits, the lowest first

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

uint digit_of(Bytes7 key, Digit digit)
{
    const uint image = key_image(key);
    return image >> digit.first_bit & digit.mask;
}

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
uint subgroup_scan_of(uint x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = earlier + x;
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

const uint TOTALS = 4u; // one for each subgroup
shared uint subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uint subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
    uint total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
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

// Word w of the item at a place: moved_words[w * TILE + place].
shared uint moved_words[TILE * 7u];

void store_exchanged_key(uint place, Bytes7 x)
{
    moved_words[place] = x.a.x;
    moved_words[TILE + place] = x.a.y;
    moved_words[2u * TILE + place] = x.a.z;
    moved_words[3u * TILE + place] = x.a.w;
    moved_words[4u * TILE + place] = bitfieldExtract(uint(x.b), 0, 8);
    moved_words[5u * TILE + place] = bitfieldExtract(uint(x.c.x), 0, 8);
    moved_words[6u * TILE + place] = bitfieldExtract(uint(x.c.y), 0, 8);
}

Bytes7 load_exchanged_key(uint place)
{
    return Bytes7(uvec4(bitfieldExtract(moved_words[place], 0, 8), bitfieldExtract(moved_words[TILE + place], 0, 8), bitfieldExtract(moved_words[2u * TILE + place], 0, 8), bitfieldExtract(moved_words[3u * TILE + place], 0, 8)), bitfieldExtract(int(moved_words[4u * TILE + place]), 0, 8), ivec2(bitfieldExtract(int(moved_words[5u * TILE + place]), 0, 8), bitfieldExtract(int(moved_words[6u * TILE + place]), 0, 8)));
}

void store_exchanged_place(uint place, uint x)
{
    moved_words[place] = x;
}

uint load_exchanged_place(uint place)
{
    return moved_words[place];
}

struct Peers {
    uint before; // of them, lanes before this one
    uint last;   // lane
};

// All lanes of the subgroup call it.
Peers match_digit(uint digit)
{
    uint lanes = subgroupBallot(true).x;
    UNROLL for (uint bit = 0u; bit < DIGIT_BITS; bit++) {
        const bool is_set = (digit & 1u << bit) != 0u;
        lanes &= subgroupBallot(is_set).x ^ (is_set ? 0u : 0xffffffffu);
    }
    Peers peers;
    peers.before = uint(bitCount(lanes & gl_SubgroupLtMask.x));
    peers.last = uint(findMSB(lanes));
    return peers;
}

const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

struct TileKeys {
    Bytes7 at[ROWS];
};

// What a thread knows of its bins.
struct ThreadBins {
    uint count[THREAD_BINS]; // the tile's items
    uint start[THREAD_BINS]; // where they begin in the sorted tile
};

const uint SUBGROUPS = 4u; // of a block
const uint RANK_ROWS = 4u; // ranked together, so that their latencies overlap

// Two to a word: a tile has at most 65536 items.
struct TileRanks {
    uint pairs[(ROWS + 1u) / 2u];
};

uint rank_of(TileRanks ranks, uint row)
{
    return ranks.pairs[row / 2u] >> (row % 2u * 16u) & 0xffffu;
}

// Of a subgroup's items by digit: how many, then the rank of the next. Behind them a place for each lane.
shared uint digit_counts[SUBGROUPS * BINS + LANES];
shared Digit ranked_digit;

// The rows that a tile of this number of items needs, rounded up to those that are ranked together.
uint rows_of(uint items)
{
    return (items + (RANK_ROWS * BLOCK - 1u)) / (RANK_ROWS * BLOCK) * RANK_ROWS;
}

uint row_place(uint row, uint rows)
{
    return subgroup_id() * (rows * LANES) + lane_id() + row * LANES;
}

// The digit of the key at a place; behind all items the greatest.
uint row_digit(Bytes7 key, uint place, uint items, Digit digit)
{
    return place < items ? digit_of(key, digit) : BINS - 1u;
}

// A barrier must follow. Every thread goes through the loop as often.
void clear_digit_counts()
{
    UNROLL for (uint first = 0u; first < SUBGROUPS * BINS + LANES; first += BLOCK) {
        if (first + thread_id() < SUBGROUPS * BINS + LANES) digit_counts[first + thread_id()] = 0u;
    }
}

// A barrier must follow.
void count_digits(TileKeys keys, Digit digit, uint items, uint rows)
{
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
        UNROLL for (uint row = first; row < first + RANK_ROWS; row++) atomicAdd(digit_counts[subgroup_id() * BINS + row_digit(keys.at[row], row_place(row, rows), items, digit)], 1u, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    if (thread_id() == BLOCK - 1u) ranked_digit = digit;
}

uint sum_counts(uint bin)
{
    uint count = 0u;
    UNROLL for (uint subgroup = 0u; subgroup < SUBGROUPS; subgroup++) count += digit_counts[subgroup * BINS + bin];
    return count;
}

// The counts of this thread's bins.
ThreadBins sum_thread_bins()
{
    ThreadBins bins;
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
        const uint bin = thread_id() * THREAD_BINS + b;
        bins.count[b] = sum_counts(bin);
        bins.start[b] = 0u;
    }
    return bins;
}

// Turns counts into ranks. The whole block calls it; a barrier must follow.
ThreadBins place_thread_bins(ThreadBins bins)
{
    uint sum = 0u;
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) sum += bins.count[b];
    uint rank = thread_scan(sum);
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
        const uint bin = thread_id() * THREAD_BINS + b;
        bins.start[b] = rank;
        UNROLL for (uint subgroup = 0u; subgroup < SUBGROUPS; subgroup++) {
            const uint count = digit_counts[subgroup * BINS + bin];
            digit_counts[subgroup * BINS + bin] = rank;
            rank += count;
        }
    }
    return bins;
}

// Ranks of this lane's items, whose keys go there in shared memory.
TileRanks rank_items(TileKeys keys, uint items, uint rows)
{
    const Digit digit = ranked_digit; // read anew, so that digits are computed again: compilers would keep those that were counted in registers
    TileRanks ranks;
    UNROLL for (uint pair = 0u; pair < (ROWS + 1u) / 2u; pair++) ranks.pairs[pair] = 0u;
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) {
        uint counters[RANK_ROWS];
        Peers peers[RANK_ROWS];
        uint ranks_of_leaders[RANK_ROWS];
        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {
            const uint bin = row_digit(keys.at[first + r], row_place(first + r, rows), items, digit);
            peers[r] = match_digit(bin);
            counters[r] = peers[r].last == lane_id() ? subgroup_id() * BINS + bin : SUBGROUPS * BINS + lane_id();
        }
        // The last lane of those that have a digit counts for all. The others, instead of going another way, add to a place that means nothing.
        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {
            ranks_of_leaders[r] = atomicAdd(digit_counts[counters[r]], peers[r].before + 1u, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
            subgroup_barrier();
        }
        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {
            const uint row = first + r;
            const uint rank = shuffle(ranks_of_leaders[r], peers[r].last) + peers[r].before;
            store_exchanged_key(rank, keys.at[row]);
            ranks.pairs[row / 2u] |= rank << (row % 2u * 16u);
        }
    }
    return ranks;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Keys {
    nonprivate uint word[]; // items of 7 bytes
};

Bytes7 load_key(Keys items, uint i)
{
    const uint first = i / 4u * 7u + i % 4u * 7u / 4u;
    const uint shift = i * 3u % 4u * 8u;
    const uint read0 = items.word[first];
    const uint read1 = items.word[first + 1u];
    const uint read2 = items.word[first + (shift > 8u ? 2u : 0u)];
    const uint word0 = read0 >> shift | read1 << 1u << (31u - shift);
    const uint word1 = read1 >> shift | read2 << 1u << (31u - shift);
    return Bytes7(uvec4(bitfieldExtract(word0, 0, 8), bitfieldExtract(word0, 8, 8), bitfieldExtract(word0, 16, 8), bitfieldExtract(word0, 24, 8)), bitfieldExtract(int(word1), 0, 8), ivec2(bitfieldExtract(int(word1), 8, 8), bitfieldExtract(int(word1), 16, 8)));
}

void store_key(Keys items, uint i, Bytes7 item)
{
    const uint first = i / 4u * 7u + i % 4u * 7u / 4u;
    const uint shift = i * 3u % 4u * 8u;
    const uint word0 = item.a.x | (item.a.y << 8u) | (item.a.z << 16u) | (item.a.w << 24u);
    const uint word1 = bitfieldExtract(uint(item.b), 0, 8) | (bitfieldExtract(uint(item.c.x), 0, 8) << 8u) | (bitfieldExtract(uint(item.c.y), 0, 8) << 16u);
    atomicAnd(items.word[first], ~(0xffffffffu << shift));
    atomicOr(items.word[first], word0 << shift);
    atomicAnd(items.word[first + 1u], ~(0xffffffu << shift | 0xffffffffu >> 1u >> (31u - shift)));
    atomicOr(items.word[first + 1u], word1 << shift | word0 >> 1u >> (31u - shift));
    atomicAnd(items.word[first + (shift > 8u ? 2u : 0u)], ~(0xffffffu >> 1u >> (31u - shift)));
    atomicOr(items.word[first + (shift > 8u ? 2u : 0u)], word1 >> 1u >> (31u - shift));
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Values {
    nonprivate uint word[]; // items of 7 bytes
};

Bytes7 load_value(Values items, uint i)
{
    const uint first = i / 4u * 7u + i % 4u * 7u / 4u;
    const uint shift = i * 3u % 4u * 8u;
    const uint read0 = items.word[first];
    const uint read1 = items.word[first + 1u];
    const uint read2 = items.word[first + (shift > 8u ? 2u : 0u)];
    const uint word0 = read0 >> shift | read1 << 1u << (31u - shift);
    const uint word1 = read1 >> shift | read2 << 1u << (31u - shift);
    return Bytes7(uvec4(bitfieldExtract(word0, 0, 8), bitfieldExtract(word0, 8, 8), bitfieldExtract(word0, 16, 8), bitfieldExtract(word0, 24, 8)), bitfieldExtract(int(word1), 0, 8), ivec2(bitfieldExtract(int(word1), 8, 8), bitfieldExtract(int(word1), 16, 8)));
}

void store_value(Values items, uint i, Bytes7 item)
{
    const uint first = i / 4u * 7u + i % 4u * 7u / 4u;
    const uint shift = i * 3u % 4u * 8u;
    const uint word0 = item.a.x | (item.a.y << 8u) | (item.a.z << 16u) | (item.a.w << 24u);
    const uint word1 = bitfieldExtract(uint(item.b), 0, 8) | (bitfieldExtract(uint(item.c.x), 0, 8) << 8u) | (bitfieldExtract(uint(item.c.y), 0, 8) << 16u);
    atomicAnd(items.word[first], ~(0xffffffffu << shift));
    atomicOr(items.word[first], word0 << shift);
    atomicAnd(items.word[first + 1u], ~(0xffffffu << shift | 0xffffffffu >> 1u >> (31u - shift)));
    atomicOr(items.word[first + 1u], word1 << shift | word0 >> 1u >> (31u - shift));
    atomicAnd(items.word[first + (shift > 8u ? 2u : 0u)], ~(0xffffffu >> 1u >> (31u - shift)));
    atomicOr(items.word[first + (shift > 8u ? 2u : 0u)], word1 >> 1u >> (31u - shift));
}

// The key at a place in the tile that begins at `start`.
Bytes7 key_at(uvec2 keys, uint start, uint place)
{
    return load_key(Keys(address_after(keys, start, 7u)), place);
}

// The keys of the tile's rows.
TileKeys load_keys(uvec2 keys, uint start, uint last, uint rows)
{
    TileKeys tile;
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
        UNROLL for (uint row = first; row < first + RANK_ROWS; row++) tile.at[row] = key_at(keys, start, min(row_place(row, rows), last));
    return tile;
}

struct TileValues {
    Bytes7 at[ROWS];
};

struct TilePlaces {
    uint at[ROWS];
};

shared uint is_settled; // 1: all keys have the same digit

void main()
{
    const uint n = uint(element_count(params.n, params.n_address));
    if (n == 0u) return;
    const uint items = n;
    const uint rows = rows_of(items);
    const uvec2 keys_out = params.buffers[2];
    TileKeys keys = load_keys(params.buffers[0], 0u, items - 1u, rows);
    const uvec2 values_out = params.buffers[3];
    TilePlaces places;
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
        UNROLL for (uint row = first; row < first + RANK_ROWS; row++) places.at[row] = min(row_place(row, rows), items - 1u);

    for (uint pass = 0u; pass < PASSES; pass++) {
        const Digit digit = digit_of_pass(pass);
        clear_digit_counts();
        block_barrier();
        if (thread_id() == 0u) is_settled = 0u;
        count_digits(keys, digit, items, rows);
        block_barrier();
        const ThreadBins bins = place_thread_bins(sum_thread_bins());
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
            const uint bin = thread_id() * THREAD_BINS + b;
            if (bins.count[b] == (bin == BINS - 1u ? BLOCK * rows : items)) is_settled = 1u;
        }
        block_barrier();
        if (is_settled == 0u) {
            const TileRanks ranks = rank_items(keys, items, rows);
            block_barrier();
            UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
                UNROLL for (uint row = first; row < first + RANK_ROWS; row++) keys.at[row] = load_exchanged_key(row_place(row, rows));
            block_barrier();
            UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
                UNROLL for (uint row = first; row < first + RANK_ROWS; row++) store_exchanged_place(rank_of(ranks, row), places.at[row]);
            block_barrier();
            UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
                UNROLL for (uint row = first; row < first + RANK_ROWS; row++) places.at[row] = load_exchanged_place(row_place(row, rows));
        }
    }

    TileValues values;
    if (is_given(values_out)) {
        UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
            UNROLL for (uint row = first; row < first + RANK_ROWS; row++) {
            if (row_place(row, rows) < n) values.at[row] = load_value(Values(params.buffers[1]), places.at[row]);
        }
    }
    block_barrier_all_memory(); // outputs may be inputs
    if (is_given(keys_out)) {
        UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
            UNROLL for (uint row = first; row < first + RANK_ROWS; row++) {
            if (row_place(row, rows) < n) store_key(Keys(keys_out), row_place(row, rows), keys.at[row]);
        }
    }
    if (is_given(values_out)) {
        UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
            UNROLL for (uint row = first; row < first + RANK_ROWS; row++) {
            if (row_place(row, rows) < n) store_value(Values(values_out), row_place(row, rows), values.at[row]);
        }
    }
}
// ---- bytes7, kernel 2 of 5: sort_histogram
// bytes7: ascending sort of Bytes7 by 16 bits, with values of Bytes7
// monosweep 0.1.0, templates/sort/digit_histogram.tpl, strategy onesweep: block 128, subgroup 32, items 4, vector 4
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]
#define ROLL [[dont_unroll]]

layout(local_size_x = 128) in;

const uint BLOCK = 128u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint VECTOR = 4u; // consecutive items of a lane
const uint TILE = 512u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // keys: Bytes7[n], 4-byte aligned; values: Bytes7[n], 4-byte aligned; keys_out: Bytes7[n], 4-byte aligned; values_out: Bytes7[n], 4-byte aligned
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

// `count` things of `bytes` bytes each after an address, beyond 4 GiB too.
uvec2 address_after(uvec2 address, uint count, uint bytes)
{
    uint high, low;
    umulExtended(count, bytes, high, low);
    const uvec2 end = address_at(address, low);
    return uvec2(end.x, end.y + high);
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

struct Bytes7 {
    uvec4 a;
    int b;
    ivec2 c;
};

uint key_image(Bytes7 x)
{
    return ((bitfieldExtract(uint(x.b), 0, 8) ^ 128u) << 8) | x.a.w;
}

const uint DIGIT_BITS = 8u;
const uint BINS = 256u; // values of a digit
const uint PASSES = 2u; // digits of the key's 16 bits, the lowest first

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

uint digit_of(Bytes7 key, Digit digit)
{
    const uint image = key_image(key);
    return image >> digit.first_bit & digit.mask;
}

const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TURN = 2u; // sorts that have been counted, modulo 2
const uint FINISHED = 64u; // blocks that need none of the counters any more

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Counters {
    uint at[];
};

uint load_counter(uvec2 scratch, uint counter)
{
    return atomicLoad(Counters(scratch).at[counter], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// One that does not change during a launch.
uint constant_counter(uvec2 scratch, uint counter)
{
    return Counters(scratch).at[counter];
}

void store_counter(uvec2 scratch, uint counter, uint value)
{
    atomicStore(Counters(scratch).at[counter], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
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

// Which of its two histograms a sort counts in, 0 or 1: the one that is zero.
uint sort_turn(uvec2 scratch)
{
    return load_counter(scratch, TURN) % 2u;
}

void end_turn(uvec2 scratch, uint turn)
{
    store_counter(scratch, TURN, 1u - turn);
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

const uint HISTOGRAM_OFFSET = 384u; // bytes, in the scratch: keys[2][PASSES][BINS]; sorts take turns with the two

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Histogram {
    uint at[];
};

const uint PING_PONG = 0x20000u; // the argument of launches whose keys do not go through the scratch
const uint KEYS_END_OFFSET = 6536u; // where those of earlier launches end in the scratch, in units of 256 bytes
const uint SPARE_UNITS = 409u; // before all that depends on n, of 16 bytes
const uint TILE_POST_UNITS = 384u; // of a tile's posts, at most

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer KeysEnd {
    uint at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
    uint at[];
};

// Of a pass.
uint tiles_of(uint n)
{
    return (n + (TILE - 1u)) / TILE;
}

// Units of 256 bytes that the scratch has before a tile: those before all that depends on n, then `units` of each tile. 32 bits count enough of them.
uint units_before(uint tiles, uint tile_units)
{
    return tiles / 16u * tile_units + (tiles % 16u * tile_units + SPARE_UNITS + 15u) / 16u;
}

// Where the posts of ping-pong launches begin, at the earliest.
uint first_post_unit(uvec2 scratch, uint n)
{
    const uint units = zeroed_count(scratch), posts = units_before(tiles_of(n), TILE_POST_UNITS) - SPARE_UNITS / 16u;
    return posts + SPARE_UNITS / 16u < units ? units - posts : SPARE_UNITS / 16u;
}

// Ping-pong posts may lie where keys of other launches went through the scratch, and those look like posts.
void clear_old_keys(uvec2 scratch, uint n)
{
    const uint end = min(KeysEnd(address_at(scratch, KEYS_END_OFFSET)).at[0], zeroed_count(scratch));
    for (uint unit = first_post_unit(scratch, n) + block_id(); unit < end; unit += block_count()) {
        Words words = Words(address_after(scratch, unit, 256u));
        const uint first = unit == SPARE_UNITS / 16u ? SPARE_UNITS % 16u * 4u : 0u;
        for (uint w = first + thread_id(); w < 64u; w += BLOCK) words.at[w] = 0u;
    }
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In {
    uint word[]; // 7 words for 4 elements of 7 bytes
};

struct Inputs {
    Bytes7 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs load_full_inputs(In items, uint start)
{
    Inputs group;
    const uint first = start / VECTOR * 7u;
    const uint word0 = items.word[first];
    const uint word1 = items.word[first + 1u];
    const uint word2 = items.word[first + 2u];
    const uint word3 = items.word[first + 3u];
    const uint word4 = items.word[first + 4u];
    const uint word5 = items.word[first + 5u];
    const uint word6 = items.word[first + 6u];
    group.at[0] = Bytes7(uvec4(bitfieldExtract(word0, 0, 8), bitfieldExtract(word0, 8, 8), bitfieldExtract(word0, 16, 8), bitfieldExtract(word0, 24, 8)), bitfieldExtract(int(word1), 0, 8), ivec2(bitfieldExtract(int(word1), 8, 8), bitfieldExtract(int(word1), 16, 8)));
    group.at[1] = Bytes7(uvec4(bitfieldExtract(word1, 24, 8), bitfieldExtract(word2, 0, 8), bitfieldExtract(word2, 8, 8), bitfieldExtract(word2, 16, 8)), bitfieldExtract(int(word2), 24, 8), ivec2(bitfieldExtract(int(word3), 0, 8), bitfieldExtract(int(word3), 8, 8)));
    group.at[2] = Bytes7(uvec4(bitfieldExtract(word3, 16, 8), bitfieldExtract(word3, 24, 8), bitfieldExtract(word4, 0, 8), bitfieldExtract(word4, 8, 8)), bitfieldExtract(int(word4), 16, 8), ivec2(bitfieldExtract(int(word4), 24, 8), bitfieldExtract(int(word5), 0, 8)));
    group.at[3] = Bytes7(uvec4(bitfieldExtract(word5, 8, 8), bitfieldExtract(word5, 16, 8), bitfieldExtract(word5, 24, 8), bitfieldExtract(word6, 0, 8)), bitfieldExtract(int(word6), 8, 8), ivec2(bitfieldExtract(int(word6), 16, 8), bitfieldExtract(int(word6), 24, 8)));
    return group;
}

// Items start .. start + VECTOR - 1; those from n on are not read.
Inputs load_inputs(In items, uint start, uint n)
{
    Inputs group;
    const uint first = start / VECTOR * 7u;
    const uint word0 = start < n ? items.word[first] : 0u;
    const uint word1 = start < n ? items.word[first + 1u] : 0u;
    const uint word2 = start + 1u < n ? items.word[first + 2u] : 0u;
    const uint word3 = start + 1u < n ? items.word[first + 3u] : 0u;
    const uint word4 = start + 2u < n ? items.word[first + 4u] : 0u;
    const uint word5 = start + 2u < n ? items.word[first + 5u] : 0u;
    const uint word6 = start + 3u < n ? items.word[first + 6u] : 0u;
    group.at[0] = Bytes7(uvec4(bitfieldExtract(word0, 0, 8), bitfieldExtract(word0, 8, 8), bitfieldExtract(word0, 16, 8), bitfieldExtract(word0, 24, 8)), bitfieldExtract(int(word1), 0, 8), ivec2(bitfieldExtract(int(word1), 8, 8), bitfieldExtract(int(word1), 16, 8)));
    group.at[1] = Bytes7(uvec4(bitfieldExtract(word1, 24, 8), bitfieldExtract(word2, 0, 8), bitfieldExtract(word2, 8, 8), bitfieldExtract(word2, 16, 8)), bitfieldExtract(int(word2), 24, 8), ivec2(bitfieldExtract(int(word3), 0, 8), bitfieldExtract(int(word3), 8, 8)));
    group.at[2] = Bytes7(uvec4(bitfieldExtract(word3, 16, 8), bitfieldExtract(word3, 24, 8), bitfieldExtract(word4, 0, 8), bitfieldExtract(word4, 8, 8)), bitfieldExtract(int(word4), 16, 8), ivec2(bitfieldExtract(int(word4), 24, 8), bitfieldExtract(int(word5), 0, 8)));
    group.at[3] = Bytes7(uvec4(bitfieldExtract(word5, 8, 8), bitfieldExtract(word5, 16, 8), bitfieldExtract(word5, 24, 8), bitfieldExtract(word6, 0, 8)), bitfieldExtract(int(word6), 8, 8), ivec2(bitfieldExtract(int(word6), 16, 8), bitfieldExtract(int(word6), 24, 8)));
    return group;
}

const uint GROUPS = 1u; // of VECTOR items, of a thread and tile
const uint BATCH = 1u; // groups that a thread reads together

// Of a bin, in COPIES copies.
shared uint counts[4096u];
const uint COPIES = 8u;

void count_digits(Bytes7 key)
{
    UNROLL for (uint pass = 0u; pass < PASSES; pass++) {
        const uint bin = pass * BINS + digit_of(key, digit_of_pass(pass));
        atomicAdd(counts[bin * COPIES + lane_id() % COPIES], 1u, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    }
}

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const uint tiles = (n + (TILE - 1u)) / TILE;

    if (params.argument >= PING_PONG) clear_old_keys(params.scratch, params.n.x);
    for (uint i = thread_id(); i < PASSES * BINS * COPIES; i += BLOCK) counts[i] = 0u;
    block_barrier();
    for (uint tile = block_id(); tile < tiles; tile += block_count()) {
        const uint start = tile * TILE;
        if (is_aligned && start + TILE <= n) {
            ROLL for (uint least = 0u; least < GROUPS; least += BATCH) {
                const uint first = start + (least * BLOCK + thread_id()) * VECTOR;
                Inputs groups[BATCH];
                UNROLL for (uint g = 0u; g < BATCH; g++) groups[g] = load_full_inputs(in_items, first + g * (BLOCK * VECTOR));
                UNROLL for (uint g = 0u; g < BATCH; g++) {
                    UNROLL for (uint v = 0u; v < VECTOR; v++) count_digits(groups[g].at[v]);
                }
            }
        } else {
            ROLL for (uint g = 0u; g < GROUPS; g++) {
                const uint first = start + (g * BLOCK + thread_id()) * VECTOR;
                const Inputs group = load_inputs(in_items, first, n);
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v < n) count_digits(group.at[v]);
                }
            }
        }
    }
    const uint digits_turn = sort_turn(params.scratch); // not kept in registers while keys are counted
    const uint first_digit = digits_turn * (PASSES * BINS);
    block_barrier_all_memory();
    uint others = 0u;
    if (thread_id() == 0u) others = finish_block(params.scratch); // no thread of the block reads the turn any more
    Histogram histogram = Histogram(address_at(params.scratch, HISTOGRAM_OFFSET));
    for (uint bin = thread_id(); bin < PASSES * BINS; bin += BLOCK) {
        uint count = 0u;
        UNROLL for (uint copy = 0u; copy < COPIES; copy++) count += counts[bin * COPIES + (copy + lane_id()) % COPIES];
        if (count != 0u) atomicAdd(histogram.at[first_digit + bin], count, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    }
    // The next sort finds the other one zero, whether or not the launches that were to follow this one do.
    for (uint bin = block_id() * BLOCK + thread_id(); bin < PASSES * BINS; bin += block_count() * BLOCK) histogram.at[PASSES * BINS - first_digit + bin] = 0u;
    if (thread_id() == 0u && is_last_block(params.scratch, others)) end_turn(params.scratch, digits_turn);
}
// ---- bytes7, kernel 3 of 5: sort_starts
// bytes7: ascending sort of Bytes7 by 16 bits, with values of Bytes7
// monosweep 0.1.0, templates/sort/digit_starts.tpl, strategy onesweep: block 128, subgroup 32, items 4, vector 4
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
const uint TILE = 512u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // keys: Bytes7[n], 4-byte aligned; values: Bytes7[n], 4-byte aligned; keys_out: Bytes7[n], 4-byte aligned; values_out: Bytes7[n], 4-byte aligned
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

const uint BINS = 256u; // values of a digit
const uint PASSES = 2u; // digits of the key's 16 bits, the lowest first

const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TURN = 2u; // sorts that have been counted, modulo 2

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Counters {
    uint at[];
};

uint load_counter(uvec2 scratch, uint counter)
{
    return atomicLoad(Counters(scratch).at[counter], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// One that does not change during a launch.
uint constant_counter(uvec2 scratch, uint counter)
{
    return Counters(scratch).at[counter];
}

// Units of 256 bytes of the scratch that were zeroed.
uint zeroed_count(uvec2 scratch)
{
    return constant_counter(scratch, ZEROED);
}

// Which of its two histograms a sort counts in, 0 or 1: the one that is zero.
uint sort_turn(uvec2 scratch)
{
    return load_counter(scratch, TURN) % 2u;
}

const uint HISTOGRAM_OFFSET = 384u; // bytes, in the scratch: keys[2][PASSES][BINS]; sorts take turns with the two
const uint STARTS_OFFSET = 4480u; // places[PASSES][BINS]
const uint VARIES_OFFSET = 6528u; // uint[PASSES]: whether keys differ in the digit

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Histogram {
    uint at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Starts {
    uint at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Varies {
    uint at[];
};

const uint PING_PONG = 0x20000u; // the argument of launches whose keys do not go through the scratch
const uint KEYS_END_OFFSET = 6536u; // where those of earlier launches end in the scratch, in units of 256 bytes
const uint SPARE_UNITS = 409u; // before all that depends on n, of 16 bytes
const uint TILE_KEY_UNITS = 672u; // of a tile's keys and values on their way
const uint TILE_POST_UNITS = 384u; // of a tile's posts, at most

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer KeysEnd {
    uint at[];
};

// Of a pass.
uint tiles_of(uint n)
{
    return (n + (TILE - 1u)) / TILE;
}

// Units of 256 bytes that the scratch has before a tile: those before all that depends on n, then `units` of each tile. 32 bits count enough of them.
uint units_before(uint tiles, uint tile_units)
{
    return tiles / 16u * tile_units + (tiles % 16u * tile_units + SPARE_UNITS + 15u) / 16u;
}

// Where the posts of ping-pong launches begin, at the earliest.
uint first_post_unit(uvec2 scratch, uint n)
{
    const uint units = zeroed_count(scratch), posts = units_before(tiles_of(n), TILE_POST_UNITS) - SPARE_UNITS / 16u;
    return posts + SPARE_UNITS / 16u < units ? units - posts : SPARE_UNITS / 16u;
}

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
uint subgroup_scan_of(uint x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = earlier + x;
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

const uint TOTALS = 4u; // one for each subgroup
shared uint subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uint subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
    uint total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
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

const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

shared uint has_one_bin;

void main()
{
    const uint n = element_count(params.n, params.n_address);
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    Histogram histogram = Histogram(address_at(params.scratch, HISTOGRAM_OFFSET));
    const uint digits_turn = 1u - sort_turn(params.scratch); // the next sort's begins when the keys have been counted
    Varies varies = Varies(address_at(params.scratch, VARIES_OFFSET));
    for (uint pass = block_id(); pass < PASSES; pass += block_count()) {
        if (thread_id() == 0u) has_one_bin = 0u;
        block_barrier();
        uint count[THREAD_BINS];
        uint sum = 0u;
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
            const uint bin = thread_id() * THREAD_BINS + b;
            count[b] = uint(histogram.at[(digits_turn * PASSES + pass) * BINS + bin]);
            if (count[b] == n) atomicMax(has_one_bin, 1u, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
            sum += count[b];
        }
        uint start = thread_scan(sum);
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
            const uint bin = thread_id() * THREAD_BINS + b;
            starts.at[pass * BINS + bin] = start;
            start += count[b];
        }
        block_barrier();
        if (thread_id() == 0u) varies.at[pass] = 1u - has_one_bin;
    }
    if (block_id() == 0u && thread_id() == 0u) {
        KeysEnd keys_end = KeysEnd(address_at(params.scratch, KEYS_END_OFFSET));
        const bool is_ping_pong = params.argument >= PING_PONG;
        const uint bound = params.n.x, there = keys_end.at[0];
        const uint end = is_ping_pong ? first_post_unit(params.scratch, bound) : units_before(tiles_of(bound), TILE_KEY_UNITS);
        if (is_ping_pong ? end < there : end > there) keys_end.at[0] = end;
    }
}
// ---- bytes7, kernel 4 of 5: sort_pass
// bytes7: ascending sort of Bytes7 by 16 bits, with values of Bytes7
// monosweep 0.1.0, templates/sort/onesweep.tpl, strategy onesweep: block 128, subgroup 32, items 4, vector 1
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 128) in;

const uint BLOCK = 128u; // threads of a block
const uint LANES = 32u; // of a subgroup
const uint ROWS = 4u; // of a tile, for each subgroup
const uint TILE = 512u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // not used
    uvec2 carry_out; // not used
    uvec2 buffers[8]; // keys: Bytes7[n], 4-byte aligned; values: Bytes7[n], 4-byte aligned; keys_out: Bytes7[n], 4-byte aligned; values_out: Bytes7[n], 4-byte aligned
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

// `count` things of `bytes` bytes each after an address, beyond 4 GiB too.
uvec2 address_after(uvec2 address, uint count, uint bytes)
{
    uint high, low;
    umulExtended(count, bytes, high, low);
    const uvec2 end = address_at(address, low);
    return uvec2(end.x, end.y + high);
}

uint element_count(uvec2 n, uvec2 n_address)
{
    if (!is_given(n_address)) return n.x;
    const uvec2 count = Count(n_address).value;
    return count.y == 0u ? min(count.x, n.x) : n.x;
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

// Orders what the lanes of a subgroup do in shared memory. All of them call it.
void subgroup_barrier()
{
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
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

struct Bytes7 {
    uvec4 a;
    int b;
    ivec2 c;
};

uint key_image(Bytes7 x)
{
    return ((bitfieldExtract(uint(x.b), 0, 8) ^ 128u) << 8) | x.a.w;
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

const uint DIGIT_BITS = 8u;
const uint BINS = 256u; // values of a digit
const uint PASSES = 2u; // digits of the key's 16 bits, the lowest first

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

uint digit_of(Bytes7 key, Digit digit)
{
    const uint image = key_image(key);
    return image >> digit.first_bit & digit.mask;
}

const uint STARTS_OFFSET = 4480u; // places[PASSES][BINS]
const uint VARIES_OFFSET = 6528u; // uint[PASSES]: whether keys differ in the digit

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Starts {
    uint at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Varies {
    uint at[];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
uint subgroup_scan_of(uint x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = earlier + x;
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

const uint TOTALS = 4u; // one for each subgroup
shared uint subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(uint subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
    uint total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
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

// Word w of the item at a place: moved_words[w * TILE + place].
shared uint moved_words[TILE * 7u];

void store_exchanged_key(uint place, Bytes7 x)
{
    moved_words[place] = x.a.x;
    moved_words[TILE + place] = x.a.y;
    moved_words[2u * TILE + place] = x.a.z;
    moved_words[3u * TILE + place] = x.a.w;
    moved_words[4u * TILE + place] = bitfieldExtract(uint(x.b), 0, 8);
    moved_words[5u * TILE + place] = bitfieldExtract(uint(x.c.x), 0, 8);
    moved_words[6u * TILE + place] = bitfieldExtract(uint(x.c.y), 0, 8);
}

Bytes7 load_exchanged_key(uint place)
{
    return Bytes7(uvec4(bitfieldExtract(moved_words[place], 0, 8), bitfieldExtract(moved_words[TILE + place], 0, 8), bitfieldExtract(moved_words[2u * TILE + place], 0, 8), bitfieldExtract(moved_words[3u * TILE + place], 0, 8)), bitfieldExtract(int(moved_words[4u * TILE + place]), 0, 8), ivec2(bitfieldExtract(int(moved_words[5u * TILE + place]), 0, 8), bitfieldExtract(int(moved_words[6u * TILE + place]), 0, 8)));
}

void store_exchanged_value(uint place, Bytes7 x)
{
    moved_words[place] = x.a.x;
    moved_words[TILE + place] = x.a.y;
    moved_words[2u * TILE + place] = x.a.z;
    moved_words[3u * TILE + place] = x.a.w;
    moved_words[4u * TILE + place] = bitfieldExtract(uint(x.b), 0, 8);
    moved_words[5u * TILE + place] = bitfieldExtract(uint(x.c.x), 0, 8);
    moved_words[6u * TILE + place] = bitfieldExtract(uint(x.c.y), 0, 8);
}

Bytes7 load_exchanged_value(uint place)
{
    return Bytes7(uvec4(bitfieldExtract(moved_words[place], 0, 8), bitfieldExtract(moved_words[TILE + place], 0, 8), bitfieldExtract(moved_words[2u * TILE + place], 0, 8), bitfieldExtract(moved_words[3u * TILE + place], 0, 8)), bitfieldExtract(int(moved_words[4u * TILE + place]), 0, 8), ivec2(bitfieldExtract(int(moved_words[5u * TILE + place]), 0, 8), bitfieldExtract(int(moved_words[6u * TILE + place]), 0, 8)));
}

struct Peers {
    uint before; // of them, lanes before this one
    uint last;   // lane
};

// All lanes of the subgroup call it.
Peers match_digit(uint digit)
{
    uint lanes = subgroupBallot(true).x;
    UNROLL for (uint bit = 0u; bit < DIGIT_BITS; bit++) {
        const bool is_set = (digit & 1u << bit) != 0u;
        lanes &= subgroupBallot(is_set).x ^ (is_set ? 0u : 0xffffffffu);
    }
    Peers peers;
    peers.before = uint(bitCount(lanes & gl_SubgroupLtMask.x));
    peers.last = uint(findMSB(lanes));
    return peers;
}

const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

struct TileKeys {
    Bytes7 at[ROWS];
};

// What a thread knows of its bins.
struct ThreadBins {
    uint count[THREAD_BINS]; // the tile's items
    uint start[THREAD_BINS]; // where they begin in the sorted tile
};

shared uint last_digit;

const uint SUBGROUPS = 4u; // of a block
const uint RANK_ROWS = 4u; // ranked together, so that their latencies overlap

// Two to a word: a tile has at most 65536 items.
struct TileRanks {
    uint pairs[(ROWS + 1u) / 2u];
};

uint rank_of(TileRanks ranks, uint row)
{
    return ranks.pairs[row / 2u] >> (row % 2u * 16u) & 0xffffu;
}

// Of a subgroup's items by digit: how many, then the rank of the next. Behind them a place for each lane.
shared uint digit_counts[SUBGROUPS * BINS + LANES];
shared Digit ranked_digit;

uint row_place(uint row)
{
    return subgroup_id() * (ROWS * LANES) + lane_id() + row * LANES;
}

// A barrier must follow. Every thread goes through the loop as often.
void clear_digit_counts()
{
    UNROLL for (uint first = 0u; first < SUBGROUPS * BINS + LANES; first += BLOCK) {
        if (first + thread_id() < SUBGROUPS * BINS + LANES) digit_counts[first + thread_id()] = 0u;
    }
}

// A barrier must follow.
void count_digits(TileKeys keys, Digit digit)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) atomicAdd(digit_counts[subgroup_id() * BINS + digit_of(keys.at[row], digit)], 1u, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    if (thread_id() == BLOCK - 1u) {
        last_digit = digit_of(keys.at[ROWS - 1u], digit);
        ranked_digit = digit;
    }
}

uint sum_counts(uint bin)
{
    uint count = 0u;
    UNROLL for (uint subgroup = 0u; subgroup < SUBGROUPS; subgroup++) count += digit_counts[subgroup * BINS + bin];
    return count;
}

// The counts of this thread's bins.
ThreadBins sum_thread_bins()
{
    ThreadBins bins;
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
        const uint bin = thread_id() * THREAD_BINS + b;
        bins.count[b] = sum_counts(bin);
        bins.start[b] = 0u;
    }
    return bins;
}

// Turns counts into ranks. The whole block calls it; a barrier must follow.
ThreadBins place_thread_bins(ThreadBins bins)
{
    uint sum = 0u;
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) sum += bins.count[b];
    uint rank = thread_scan(sum);
    UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
        const uint bin = thread_id() * THREAD_BINS + b;
        bins.start[b] = rank;
        UNROLL for (uint subgroup = 0u; subgroup < SUBGROUPS; subgroup++) {
            const uint count = digit_counts[subgroup * BINS + bin];
            digit_counts[subgroup * BINS + bin] = rank;
            rank += count;
        }
    }
    return bins;
}

// Ranks of this lane's items, whose keys go there in shared memory.
TileRanks rank_items(TileKeys keys)
{
    const Digit digit = ranked_digit; // read anew, so that digits are computed again: compilers would keep those that were counted in registers
    TileRanks ranks;
    UNROLL for (uint pair = 0u; pair < (ROWS + 1u) / 2u; pair++) ranks.pairs[pair] = 0u;
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) {
        uint counters[RANK_ROWS];
        Peers peers[RANK_ROWS];
        uint ranks_of_leaders[RANK_ROWS];
        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {
            const uint bin = digit_of(keys.at[first + r], digit);
            peers[r] = match_digit(bin);
            counters[r] = peers[r].last == lane_id() ? subgroup_id() * BINS + bin : SUBGROUPS * BINS + lane_id();
        }
        // The last lane of those that have a digit counts for all. The others, instead of going another way, add to a place that means nothing.
        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {
            ranks_of_leaders[r] = atomicAdd(digit_counts[counters[r]], peers[r].before + 1u, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
            subgroup_barrier();
        }
        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {
            const uint row = first + r;
            const uint rank = shuffle(ranks_of_leaders[r], peers[r].last) + peers[r].before;
            store_exchanged_key(rank, keys.at[row]);
            ranks.pairs[row / 2u] |= rank << (row % 2u * 16u);
        }
    }
    return ranks;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Keys {
    uint word[]; // items of 7 bytes
};

Bytes7 load_key(Keys items, uint i)
{
    const uint first = i / 4u * 7u + i % 4u * 7u / 4u;
    const uint shift = i * 3u % 4u * 8u;
    const uint read0 = items.word[first];
    const uint read1 = items.word[first + 1u];
    const uint read2 = items.word[first + (shift > 8u ? 2u : 0u)];
    const uint word0 = read0 >> shift | read1 << 1u << (31u - shift);
    const uint word1 = read1 >> shift | read2 << 1u << (31u - shift);
    return Bytes7(uvec4(bitfieldExtract(word0, 0, 8), bitfieldExtract(word0, 8, 8), bitfieldExtract(word0, 16, 8), bitfieldExtract(word0, 24, 8)), bitfieldExtract(int(word1), 0, 8), ivec2(bitfieldExtract(int(word1), 8, 8), bitfieldExtract(int(word1), 16, 8)));
}

void store_key(Keys items, uint i, Bytes7 item)
{
    const uint first = i / 4u * 7u + i % 4u * 7u / 4u;
    const uint shift = i * 3u % 4u * 8u;
    const uint word0 = item.a.x | (item.a.y << 8u) | (item.a.z << 16u) | (item.a.w << 24u);
    const uint word1 = bitfieldExtract(uint(item.b), 0, 8) | (bitfieldExtract(uint(item.c.x), 0, 8) << 8u) | (bitfieldExtract(uint(item.c.y), 0, 8) << 16u);
    atomicAnd(items.word[first], ~(0xffffffffu << shift));
    atomicOr(items.word[first], word0 << shift);
    atomicAnd(items.word[first + 1u], ~(0xffffffu << shift | 0xffffffffu >> 1u >> (31u - shift)));
    atomicOr(items.word[first + 1u], word1 << shift | word0 >> 1u >> (31u - shift));
    atomicAnd(items.word[first + (shift > 8u ? 2u : 0u)], ~(0xffffffu >> 1u >> (31u - shift)));
    atomicOr(items.word[first + (shift > 8u ? 2u : 0u)], word1 >> 1u >> (31u - shift));
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Values {
    uint word[]; // items of 7 bytes
};

Bytes7 load_value(Values items, uint i)
{
    const uint first = i / 4u * 7u + i % 4u * 7u / 4u;
    const uint shift = i * 3u % 4u * 8u;
    const uint read0 = items.word[first];
    const uint read1 = items.word[first + 1u];
    const uint read2 = items.word[first + (shift > 8u ? 2u : 0u)];
    const uint word0 = read0 >> shift | read1 << 1u << (31u - shift);
    const uint word1 = read1 >> shift | read2 << 1u << (31u - shift);
    return Bytes7(uvec4(bitfieldExtract(word0, 0, 8), bitfieldExtract(word0, 8, 8), bitfieldExtract(word0, 16, 8), bitfieldExtract(word0, 24, 8)), bitfieldExtract(int(word1), 0, 8), ivec2(bitfieldExtract(int(word1), 8, 8), bitfieldExtract(int(word1), 16, 8)));
}

void store_value(Values items, uint i, Bytes7 item)
{
    const uint first = i / 4u * 7u + i % 4u * 7u / 4u;
    const uint shift = i * 3u % 4u * 8u;
    const uint word0 = item.a.x | (item.a.y << 8u) | (item.a.z << 16u) | (item.a.w << 24u);
    const uint word1 = bitfieldExtract(uint(item.b), 0, 8) | (bitfieldExtract(uint(item.c.x), 0, 8) << 8u) | (bitfieldExtract(uint(item.c.y), 0, 8) << 16u);
    atomicAnd(items.word[first], ~(0xffffffffu << shift));
    atomicOr(items.word[first], word0 << shift);
    atomicAnd(items.word[first + 1u], ~(0xffffffu << shift | 0xffffffffu >> 1u >> (31u - shift)));
    atomicOr(items.word[first + 1u], word1 << shift | word0 >> 1u >> (31u - shift));
    atomicAnd(items.word[first + (shift > 8u ? 2u : 0u)], ~(0xffffffu >> 1u >> (31u - shift)));
    atomicOr(items.word[first + (shift > 8u ? 2u : 0u)], word1 >> 1u >> (31u - shift));
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
Bytes7 key_at(uvec2 keys, uint start, uint place)
{
    return load_key(Keys(address_after(keys, start, 7u)), place);
}

// The keys of the tile's rows.
TileKeys load_keys(uvec2 keys, uint start, uint last)
{
    TileKeys tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = key_at(keys, start, min(row_place(row), last));
    return tile;
}

struct TileValues {
    Bytes7 at[ROWS];
};

// Their values.
TileValues load_values(uvec2 values, uint start, uint last)
{
    TileValues tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = load_value(Values(address_after(values, start, 7u)), min(row_place(row), last));
    return tile;
}

const uint WORDS = 2u; // of a post: its tag, its payload

// Counters at the start of the scratch, as indices of 4-byte words. Those that all blocks change have a cache line each.
const uint LAUNCH = 0u; // launches that have ended, modulo 2^31 - 1
const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TICKET = 32u; // tiles taken
const uint FINISHED = 64u; // blocks that need none of the counters any more

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Counters {
    uint at[];
};

uint load_counter(uvec2 scratch, uint counter)
{
    return atomicLoad(Counters(scratch).at[counter], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// One that does not change during a launch.
uint constant_counter(uvec2 scratch, uint counter)
{
    return Counters(scratch).at[counter];
}

void store_counter(uvec2 scratch, uint counter, uint value)
{
    atomicStore(Counters(scratch).at[counter], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Adds 1; returns what was there.
uint add_counter(uvec2 scratch, uint counter)
{
    return atomicAdd(Counters(scratch).at[counter], 1u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
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

// The tag of this launch: 1 to 2^31 - 1, so that tag * 2 + 1 fits 32 bits.
uint launch_tag(uvec2 scratch)
{
    return load_counter(scratch, LAUNCH) + 1u;
}

// Units of 256 bytes of the scratch that were zeroed.
uint zeroed_count(uvec2 scratch)
{
    return constant_counter(scratch, ZEROED);
}

uint take_ticket(uvec2 scratch)
{
    return add_counter(scratch, TICKET);
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

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
void end_launch(uvec2 scratch)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    store_counter(scratch, LAUNCH, launch_tag(scratch) % 0x7fffffffu);
    store_counter(scratch, TICKET, 0u);
}

const uint EMPTY = 0u;
const uint AGGREGATE = 1u;
const uint PREFIX = 2u;

struct Descriptor {
    uint value;
    uint state;
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Posts {
    uint at[];
};

uint load_word(Posts posts, uint index)
{
    return atomicLoad(posts.at[index], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

void store_word(Posts posts, uint index, uint word)
{
    atomicStore(posts.at[index], word, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Acquire: a thread that reads the flag also sees what was stored before it.
uint load_flag(Posts posts, uint index)
{
    return atomicLoad(posts.at[index], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
}

void store_flag(Posts posts, uint index, uint flag)
{
    atomicStore(posts.at[index], flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}

void publish(Posts posts, uint first, uint tag, uint x)
{
    store_word(posts, first + 1u, x);
    store_flag(posts, first, tag);
}

// What a tile has posted: its inclusive prefix if that is there, else its aggregate.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const uint aggregate = tile * 2u * WORDS;
    const uint prefix = aggregate + WORDS;
    const bool has_aggregate = load_flag(posts, aggregate) == tag << 1;
    const bool has_prefix = load_flag(posts, prefix) == (tag << 1 | 1u);
    const uint first = has_prefix ? prefix : aggregate;
    Descriptor descriptor;
    descriptor.state = has_prefix ? PREFIX : has_aggregate ? AGGREGATE : EMPTY;
    descriptor.value = load_word(posts, first + 1u);
    return descriptor;
}

void publish_aggregate(Posts posts, uint tile, uint tag, uint x)
{
    publish(posts, tile * 2u * WORDS, tag << 1, x);
}

void publish_prefix(Posts posts, uint tile, uint tag, uint x)
{
    publish(posts, (tile * 2u + 1u) * WORDS, tag << 1 | 1u, x);
}

// The aggregate of a tile whose own block may post as well.
void publish_missing(Posts posts, uint tile, uint tag, uint x)
{
    publish_aggregate(posts, tile, tag, x);
}

const uint IN_PLACE = 0x10000u; // added to the argument of a pass: outputs may be inputs
const uint PING_PONG = 0x20000u; // or inputs are there to be overwritten
const uint SPARE_OFFSET = 6544u; // bytes, in the scratch
const uint TILE_KEY_BYTES = 3584u; // of a tile's keys there
const uint DESCRIPTOR_BYTES = 4096u; // of a tile

struct Route {
    bool runs;
    bool is_first;
    bool is_last;
    bool to_outputs; // else to the scratch
};

Route route_of(uvec2 scratch, uint argument)
{
    Varies varies = Varies(address_at(scratch, VARIES_OFFSET));
    const uint pass = argument % IN_PLACE;
    const bool is_ping_pong = argument >= PING_PONG;
    uint varied = 0u;
    for (uint p = 0u; p < PASSES; p++) varied += varies.at[p];
    // How many of the passes that would be left out run all the same: the first of them do.
    uint more = varied == 0u ? 1u : 0u;
    if (argument >= IN_PLACE && (varied + more) % 2u != (is_ping_pong ? PASSES % 2u : 0u)) more++;
    uint before = 0u;
    uint skipped = 0u; // up to this one
    for (uint p = 0u; p < PASSES; p++) {
        if (p < pass) {
            before += varies.at[p];
            skipped += 1u - varies.at[p];
        }
    }
    const bool varies_here = pass < PASSES && varies.at[min(pass, PASSES - 1u)] != 0u;
    if (pass > PASSES) skipped += pass - PASSES;
    before += min(skipped, more);
    Route route;
    route.runs = varies_here || skipped < more;
    route.is_first = before == 0u;
    route.is_last = before + 1u == varied + more;
    route.to_outputs = is_ping_pong ? before % 2u == 0u : (varied + more - before) % 2u == 1u;
    return route;
}

// Whether the part of the scratch that was zeroed has room for this number of tiles. Their posts lie at its end.
bool has_room(uvec2 scratch, uint tiles, bool is_ping_pong)
{
    const uint tile_units = is_ping_pong ? 256u : 928u;
    // in units of 256 bytes, of which 32 bits count enough
    return tiles / 16u * tile_units + (tiles % 16u * tile_units + SPARE_OFFSET / 16u + 15u) / 16u <= zeroed_count(scratch);
}

// Keys and values on their way, and the descriptors behind them: at the scratch's end, so that keys of one launch never look like posts to another.
struct Spares {
    uvec2 keys;
    uvec2 more_keys; // instead of keys_out where that is not given
    uvec2 values;
    uvec2 descriptors;
};

Spares spares_of(uvec2 scratch, uint n)
{
    const uint tiles = tile_count(n);
    Spares spares;
    spares.keys = address_at(scratch, SPARE_OFFSET);
    spares.more_keys = address_after(spares.keys, tiles, TILE_KEY_BYTES);
    spares.values = address_after(spares.more_keys, tiles, TILE_KEY_BYTES);
    const uint units = tiles * (DESCRIPTOR_BYTES / 16u); // of 16 bytes: of posts 32 bits count them, of a scratch they may not
    spares.descriptors = address_at(address_after(scratch, zeroed_count(scratch) - units / 16u - 1u, 256u), (16u - units % 16u) * 16u);
    return spares;
}

const uint DEPTH = 2u; // consecutive descriptors of a lane, read together
const uint WINDOW = 2u; // descriptors of a lane
const uint SPIN_LIMIT = 4096u; // polls of a window until the block sums up a missing tile by itself
const uint NO_TILE = 0xffffffffu;

// A look-back that has come to tile `end`: what the tiles from there up to its own add up to.
struct LookBack {
    uint aggregate;
    uint bin; // of the digit that it counts
    uint end;     // 0: that is all
    uint missing; // the tile this lane waits for, or NO_TILE
};

// Takes a look-back further, to its end or to a tile whose post does not come.
LookBack look_back(Posts posts, uint tag, LookBack look)
{
    bool is_waiting = false;
    while (look.end > 0u && !is_waiting) {
        Descriptor seen[DEPTH];
        UNROLL for (uint k = 0u; k < DEPTH; k++) seen[k].state = EMPTY;
        uint value = identity();
        bool has_prefix = false;
        is_waiting = true;
        for (uint polls = 0u; is_waiting && polls < SPIN_LIMIT; polls++) {
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = WINDOW - k;
                if (back <= look.end && seen[k].state == EMPTY) seen[k] = poll(posts, (look.end - back) * BINS + look.bin, tag);
            }
            // What this lane's tiles add up to, from its last inclusive prefix on.
            value = identity();
            look.missing = NO_TILE;
            has_prefix = false;
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = WINDOW - k;
                if (back > look.end) {
                    // no such tile
                } else if (seen[k].state == EMPTY) {
                    look.missing = look.end - back;
                } else if (seen[k].state == AGGREGATE) {
                    value = value + seen[k].value;
                } else {
                    value = seen[k].value;
                    look.missing = NO_TILE;
                    has_prefix = true;
                }
            }
            is_waiting = look.missing != NO_TILE;
        }
        if (!is_waiting) {
            look.aggregate = value + look.aggregate;
            look.end = has_prefix || look.end <= WINDOW ? 0u : look.end - WINDOW;
        }
    }
    return look;
}

const uint STORE_ROWS = 4u; // read from shared memory, then stored

shared uint ticket;
shared uint bin_places[BINS]; // where a bin's items go, less their rank
shared uint first_repeat; // rank of the first place beyond the last item
shared uint missing_tiles; // the last that a thread waits for + 1, or 0
shared uint missing_counts[BINS];

void main()
{
    const uint n = element_count(params.n, params.n_address);
    if (!has_room(params.scratch, tile_count(params.n.x), params.argument >= PING_PONG)) return;
    Spares spares = spares_of(params.scratch, params.n.x);
    if (params.argument >= PING_PONG) {
        spares.keys = params.buffers[0];
        spares.values = params.buffers[1];
    }
    const uvec2 keys_out_or_spare = is_given(params.buffers[2]) ? params.buffers[2] : spares.more_keys;
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    Posts posts = Posts(spares.descriptors);
    const uint tag = launch_tag(params.scratch);
    const uint tiles = tile_count(n);
    const uint pass = params.argument % IN_PLACE;
    const Route route = route_of(params.scratch, params.argument);
    if (!route.runs) return;
    const Digit digit = digit_of_pass(pass);
    const uvec2 keys_in = route.is_first ? params.buffers[0] : route.to_outputs ? spares.keys : keys_out_or_spare;
    const uvec2 keys_out = route.to_outputs ? keys_out_or_spare : spares.keys;
    const bool moves_keys = !route.is_last || is_given(params.buffers[2]);
    const uvec2 values_in = route.is_first ? params.buffers[1] : route.to_outputs ? spares.values : params.buffers[3];
    const uvec2 values_out = route.to_outputs ? params.buffers[3] : spares.values;
    const bool moves_values = is_given(params.buffers[3]);
    const uint first_start = min(pass, PASSES - 1u) * BINS; // beyond the last digit: see below
    const uint rounds = (tiles + block_count() - 1u) / block_count();
    block_barrier_all_memory(); // all have read the tag before one of them ends the launch

    for (uint round = 0u; round < rounds; round++) {
        // Tiles are taken in the order in which blocks come to run: every tile before this one has been begun.
        if (thread_id() == 0u) ticket = take_ticket(params.scratch);
        clear_digit_counts();
        block_barrier();
        const uint tile = ticket;
        if (tile >= tiles) {
            if (thread_id() == 0u) end_launch(params.scratch);
            break;
        }
        const uint start = uint(tile) * TILE;
        const uint last = last_place(start, n);
        const uint repeats = TILE - 1u - last;
        const TileKeys keys = load_keys(keys_in, start, last);
        if (thread_id() == 0u && round == rounds - 1u) end_launch(params.scratch); // the block takes no ticket any more
        count_digits(keys, digit);
        block_barrier();
        ThreadBins bins = sum_thread_bins();
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
            const uint bin = thread_id() * THREAD_BINS + b;
            const uint items = bin == last_digit ? bins.count[b] - repeats : bins.count[b];
            if (tile > 0u) publish_aggregate(posts, tile * BINS + bin, tag, items);
        }
        bins = place_thread_bins(bins);
        block_barrier();
        const TileRanks ranks = rank_items(keys);
        TileValues values;
        if (moves_values) values = load_values(values_in, start, last);

        LookBack look[THREAD_BINS];
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
            const uint bin = thread_id() * THREAD_BINS + b;
            look[b].aggregate = 0u;
            look[b].bin = bin;
            look[b].end = tile;
            look[b].missing = NO_TILE;
        }
        uint missing = 0u;
        do {
            if (thread_id() == 0u) missing_tiles = 0u;
            block_barrier();
            UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
                const uint bin = thread_id() * THREAD_BINS + b;
                look[b] = look_back(posts, tag, look[b]);
                if (look[b].missing != NO_TILE) atomicMax(missing_tiles, look[b].missing + 1u, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
                missing_counts[bin] = 0u;
            }
            block_barrier();
            missing = missing_tiles;
            if (missing != 0u) {
                // Its block may not run before this one ends: count its digits in its place, and post that.
                for (uint row = 0u; row < ROWS; row++) {
                    const Bytes7 key = key_at(keys_in, uint(missing - 1u) * TILE, row * BLOCK + thread_id());
                    atomicAdd(missing_counts[digit_of(key, digit)], 1u, gl_ScopeWorkgroup, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
                }
                block_barrier();
                UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
                    const uint bin = thread_id() * THREAD_BINS + b;
                    if (missing == 1u) publish_prefix(posts, bin, tag, missing_counts[bin]);
                    if (missing > 1u) publish_missing(posts, (missing - 1u) * BINS + bin, tag, missing_counts[bin]);
                }
                block_barrier();
            }
        } while (missing != 0u);
        UNROLL for (uint b = 0u; b < THREAD_BINS; b++) {
            const uint bin = thread_id() * THREAD_BINS + b;
            const uint items = bin == last_digit ? bins.count[b] - repeats : bins.count[b];
            publish_prefix(posts, tile * BINS + bin, tag, look[b].aggregate + items);
            const uint bin_start = digit.mask == 0u ? 0u : uint(starts.at[first_start + bin]);
            bin_places[bin] = bin_start + look[b].aggregate - bins.start[b];
            if (bin == last_digit) first_repeat = bins.start[b] + items;
        }
        block_barrier();
        const uint end = first_repeat;
        uint places[ROWS];
        UNROLL for (uint first = 0u; first < ROWS; first += STORE_ROWS) {
            Bytes7 moved[STORE_ROWS];
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
            block_barrier();
            UNROLL for (uint row = 0u; row < ROWS; row++) store_exchanged_value(rank_of(ranks, row), values.at[row]);
            block_barrier();
            UNROLL for (uint first = 0u; first < ROWS; first += STORE_ROWS) {
                Bytes7 moved[STORE_ROWS];
                UNROLL for (uint r = 0u; r < STORE_ROWS; r++) moved[r] = load_exchanged_value((first + r) * BLOCK + thread_id());
                subgroup_barrier();
                UNROLL for (uint r = 0u; r < STORE_ROWS; r++) {
                    const uint rank = (first + r) * BLOCK + thread_id();
                    if (rank - end >= repeats) store_value(Values(values_out), places[first + r], moved[r]);
                }
            }
        }
        block_barrier();
    }
}
// ---- bytes7, kernel 5 of 5: zero_scratch
// bytes7: ascending sort of Bytes7 by 16 bits, with values of Bytes7
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 128, subgroup 32, items 4, vector 4
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
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
    uvec2 buffers[8]; // keys: Bytes7[n], 4-byte aligned; values: Bytes7[n], 4-byte aligned; keys_out: Bytes7[n], 4-byte aligned; values_out: Bytes7[n], 4-byte aligned
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
