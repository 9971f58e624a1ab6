// monosweep gen tests/corpus/sorts.lua --op splat --target cuda --quiet
// ---- splat, kernel 1 of 5: sort_single_block
// splat: ascending and descending sort of Splat by 46 bits, returns indices of u32
// monosweep 0.1.0, templates/sort/sort_block.tpl, strategy single_block: block 256, subgroup 32, items 8, vector 1
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint ROWS = 8u; // of a tile, for each subgroup
constexpr uint TILE = 2048u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: Splat[n], 4-byte aligned; keys_out: Splat[n], 4-byte aligned; values_out: u32[n], 4-byte aligned
    uint argument;
    uint reserved[3];
};

__device__ __forceinline__ bool is_given(u64 address)
{
    return address != 0u;
}

__device__ __forceinline__ u64 address_after(u64 address, u64 count, u64 bytes)
{
    return address + count * bytes;
}

__device__ __forceinline__ u64 element_count(u64 n, u64 n_address)
{
    return is_given(n_address) ? min(*(const u64 *)n_address, n) : n;
}

__device__ __forceinline__ void block_barrier()
{
    __syncthreads();
}

// A barrier of the block orders what its threads do in device memory, too.
__device__ __forceinline__ void block_barrier_all_memory()
{
    __syncthreads();
}

// Orders what the lanes of a subgroup do in shared memory. All of them call it.
__device__ __forceinline__ void subgroup_barrier()
{
    __syncwarp();
}

__device__ __forceinline__ uint lane_id()
{
    return threadIdx.x % LANES;
}

__device__ __forceinline__ uint subgroup_id()
{
    return threadIdx.x / LANES;
}

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

struct Splat {
    uint tile;
    float depth;
    u8 id;
};

struct u32x2 {
    uint x, y;
};

__device__ __forceinline__ u32x2 key_image(Splat x)
{
    uint bits = __float_as_uint(x.depth);
    return u32x2{x.tile & 0x3fffu, bits ^ ((0u - (bits >> 31)) | 0x80000000u) ^ 0xffffffffu};
}

