// monosweep gen tests/corpus/sorts.lua --op u16_up --target cuda --set strategy=split --quiet
// ---- u16_up, kernel 1 of 3: sort_upsweep
// u16_up: ascending sort of u16 by 16 bits, with values of u32
// monosweep 0.1.0, templates/sort/upsweep.tpl, strategy split: block 256, subgroup 32, items 32, vector 1
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned short u16;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint ROWS = 32u; // of a tile, for each subgroup
constexpr uint TILE = 8192u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u16[n], 4-byte aligned; values: u32[n], 4-byte aligned; keys_out: u16[n], 4-byte aligned; values_out: u32[n], 4-byte aligned
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

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

__device__ __forceinline__ uint key_image(u16 x)
{
    return (uint)x;
}

const uint DIGIT_BITS = 1u;
const uint BINS = 2u; // values of a digit
const uint PASSES = 16u; // digits of the key's 16 bits, the lowest first

// A digit of all keys.
struct Digit {
    uint first_bit;
    uint mask;
};

__device__ __forceinline__ Digit digit_of_pass(uint pass)
{
    Digit digit;
    digit.first_bit = pass < PASSES ? pass * DIGIT_BITS : 0u;
    digit.mask = pass < PASSES ? BINS - 1u : 0u; // beyond the last digit all keys are equal
    return digit;
}

__device__ __forceinline__ uint digit_of(u16 key, Digit digit)
{
    const uint image = key_image(key);
    return image >> digit.first_bit & digit.mask;
}

// For each bin and block, items that the block's tiles have, later where the first of them goes: at[bin * blocks + block].
struct BinTable {
    u64 *at;
    __device__ explicit BinTable(u64 address) : at((u64 *)address) {}
};

struct TileRange {
    uint first;
    uint end;
};

// The tiles of this block: an even share of all, in order.
__device__ __forceinline__ TileRange owned_tiles(uint tiles)
{
    const uint share = (tiles + block_count() - 1u) / block_count();
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
}

struct TileKeys {
    u16 at[ROWS];
};

// What a thread knows of its bin.
struct ThreadBins {
    uint count; // the tile's items
    uint start; // where they begin in the sorted tile
};

__shared__ uint last_digit;

// The bits of a thread's items.
struct TileDigits {
    uint at[ROWS];
};

__shared__ uint digit_counts[BINS]; // the tile's zeros and ones

__device__ __forceinline__ uint row_place(uint row)
{
    return thread_id() * ROWS + row;
}

// A barrier must follow.
__device__ __forceinline__ void clear_digit_counts()
{
    if (thread_id() == 0u) {
        digit_counts[0] = 0u;
        digit_counts[1] = 0u;
    }
}

__device__ __forceinline__ uint count_ones(TileDigits digits)
{
    uint ones = 0u;
    UNROLL for (uint row = 0u; row < ROWS; row++) ones += digits.at[row];
    return ones;
}

// A barrier must follow.
__device__ __forceinline__ TileDigits count_digits(TileKeys keys, Digit digit)
{
    TileDigits digits;
    UNROLL for (uint row = 0u; row < ROWS; row++) digits.at[row] = digit_of(keys.at[row], digit);
    const uint ones = count_ones(digits);
    atomicAdd(&digit_counts[0], ROWS - ones);
    atomicAdd(&digit_counts[1], ones);
    if (thread_id() == BLOCK - 1u) last_digit = digits.at[ROWS - 1u];
    return digits;
}

__device__ __forceinline__ ThreadBins sum_thread_bins()
{
    ThreadBins bins;
    const uint bin = thread_id();
    bins.count = bin < BINS ? digit_counts[bin] : 0u;
    bins.start = 0u;
    return bins;
}

