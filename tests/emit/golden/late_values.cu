// monosweep gen tests/emit/golden/extra.lua --op late --target cuda --arch sm_90 --set strategy=lookahead --set counts=32 --quiet
// ---- late, kernel 1 of 2: scan_lookahead
// late: scan of u8 to mixed, mixed_count by sum(u32)
// monosweep 0.1.0, templates/scan/lookahead.tpl, strategy lookahead: block 512, subgroup 32, items 28, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 512u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint TILE = 14336u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // u32: what comes before all elements
    u64 carry_out; // u32: what all add up to
    u64 buffers[8]; // in: u8[n], 4-byte aligned; mixed: u32[n], 4-byte aligned; mixed_count: u64, 8-byte aligned
    uint argument;
    uint reserved[3];
};

__device__ __forceinline__ bool is_given(u64 address)
{
    return address != 0u;
}

// Bytes from the last multiple of 128, the size of a line of memory, to an address.
__device__ __forceinline__ uint place_in_line(u64 address)
{
    return uint(address % 128u);
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

// Of the first BLOCK threads.
__device__ __forceinline__ void block_barrier()
{
    asm volatile("bar.sync 1, %0;" ::"n"(BLOCK) : "memory");
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

struct State {
    uint s;
    uint kept;
};

struct Result {
    uint mixed;
    uint place_of_mixed;
    uint keeps_mixed;
};

struct Counts {
    u64 mixed_count;
};

__device__ __forceinline__ State combine(State a, State b)
{
    return State{a.s + b.s, a.kept + b.kept};
}

__device__ __forceinline__ State map_item(u8 x)
{
    return State{(uint)x, x == 10 ? 1u : 0u};
}

__device__ __forceinline__ Result output_item(State state, u8 x)
{
    uint product = (state.s ^ (state.s >> 13)) * 0x5bd3u;
    uint product2 = (product ^ (product >> 13)) * 0x5bd5u;
    uint product3 = (product2 ^ (product2 >> 13)) * 0x5bd7u;
    uint product4 = (product3 ^ (product3 >> 13)) * 0x5bd9u;
    uint product5 = (product4 ^ (product4 >> 13)) * 0x5bdbu;
    return Result{(product5 ^ (product5 >> 13)) * 0x5bddu, state.kept - 1u, x == 10 ? 1u : 0u};
}

__device__ __forceinline__ uint late_value1(uint state)
{
    uint product = (state ^ (state >> 13)) * 0x5bd3u;
    uint product2 = (product ^ (product >> 13)) * 0x5bd5u;
    uint product3 = (product2 ^ (product2 >> 13)) * 0x5bd7u;
    uint product4 = (product3 ^ (product3 >> 13)) * 0x5bd9u;
    uint product5 = (product4 ^ (product4 >> 13)) * 0x5bdbu;
    return (product5 ^ (product5 >> 13)) * 0x5bddu;
}

__device__ __forceinline__ State state_of_carry(uint carry)
{
    return State{carry, 0u};
}

__device__ __forceinline__ uint carry_of_state(State total)
{
    return total.s;
}

__device__ __forceinline__ Counts totals_of(State total)
{
    return Counts{(u64)total.kept};
}

__device__ __forceinline__ State identity()
{
    return State{0u, 0u};
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ State shuffle(State x, uint lane)
{
    return State{__shfl_sync(ALL_LANES, x.s, lane), __shfl_sync(ALL_LANES, x.kept, lane)};
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ State shuffle_up(State x, uint distance)
{
    return State{__shfl_up_sync(ALL_LANES, x.s, distance), __shfl_up_sync(ALL_LANES, x.kept, distance)};
}

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
__device__ __forceinline__ uint last_lane(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ State subgroup_scan_of(State x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const State earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ State subgroup_scan(State x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ State subgroup_shift(State x)
{
    const State earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    State before;
    State total;
};

const uint TOTALS = 16u; // one for each subgroup
__shared__ State subgroup_totals[2u * TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(State subgroup_total, uint turn)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[turn * TOTALS + subgroup_id()] = subgroup_total;
    block_barrier();

    // 16 totals: every subgroup scans them for itself.
    State total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[turn * TOTALS + lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    return scan;
}

struct Carry {
    uint *at;
    __device__ explicit Carry(u64 address) : at((uint *)address) {}
};

// The first item alone.
__device__ __forceinline__ uint load_first_carries(Carry items)
{
    return items.at[0];
}

__device__ __forceinline__ void store_first_carries(Carry items, uint item)
{
    items.at[0] = item;
}

// The carry-in if there is one, else the identity.
__device__ __forceinline__ State starting_prefix(u64 carry_in)
{
    if (is_given(carry_in)) return state_of_carry(load_first_carries(Carry(carry_in)));
    return identity();
}

// Array `mixed_count`.
struct CountsAt1 {
    u64 *at;
    __device__ explicit CountsAt1(u64 address) : at((u64 *)address) {}
};

__device__ __forceinline__ void store_number1(CountsAt1 items, u64 i, u64 item)
{
    items.at[i] = item;
}

// Addresses of the arrays.
struct CountsAt {
    u64 array1;
};

__device__ __forceinline__ void store_number(CountsAt items, u64 i, Counts item)
{
    if (is_given(items.array1)) store_number1(CountsAt1(items.array1), i, item.mixed_count);
}

// One thread's total becomes the carry-out, if one is asked for; and the numbers of what was written.
__device__ __forceinline__ void store_carry(u64 carry_out, CountsAt numbers, State total)
{
    if (is_given(carry_out)) store_first_carries(Carry(carry_out), carry_of_state(total));
    store_number(numbers, 0u, totals_of(total));
}

const uint STAGES = 3u;
const uint STAGE_BYTES = 14464u; // of one tile, with room for 16 bytes more

extern __shared__ __align__(128) u8 stages[]; // comes with the launch

// What the stages' signals are for: a tile has come, has been summed up, what comes before it is known, and an earlier tile's stage is free.
const uint COME = 0u;
const uint ARRAYS = 1u; // of a tile: each comes by itself
const uint SUMMED = ARRAYS * STAGES;
const uint PRECEDED = SUMMED + STAGES;
const uint FREED = PRECEDED + STAGES;
const uint SIGNALS = FREED + STAGES;
__shared__ u64 signals[SIGNALS]; // mbarriers

__device__ __forceinline__ uint shared_address(const void *pointer)
{
    return (uint)__cvta_generic_to_shared(pointer);
}

// The whole block calls it, once.
__device__ __forceinline__ void begin_stages()
{
    if (thread_id() == 0u) {
        ROLL for (uint s = 0u; s < SIGNALS; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&signals[s])));
        asm volatile("fence.mbarrier_init.release.cluster;"); // and for the copies
    }
    __syncthreads();
}

// One thread calls it: who waits for it sees what it wrote before.
__device__ __forceinline__ void give_signal(uint signal)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&signals[signal])) : "memory");
}

// Waits until the signal has been given `times` + 1 times.
__device__ __forceinline__ void wait_for_signal(uint signal, uint times)
{
    uint is_there = 0u;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(is_there)
                     : "r"(shared_address(&signals[signal])), "r"(times % 2u)
                     : "memory");
    } while (is_there == 0u);
}

