// monosweep gen tests/corpus/sorts.lua --op u8_up --target cuda --arch sm_90 --quiet
// ---- u8_up, kernel 1 of 6: sort_single_block
// u8_up: ascending sort of u8 by 8 bits
// monosweep 0.1.0, templates/sort/sort_block.tpl, strategy single_block: block 256, subgroup 32, items 16, vector 1
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint ROWS = 16u; // of a tile, for each subgroup
constexpr uint TILE = 4096u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u8[n], 4-byte aligned; keys_out: u8[n], 4-byte aligned
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

// From here on the next launch may begin. Without it that begins when this one's blocks have ended.
__device__ __forceinline__ void let_next_launch_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Launches before this one may not have ended yet when it begins; from here on they have.
__device__ __forceinline__ void wait_for_earlier_launches()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
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

__device__ __forceinline__ uint key_image(u8 x)
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

const uint DIGIT_BITS = 8u;
const uint BINS = 256u; // values of a digit
const uint PASSES = 1u; // digits of the key's 8 bits, the lowest first

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

__device__ __forceinline__ uint digit_of(u8 key, Digit digit)
{
    const uint image = key_image(key);
    return image >> digit.first_bit & digit.mask;
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

__device__ __forceinline__ void store_exchanged_key(uint place, u8 x)
{
    moved_words[place] = (uint)x;
}

__device__ __forceinline__ u8 load_exchanged_key(uint place)
{
    return (u8)moved_words[place];
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
    u8 at[ROWS];
};

// What a thread knows of its bin.
struct ThreadBins {
    uint count; // the tile's items
    uint start; // where they begin in the sorted tile
};

const uint SUBGROUPS = 8u; // of a block
const uint RANK_ROWS = 4u; // ranked together, so that their latencies overlap

// Of a subgroup's items by digit: how many, then the rank of the next. Behind them a place for each lane.
__shared__ uint digit_counts[SUBGROUPS * BINS + LANES];
__shared__ Digit ranked_digit;

// As many rows as so many items ask for, as they are ranked.
__device__ __forceinline__ uint rows_of(uint items)
{
    return (items + (RANK_ROWS * BLOCK - 1u)) / (RANK_ROWS * BLOCK) * RANK_ROWS;
}

__device__ __forceinline__ uint row_place(uint row, uint rows)
{
    return subgroup_id() * (rows * LANES) + lane_id() + row * LANES;
}

// The digit of the key at a place; behind all items the greatest.
__device__ __forceinline__ uint row_digit(u8 key, uint place, uint items, Digit digit)
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
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) atomicAdd(&digit_counts[subgroup_id() * BINS + row_digit(keys.at[row], row_place(row, rows), items, digit)], 1u);
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

// Ranks this lane's items, and moves their keys there in shared memory.
__device__ __forceinline__ void rank_items(TileKeys keys, uint items, uint rows)
{
    const Digit digit = ranked_digit; // read anew, so that digits are computed again: compilers would keep those that were counted in registers
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
        }
    }
}

struct Keys {
    u8 *at;
    __device__ explicit Keys(u64 address) : at((u8 *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ u8 load_key(Keys items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ void store_key(Keys items, u64 i, u8 item)
{
    items.at[i] = item;
}

// The key at a place in the tile that begins at `start`.
__device__ __forceinline__ u8 key_at(u64 keys, u64 start, uint place)
{
    return load_key(Keys(address_after(keys, start, 1u)), place);
}

// The keys of the tile's rows.
__device__ __forceinline__ TileKeys load_keys(u64 keys, u64 start, uint last, uint rows)
{
    TileKeys tile;
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) tile.at[row] = key_at(keys, start, min(row_place(row, rows), last));
    return tile;
}

__shared__ uint is_settled; // 1: all keys have the same digit

extern "C" __global__ void __launch_bounds__(BLOCK, 1) sort_single_block(const __grid_constant__ Parameters params)
{
    let_next_launch_begin();
    wait_for_earlier_launches();
    const uint n = uint(element_count(params.n, params.n_address));
    if (n == 0u) return;
    const uint items = n;
    const uint rows = rows_of(items);
    const u64 keys_out = params.buffers[1];
    TileKeys keys = load_keys(params.buffers[0], 0u, items - 1u, rows);

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
            rank_items(keys, items, rows);
            block_barrier();
            UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) keys.at[row] = load_exchanged_key(row_place(row, rows));
        }
    }