struct Keys {
    u16 *at;
    __device__ explicit Keys(u64 address) : at((u16 *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ u16 load_key(Keys items, u64 i)
{
    return items.at[i];
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
__device__ __forceinline__ u16 key_at(u64 keys, u64 start, uint place)
{
    return load_key(Keys(address_after(keys, start, 2u)), place);
}

// The keys of the tile's rows.
__device__ __forceinline__ TileKeys load_keys(u64 keys, u64 start, uint last)
{
    TileKeys tile;
    UNROLL for (uint row = 0u; row < ROWS; row++) tile.at[row] = key_at(keys, start, min(row_place(row), last));
    return tile;
}

const uint IN_PLACE = 0x10000u; // added to the argument of a pass: outputs may be inputs
const uint SPARE_OFFSET = 4096u; // bytes, in the scratch
const uint TILE_KEY_BYTES = 16384u; // of a tile's keys there

struct Route {
    bool runs;
    bool is_first;
    bool is_last;
    bool to_outputs; // else to the scratch
};

// All passes run.
__device__ __forceinline__ Route route_of(u64 scratch, uint argument)
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
    u64 keys;
    u64 more_keys; // instead of keys_out where that is not given
    u64 values;
};

__device__ __forceinline__ Spares spares_of(u64 scratch, u64 n)
{
    const u64 tiles = tile_count(n);
    Spares spares;
    spares.keys = address_at(scratch, SPARE_OFFSET);
    spares.more_keys = address_after(spares.keys, tiles, TILE_KEY_BYTES);
    spares.values = address_after(spares.more_keys, tiles, TILE_KEY_BYTES);
    return spares;
}

extern "C" __global__ void __launch_bounds__(BLOCK) sort_upsweep(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    const Spares spares = spares_of(params.scratch, params.n);
    const u64 keys_out_or_spare = is_given(params.buffers[2]) ? params.buffers[2] : spares.more_keys;
    const uint pass = params.argument % IN_PLACE;
    const Route route = route_of(params.scratch, params.argument);
    if (!route.runs) return;
    const Digit digit = digit_of_pass(pass);
    const u64 keys_in = route.is_first ? params.buffers[0] : route.to_outputs ? spares.keys : keys_out_or_spare;
    const uint tiles = tile_count(n);
    const TileRange range = owned_tiles(tiles);

    clear_digit_counts();
    block_barrier();
    for (uint tile = range.first; tile < range.end; tile++) {
        const u64 start = u64(tile) * TILE;
        count_digits(load_keys(keys_in, start, last_place(start, n)), digit);
    }
    block_barrier();
    // Places beyond the last item have been counted, too.
    const uint repeats = range.first < range.end && range.end == tiles ? uint(u64(tiles) * TILE - n) : 0u;
    const ThreadBins bins = sum_thread_bins();
    BinTable table = BinTable(params.scratch);
    const uint bin = thread_id();
    uint count = bins.count;
    if (repeats > 0u && bin == last_digit) count -= repeats;
    if (bin < BINS) table.at[bin * block_count() + block_id()] = count;
}
// ---- u16_up, kernel 2 of 3: sort_scan_bins
// u16_up: ascending sort of u16 by 16 bits, with values of u32
// monosweep 0.1.0, templates/sort/scan_bins.tpl, strategy split: block 256, subgroup 32, items 32, vector 8
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint EARLIER_TILE = 8192u; // items of a tile, and blocks at most, of the launch before
constexpr uint EARLIER_BLOCKS = 256u;

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u16[n], 4-byte aligned; values: u32[n], 4-byte aligned; keys_out: u16[n], 4-byte aligned; values_out: u32[n], 4-byte aligned
    uint argument;
    uint reserved[3];
};

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

const uint BINS = 2u; // values of a digit

// For each bin and block, items that the block's tiles have, later where the first of them goes: at[bin * blocks + block].
struct BinTable {
    u64 *at;
    __device__ explicit BinTable(u64 address) : at((u64 *)address) {}
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

extern "C" __global__ void __launch_bounds__(BLOCK) sort_scan_bins(const __grid_constant__ Parameters params)
{
    const u64 bound = params.n;
    const u64 tiles = bound / EARLIER_TILE + (bound % EARLIER_TILE != 0u ? 1u : 0u);
    const uint blocks = tiles < 1u ? 1u : tiles > EARLIER_BLOCKS ? EARLIER_BLOCKS : uint(tiles);
    const uint entries = BINS * blocks;
    const uint share = (entries + BLOCK - 1u) / BLOCK; // consecutive ones of a thread
    BinTable table = BinTable(params.scratch);
    u64 sum = 0u;
    for (uint i = 0u; i < share; i++) {
        const uint entry = thread_id() * share + i;
        if (entry < entries) sum += table.at[entry];
    }
    u64 place = thread_scan(sum);
    for (uint i = 0u; i < share; i++) {
        const uint entry = thread_id() * share + i;
        if (entry < entries) {
            const u64 count = table.at[entry];
            table.at[entry] = place;
            place += count;
        }
    }
}
// ---- u16_up, kernel 3 of 3: sort_downsweep
// u16_up: ascending sort of u16 by 16 bits, with values of u32
// monosweep 0.1.0, templates/sort/onesweep.tpl, strategy split: block 256, subgroup 32, items 32, vector 1
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned short u16;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint ROWS = 32u; // of a tile, for each subgroup
constexpr uint TILE = 8192u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u16[n], 4-byte aligned; values: u32[n], 4-byte aligned; keys_out: u16[n], 4-byte aligned; values_out: u32[n], 4-byte aligned
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

__device__ __forceinline__ uint key_image(u16 x)
{
    return (uint)x;
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

const uint DIGIT_BITS = 1u;
const uint BINS = 2u; // values of a digit
const uint PASSES = 16u; // digits of the key's 16 bits, the lowest first

// A digit of all keys.
struct Digit {
    uint first_bit;
    uint mask;
};

__device__ __forceinline__ Digit digit_of_pass(uint pass)
{
    Digit digit;
    digit.first_bit = pass < PASSES ? pass * DIGIT_BITS : 0u;
    digit.mask = pass < PASSES ? BINS - 1u : 0u; // beyond the last digit all keys are equal
    return digit;
}

__device__ __forceinline__ uint digit_of(u16 key, Digit digit)
{
    const uint image = key_image(key);
    return image >> digit.first_bit & digit.mask;
}

// For each bin and block, items that the block's tiles have, later where the first of them goes: at[bin * blocks + block].
struct BinTable {
    u64 *at;
    __device__ explicit BinTable(u64 address) : at((u64 *)address) {}
};

struct TileRange {
    uint first;
    uint end;
};

// The tiles of this block: an even share of all, in order.
__device__ __forceinline__ TileRange owned_tiles(uint tiles)
{
    const uint share = (tiles + block_count() - 1u) / block_count();
    TileRange range;
    range.first = min(block_id() * share, tiles);
    range.end = min(range.first + share, tiles);
    return range;
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

__shared__ uint moved_words[TILE];

__device__ __forceinline__ void store_exchanged_key(uint place, u16 x)
{
    moved_words[place] = (uint)x;
}

__device__ __forceinline__ u16 load_exchanged_key(uint place)
{
    return (u16)moved_words[place];
}

__device__ __forceinline__ void store_exchanged_value(uint place, uint x)
{
    moved_words[place] = x;
}

__device__ __forceinline__ uint load_exchanged_value(uint place)
{
    return moved_words[place];
}

struct TileKeys {
    u16 at[ROWS];
};

// What a thread knows of its bin.
struct ThreadBins {
    uint count; // the tile's items
    uint start; // where they begin in the sorted tile
};

__shared__ uint last_digit;

// The bits of a thread's items.
struct TileDigits {
    uint at[ROWS];
};

struct TileRanks {
    uint at[ROWS];
};

__device__ __forceinline__ uint rank_of(TileRanks ranks, uint row)
{
    return ranks.at[row];
}

__shared__ uint digit_counts[BINS]; // the tile's zeros and ones

__device__ __forceinline__ uint row_place(uint row)
{
    return thread_id() * ROWS + row;
}

// A barrier must follow.
__device__ __forceinline__ void clear_digit_counts()
{
    if (thread_id() == 0u) {
        digit_counts[0] = 0u;
        digit_counts[1] = 0u;
    }
}

__device__ __forceinline__ uint count_ones(TileDigits digits)
{
    uint ones = 0u;
    UNROLL for (uint row = 0u; row < ROWS; row++) ones += digits.at[row];
    return ones;
}

// A barrier must follow.
__device__ __forceinline__ TileDigits count_digits(TileKeys keys, Digit digit)
{
    TileDigits digits;
    UNROLL for (uint row = 0u; row < ROWS; row++) digits.at[row] = digit_of(keys.at[row], digit);
    const uint ones = count_ones(digits);
    atomicAdd(&digit_counts[0], ROWS - ones);
    atomicAdd(&digit_counts[1], ones);
    if (thread_id() == BLOCK - 1u) last_digit = digits.at[ROWS - 1u];
    return digits;
}

__device__ __forceinline__ ThreadBins sum_thread_bins()
{
    ThreadBins bins;
    const uint bin = thread_id();
    bins.count = bin < BINS ? digit_counts[bin] : 0u;
    bins.start = 0u;
    return bins;
}

// Zeros first.
__device__ __forceinline__ ThreadBins place_thread_bins(ThreadBins bins)
{
    const uint zeros = digit_counts[0];
    const uint bin = thread_id();
    bins.start = bin == 1u ? zeros : 0u;
    return bins;
}

// Ranks of this thread's items, whose keys go there in shared memory: one scan tells how many ones come before an item. A one stands behind
// all zeros and those, a zero moves up by as many places. The whole block calls it.
__device__ __forceinline__ TileRanks rank_items(TileKeys keys, TileDigits digits)
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

struct Keys {
    u16 *at;
    __device__ explicit Keys(u64 address) : at((u16 *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ u16 load_key(Keys items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ void store_key(Keys items, u64 i, u16 item)
{
    items.at[i] = item;
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
__device__ __forceinline__ u16 key_at(u64 keys, u64 start, uint place)
{
    return load_key(Keys(address_after(keys, start, 2u)), place);
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
    Keys own = Keys(address_after(keys, start + row_place(0u), 2u));
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

const uint IN_PLACE = 0x10000u; // added to the argument of a pass: outputs may be inputs
const uint SPARE_OFFSET = 4096u; // bytes, in the scratch
const uint TILE_KEY_BYTES = 16384u; // of a tile's keys there

struct Route {
    bool runs;
    bool is_first;
    bool is_last;
    bool to_outputs; // else to the scratch
};

// All passes run.
__device__ __forceinline__ Route route_of(u64 scratch, uint argument)
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
    u64 keys;
    u64 more_keys; // instead of keys_out where that is not given
    u64 values;
};

__device__ __forceinline__ Spares spares_of(u64 scratch, u64 n)
{
    const u64 tiles = tile_count(n);
    Spares spares;
    spares.keys = address_at(scratch, SPARE_OFFSET);
    spares.more_keys = address_after(spares.keys, tiles, TILE_KEY_BYTES);
    spares.values = address_after(spares.more_keys, tiles, TILE_KEY_BYTES);
    return spares;
}

const uint STORE_ROWS = 8u; // read from shared memory, then stored

__shared__ u64 bin_places[BINS]; // where a bin's items go, less their rank
__shared__ uint first_repeat; // rank of the first place beyond the last item

extern "C" __global__ void __launch_bounds__(BLOCK) sort_downsweep(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    const Spares spares = spares_of(params.scratch, params.n);
    const u64 keys_out_or_spare = is_given(params.buffers[2]) ? params.buffers[2] : spares.more_keys;
    const uint bin = thread_id();
    const uint pass = params.argument % IN_PLACE;
    const Route route = route_of(params.scratch, params.argument);
    if (!route.runs) return;
    const Digit digit = digit_of_pass(pass);
    const u64 keys_in = route.is_first ? params.buffers[0] : route.to_outputs ? spares.keys : keys_out_or_spare;
    const u64 keys_out = route.to_outputs ? keys_out_or_spare : spares.keys;
    const bool moves_keys = !route.is_last || is_given(params.buffers[2]);
    const u64 values_in = route.is_first ? params.buffers[1] : route.to_outputs ? spares.values : params.buffers[3];
    const u64 values_out = route.to_outputs ? params.buffers[3] : spares.values;
    const bool moves_values = is_given(params.buffers[3]);
    const TileRange range = owned_tiles(tile_count(n));
    BinTable table = BinTable(params.scratch);
    u64 next_place; // of the next items of this thread's bin
    next_place = bin < BINS ? table.at[bin * block_count() + block_id()] : 0u;

    for (uint tile = range.first; tile < range.end; tile++) {
        clear_digit_counts();
        block_barrier();
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
        const TileDigits digits = count_digits(keys, digit);
        block_barrier();
        ThreadBins bins = sum_thread_bins();
        bins = place_thread_bins(bins);
        block_barrier();
        const TileRanks ranks = rank_items(keys, digits);
        TileValues values;
        if (moves_values) values = load_values(values_in, start, last);

        if (bin < BINS) {
            const uint items = bin == last_digit ? bins.count - repeats : bins.count;
            bin_places[bin] = next_place - bins.start;
            next_place += items;
            if (bin == last_digit) first_repeat = bins.start + items;
        }
        block_barrier();
        const uint end = first_repeat;
        u64 places[ROWS];
        UNROLL for (uint first = 0u; first < ROWS; first += STORE_ROWS) {
            u16 moved[STORE_ROWS];
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
}