// A bulk copy moves multiples of 16 bytes; this is the distance in bytes from the last 16-byte boundary.
__device__ __forceinline__ uint stage_shift(u64 address)
{
    return (uint)(address % 16u);
}

__device__ __forceinline__ u64 place_address(uint place)
{
    return (u64)(stages + place);
}

// Starts a copy to a place in the stages, whose coming gives the signal; all are multiples of 16. One thread calls it.
__device__ __forceinline__ void fill_place(uint place, u64 address, uint bytes, uint signal)
{
    const uint arrival = shared_address(&signals[signal]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrival), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(stages + place)),
                 "l"(__cvta_generic_to_global((const void *)address)), "r"(bytes), "r"(arrival)
                 : "memory");
}

// Fetches a byte.
__device__ __forceinline__ void complete_place(uint place, u64 address)
{
    stages[place] = *(const u8 *)address;
}

// Every thread calls it after it wrote to a stage; a barrier must follow, then leave_stage.
__device__ __forceinline__ void ready_stage()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// The thread that calls leave_stage calls it once a round, and later in the round one of the next two: all copies of rounds but this one, or all,
// have read their stages.
__device__ __forceinline__ void end_leaves()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ __forceinline__ void wait_for_leaves()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

const uint DESCRIPTORS_OFFSET = 384u; // bytes, in the scratch
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

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
__device__ __forceinline__ void end_launch(u64 scratch)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    store_counter(scratch, LAUNCH, launch_tag(scratch) % 0x7fffffffu);
    store_counter(scratch, TICKET, 0u);
}