    block_barrier_all_memory(); // outputs may be inputs
    if (is_given(keys_out)) {
        UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) {
            if (row_place(row, rows) < n) store_key(Keys(keys_out), row_place(row, rows), keys.at[row]);
        }
    }
}
// ---- u8_up, kernel 2 of 6: sort_cluster
// u8_up: ascending sort of u8 by 8 bits
// monosweep 0.1.0, templates/sort/sort_cluster.tpl, strategy single_cluster: block 256, subgroup 32, items 16, vector 1
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint ROWS = 16u; // of a tile, for each subgroup
constexpr uint TILE = 4096u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u8[n], 4-byte aligned; keys_out: u8[n], 4-byte aligned
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

// From here on the next launch may begin. Without it that begins when this one's blocks have ended.
__device__ __forceinline__ void let_next_launch_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Launches before this one may not have ended yet when it begins; from here on they have.
__device__ __forceinline__ void wait_for_earlier_launches()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

__device__ __forceinline__ uint block_id()
{
    return blockIdx.x;
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

__device__ __forceinline__ uint key_image(u8 x)
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

const uint DIGIT_BITS = 8u;
const uint BINS = 256u; // values of a digit
const uint PASSES = 1u; // digits of the key's 8 bits, the lowest first

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

__device__ __forceinline__ uint digit_of(u8 key, Digit digit)
{
    const uint image = key_image(key);
    return image >> digit.first_bit & digit.mask;
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

const uint COUNTED = 0u; // what signals are for: the counts of all blocks have come, by turns; a tile's items have come
const uint MOVED = 2u;
const uint SIGNALS = 3u;

const uint CLUSTER = 16u; // blocks of the launch: one cluster

__shared__ u64 signals[SIGNALS]; // mbarriers

__device__ __forceinline__ uint shared_address(const void *pointer)
{
    return (uint)__cvta_generic_to_shared(pointer);
}

// The address that a block of the cluster has for the place that is at `address` here.
__device__ __forceinline__ uint address_in_block(uint block, uint address)
{
    uint there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
    return there;
}

// The whole block calls it, once, and each thread the next before it sends.
__device__ __forceinline__ void begin_cluster()
{
    if (thread_id() == 0u) {
        ROLL for (uint s = 0u; s < SIGNALS; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&signals[s])));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}

__device__ __forceinline__ void wait_for_cluster()
{
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// The signal is given once more when so many bytes have come; some may have come before. One thread calls it, once for each time.
__device__ __forceinline__ void expect_bytes(uint signal, uint bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&signals[signal])), "r"(bytes) : "memory");
}

// Stores to the shared memory of a block of the cluster, or of this one, at the same place, and counts the bytes for its signal. place: whole words,
// pairs, quads.
__device__ __forceinline__ void send_word(uint block, const uint *place, uint word, uint signal)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(address_in_block(block, shared_address(place))),
                 "r"(word), "r"(address_in_block(block, shared_address(&signals[signal])))
                 : "memory");
}

// Waits until the signal has been given `times` + 1 times: what was sent is there.
__device__ __forceinline__ void wait_for_signal(uint signal, uint times)
{
    uint is_there = 0u;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(is_there)
                     : "r"(shared_address(&signals[signal])), "r"(times % 2u)
                     : "memory");
    } while (is_there == 0u);
}

extern __shared__ __align__(16) uint moved_words[]; // comes with the launch

__device__ __forceinline__ void store_exchanged_key(uint place, u8 x)
{
    moved_words[place] = (uint)x;
}

__device__ __forceinline__ u8 load_exchanged_key(uint place)
{
    return (u8)moved_words[place];
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
    u8 at[ROWS];
};

// What a thread knows of its bin.
struct ThreadBins {
    uint count; // the tile's items
    uint start; // where they begin in the sorted tile
};

const uint SUBGROUPS = 8u; // of a block
const uint RANK_ROWS = 4u; // ranked together, so that their latencies overlap

// Of a subgroup's items by digit: how many, then the rank of the next. Behind them a place for each lane.
#define digit_counts (moved_words + TILE)