__device__ __forceinline__ uint identity()
{
    return 0u;
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ uint shuffle(uint x, uint lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ uint shuffle_up(uint x, uint distance)
{
    return __shfl_up_sync(ALL_LANES, x, distance);
}

const uint DIGIT_BITS = 8u;
const uint BINS = 256u; // values of a digit
const uint PASSES = 6u; // digits of the key's 46 bits, the lowest first

// A digit of all keys.
struct Digit {
    uint first_bit;
    uint mask;
    uint below32; // all ones where it begins below that bit, else 0
};

__device__ __forceinline__ Digit digit_of_pass(uint pass)
{
    Digit digit;
    digit.first_bit = pass < PASSES ? pass * DIGIT_BITS : 0u;
    digit.mask = pass < PASSES ? BINS - 1u : 0u; // beyond the last digit all keys are equal
    digit.below32 = digit.first_bit < 32u ? 0xffffffffu : 0u;
    return digit;
}

__device__ __forceinline__ uint digit_of(Splat key, Digit digit)
{
    const u32x2 image = key_image(key);
    const uint word = image.x ^ ((image.y ^ image.x) & digit.below32);
    return word >> digit.first_bit % 32u & digit.mask;
}

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ uint subgroup_scan_of(uint x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = earlier + x;
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ uint subgroup_scan(uint x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ uint subgroup_shift(uint x)
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
__shared__ uint subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(uint subgroup_total)
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

// What comes before a thread in its block. The whole block calls it.
__device__ __forceinline__ uint thread_scan(uint x)
{
    const uint inclusive = subgroup_scan(x);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u));
    const uint earlier = subgroup_shift(inclusive);
    return block.before + earlier;
}

// Word w of the item at a place: moved_words[w * TILE + place].
__shared__ uint moved_words[TILE * 3u];

__device__ __forceinline__ void store_exchanged_key(uint place, Splat x)
{
    moved_words[place] = x.tile;
    moved_words[TILE + place] = __float_as_uint(x.depth);
    moved_words[2u * TILE + place] = (uint)x.id;
}

__device__ __forceinline__ Splat load_exchanged_key(uint place)
{
    return Splat{moved_words[place], __uint_as_float(moved_words[TILE + place]), (u8)moved_words[2u * TILE + place]};
}

__device__ __forceinline__ void store_exchanged_place(uint place, uint x)
{
    moved_words[place] = x;
}

__device__ __forceinline__ uint load_exchanged_place(uint place)
{
    return moved_words[place];
}

struct Peers {
    uint before; // of them, lanes before this one
    uint last;   // lane
};

// All lanes of the subgroup call it.
__device__ __forceinline__ Peers match_digit(uint digit)
{
    // Bit by bit the lanes that have the same one, three numbers put together by one instruction. In this form ptxas tests seven bits by one, too, and
    // NVVM has one to look at.
    uint lanes;
    asm("{.reg .pred is_set; .reg .b32 masked, same, too; "
        "and.b32 masked, %1, 1; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 %0, is_set, 0xffffffff; @!is_set not.b32 %0, %0; "
        "and.b32 masked, %1, 2; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 same, is_set, 0xffffffff; @!is_set not.b32 same, same; "
        "and.b32 masked, %1, 4; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 too, is_set, 0xffffffff; @!is_set not.b32 too, too; lop3.b32 %0, %0, same, too, 0x80; "
        "and.b32 masked, %1, 8; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 same, is_set, 0xffffffff; @!is_set not.b32 same, same; "
        "and.b32 masked, %1, 16; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 too, is_set, 0xffffffff; @!is_set not.b32 too, too; lop3.b32 %0, %0, same, too, 0x80; "
        "and.b32 masked, %1, 32; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 same, is_set, 0xffffffff; @!is_set not.b32 same, same; "
        "and.b32 masked, %1, 64; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 too, is_set, 0xffffffff; @!is_set not.b32 too, too; lop3.b32 %0, %0, same, too, 0x80; "
        "and.b32 masked, %1, 128; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 same, is_set, 0xffffffff; @!is_set not.b32 same, same; "
        "and.b32 %0, %0, same; "
        "}" : "=&r"(lanes) : "r"(digit));
    Peers peers;
    peers.before = (uint)__popc(lanes & ((1u << lane_id()) - 1u));
    peers.last = 31u - (uint)__clz(lanes);
    return peers;
}

struct TileKeys {
    Splat at[ROWS];
};

// What a thread knows of its bin.
struct ThreadBins {
    uint count; // the tile's items
    uint start; // where they begin in the sorted tile
};

const uint SUBGROUPS = 8u; // of a block
const uint RANK_ROWS = 4u; // ranked together, so that their latencies overlap

// Two to a word: a tile has at most 65536 items.
struct TileRanks {
    uint pairs[(ROWS + 1u) / 2u];
};

__device__ __forceinline__ uint rank_of(TileRanks ranks, uint row)
{
    return ranks.pairs[row / 2u] >> (row % 2u * 16u) & 0xffffu;
}

// Of a subgroup's items by digit: how many, then the rank of the next. Behind them a place for each lane.
__shared__ uint digit_counts[SUBGROUPS * BINS + LANES];
__shared__ Digit ranked_digit;

// The rows that a tile of this number of items needs, rounded up to those that are ranked together.
__device__ __forceinline__ uint rows_of(uint items)
{
    return (items + (RANK_ROWS * BLOCK - 1u)) / (RANK_ROWS * BLOCK) * RANK_ROWS;
}

__device__ __forceinline__ uint row_place(uint row, uint rows)
{
    return subgroup_id() * (rows * LANES) + lane_id() + row * LANES;
}

// The digit of the key at a place; behind all items the greatest.
__device__ __forceinline__ uint row_digit(Splat key, uint place, uint items, Digit digit)
{
    return place < items ? digit_of(key, digit) : BINS - 1u;
}

// A barrier must follow. Every thread goes through the loop as often.
__device__ __forceinline__ void clear_digit_counts()
{
    UNROLL for (uint first = 0u; first < SUBGROUPS * BINS + LANES; first += BLOCK) {
        if (first + thread_id() < SUBGROUPS * BINS + LANES) digit_counts[first + thread_id()] = 0u;
    }
}

// A barrier must follow.
__device__ __forceinline__ void count_digits(TileKeys keys, Digit digit, uint items, uint rows)
{
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
        UNROLL for (uint row = first; row < first + RANK_ROWS; row++) atomicAdd(&digit_counts[subgroup_id() * BINS + row_digit(keys.at[row], row_place(row, rows), items, digit)], 1u);
    if (thread_id() == BLOCK - 1u) ranked_digit = digit;
}

__device__ __forceinline__ uint sum_counts(uint bin)
{
    uint count = 0u;
    UNROLL for (uint subgroup = 0u; subgroup < SUBGROUPS; subgroup++) count += digit_counts[subgroup * BINS + bin];
    return count;
}

// The counts of this thread's bin.
__device__ __forceinline__ ThreadBins sum_thread_bins()
{
    ThreadBins bins;
    const uint bin = thread_id();
    bins.count = sum_counts(bin);
    bins.start = 0u;
    return bins;
}

// Turns counts into ranks. The whole block calls it; a barrier must follow.
__device__ __forceinline__ ThreadBins place_thread_bins(ThreadBins bins)
{
    const uint bin = thread_id();
    uint rank = thread_scan(bins.count);
    bins.start = rank;
    UNROLL for (uint subgroup = 0u; subgroup < SUBGROUPS; subgroup++) {
        const uint count = digit_counts[subgroup * BINS + bin];
        digit_counts[subgroup * BINS + bin] = rank;
        rank += count;
    }
    return bins;
}

// Ranks of this lane's items, whose keys go there in shared memory.
__device__ __forceinline__ TileRanks rank_items(TileKeys keys, uint items, uint rows)
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
            ranks_of_leaders[r] = atomicAdd(&digit_counts[counters[r]], peers[r].before + 1u);
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

struct Keys {
    Splat *at;
    __device__ explicit Keys(u64 address) : at((Splat *)address) {}
};

__device__ __forceinline__ Splat load_key(Keys items, u64 i)
{
    return items.at[i];
}

// An item as it is written: the bytes that belong to no field are zero.
struct KeysItem {
    uint leaf1;
    float leaf2;
    u8 leaf3;
    u8 gap9[3];
};

__device__ __forceinline__ void store_key(Keys items, u64 i, Splat item)
{
    ((KeysItem *)items.at)[i] = KeysItem{item.tile, item.depth, item.id, {0}};
}

struct Values {
    uint *at;
    __device__ explicit Values(u64 address) : at((uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ void store_value(Values items, u64 i, uint item)
{
    items.at[i] = item;
}

// The key at a place in the tile that begins at `start`.
__device__ __forceinline__ Splat key_at(u64 keys, u64 start, uint place)
{
    return load_key(Keys(address_after(keys, start, 12u)), place);
}

// The keys of the tile's rows.
__device__ __forceinline__ TileKeys load_keys(u64 keys, u64 start, uint last, uint rows)
{
    TileKeys tile;
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
        UNROLL for (uint row = first; row < first + RANK_ROWS; row++) tile.at[row] = key_at(keys, start, min(row_place(row, rows), last));
    return tile;
}

struct TileValues {
    uint at[ROWS];
};

struct TilePlaces {
    uint at[ROWS];
};

__shared__ uint is_settled; // 1: all keys have the same digit

extern "C" __global__ void __launch_bounds__(BLOCK) sort_single_block(const __grid_constant__ Parameters params)
{
    const uint n = uint(element_count(params.n, params.n_address));
    if (n == 0u) return;
    const uint items = n;
    const uint rows = rows_of(items);
    const u64 keys_out = params.buffers[1];
    TileKeys keys = load_keys(params.buffers[0], 0u, items - 1u, rows);
    const u64 values_out = params.buffers[2];
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
        const uint bin = thread_id();
        if (bins.count == (bin == BINS - 1u ? BLOCK * rows : items)) is_settled = 1u;
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
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows)
        UNROLL for (uint row = first; row < first + RANK_ROWS; row++) values.at[row] = ((uint)u64(places.at[row]));
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
// ---- splat, kernel 2 of 5: sort_histogram
// splat: ascending and descending sort of Splat by 46 bits, returns indices of u32
// monosweep 0.1.0, templates/sort/digit_histogram.tpl, strategy onesweep: block 256, subgroup 32, items 8, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint TILE = 2048u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: Splat[n], 4-byte aligned; keys_out: Splat[n], 4-byte aligned; values_out: u32[n], 4-byte aligned
    uint argument;
    uint reserved[3];
};

__device__ __forceinline__ bool is_given(u64 address)
{
    return address != 0u;
}

__device__ __forceinline__ bool is_vector_aligned(u64 address)
{
    return address % 16u == 0u;
}

__device__ __forceinline__ u64 address_at(u64 address, u64 offset_bytes)
{
    return address + offset_bytes;
}

__device__ __forceinline__ u64 element_count(u64 n, u64 n_address)
{
    return is_given(n_address) ? min(*(const u64 *)n_address, n) : n;
}

__device__ __forceinline__ uint block_id()
{
    return blockIdx.x;
}

__device__ __forceinline__ uint block_count()
{
    return gridDim.x;
}

__device__ __forceinline__ void block_barrier()
{
    __syncthreads();
}

// A barrier of the block orders what its threads do in device memory, too.
__device__ __forceinline__ void block_barrier_all_memory()
{
    __syncthreads();
}

__device__ __forceinline__ uint lane_id()
{
    return threadIdx.x % LANES;
}

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

struct Splat {
    uint tile;
    float depth;
    u8 id;
};

struct u32x2 {
    uint x, y;
};

__device__ __forceinline__ u32x2 key_image(Splat x)
{
    uint bits = __float_as_uint(x.depth);
    return u32x2{x.tile & 0x3fffu, bits ^ ((0u - (bits >> 31)) | 0x80000000u) ^ 0xffffffffu};
}

const uint DIGIT_BITS = 8u;
const uint BINS = 256u; // values of a digit
const uint PASSES = 6u; // digits of the key's 46 bits, the lowest first

// A digit of all keys.
struct Digit {
    uint first_bit;
    uint mask;
    uint below32; // all ones where it begins below that bit, else 0
};

__device__ __forceinline__ Digit digit_of_pass(uint pass)
{
    Digit digit;
    digit.first_bit = pass < PASSES ? pass * DIGIT_BITS : 0u;
    digit.mask = pass < PASSES ? BINS - 1u : 0u; // beyond the last digit all keys are equal
    digit.below32 = digit.first_bit < 32u ? 0xffffffffu : 0u;
    return digit;
}

__device__ __forceinline__ uint digit_of(Splat key, Digit digit)
{
    const u32x2 image = key_image(key);
    const uint word = image.x ^ ((image.y ^ image.x) & digit.below32);
    return word >> digit.first_bit % 32u & digit.mask;
}

const uint TURN = 2u; // sorts that have been counted, modulo 2
const uint FINISHED = 64u; // blocks that need none of the counters any more

__device__ __forceinline__ uint load_counter(u64 scratch, uint counter)
{
    return ((const volatile uint *)scratch)[counter];
}

__device__ __forceinline__ void store_counter(u64 scratch, uint counter, uint value)
{
    ((volatile uint *)scratch)[counter] = value;
}

// Adds `more` after everything that the thread has done; returns what was there.
__device__ __forceinline__ uint release_counter(u64 scratch, uint counter, uint more)
{
    uint before;
    asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global((uint *)scratch + counter)), "r"(more)
                 : "memory");
    return before;
}

// Call after reading a counter that others released: their earlier writes are then visible.
__device__ __forceinline__ void acquire_counters()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

// Which of its two histograms a sort counts in, 0 or 1: the one that is zero.
__device__ __forceinline__ uint sort_turn(u64 scratch)
{
    return load_counter(scratch, TURN) % 2u;
}

__device__ __forceinline__ void end_turn(u64 scratch, uint turn)
{
    store_counter(scratch, TURN, 1u - turn);
}

// One thread of each block calls it, once, after the block's last use of the counters above. Returns how many blocks have done so before.
__device__ __forceinline__ uint finish_block(u64 scratch)
{
    return release_counter(scratch, FINISHED, 1u);
}

// Whether it was the last block: then the other blocks' uses of the counters come before what follows.
__device__ __forceinline__ bool is_last_block(u64 scratch, uint others)
{
    if (others != block_count() - 1u) return false;
    acquire_counters();
    store_counter(scratch, FINISHED, 0u);
    return true;
}

const uint HISTOGRAM_OFFSET = 384u; // bytes, in the scratch: keys[2][PASSES][BINS]; sorts take turns with the two

struct Histogram {
    u64 *at;
    __device__ explicit Histogram(u64 address) : at((u64 *)address) {}
};

struct In {
    const Splat *at;
    __device__ explicit In(u64 address) : at((const Splat *)address) {}
};

struct Inputs {
    alignas(16) Splat at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs load_full_inputs(In items, u64 start)
{
    return *(const Inputs *)(items.at + start);
}

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs load_inputs(In items, u64 start, u64 n)
{
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

const uint GROUPS = 2u; // of VECTOR items, of a thread and tile
const uint BATCH = 2u; // groups that a thread reads together

// Of a bin, in COPIES copies.
__shared__ uint counts[6144u];
const uint COPIES = 4u;

__device__ __forceinline__ void count_digits(Splat key)
{
    UNROLL for (uint pass = 0u; pass < PASSES; pass++) {
        const uint bin = pass * BINS + digit_of(key, digit_of_pass(pass));
        atomicAdd(&counts[bin * COPIES + lane_id() % COPIES], 1u);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) sort_histogram(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    const bool is_aligned = is_vector_aligned(params.buffers[0]);
    const u64 tiles = (n + (TILE - 1u)) / TILE;

    for (uint i = thread_id(); i < PASSES * BINS * COPIES; i += BLOCK) counts[i] = 0u;
    block_barrier();
    for (u64 tile = block_id(); tile < tiles; tile += block_count()) {
        const u64 start = tile * TILE;
        if (is_aligned && start + TILE <= n) {
            ROLL for (uint least = 0u; least < GROUPS; least += BATCH) {
                const u64 first = start + (least * BLOCK + thread_id()) * VECTOR;
                Inputs groups[BATCH];
                UNROLL for (uint g = 0u; g < BATCH; g++) groups[g] = load_full_inputs(in_items, first + g * (BLOCK * VECTOR));
                UNROLL for (uint g = 0u; g < BATCH; g++) {
                    UNROLL for (uint v = 0u; v < VECTOR; v++) count_digits(groups[g].at[v]);
                }
            }
        } else {
            ROLL for (uint g = 0u; g < GROUPS; g++) {
                const u64 first = start + (g * BLOCK + thread_id()) * VECTOR;
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
        if (count != 0u) atomicAdd(&histogram.at[first_digit + bin], count);
    }
    // The next sort finds the other one zero, whether or not the launches that were to follow this one do.
    for (uint bin = block_id() * BLOCK + thread_id(); bin < PASSES * BINS; bin += block_count() * BLOCK) histogram.at[PASSES * BINS - first_digit + bin] = 0u;
    if (thread_id() == 0u && is_last_block(params.scratch, others)) end_turn(params.scratch, digits_turn);
}
// ---- splat, kernel 3 of 5: sort_starts
// splat: ascending and descending sort of Splat by 46 bits, returns indices of u32
// monosweep 0.1.0, templates/sort/digit_starts.tpl, strategy onesweep: block 256, subgroup 32, items 8, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: Splat[n], 4-byte aligned; keys_out: Splat[n], 4-byte aligned; values_out: u32[n], 4-byte aligned
    uint argument;
    uint reserved[3];
};

__device__ __forceinline__ bool is_given(u64 address)
{
    return address != 0u;
}

__device__ __forceinline__ u64 address_at(u64 address, u64 offset_bytes)
{
    return address + offset_bytes;
}

__device__ __forceinline__ u64 element_count(u64 n, u64 n_address)
{
    return is_given(n_address) ? min(*(const u64 *)n_address, n) : n;
}

__device__ __forceinline__ uint block_id()
{
    return blockIdx.x;
}

__device__ __forceinline__ uint block_count()
{
    return gridDim.x;
}

__device__ __forceinline__ void block_barrier()
{
    __syncthreads();
}

__device__ __forceinline__ uint lane_id()
{
    return threadIdx.x % LANES;
}

__device__ __forceinline__ uint subgroup_id()
{
    return threadIdx.x / LANES;
}

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

__device__ __forceinline__ u64 identity()
{
    return 0u;
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ u64 shuffle(u64 x, uint lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ u64 shuffle_up(u64 x, uint distance)
{
    return __shfl_up_sync(ALL_LANES, x, distance);
}

const uint BINS = 256u; // values of a digit
const uint PASSES = 6u; // digits of the key's 46 bits, the lowest first

const uint TURN = 2u; // sorts that have been counted, modulo 2

__device__ __forceinline__ uint load_counter(u64 scratch, uint counter)
{
    return ((const volatile uint *)scratch)[counter];
}

// Which of its two histograms a sort counts in, 0 or 1: the one that is zero.
__device__ __forceinline__ uint sort_turn(u64 scratch)
{
    return load_counter(scratch, TURN) % 2u;
}

const uint HISTOGRAM_OFFSET = 384u; // bytes, in the scratch: keys[2][PASSES][BINS]; sorts take turns with the two
const uint STARTS_OFFSET = 24960u; // places[PASSES][BINS]
const uint VARIES_OFFSET = 37248u; // uint[PASSES]: whether keys differ in the digit

struct Histogram {
    u64 *at;
    __device__ explicit Histogram(u64 address) : at((u64 *)address) {}
};

struct Starts {
    u64 *at;
    __device__ explicit Starts(u64 address) : at((u64 *)address) {}
};

struct Varies {
    uint *at;
    __device__ explicit Varies(u64 address) : at((uint *)address) {}
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ u64 subgroup_scan_of(u64 x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const u64 earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = earlier + x;
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ u64 subgroup_scan(u64 x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ u64 subgroup_shift(u64 x)
{
    const u64 earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    u64 before;
    u64 total;
};

const uint TOTALS = 8u; // one for each subgroup
__shared__ u64 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(u64 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    u64 total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// What comes before a thread in its block. The whole block calls it.
__device__ __forceinline__ u64 thread_scan(u64 x)
{
    const u64 inclusive = subgroup_scan(x);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u));
    const u64 earlier = subgroup_shift(inclusive);
    return block.before + earlier;
}

__shared__ uint has_one_bin;

extern "C" __global__ void __launch_bounds__(BLOCK) sort_starts(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    Histogram histogram = Histogram(address_at(params.scratch, HISTOGRAM_OFFSET));
    const uint digits_turn = 1u - sort_turn(params.scratch); // the next sort's begins when the keys have been counted
    Varies varies = Varies(address_at(params.scratch, VARIES_OFFSET));
    for (uint pass = block_id(); pass < PASSES; pass += block_count()) {
        if (thread_id() == 0u) has_one_bin = 0u;
        block_barrier();
        const uint bin = thread_id();
        const u64 count = u64(histogram.at[(digits_turn * PASSES + pass) * BINS + bin]);
        if (count == n) atomicMax(&has_one_bin, 1u);
        const u64 start = thread_scan(count);
        starts.at[pass * BINS + bin] = start;
        block_barrier();
        if (thread_id() == 0u) varies.at[pass] = 1u - has_one_bin;
    }
}
// ---- splat, kernel 4 of 5: sort_passes
// splat: ascending and descending sort of Splat by 46 bits, returns indices of u32
// monosweep 0.1.0, templates/sort/onesweep.tpl, strategy onesweep: block 256, subgroup 32, items 8, vector 1
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint ROWS = 8u; // of a tile, for each subgroup
constexpr uint TILE = 2048u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: Splat[n], 4-byte aligned; keys_out: Splat[n], 4-byte aligned; values_out: u32[n], 4-byte aligned
    uint argument;
    uint reserved[3];
};

__device__ __forceinline__ bool is_given(u64 address)
{
    return address != 0u;
}

__device__ __forceinline__ u64 address_at(u64 address, u64 offset_bytes)
{
    return address + offset_bytes;
}

__device__ __forceinline__ u64 address_after(u64 address, u64 count, u64 bytes)
{
    return address + count * bytes;
}

__device__ __forceinline__ u64 element_count(u64 n, u64 n_address)
{
    return is_given(n_address) ? min(*(const u64 *)n_address, n) : n;
}

__device__ __forceinline__ uint block_count()
{
    return gridDim.x;
}

__device__ __forceinline__ void block_barrier()
{
    __syncthreads();
}

// A barrier of the block orders what its threads do in device memory, too.
__device__ __forceinline__ void block_barrier_all_memory()
{
    __syncthreads();
}

// Orders what the lanes of a subgroup do in shared memory. All of them call it.
__device__ __forceinline__ void subgroup_barrier()
{
    __syncwarp();
}

__device__ __forceinline__ uint lane_id()
{
    return threadIdx.x % LANES;
}

__device__ __forceinline__ uint subgroup_id()
{
    return threadIdx.x / LANES;
}

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

struct Splat {
    uint tile;
    float depth;
    u8 id;
};

struct u32x2 {
    uint x, y;
};

__device__ __forceinline__ u32x2 key_image(Splat x)
{
    uint bits = __float_as_uint(x.depth);
    return u32x2{x.tile & 0x3fffu, bits ^ ((0u - (bits >> 31)) | 0x80000000u) ^ 0xffffffffu};
}

__device__ __forceinline__ uint identity()
{
    return 0u;
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ uint shuffle(uint x, uint lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ uint shuffle_up(uint x, uint distance)
{
    return __shfl_up_sync(ALL_LANES, x, distance);
}

const uint DIGIT_BITS = 8u;
const uint BINS = 256u; // values of a digit
const uint PASSES = 6u; // digits of the key's 46 bits, the lowest first

// A digit of all keys.
struct Digit {
    uint first_bit;
    uint mask;
    uint below32; // all ones where it begins below that bit, else 0
};

__device__ __forceinline__ Digit digit_of_pass(uint pass)
{
    Digit digit;
    digit.first_bit = pass < PASSES ? pass * DIGIT_BITS : 0u;
    digit.mask = pass < PASSES ? BINS - 1u : 0u; // beyond the last digit all keys are equal
    digit.below32 = digit.first_bit < 32u ? 0xffffffffu : 0u;
    return digit;
}

__device__ __forceinline__ uint digit_of(Splat key, Digit digit)
{
    const u32x2 image = key_image(key);
    const uint word = image.x ^ ((image.y ^ image.x) & digit.below32);
    return word >> digit.first_bit % 32u & digit.mask;
}

const uint STARTS_OFFSET = 24960u; // places[PASSES][BINS]
const uint VARIES_OFFSET = 37248u; // uint[PASSES]: whether keys differ in the digit

struct Starts {
    u64 *at;
    __device__ explicit Starts(u64 address) : at((u64 *)address) {}
};

struct Varies {
    uint *at;
    __device__ explicit Varies(u64 address) : at((uint *)address) {}
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ uint subgroup_scan_of(uint x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const uint earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = earlier + x;
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ uint subgroup_scan(uint x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ uint subgroup_shift(uint x)
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
__shared__ uint subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(uint subgroup_total)
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

// What comes before a thread in its block. The whole block calls it.
__device__ __forceinline__ uint thread_scan(uint x)
{
    const uint inclusive = subgroup_scan(x);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u));
    const uint earlier = subgroup_shift(inclusive);
    return block.before + earlier;
}

// Word w of the item at a place: moved_words[w * TILE + place].
__shared__ uint moved_words[TILE * 3u];

__device__ __forceinline__ void store_exchanged_key(uint place, Splat x)
{
    moved_words[place] = x.tile;
    moved_words[TILE + place] = __float_as_uint(x.depth);
    moved_words[2u * TILE + place] = (uint)x.id;
}

__device__ __forceinline__ Splat load_exchanged_key(uint place)
{
    return Splat{moved_words[place], __uint_as_float(moved_words[TILE + place]), (u8)moved_words[2u * TILE + place]};
}

__device__ __forceinline__ void store_exchanged_value(uint place, uint x)
{
    moved_words[place] = x;
}

__device__ __forceinline__ uint load_exchanged_value(uint place)
{
    return moved_words[place];
}

struct Peers {
    uint before; // of them, lanes before this one
    uint last;   // lane
};

// All lanes of the subgroup call it.
__device__ __forceinline__ Peers match_digit(uint digit)
{
    // Bit by bit the lanes that have the same one, three numbers put together by one instruction. In this form ptxas tests seven bits by one, too, and
    // NVVM has one to look at.
    uint lanes;
    asm("{.reg .pred is_set; .reg .b32 masked, same, too; "
        "and.b32 masked, %1, 1; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 %0, is_set, 0xffffffff; @!is_set not.b32 %0, %0; "
        "and.b32 masked, %1, 2; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 same, is_set, 0xffffffff; @!is_set not.b32 same, same; "
        "and.b32 masked, %1, 4; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 too, is_set, 0xffffffff; @!is_set not.b32 too, too; lop3.b32 %0, %0, same, too, 0x80; "
        "and.b32 masked, %1, 8; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 same, is_set, 0xffffffff; @!is_set not.b32 same, same; "
        "and.b32 masked, %1, 16; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 too, is_set, 0xffffffff; @!is_set not.b32 too, too; lop3.b32 %0, %0, same, too, 0x80; "
        "and.b32 masked, %1, 32; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 same, is_set, 0xffffffff; @!is_set not.b32 same, same; "
        "and.b32 masked, %1, 64; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 too, is_set, 0xffffffff; @!is_set not.b32 too, too; lop3.b32 %0, %0, same, too, 0x80; "
        "and.b32 masked, %1, 128; setp.ne.u32 is_set, masked, 0; vote.sync.ballot.b32 same, is_set, 0xffffffff; @!is_set not.b32 same, same; "
        "and.b32 %0, %0, same; "
        "}" : "=&r"(lanes) : "r"(digit));
    Peers peers;
    peers.before = (uint)__popc(lanes & ((1u << lane_id()) - 1u));
    peers.last = 31u - (uint)__clz(lanes);
    return peers;
}

struct TileKeys {
    Splat at[ROWS];
};

// What a thread knows of its bin.
struct ThreadBins {
    uint count; // the tile's items
    uint start; // where they begin in the sorted tile
};

__shared__ uint last_digit;

const uint SUBGROUPS = 8u; // of a block
const uint RANK_ROWS = 4u; // ranked together, so that their latencies overlap

// Two to a word: a tile has at most 65536 items.
struct TileRanks {
    uint pairs[(ROWS + 1u) / 2u];
};

__device__ __forceinline__ uint rank_of(TileRanks ranks, uint row)
{
    return ranks.pairs[row / 2u] >> (row % 2u * 16u) & 0xffffu;
}

// Of a subgroup's items by digit: how many, then the rank of the next. Behind them a place for each lane.
__shared__ uint digit_counts[SUBGROUPS * BINS + LANES];
__shared__ Digit ranked_digit;

__device__ __forceinline__ uint row_place(uint row)
{
    return subgroup_id() * (ROWS * LANES) + lane_id() + row * LANES;
}

// A barrier must follow. Every thread goes through the loop as often.
__device__ __forceinline__ void clear_digit_counts()
{
    UNROLL for (uint first = 0u; first < SUBGROUPS * BINS + LANES; first += BLOCK) {
        if (first + thread_id() < SUBGROUPS * BINS + LANES) digit_counts[first + thread_id()] = 0u;
    }
}

// A barrier must follow.
__device__ __forceinline__ void count_digits(TileKeys keys, Digit digit)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) atomicAdd(&digit_counts[subgroup_id() * BINS + digit_of(keys.at[row], digit)], 1u);
    if (thread_id() == BLOCK - 1u) {
        last_digit = digit_of(keys.at[ROWS - 1u], digit);
        ranked_digit = digit;
    }
}

__device__ __forceinline__ uint sum_counts(uint bin)
{
    uint count = 0u;
    UNROLL for (uint subgroup = 0u; subgroup < SUBGROUPS; subgroup++) count += digit_counts[subgroup * BINS + bin];
    return count;
}

// The counts of this thread's bin.
__device__ __forceinline__ ThreadBins sum_thread_bins()
{
    ThreadBins bins;
    const uint bin = thread_id();
    bins.count = sum_counts(bin);
    bins.start = 0u;
    return bins;
}

// Turns counts into ranks. The whole block calls it; a barrier must follow.
__device__ __forceinline__ ThreadBins place_thread_bins(ThreadBins bins)
{
    const uint bin = thread_id();
    uint rank = thread_scan(bins.count);
    bins.start = rank;
    UNROLL for (uint subgroup = 0u; subgroup < SUBGROUPS; subgroup++) {
        const uint count = digit_counts[subgroup * BINS + bin];
        digit_counts[subgroup * BINS + bin] = rank;
        rank += count;
    }
    return bins;
}

// Ranks of this lane's items, whose keys go there in shared memory.
__device__ __forceinline__ TileRanks rank_items(TileKeys keys)
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
            ranks_of_leaders[r] = atomicAdd(&digit_counts[counters[r]], peers[r].before + 1u);
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

struct Keys {
    Splat *at;
    __device__ explicit Keys(u64 address) : at((Splat *)address) {}
};

__device__ __forceinline__ Splat load_key(Keys items, u64 i)
{
    return items.at[i];
}

// An item as it is written: the bytes that belong to no field are zero.
struct KeysItem {
    uint leaf1;
    float leaf2;
    u8 leaf3;
    u8 gap9[3];
};

__device__ __forceinline__ void store_key(Keys items, u64 i, Splat item)
{
    ((KeysItem *)items.at)[i] = KeysItem{item.tile, item.depth, item.id, {0}};
}

struct Values {
    uint *at;
    __device__ explicit Values(u64 address) : at((uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ uint load_value(Values items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ void store_value(Values items, u64 i, uint item)
{
    items.at[i] = item;
}

__device__ __forceinline__ uint tile_count(u64 n)
{
    return uint((n + (TILE - 1u)) / TILE);
}

// The places of a tile's items: up to this one, which stands for those beyond it.
__device__ __forceinline__ uint last_place(u64 start, u64 n)
{
    return start + TILE <= n ? TILE - 1u : uint(n - start) - 1u;
}

// The key at a place in the tile that begins at `start`.
__device__ __forceinline__ Splat key_at(u64 keys, u64 start, uint place)
{
    return load_key(Keys(address_after(keys, start, 12u)), place);
}

// The keys of the tile's rows.
__device__ __forceinline__ TileKeys load_keys(u64 keys, u64 start, uint last)
{
    TileKeys tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = key_at(keys, start, min(row_place(row), last));
    return tile;
}

// Of a tile that is full, and not of the input that a map makes keys of: distances from this thread's first key are constants.
__device__ __forceinline__ TileKeys load_whole_keys(u64 keys, u64 start)
{
    TileKeys tile;
    Keys own = Keys(address_after(keys, start + row_place(0u), 12u));
    UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = load_key(own, row_place(row) - row_place(0u));
    return tile;
}

struct TileValues {
    uint at[ROWS];
};

// Their values.
__device__ __forceinline__ TileValues load_values(u64 values, u64 start, uint last)
{
    TileValues tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = load_value(Values(address_after(values, start, 4u)), min(row_place(row), last));
    return tile;
}

const uint WORDS = 1u; // of a post

// Counters at the start of the scratch, as indices of 4-byte words. Those that all blocks change have a cache line each.
const uint LAUNCH = 0u; // launches that have ended, modulo 2^31 - 1
const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TICKET = 32u; // tiles taken
const uint FINISHED = 64u; // blocks that need none of the counters any more

__device__ __forceinline__ uint load_counter(u64 scratch, uint counter)
{
    return ((const volatile uint *)scratch)[counter];
}

// One that does not change during a launch.
__device__ __forceinline__ uint constant_counter(u64 scratch, uint counter)
{
    return ((const uint *)scratch)[counter];
}

__device__ __forceinline__ void store_counter(u64 scratch, uint counter, uint value)
{
    ((volatile uint *)scratch)[counter] = value;
}

// Adds 1; returns what was there.
__device__ __forceinline__ uint add_counter(u64 scratch, uint counter)
{
    return atomicAdd((uint *)scratch + counter, 1u);
}

// Adds `more` after everything that the thread has done; returns what was there.
__device__ __forceinline__ uint release_counter(u64 scratch, uint counter, uint more)
{
    uint before;
    asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global((uint *)scratch + counter)), "r"(more)
                 : "memory");
    return before;
}

// Call after reading a counter that others released: their earlier writes are then visible.
__device__ __forceinline__ void acquire_counters()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

// Waits until it is at least that. What others have done before they released it is visible then.
__device__ __forceinline__ void wait_for_counter(u64 scratch, uint counter, uint least)
{
    while (load_counter(scratch, counter) < least) {
    }
    acquire_counters();
}

// The tag of this launch: 1 to 2^31 - 1, so that tag * 2 + 1 fits 32 bits.
__device__ __forceinline__ uint launch_tag(u64 scratch)
{
    return load_counter(scratch, LAUNCH) + 1u;
}

// Units of 256 bytes of the scratch that were zeroed.
__device__ __forceinline__ u64 zeroed_count(u64 scratch)
{
    return constant_counter(scratch, ZEROED);
}

__device__ __forceinline__ uint take_ticket(u64 scratch)
{
    return add_counter(scratch, TICKET);
}

// One thread of each block calls it, once, after the block's last use of the counters above. Returns how many blocks have done so before.
__device__ __forceinline__ uint finish_block(u64 scratch)
{
    return release_counter(scratch, FINISHED, 1u);
}

// Whether it was the last block: then the other blocks' uses of the counters come before what follows.
__device__ __forceinline__ bool is_last_block(u64 scratch, uint others)
{
    if (others != block_count() - 1u) return false;
    acquire_counters();
    store_counter(scratch, FINISHED, 0u);
    return true;
}

const uint EMPTY = 0u;
const uint AGGREGATE = 1u;
const uint PREFIX = 2u;

struct Descriptor {
    uint value;
    uint state;
};

struct alignas(8) Word {
    uint x, tag;
};

struct Posts {
    Word *at;
    __device__ explicit Posts(u64 address) : at((Word *)address) {}
};

__device__ __forceinline__ Word load_word(Posts posts, u64 index)
{
    u64 bits;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(__cvta_generic_to_global(posts.at + index)));
    return Word{(uint)bits, (uint)(bits >> 32)};
}

__device__ __forceinline__ void store_word(Posts posts, u64 index, Word word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(posts.at + index)), "l"(word.x | (u64)word.tag << 32));
}

__device__ __forceinline__ void publish(Posts posts, u64 first, uint tag, uint x)
{
    store_word(posts, first, Word{x, tag});
}

// What a tile has posted.
__device__ __forceinline__ Descriptor poll(Posts posts, uint tile, uint tag)
{
    const u64 first = u64(tile) * WORDS;
    const Word word0 = load_word(posts, first);
    Descriptor descriptor;
    descriptor.state = EMPTY;
    if (word0.tag >> 1 == tag) {
        descriptor.state = word0.tag % 2u == 0u ? AGGREGATE : PREFIX;
        descriptor.value = word0.x;
    }
    return descriptor;
}

__device__ __forceinline__ void publish_aggregate(Posts posts, uint tile, uint tag, uint x)
{
    publish(posts, u64(tile) * WORDS, tag << 1, x);
}

__device__ __forceinline__ void publish_prefix(Posts posts, uint tile, uint tag, uint x)
{
    publish(posts, u64(tile) * WORDS, tag << 1 | 1u, x);
}

const uint DONE = 80u; // a counter as those of counters.tpl: tiles that are done. In FINISHED's line, whose time comes when nobody waits any more

// The tag of the launch's pass, of a number of them from 0 on.
__device__ __forceinline__ uint tag_of_pass(uint tag, uint pass)
{
    return (tag - 1u + pass) % 0x7fffffffu + 1u;
}

// One thread of a block calls it, when all have done so many more tiles, which later passes wait for.
__device__ __forceinline__ void end_tiles(u64 scratch, uint tiles)
{
    release_counter(scratch, DONE, tiles);
}

// Waits until so many tiles are done. Their blocks have begun to run. What they have stored is visible then.
__device__ __forceinline__ void wait_for_tiles(u64 scratch, uint tiles)
{
    wait_for_counter(scratch, DONE, tiles);
}

// One thread of each block calls it, after the block's last tile: as end_launch, which counts one pass.
__device__ __forceinline__ void end_passes(u64 scratch, uint passes)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    store_counter(scratch, LAUNCH, tag_of_pass(launch_tag(scratch), passes) - 1u);
    store_counter(scratch, TICKET, 0u);
    store_counter(scratch, DONE, 0u);
}

const uint IN_PLACE = 0x10000u; // added to the argument of a pass: outputs may be inputs
const uint PING_PONG = 0x20000u; // or inputs are there to be overwritten
const uint SPARE_OFFSET = 37280u; // bytes, in the scratch
const uint TILE_KEY_BYTES = 24576u; // of a tile's keys there
const uint DESCRIPTOR_BYTES = 2048u; // of a tile

struct Route {
    bool runs;
    bool is_first;
    bool is_last;
    bool to_outputs; // else to the scratch
};

// The passes that run, a bit each: those that sort by a digit that varies, and the first of the others where their number is to be another.
__device__ __forceinline__ uint running_passes(u64 scratch, uint argument)
{
    Varies varies = Varies(address_at(scratch, VARIES_OFFSET));
    uint running = 0u;
    uint varied = 0u;
    for (uint p = 0u; p < PASSES; p++) {
        const uint varies_here = varies.at[p];
        running |= varies_here << p;
        varied += varies_here;
    }
    uint more = varied == 0u ? 1u : 0u; // pass beyond the last digit: the keys stay in order
    if (argument >= IN_PLACE && (varied + more) % 2u != (argument >= PING_PONG ? PASSES % 2u : 0u)) more++;
    for (uint p = 0u; p <= PASSES; p++) {
        if (more > 0u && (running >> p & 1u) == 0u) {
            running |= 1u << p;
            more--;
        }
    }
    return running;
}

__device__ __forceinline__ uint count_passes(uint running)
{
    uint count = 0u;
    for (uint p = 0u; p <= PASSES; p++) count += running >> p & 1u;
    return count;
}

// Of the index-th of so many passes that run.
__device__ __forceinline__ Route route_of(uint argument, uint index, uint count)
{
    Route route;
    route.runs = true;
    route.is_first = index == 0u;
    route.is_last = index + 1u == count;
    route.to_outputs = argument >= PING_PONG ? index % 2u == 0u : (count - index) % 2u == 1u;
    return route;
}

// Whether the part of the scratch that was zeroed has room for this number of tiles. Their posts lie at its end.
__device__ __forceinline__ bool has_room(u64 scratch, u64 tiles, bool is_ping_pong)
{
    const uint tile_units = is_ping_pong ? 128u : 3712u;
    // in units of 256 bytes
    return tiles / 16u * tile_units + (tiles % 16u * tile_units + SPARE_OFFSET / 16u + 15u) / 16u <= zeroed_count(scratch);
}

// Keys and values on their way, and the descriptors behind them: at the scratch's end, so that keys of one launch never look like posts to another.
struct Spares {
    u64 keys;
    u64 more_keys; // instead of keys_out where that is not given
    u64 values;
    u64 descriptors;
};

__device__ __forceinline__ Spares spares_of(u64 scratch, u64 n)
{
    const u64 tiles = tile_count(n);
    Spares spares;
    spares.keys = address_at(scratch, SPARE_OFFSET);
    spares.more_keys = address_after(spares.keys, tiles, TILE_KEY_BYTES);
    spares.values = address_after(spares.more_keys, tiles, TILE_KEY_BYTES);
    const u64 units = tiles * (DESCRIPTOR_BYTES / 16u); // of 16 bytes: of posts 32 bits count them, of a scratch they may not
    spares.descriptors = address_at(address_after(scratch, zeroed_count(scratch) - units / 16u - 1u, 256u), (16u - units % 16u) * 16u);
    return spares;
}

const uint DEPTH = 2u; // consecutive descriptors of a lane, read together
const uint WINDOW = 2u; // descriptors of a lane
const uint NO_TILE = 0xffffffffu;

// A look-back that has come to tile `end`: what the tiles from there up to its own add up to.
struct LookBack {
    uint aggregate;
    uint bin; // of the digit that it counts
    uint end;     // 0: that is all
    uint missing; // the tile this lane waits for, or NO_TILE
};

// Takes a look-back further, to its end.
__device__ __forceinline__ LookBack look_back(Posts posts, uint tag, LookBack look)
{
    bool is_waiting = false;
    while (look.end > 0u && !is_waiting) {
        Descriptor seen[DEPTH];
        UNROLL for (uint k = 0u; k < DEPTH; k++) seen[k].state = EMPTY;
        uint value = identity();
        bool has_prefix = false;
        is_waiting = true;
        while (is_waiting) {
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
        look.aggregate = value + look.aggregate;
        look.end = has_prefix || look.end <= WINDOW ? 0u : look.end - WINDOW;
    }
    return look;
}

const uint STORE_ROWS = 8u; // read from shared memory, then stored

__shared__ uint ticket;
__shared__ uint bin_places[BINS]; // where a bin's items go, less their rank
__shared__ uint first_repeat; // rank of the first place beyond the last item

extern "C" __global__ void __launch_bounds__(BLOCK, 2) sort_passes(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    if (!has_room(params.scratch, tile_count(params.n), params.argument >= PING_PONG)) return;
    const Spares spares = spares_of(params.scratch, params.n);
    const u64 keys_out_or_spare = is_given(params.buffers[1]) ? params.buffers[1] : spares.more_keys;
    const uint bin = thread_id();
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    Posts posts = Posts(spares.descriptors);
    const uint first_tag = launch_tag(params.scratch);
    const uint tiles = tile_count(n);
    const uint running = running_passes(params.scratch, params.argument);
    const uint count = count_passes(running);
    uint index = 0u; // of a pass, of those that run
    bool has_ticket = false; // for a tile of a later pass
    uint done = 0u; // tiles of the pass, by this block
    block_barrier_all_memory(); // all have read the tag before one of them ends the launch

    for (uint pass = 0u; pass <= PASSES; pass++) {
        if ((running >> pass & 1u) == 0u) continue;
        const Route route = route_of(params.argument, index, count);
        const Digit digit = digit_of_pass(pass);
        const u64 keys_in = route.is_first ? params.buffers[0] : route.to_outputs ? spares.keys : keys_out_or_spare;
        const u64 keys_out = route.to_outputs ? keys_out_or_spare : spares.keys;
        const bool moves_keys = !route.is_last || is_given(params.buffers[1]);
        const u64 values_in = route.to_outputs ? spares.values : params.buffers[2];
        const u64 values_out = route.to_outputs ? params.buffers[2] : spares.values;
        const bool moves_values = is_given(params.buffers[2]);
        const uint first_start = min(pass, PASSES - 1u) * BINS; // beyond the last digit: see below
        const uint tag = tag_of_pass(first_tag, index);
        const uint first_ticket = index * tiles;
        if (index > 0u) {
            block_barrier_all_memory();
            if (thread_id() == 0u) {
                end_tiles(params.scratch, done);
                wait_for_tiles(params.scratch, first_ticket); // of the passes before
            }
            done = 0u;
            block_barrier_all_memory();
        }

        while (true) {
            // Tiles are taken in the order in which blocks come to run: every tile before this one has been begun.
            if (thread_id() == 0u && !has_ticket) ticket = take_ticket(params.scratch);
            clear_digit_counts();
            block_barrier();
            const uint tile = ticket - first_ticket;
            has_ticket = tile >= tiles;
            if (has_ticket) break;
            done++;
            const u64 start = u64(tile) * TILE;
            const uint last = last_place(start, n);
            const uint repeats = TILE - 1u - last;
            TileKeys keys;
            if (last == TILE - 1u) {
                keys = load_whole_keys(keys_in, start);
                subgroup_barrier(); // else compilers would make one way of both
            } else {
                keys = load_keys(keys_in, start, last);
            }
            count_digits(keys, digit);
            block_barrier();
            ThreadBins bins = sum_thread_bins();
            const uint items = bin == last_digit ? bins.count - repeats : bins.count;
            if (tile > 0u) publish_aggregate(posts, tile * BINS + bin, tag, items);
            bins = place_thread_bins(bins);
            block_barrier();
            const TileRanks ranks = rank_items(keys);
            TileValues values;
            if (moves_values && !route.is_first) values = load_values(values_in, start, last);

            LookBack look;
            look.aggregate = 0u;
            look.bin = bin;
            look.end = tile;
            look.missing = NO_TILE;
            look = look_back(posts, tag, look);
            publish_prefix(posts, tile * BINS + bin, tag, look.aggregate + items);
            const uint bin_start = digit.mask == 0u ? 0u : uint(starts.at[first_start + bin]);
            bin_places[bin] = bin_start + look.aggregate - bins.start;
            if (bin == last_digit) first_repeat = bins.start + items;
            block_barrier();
            const uint end = first_repeat;
            uint places[ROWS];
            UNROLL for (uint first = 0u; first < ROWS; first += STORE_ROWS) {
                Splat moved[STORE_ROWS];
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
                if (route.is_first) { // made here: loops of their own, so that there are no registers for both
                    UNROLL for (uint row = 0u; row < ROWS; row++) store_exchanged_value(rank_of(ranks, row), ((uint)(start + row_place(row))));
                } else {
                    UNROLL for (uint row = 0u; row < ROWS; row++) store_exchanged_value(rank_of(ranks, row), values.at[row]);
                }
                block_barrier();
                UNROLL for (uint first = 0u; first < ROWS; first += STORE_ROWS) {
                    uint moved[STORE_ROWS];
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
        index++;
    }
    if (thread_id() == 0u) end_passes(params.scratch, index);
}
// ---- splat, kernel 5 of 5: zero_scratch
// splat: ascending and descending sort of Splat by 46 bits, returns indices of u32
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 256, subgroup 32, items 8, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: Splat[n], 4-byte aligned; keys_out: Splat[n], 4-byte aligned; values_out: u32[n], 4-byte aligned
    uint argument;
    uint reserved[3];
};

__device__ __forceinline__ u64 address_after(u64 address, u64 count, u64 bytes)
{
    return address + count * bytes;
}

__device__ __forceinline__ uint chunks_of_65536(u64 n)
{
    return (uint)(n >> 16);
}

__device__ __forceinline__ uint block_id()
{
    return blockIdx.x;
}

__device__ __forceinline__ uint block_count()
{
    return gridDim.x;
}

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

struct Words {
    uint *at;
    __device__ explicit Words(u64 address) : at((uint *)address) {}
};

extern "C" __global__ void __launch_bounds__(BLOCK) zero_scratch(const __grid_constant__ Parameters params)
{
    const uint chunks = chunks_of_65536(params.n);
    const uint rest = uint(params.n % 65536u) / 4u; // words of the last chunk
    for (uint chunk = block_id(); chunk <= chunks; chunk += block_count()) {
        Words words = Words(address_after(params.scratch, chunk, 65536u));
        const uint count = chunk < chunks ? 16384u : rest;
        for (uint i = thread_id(); i < count; i += BLOCK) words.at[i] = chunk == 0u && i == 1u ? chunks * 256u + rest / 64u : 0u;
    }
}