// Whether the posts of `tiles` tiles lie in what was zeroed of the scratch.
__device__ __forceinline__ bool has_posts_of(u64 scratch, uint tiles)
{
    const u64 words = DESCRIPTORS_OFFSET / 8u + u64(tiles) * 2u; // of 8 bytes
    return (words + 31u) / 32u <= zeroed_count(scratch);
}

const uint EMPTY = 0u;
const uint AGGREGATE = 1u;
const uint PREFIX = 2u;

struct Descriptor {
    State value;
    uint state;
};

struct alignas(16) Word {
    uint x, y, z, tag;
};

struct Posts {
    Word *at;
    __device__ explicit Posts(u64 address) : at((Word *)address) {}
};

__device__ __forceinline__ Word load_word(Posts posts, u64 index)
{
    u64 low, high;
    asm volatile("{.reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word;}"
                 : "=l"(low), "=l"(high)
                 : "l"(__cvta_generic_to_global(posts.at + index)));
    return Word{(uint)low, (uint)(low >> 32), (uint)high, (uint)(high >> 32)};
}

__device__ __forceinline__ void store_word(Posts posts, u64 index, Word word)
{
    const u64 low = word.x | (u64)word.y << 32, high = word.z | (u64)word.tag << 32;
    asm volatile("{.reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word;}" ::"l"(__cvta_generic_to_global(posts.at + index)),
                 "l"(low), "l"(high));
}

__device__ __forceinline__ void publish(Posts posts, u64 first, uint tag, State x)
{
    store_word(posts, first, Word{x.s, x.kept, 0u, tag});
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
        descriptor.value = State{word0.x, word0.y};
    }
    return descriptor;
}

__device__ __forceinline__ void publish_aggregate(Posts posts, uint tile, uint tag, State x)
{
    publish(posts, u64(tile) * WORDS, tag << 1, x);
}

// Array `in`: in a stage a tile begins at this byte, or up to 15 later.
const uint IN_1 = 0u;
struct In1 {
    const u8 *at;
    __device__ explicit In1(u64 address) : at((const u8 *)address) {}
};