// As many rows as so many items ask for, as they are ranked.
__device__ __forceinline__ uint rows_of(uint items)
{
    return (items + (RANK_ROWS * BLOCK - 1u)) / (RANK_ROWS * BLOCK) * RANK_ROWS;
}

__device__ __forceinline__ uint row_place(uint row, uint rows)
{
    return subgroup_id() * (rows * LANES) + lane_id() + row * LANES;
}

// The digit of the key at a place; behind all items the greatest.
__device__ __forceinline__ uint row_digit(u8 key, uint place, uint items, Digit digit)
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

const uint SLOT_BITS = 8u; // of a digit that is kept
const uint WORD_DIGITS = 32u / SLOT_BITS;

// A lane's digits, as they are counted: images take longer to make again.
struct TileDigits {
    uint words[(ROWS + WORD_DIGITS - 1u) / WORD_DIGITS];
};

__device__ __forceinline__ uint kept_digit(TileDigits digits, uint row)
{
    return digits.words[row / WORD_DIGITS] >> (row % WORD_DIGITS * SLOT_BITS) & (BINS - 1u);
}

// A barrier must follow.
__device__ __forceinline__ TileDigits count_digits(TileKeys keys, Digit digit, uint items, uint rows)
{
    TileDigits digits;
    UNROLL for (uint word = 0u; word < (ROWS + WORD_DIGITS - 1u) / WORD_DIGITS; word++) digits.words[word] = 0u;
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) {
        const uint bin = row_digit(keys.at[row], row_place(row, rows), items, digit);
        digits.words[row / WORD_DIGITS] |= bin << (row % WORD_DIGITS * SLOT_BITS);
        atomicAdd(&digit_counts[subgroup_id() * BINS + bin], 1u);
    }
    return digits;
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

// Ranks this lane's items, and moves their keys there in shared memory.
__device__ __forceinline__ void rank_items(TileKeys keys, TileDigits digits, uint rows)
{
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) {
        uint counters[RANK_ROWS];
        Peers peers[RANK_ROWS];
        uint ranks_of_leaders[RANK_ROWS];
        UNROLL for (uint r = 0u; r < RANK_ROWS; r++) {
            const uint bin = kept_digit(digits, first + r);
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
        }
    }
}