struct Inputs1 {
    alignas(4) u8 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs1 load_full_inputs1(In1 items, u64 start)
{
    return *(const Inputs1 *)(items.at + start);
}

struct Staged1 {
    const u8 *at;
    __device__ explicit Staged1(u64 address) : at((const u8 *)address) {}
};

__device__ __forceinline__ u8 load_staged1(Staged1 items, u64 i)
{
    return items.at[i];
}

// Addresses of the arrays.
struct In {
    u64 array1;
};

const uint ITEMS = 28u; // of a thread
const uint GROUPS = ITEMS / VECTOR;

struct Tiles {
    u64 n;
    uint count;
};

__device__ __forceinline__ Tiles tiles_of(u64 n)
{
    Tiles tiles;
    tiles.n = n;
    tiles.count = uint((n + (TILE - 1u)) / TILE);
    return tiles;
}

// Index of the lowest item of a tile.
__device__ __forceinline__ u64 tile_start(uint tile, Tiles tiles)
{
    return u64(tile) * TILE;
}

// Place in its tile of this thread's lowest item.
__device__ __forceinline__ uint thread_place()
{
    return thread_id() * (GROUPS * VECTOR);
}

// Index of this thread's lowest item.
__device__ __forceinline__ u64 thread_start(uint tile, Tiles tiles)
{
    return tile_start(tile, tiles) + thread_place();
}

__device__ __forceinline__ bool is_whole(uint tile, Tiles tiles)
{
    return tiles.n - tile_start(tile, tiles) >= TILE;
}

// Of an array, from `first` to before `end`, addresses.
struct Span {
    u64 first;
    u64 end;
};

// What a tile needs of an array whose items have `size` bytes.
__device__ __forceinline__ Span needed_span(uint tile, Tiles tiles, u64 array, uint size)
{
    const u64 start = tile_start(tile, tiles), end = min(start + TILE, tiles.n);
    Span span;
    span.first = address_after(array, start, size);
    span.end = address_after(array, end, size);
    return span;
}

// Whole 16 bytes that hold it, but for bytes at the array's ends.
__device__ __forceinline__ Span copied_span(Span needed, Tiles tiles, u64 array, uint size)
{
    Span span;
    span.first = needed.first - needed.first % 16u;
    if (span.first < array) span.first += 16u;
    span.end = needed.end + (16u - needed.end % 16u) % 16u;
    if (span.end > address_after(array, tiles.n, size)) span.end -= 16u;
    return span;
}

// Of a byte of an array whose tiles begin at `place` in their stage, the place in the tile's stage.
__device__ __forceinline__ uint staged_place(uint stage, uint place, uint tile, Tiles tiles, u64 array, uint size, u64 address)
{
    return stage * STAGE_BYTES + place + uint(address - address_after(array - array % 16u, tile_start(tile, tiles), size));
}

// Has what a tile needs brought to a stage, but for bytes at the arrays' ends. One thread calls it.
__device__ __forceinline__ void fill_with_array(uint stage, uint which, uint place, uint tile, Tiles tiles, u64 array, uint size)
{
    const Span span = copied_span(needed_span(tile, tiles, array, size), tiles, array, size);
    if (span.first < span.end) fill_place(staged_place(stage, place, tile, tiles, array, size, span.first), span.first, uint(span.end - span.first), COME + stage * ARRAYS + which);
    else give_signal(COME + stage * ARRAYS + which);
}

__device__ __forceinline__ void fill_with_tile(uint stage, In items, uint tile, Tiles tiles)
{
    fill_with_array(stage, 0u, IN_1, tile, tiles, items.array1, 1u);
}

__device__ __forceinline__ void wait_for_tile(uint stage, uint times)
{
    for (uint which = 0u; which < ARRAYS; which++) wait_for_signal(COME + stage * ARRAYS + which, times);
}

// Fetches what is missing of an array: fewer than 16 bytes on each side.
__device__ __forceinline__ void complete_array(uint stage, uint place, uint tile, Tiles tiles, u64 array, uint size)
{
    const Span needed = needed_span(tile, tiles, array, size), copied = copied_span(needed, tiles, array, size);
    const u64 end = copied.end > copied.first ? copied.end : copied.first;
    for (uint byte = thread_id(); byte < 32u; byte += BLOCK) {
        const u64 address = byte < 16u ? needed.first + byte : end + (byte - 16u);
        if (address < needed.end && (byte < 16u ? address < copied.first : address >= end)) complete_place(staged_place(stage, place, tile, tiles, array, size, address), address);
    }
}

// The whole block calls it.
__device__ __forceinline__ void complete_tile(uint stage, In items, uint tile, Tiles tiles)
{
    const u64 start = tile_start(tile, tiles);
    if (start > 0u && tiles.n - start >= TILE + 16u) return;
    complete_array(stage, IN_1, tile, tiles, items.array1, 1u);
    block_barrier();
}

// The item at a place of a tile.
__device__ __forceinline__ u8 load_item(uint stage, In items, uint place)
{
    u8 item;
    item = load_staged1(Staged1(place_address(stage * STAGE_BYTES + IN_1 + stage_shift(items.array1) + place)), 0u);
    return item;
}

// A thread's items.
struct Items {
    u8 at[ITEMS];
};

// From a place of a whole tile on, which is the array's item `first`.
__device__ __forceinline__ Items load_items(uint stage, In items, uint place, u64 first, u64 n)
{
    Items own;
    if (stage_shift(items.array1) == 0u) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const Inputs1 group = load_full_inputs1(In1(place_address(stage * STAGE_BYTES + IN_1)), place + g * VECTOR);
            UNROLL for (uint v = 0u; v < VECTOR; v++) own.at[g * VECTOR + v] = group.at[v];
        }
    } else {
        UNROLL for (uint j = 0u; j < ITEMS; j++) own.at[j] = load_staged1(Staged1(place_address(stage * STAGE_BYTES + IN_1 + stage_shift(items.array1) + place)), j);
    }
    return own;
}

// Array `mixed`: behind the stages what its results are made of begins at this byte.
const uint OUT_1 = 43392u;
struct Late1 {
    uint *at;
    __device__ explicit Late1(u64 address) : at((uint *)address) {}
};

__device__ __forceinline__ uint load_late1(Late1 items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ void store_late1(Late1 items, u64 i, uint item)
{
    items.at[i] = item;
}

struct Out1 {
    uint *at;
    __device__ explicit Out1(u64 address) : at((uint *)address) {}
};

__device__ __forceinline__ void store_output1(Out1 items, u64 i, uint item)
{
    items.at[i] = item;
}

struct Out {
    u64 array1;
};

// What a tile's items add up to, and those before this thread's.
struct TileSum {
    State before;
    State total;
};

// The whole block calls it, with 0 and 1 by turns.
__device__ __forceinline__ TileSum sum_tile(uint stage, In items, uint tile, Tiles tiles, uint turn)
{
    const u64 first = thread_start(tile, tiles);
    State sum = identity();
    if (is_whole(tile, tiles)) {
        const Items own = load_items(stage, items, thread_place(), first, tiles.n);
        UNROLL for (uint j = 0u; j < ITEMS; j++) {
            const State x = map_item(own.at[j]);
            sum = j == 0u ? x : combine(sum, x);
        }
    } else {
        ROLL for (uint g = 0u; g < GROUPS; g++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint j = g * VECTOR + v, place = thread_place() + j;
                const u64 i = first + j;
                if (i < tiles.n) {
                    const State x = map_item(load_item(stage, items, place));
                    sum = combine(sum, x);
                }
            }
        }
    }
    const State inclusive = subgroup_scan(sum);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u), turn);
    const State earlier = subgroup_shift(inclusive);
    TileSum result;
    result.before = combine(block.before, earlier);
    result.total = block.total;
    return result;
}

const uint COPIES = 4u; // that a thread has in flight

// Writes `count` packed items, the array's from `first` on; item `low` is, or would be, the stage's first. Each subgroup writes whole lines. The whole
// block calls it.
__device__ __forceinline__ void leave_output1(uint stage, u64 array, uint low, uint first, uint count)
{
    Late1 from = Late1(place_address(OUT_1));
    const uint lead = (first + place_in_line(array) / 4u) % 32u;
    uint at = (thread_id() < lead ? thread_id() + BLOCK : thread_id()) - lead; // lanes before the first item begin a turn later
    for (; at + (COPIES - 1u) * BLOCK < count; at += COPIES * BLOCK) {
        uint moved[COPIES];
        const u64 place = u64(first) + at; // in 64 bits, where addresses have them: so the copies' differ by constants
        UNROLL for (uint c = 0u; c < COPIES; c++) moved[c] = late_value1(load_late1(from, first - low + (at + c * BLOCK)));
        UNROLL for (uint c = 0u; c < COPIES; c++) store_output1(Out1(array), place + c * BLOCK, moved[c]);
    }
    ROLL for (; at < count; at += BLOCK) store_output1(Out1(array), u64(first) + at, late_value1(load_late1(from, first - low + at)));
}