struct Keys {
    u8 *at;
    __device__ explicit Keys(u64 address) : at((u8 *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ u8 load_key(Keys items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ void store_key(Keys items, u64 i, u8 item)
{
    items.at[i] = item;
}

// The key at a place in the tile that begins at `start`.
__device__ __forceinline__ u8 key_at(u64 keys, u64 start, uint place)
{
    return load_key(Keys(address_after(keys, start, 1u)), place);
}

// The keys of the tile's rows.
__device__ __forceinline__ TileKeys load_keys(u64 keys, u64 start, uint last, uint rows)
{
    TileKeys tile;
    UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) tile.at[row] = key_at(keys, start, min(row_place(row, rows), last));
    return tile;
}

// The counts of all blocks, of this pass's turn; then of the other.
#define block_counts (moved_words + TILE + SUBGROUPS * BINS + LANES)
// Items that other blocks sent here.
#define sent_words (moved_words + TILE + SUBGROUPS * BINS + LANES + 2u * CLUSTER * BINS)
__shared__ uint bin_shifts[BINS]; // from the block's order by the digit to the cluster's

__device__ __forceinline__ uint count_place(uint turn, uint block, uint bin)
{
    return (turn * CLUSTER + block) * BINS + bin;
}

// Tells each block of the cluster how many of the block's items have the digit.
__device__ __forceinline__ void send_count(uint turn, uint bin, uint count)
{
    UNROLL for (uint b = 0u; b < CLUSTER; b++) {
        send_word((block_id() + b) % CLUSTER, &block_counts[count_place(turn, block_id(), bin)], count, COUNTED + turn);
    }
}

// Of items with the digit, how many the cluster has, and how many are in blocks before this one.
struct ClusterCount {
    uint total;
    uint before;
};

__device__ __forceinline__ ClusterCount sum_block_counts(uint turn, uint bin)
{
    ClusterCount count;
    count.total = 0u;
    count.before = 0u;
    UNROLL for (uint b = 0u; b < CLUSTER; b++) {
        const uint more = block_counts[count_place(turn, b, bin)];
        count.total += more;
        count.before += b < block_id() ? more : 0u;
    }
    return count;
}

const uint INVERSE_ONE = 1u << 24; // more than the cube of a tile's rows would divide exactly

// Sends an item to its place in the cluster's tiles of so many rows. inverse: INVERSE_ONE / rows + 1.
__device__ __forceinline__ void send_item(uint cluster_place, uint rows, uint inverse, u8 key)
{
    const uint block = cluster_place / BLOCK * inverse / INVERSE_ONE;
    const uint place = cluster_place - block * BLOCK * rows;
    send_word(block, &sent_words[place], (uint)key, MOVED);
}

__device__ __forceinline__ u8 sent_key(uint place)
{
    return (u8)sent_words[place];
}

extern "C" __global__ void __launch_bounds__(BLOCK, 1) __cluster_dims__(16, 1, 1) sort_cluster(const __grid_constant__ Parameters params)
{
    let_next_launch_begin();
    wait_for_earlier_launches();
    const uint n = uint(element_count(params.n, params.n_address));
    if (n == 0u) return;
    const uint rows = rows_of((n + CLUSTER - 1u) / CLUSTER);
    const uint start = block_id() * BLOCK * rows;
    const uint items = n <= start ? 0u : n - start < BLOCK * rows ? n - start : BLOCK * rows;
    const u64 keys_out = params.buffers[1];
    begin_cluster();
    TileKeys keys;
    if (items > 0u) {
        keys = load_keys(params.buffers[0], start, items - 1u, rows);
    } else {
        UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) keys.at[row] = (u8)0u;
    }
    const uint inverse = INVERSE_ONE / rows + 1u;
    wait_for_cluster();

    ROLL for (uint pass = 0u; pass < PASSES; pass++) {
        const Digit digit = digit_of_pass(pass);
        const uint turn = pass % 2u;
        clear_digit_counts();
        block_barrier();
        const TileDigits digits = count_digits(keys, digit, items, rows);
        block_barrier();
        ThreadBins bins = sum_thread_bins();
        const uint bin = thread_id();
        if (thread_id() == 0u) expect_bytes(COUNTED + turn, CLUSTER * BINS * 4u);
        send_count(turn, bin, bins.count);
        bins = place_thread_bins(bins);
        block_barrier();
        rank_items(keys, digits, rows);
        block_barrier();
        UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) keys.at[row] = load_exchanged_key(row * BLOCK + thread_id());

        wait_for_signal(COUNTED + turn, pass / 2u);
        ClusterCount counts;
        uint bin_start = 0u; // of a thread's first bin, in the cluster's order
        counts = sum_block_counts(turn, bin);
        bin_start += counts.total;
        bin_start = thread_scan(bin_start);
        bin_shifts[bin] = bin_start + counts.before - bins.start;
        bin_start += counts.total;
        block_barrier();
        if (thread_id() == 0u) expect_bytes(MOVED, BLOCK * rows * 4u);
        UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) {
            const uint place = row * BLOCK + thread_id();
            send_item(bin_shifts[row_digit(keys.at[row], place, items, digit)] + place, rows, inverse, keys.at[row]);
        }
        wait_for_signal(MOVED, pass);
        UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) keys.at[row] = sent_key(row_place(row, rows));
    }

    if (is_given(keys_out)) {
        UNROLL for (uint first = 0u; first < ROWS; first += RANK_ROWS) if (first < rows) UNROLL for (uint row = first; row < first + RANK_ROWS; row++) {
            if (start + row_place(row, rows) < n) store_key(Keys(keys_out), start + row_place(row, rows), keys.at[row]);
        }
    }
}
// ---- u8_up, kernel 3 of 6: sort_histogram
// u8_up: ascending sort of u8 by 8 bits
// monosweep 0.1.0, templates/sort/digit_histogram.tpl, strategy counting: block 1024, subgroup 32, items 64, vector 16
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 1024u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint VECTOR = 16u; // consecutive items of a lane
constexpr uint TILE = 65536u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u8[n], 4-byte aligned; keys_out: u8[n], 4-byte aligned
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