// Writes the outputs of a whole tile that has been packed, which has the items `start` to `past` - 1. `before` is what comes before it, `end` the same
// with it. The whole block calls it.
__device__ __forceinline__ void leave_tile(uint stage, Out out_items, u64 start, u64 past, State before, State end)
{
    const Counts count_before = totals_of(before), count_after = totals_of(end);
    if (is_given(out_items.array1)) {
        const uint first = (uint)count_before.mixed_count, last = (uint)count_after.mixed_count;
        leave_output1(stage, out_items.array1, (uint)count_before.mixed_count - 1u, first, last - first);
    }
}

// Puts what is made of a whole tile's items where it leaves from, and what is not packed where it belongs. `before` is what comes before the tile, `end`
// the same with it, `prefix` what comes before this thread's items.
__device__ __forceinline__ void pack_tile(uint stage, Out out_items, Items own, uint tile, Tiles tiles, State before, State end, State prefix)
{
    const Counts count_before = totals_of(before);
    const uint low1 = (uint)count_before.mixed_count - 1u;
    UNROLL for (uint g = 0u; g < GROUPS; g++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const uint j = g * VECTOR + v;
            const State x = map_item(own.at[j]);
            const State inclusive = combine(prefix, x);
            const Result result = output_item(inclusive, own.at[j]);
            const uint scalar1 = inclusive.s;
            prefix = inclusive;
            if (result.keeps_mixed != 0u) store_late1(Late1(place_address(OUT_1)), result.place_of_mixed - low1, scalar1);
        }
    }
}

// The outputs of a tile: `before` is what comes before the tile, `end` the same with the tile, `prefix` what comes before this thread's items. The
// whole block calls it.
__device__ __forceinline__ void finish_tile(uint stage, In items, Out out_items, uint tile, Tiles tiles, State before, State end, State prefix)
{
    if (is_whole(tile, tiles)) {
        const Items own = load_items(stage, items, thread_place(), thread_start(tile, tiles), tiles.n);
        block_barrier(); // results lie where others' items are
        pack_tile(stage, out_items, own, tile, tiles, before, end, prefix);
        block_barrier();
        leave_tile(stage, out_items, tile_start(tile, tiles), tile_start(tile, tiles) + TILE, before, end);
    } else {
        const u64 first = thread_start(tile, tiles);
        ROLL for (uint g = 0u; g < GROUPS; g++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint j = g * VECTOR + v, place = thread_place() + j;
                const u64 i = first + j;
                if (i < tiles.n) {
                    const State x = map_item(load_item(stage, items, place));
                    const State inclusive = combine(prefix, x);
                    const Result result = output_item(inclusive, load_item(stage, items, place));
                    prefix = inclusive;
                    if (is_given(out_items.array1) && result.keeps_mixed != 0u) store_output1(Out1(out_items.array1), result.place_of_mixed, result.mixed);
                }
            }
        }
        block_barrier();
    }
}

const uint AHEAD = 1u; // rounds between a tile's sum and its end

const uint DEPTH = 5u; // posts that each lane reads together
const uint WINDOW = DEPTH * LANES; // tiles, no fewer than there are blocks

// A lane reads every LANES-th post, so that loads touch few cache lines, in which all blocks look at a time; it adds up posts that follow each other.
__shared__ State posted[WINDOW];

// What `before` and the tiles from `first` to `end` - 1 add up to, no more than WINDOW; in lane 0. One subgroup calls it.
__device__ __forceinline__ State sum_posts(Posts posts, uint tag, State before, uint first, uint end)
{
    const uint lowest = first + lane_id();
    uint asked[DEPTH]; // posts that are missing, or `end`
    State own[DEPTH];
    UNROLL for (uint k = 0u; k < DEPTH; k++) {
        asked[k] = min(lowest + k * LANES, end);
        own[k] = identity();
    }
    bool is_missing = true;
    while (last_lane(is_missing) < LANES) {
        Descriptor seen[DEPTH];
        UNROLL for (uint k = 0u; k < DEPTH; k++) seen[k] = poll(posts, asked[k], tag); // together: one wait for what is far away
        is_missing = false;
        UNROLL for (uint k = 0u; k < DEPTH; k++) {
            if (asked[k] < end) {
                if (seen[k].state != EMPTY) {
                    own[k] = seen[k].value;
                    asked[k] = end;
                }
            }
            is_missing = is_missing || asked[k] < end;
        }
    }
    UNROLL for (uint k = 0u; k < DEPTH; k++) posted[k * LANES + lane_id()] = own[k];
    subgroup_barrier();
    UNROLL for (uint k = 0u; k < DEPTH; k++) own[k] = posted[lane_id() * DEPTH + k];
    State sum = combine(combine(combine(own[0u], own[1u]), own[2u]), combine(own[3u], own[4u]));
    if (lane_id() == 0u) sum = combine(before, sum);
    UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
        const State later = shuffle(sum, lane_id() + step);
        sum = combine(sum, later);
    }
    return sum;
}

__shared__ State first_prefix; // of tile 0; other blocks begin with the identity
__shared__ State tile_totals[STAGES];
__shared__ State tile_prefixes[STAGES]; // what comes before a tile
__shared__ State tile_ends[STAGES]; // the same with the tile

// The last subgroup finds out what comes before the block's tiles, while the others go on.
__device__ __forceinline__ void precede_tiles(Posts posts, uint tag, uint own_tiles)
{
    State before = first_prefix; // what the tiles before `first` add up to; from round 1 on in lane 0
    uint first = 0u;
    for (uint round = 0u; round < own_tiles; round++) {
        const uint tile = block_id() + round * block_count(), slot = round % STAGES;
        const uint summed = min(round + AHEAD - 1u, own_tiles - 1u); // others have hardly posted before
        wait_for_signal(SUMMED + summed % STAGES, summed / STAGES);
        const State prefix = sum_posts(posts, tag, before, first, tile);
        first = tile + 1u;
        subgroup_barrier(); // the next posts take the place of these
        const State total = tile_totals[slot];
        before = combine(prefix, total);
        if (lane_id() == 0u) {
            tile_prefixes[slot] = prefix;
            tile_ends[slot] = before;
            give_signal(PRECEDED + slot);
        }
    }
}