// From here on the next launch may begin. Without it that begins when this one's blocks have ended.
__device__ __forceinline__ void let_next_launch_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Launches before this one may not have ended yet when it begins; from here on they have.
__device__ __forceinline__ void wait_for_earlier_launches()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
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

__device__ __forceinline__ uint key_image(u8 x)
{
    return (uint)x;
}

const uint DIGIT_BITS = 8u;
const uint BINS = 256u; // values of a digit
const uint PASSES = 1u; // digits of the key's 8 bits, the lowest first

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

__device__ __forceinline__ uint digit_of(u8 key, Digit digit)
{
    const uint image = key_image(key);
    return image >> digit.first_bit & digit.mask;
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
    const u8 *at;
    __device__ explicit In(u64 address) : at((const u8 *)address) {}
};

struct Inputs {
    alignas(16) u8 at[VECTOR];
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

const uint GROUPS = 4u; // of VECTOR items, of a thread and tile
const uint BATCH = 4u; // groups that a thread reads together

// Of a bin, in COPIES copies.
__shared__ uint counts[8192u];
const uint COPIES = 32u;

__device__ __forceinline__ void count_digits(u8 key)
{
    UNROLL for (uint pass = 0u; pass < PASSES; pass++) {
        const uint bin = pass * BINS + digit_of(key, digit_of_pass(pass));
        atomicAdd(&counts[bin * COPIES + lane_id() % COPIES], 1u);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, 1) sort_histogram(const __grid_constant__ Parameters params)
{
    let_next_launch_begin();
    wait_for_earlier_launches();
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
// ---- u8_up, kernel 4 of 6: sort_starts
// u8_up: ascending sort of u8 by 8 bits
// monosweep 0.1.0, templates/sort/digit_starts.tpl, strategy counting: block 384, subgroup 32, items 32, vector 16
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 384u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u8[n], 4-byte aligned; keys_out: u8[n], 4-byte aligned
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

// From here on the next launch may begin. Without it that begins when this one's blocks have ended.
__device__ __forceinline__ void let_next_launch_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Launches before this one may not have ended yet when it begins; from here on they have.
__device__ __forceinline__ void wait_for_earlier_launches()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
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
const uint PASSES = 1u; // digits of the key's 8 bits, the lowest first

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
const uint STARTS_OFFSET = 4480u; // places[PASSES][BINS]
const uint VARIES_OFFSET = 6528u; // uint[PASSES]: whether keys differ in the digit

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

const uint TOTALS = 12u; // one for each subgroup
__shared__ u64 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(u64 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 12 totals: every subgroup scans them for itself.
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
    let_next_launch_begin();
    wait_for_earlier_launches();
    const u64 n = element_count(params.n, params.n_address);
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    Histogram histogram = Histogram(address_at(params.scratch, HISTOGRAM_OFFSET));
    const uint digits_turn = 1u - sort_turn(params.scratch); // the next sort's begins when the keys have been counted
    Varies varies = Varies(address_at(params.scratch, VARIES_OFFSET));
    for (uint pass = block_id(); pass < PASSES; pass += block_count()) {
        if (thread_id() == 0u) has_one_bin = 0u;
        block_barrier();
        const uint bin = thread_id();
        const u64 count = bin < BINS ? u64(histogram.at[(digits_turn * PASSES + pass) * BINS + bin]) : 0u;
        if (count == n) atomicMax(&has_one_bin, 1u);
        const u64 start = thread_scan(count);
        if (bin < BINS) starts.at[pass * BINS + bin] = start;
        block_barrier();
        if (thread_id() == 0u) varies.at[pass] = 1u - has_one_bin;
    }
}
// ---- u8_up, kernel 5 of 6: sort_fill
// u8_up: ascending sort of u8 by 8 bits
// monosweep 0.1.0, templates/sort/fill.tpl, strategy counting: block 384, subgroup 32, items 32, vector 16
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 384u; // threads of a block
constexpr uint VECTOR = 16u; // consecutive items of a lane
constexpr uint TILE = 12288u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u8[n], 4-byte aligned; keys_out: u8[n], 4-byte aligned
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

// From here on the next launch may begin. Without it that begins when this one's blocks have ended.
__device__ __forceinline__ void let_next_launch_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Launches before this one may not have ended yet when it begins; from here on they have.
__device__ __forceinline__ void wait_for_earlier_launches()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
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

__device__ __forceinline__ u8 key_of_image(uint x)
{
    return (u8)x;
}

const uint STARTS_OFFSET = 4480u; // places[PASSES][BINS]

struct Starts {
    u64 *at;
    __device__ explicit Starts(u64 address) : at((u64 *)address) {}
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

// Bits that it takes to write a number down: 0 for 0.
__device__ __forceinline__ uint bit_width(uint a)
{
    return 32u - (uint)__clz(a);
}

struct Out {
    u8 *at;
    __device__ explicit Out(u64 address) : at((u8 *)address) {}
};

struct Outputs {
    alignas(16) u8 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ void store_full_outputs(Out items, u64 start, Outputs group)
{
    *(Outputs *)(items.at + start) = group;
}

// Items start .. start + VECTOR - 1 but for those from n on.
__device__ __forceinline__ void store_outputs(Out items, u64 start, u64 n, Outputs group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = group.at[v];
    }
}

const uint GROUPS = 2u; // of VECTOR items, of a thread and tile
const uint LAST_IMAGE = 255u;
const uint HELD_IMAGES = 257u;

__shared__ u64 held_starts[HELD_IMAGES]; // where the keys of consecutive images begin

// Where the keys of an image begin; behind the last, where they end.
__device__ __forceinline__ u64 start_of(Starts starts, uint image, u64 n)
{
    return image <= LAST_IMAGE ? starts.at[image] : n;
}

// The whole block calls it.
__device__ __forceinline__ void hold_starts(Starts starts, uint first_image, u64 n)
{
    block_barrier(); // what was held is not needed any more
    UNROLL for (uint first = 0u; first < HELD_IMAGES; first += BLOCK) {
        const uint held = first + thread_id();
        if (held < HELD_IMAGES) held_starts[held] = start_of(starts, first_image + held, n);
    }
    block_barrier();
}

// Which of the held images, `least` to `most`, the key at a place has: the last one that begins there or before.
__device__ __forceinline__ uint held_image(u64 place, uint least, uint most)
{
    uint held = least;
    ROLL for (uint step = most == least ? 0u : 1u << (bit_width(most - least) - 1u); step > 0u; step /= 2u) {
        if (held + step <= most && held_starts[held + step] <= place) held += step;
    }
    return held;
}

extern "C" __global__ void __launch_bounds__(BLOCK) sort_fill(const __grid_constant__ Parameters params)
{
    let_next_launch_begin();
    wait_for_earlier_launches();
    const u64 n = element_count(params.n, params.n_address);
    const TileRange tiles = owned_tiles(uint((n + (TILE - 1u)) / TILE));
    if (!is_given(params.buffers[1]) || tiles.first == tiles.end) return;
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    Out out_items = Out(params.buffers[1]);
    const bool is_aligned = is_vector_aligned(params.buffers[1]);
    hold_starts(starts, 0u, n);
    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const u64 start = u64(tile) * TILE;
        const u64 last = min(start + TILE, n) - 1u;
        const uint least = held_image(start, 0u, HELD_IMAGES - 1u); // held
        const uint most = held_image(last, least, HELD_IMAGES - 1u);
        ROLL for (uint g = 0u; g < GROUPS; g++) {
            const u64 first = start + (g * BLOCK + thread_id()) * VECTOR;
            Outputs group;
            uint image = least;
            u64 end = n; // of its keys
            if (!(most == least)) {
                image = held_image(first, least, most);
                end = held_starts[image + 1u];
            }
            if (end >= min(first + VECTOR, n)) {
                UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = key_of_image(image);
            } else {
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (first + v >= end && end < n) {
                        image = held_image(first + v, least, most);
                        end = held_starts[image + 1u];
                    }
                    group.at[v] = key_of_image(image);
                }
            }
            if (is_aligned && start + TILE <= n) store_full_outputs(out_items, first, group);
            else store_outputs(out_items, first, n, group);
        }
    }
}
// ---- u8_up, kernel 6 of 6: zero_scratch
// u8_up: ascending sort of u8 by 8 bits
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 384, subgroup 32, items 32, vector 16
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 384u; // threads of a block

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u8[n], 4-byte aligned; keys_out: u8[n], 4-byte aligned
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