// A thread brings the block's tiles, each as soon as its stage is free. What it takes to say where they lie would hold up the others.
__device__ __forceinline__ void fill_stages(In in_items, Tiles tiles, uint own_tiles)
{
    for (uint later = 0u; later < own_tiles; later++) {
        if (later >= STAGES) {
            const uint round = later - STAGES + AHEAD + 1u;
            wait_for_signal(FREED + round % STAGES, round / STAGES);
        }
        fill_with_tile(later % STAGES, in_items, block_id() + later * block_count(), tiles);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK + 2u * LANES, 1) scan_lookahead(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    const Tiles tiles = tiles_of(n);
    const In in_items = In{params.buffers[0]};
    const Out out_items = Out{params.buffers[1]};
    const bool writes = is_given(params.buffers[1]);
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    if (!has_posts_of(params.scratch, tiles.count)) return;
    const uint tag = launch_tag(params.scratch);
    const uint own_tiles = (tiles.count + block_count() - 1u - block_id()) / block_count();

    if (thread_id() == 0u) { // by one: carry-in may be carry-out
        const State first = block_id() == 0u ? starting_prefix(params.carry_in) : identity();
        first_prefix = first;
    }
    begin_stages();
    if (thread_id() >= BLOCK + LANES) {
        if (lane_id() == 0u) fill_stages(in_items, tiles, own_tiles);
        return;
    }
    if (thread_id() >= BLOCK) {
        if (lane_id() == 0u) end_launch(params.scratch); // all of the block have the tag, and there are no tickets
        precede_tiles(posts, tag, own_tiles);
        return;
    }
    State befores[AHEAD + 1u]; // in the tiles that are summed up, what comes before this thread's items
    UNROLL for (uint a = 0u; a <= AHEAD; a++) befores[a] = identity();
    // In each round the block sums up a tile, which others wait for, and finishes an earlier one.
    for (uint round = 0u; round < own_tiles + AHEAD; round++) {
        UNROLL for (uint a = 0u; a < AHEAD; a++) befores[a] = befores[a + 1u];
        if (round < own_tiles) {
            const uint tile = block_id() + round * block_count(), stage = round % STAGES;
            wait_for_tile(stage, round / STAGES);
            complete_tile(stage, in_items, tile, tiles);
            const TileSum sum = sum_tile(stage, in_items, tile, tiles, round % 2u);
            befores[AHEAD] = sum.before;
            if (thread_id() == 0u) {
                publish_aggregate(posts, tile, tag, round == 0u ? combine(first_prefix, sum.total) : sum.total);
                tile_totals[stage] = sum.total;
                wait_for_leaves();
                give_signal(FREED + stage); // the stage of the tile that left in the last round, since the block met in sum_tile
            }
        } else if (thread_id() == 0u) {
            wait_for_leaves(); // results lie behind the stages where those of the tile before did
        }
        if (round >= AHEAD) {
            const uint earlier = round - AHEAD, tile = block_id() + earlier * block_count(), stage = earlier % STAGES;
            wait_for_signal(PRECEDED + stage, earlier / STAGES);
            const State prefix = tile_prefixes[stage];
            const State end = tile_ends[stage];
            if (writes) finish_tile(stage, in_items, out_items, tile, tiles, prefix, end, combine(prefix, befores[0]));
            else block_barrier();
            if (thread_id() == 0u) end_leaves();
            ready_stage();
            if (thread_id() == 0u && tile == tiles.count - 1u) store_carry(params.carry_out, CountsAt{params.buffers[2]}, end);
        }
        // Not as soon as it is posted: who asks while others have hardly posted holds up their posts.
        if (thread_id() == 0u && round < own_tiles) give_signal(SUMMED + round % STAGES);
    }
    if (thread_id() != 0u) return;
    wait_for_leaves();
    if (tiles.count == 0u && block_id() == 0u) store_carry(params.carry_out, CountsAt{params.buffers[2]}, starting_prefix(params.carry_in));
}
// ---- late, kernel 2 of 2: zero_scratch
// late: scan of u8 to mixed, mixed_count by sum(u32)
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 512, subgroup 32, items 28, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 512u; // threads of a block

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // u32: what comes before all elements
    u64 carry_out; // u32: what all add up to
    u64 buffers[8]; // in: u8[n], 4-byte aligned; mixed: u32[n], 4-byte aligned; mixed_count: u64, 8-byte aligned
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

extern "C" __global__ void __launch_bounds__(BLOCK, 1) zero_scratch(const __grid_constant__ Parameters params)
{
    const uint chunks = chunks_of_65536(params.n);
    const uint rest = uint(params.n % 65536u) / 4u; // words of the last chunk
    for (uint chunk = block_id(); chunk <= chunks; chunk += block_count()) {
        Words words = Words(address_after(params.scratch, chunk, 65536u));
        const uint count = chunk < chunks ? 16384u : rest;
        for (uint i = thread_id(); i < count; i += BLOCK) words.at[i] = chunk == 0u && i == 1u ? chunks * 256u + rest / 64u : 0u;
    }
}
