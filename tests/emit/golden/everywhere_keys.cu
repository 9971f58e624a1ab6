// monosweep gen tests/corpus/everywhere.lua --op by_key --target cuda --arch sm_90 --set strategy=lookahead --set counts=32 --quiet
// ---- by_key, kernel 1 of 2: scan_lookahead
// by_key: reduce_by_key of keys, values to keys_out, values_out, count
// monosweep 0.1.0, templates/scan/lookahead.tpl, strategy lookahead: block 512, subgroup 32, items 16, vector 4
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
constexpr uint TILE = 8192u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u32[n], 4-byte aligned; values: u32[n], 4-byte aligned; keys_out: u32[n], 4-byte aligned; values_out: f32[n], 4-byte aligned; count: u64, 8-byte aligned
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

struct Headed {
    uint heads;
    float value;
};

struct Element {
    uint keys;
    uint values;
};

struct Result {
    uint keys_out;
    float values_out;
    uint place_of_keys_out;
    uint place_of_values_out;
    uint keeps_keys_out;
    uint keeps_values_out;
};

struct Near {
    Element before;
    Element after;
    uint first;
    uint last;
};

struct Counts {
    u64 count;
};

__device__ __forceinline__ Headed combine(Headed a, Headed b)
{
    return Headed{a.heads + b.heads, b.heads != 0u ? b.value : a.value + b.value};
}

__device__ __forceinline__ Headed map_item(Element x, u64 i, Near near_)
{
    float chosen = (x.values & 2u) == 0u ? -0.0f : 0.0f;
    return Headed{
        near_.first != 0u || !((x.keys & 511u) != 0u) ? 1u : 0u,
        (x.values & 1u) == 0u ? chosen : __fmul_rn((float)x.values, 0.7f)};
}

__device__ __forceinline__ Result output_item(Headed state, Element x, u64 i, Near near_)
{
    uint place_of_keys_out = state.heads - 1u;
    return Result{
        x.keys,
        state.value,
        place_of_keys_out,
        place_of_keys_out,
        near_.first != 0u || !((x.keys & 511u) != 0u) ? 1u : 0u,
        near_.last != 0u || !((near_.after.keys & 511u) != 0u) ? 1u : 0u};
}

__device__ __forceinline__ Counts totals_of(Headed total)
{
    return Counts{(u64)total.heads};
}

__device__ __forceinline__ Headed identity()
{
    return Headed{0u, 0.0f};
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ Headed shuffle(Headed x, uint lane)
{
    return Headed{__shfl_sync(ALL_LANES, x.heads, lane), __shfl_sync(ALL_LANES, x.value, lane)};
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ Headed shuffle_up(Headed x, uint distance)
{
    return Headed{__shfl_up_sync(ALL_LANES, x.heads, distance), __shfl_up_sync(ALL_LANES, x.value, distance)};
}

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
__device__ __forceinline__ uint last_lane(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}

// What comes before some values, and that joined with them.
struct Ends {
    Headed before;
    Headed through;
};

// Up in the first `lanes` lanes, a power of two. All lanes of the subgroup call it.
__device__ __forceinline__ Headed subgroup_up(Headed x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const Headed left = shuffle_up(x, step);
        if (lane_id() % (2u * step) == 2u * step - 1u) x = combine(left, x);
    }
    return x;
}

// Down. All lanes of the subgroup call it.
__device__ __forceinline__ Headed subgroup_down(Headed x, Ends ends, uint lanes)
{
    if (lane_id() == lanes - 1u) x = ends.through;
    UNROLL for (uint step = lanes / 2u; step > 0u; step /= 2u) {
        Headed left = shuffle_up(x, step);
        if (lane_id() < step) left = ends.before;
        if (lane_id() % (2u * step) == step - 1u) x = combine(left, x);
    }
    return x;
}

// The carry-in if there is one, else the identity.
__device__ __forceinline__ Headed starting_prefix(u64 carry_in)
{
    return identity();
}

// Array `count`.
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
    if (is_given(items.array1)) store_number1(CountsAt1(items.array1), i, item.count);
}

// One thread's total becomes the carry-out, if one is asked for; and the numbers of what was written.
__device__ __forceinline__ void store_carry(u64 carry_out, CountsAt numbers, Headed total)
{
    store_number(numbers, 0u, totals_of(total));
}

const uint STAGES = 3u;
const uint STAGE_BYTES = 65664u; // of one tile, with room for 16 bytes more

extern __shared__ __align__(128) u8 stages[]; // comes with the launch

// What the stages' signals are for: a tile has come, has been summed up, what comes before it is known, and an earlier tile's stage is free.
const uint COME = 0u;
const uint ARRAYS = 2u; // of a tile: each comes by itself
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
    Headed value;
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

__device__ __forceinline__ void publish(Posts posts, u64 first, uint tag, Headed x)
{
    store_word(posts, first, Word{x.heads, __float_as_uint(x.value), 0u, tag});
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
        descriptor.value = Headed{word0.x, __uint_as_float(word0.y)};
    }
    return descriptor;
}

__device__ __forceinline__ void publish_aggregate(Posts posts, uint tile, uint tag, Headed x)
{
    publish(posts, u64(tile) * WORDS, tag << 1, x);
}

// Array `keys`: in a stage a tile begins at this byte, or up to 15 later.
const uint IN_1 = 16u;
struct In1 {
    const uint *at;
    __device__ explicit In1(u64 address) : at((const uint *)address) {}
};

struct Inputs1 {
    alignas(16) uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs1 load_full_inputs1(In1 items, u64 start)
{
    return *(const Inputs1 *)(items.at + start);
}

struct Staged1 {
    const uint *at;
    __device__ explicit Staged1(u64 address) : at((const uint *)address) {}
};

__device__ __forceinline__ uint load_staged1(Staged1 items, u64 i)
{
    return items.at[i];
}

// Array `values`: in a stage a tile begins at this byte, or up to 15 later.
const uint IN_2 = 32832u;
struct In2 {
    const uint *at;
    __device__ explicit In2(u64 address) : at((const uint *)address) {}
};

struct Inputs2 {
    alignas(16) uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs2 load_full_inputs2(In2 items, u64 start)
{
    return *(const Inputs2 *)(items.at + start);
}

struct Staged2 {
    const uint *at;
    __device__ explicit Staged2(u64 address) : at((const uint *)address) {}
};

__device__ __forceinline__ uint load_staged2(Staged2 items, u64 i)
{
    return items.at[i];
}

// Addresses of the arrays.
struct In {
    u64 array1, array2;
};

const uint ITEMS = 16u; // of a thread
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

__device__ __forceinline__ bool is_whole(uint tile, Tiles tiles)
{
    return tiles.n - tile_start(tile, tiles) >= TILE;
}

// Of an array, from `first` to before `end`, addresses.
struct Span {
    u64 first;
    u64 end;
};

// What a tile needs of an array whose items have `size` bytes: its items, and one on each side.
__device__ __forceinline__ Span needed_span(uint tile, Tiles tiles, u64 array, uint size)
{
    const u64 start = tile_start(tile, tiles), end = min(start + TILE, tiles.n);
    Span span;
    span.first = address_after(array, start > 0u ? start - 1u : start, size);
    span.end = address_after(array, min(end + 1u, tiles.n), size);
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
    fill_with_array(stage, 0u, IN_1, tile, tiles, items.array1, 4u);
    fill_with_array(stage, 1u, IN_2, tile, tiles, items.array2, 4u);
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
    complete_array(stage, IN_1, tile, tiles, items.array1, 4u);
    complete_array(stage, IN_2, tile, tiles, items.array2, 4u);
    block_barrier();
}

// The item at a place of a tile, or beside it.
__device__ __forceinline__ Element load_item(uint stage, In items, uint place)
{
    Element item;
    item.keys = load_staged1(Staged1(place_address(stage * STAGE_BYTES + IN_1 + stage_shift(items.array1) + place * 4u)), 0u);
    item.values = load_staged2(Staged2(place_address(stage * STAGE_BYTES + IN_2 + stage_shift(items.array2) + place * 4u)), 0u);
    return item;
}

// A group of items, after the one before them and before the one after them.
struct Items {
    Element at[VECTOR + 2u];
};

// From a place of a whole tile on, which is the array's item `first`.
__device__ __forceinline__ Items load_items(uint stage, In items, uint place, u64 first, u64 n)
{
    Items own;
    if (stage_shift(items.array1) == 0u) {
        const Inputs1 group = load_full_inputs1(In1(place_address(stage * STAGE_BYTES + IN_1)), place);
        UNROLL for (uint v = 0u; v < VECTOR; v++) own.at[v + 1u].keys = group.at[v];
    } else {
        UNROLL for (uint j = 0u; j < VECTOR; j++) own.at[j + 1u].keys = load_staged1(Staged1(place_address(stage * STAGE_BYTES + IN_1 + stage_shift(items.array1) + place * 4u)), j);
    }
    if (stage_shift(items.array2) == 0u) {
        const Inputs2 group = load_full_inputs2(In2(place_address(stage * STAGE_BYTES + IN_2)), place);
        UNROLL for (uint v = 0u; v < VECTOR; v++) own.at[v + 1u].values = group.at[v];
    } else {
        UNROLL for (uint j = 0u; j < VECTOR; j++) own.at[j + 1u].values = load_staged2(Staged2(place_address(stage * STAGE_BYTES + IN_2 + stage_shift(items.array2) + place * 4u)), j);
    }
    own.at[0] = Element{0u, 0u};
    own.at[VECTOR + 1u] = Element{0u, 0u};
    if (first > 0u) own.at[0] = load_item(stage, items, place - 1u);
    if (first + VECTOR < n) own.at[VECTOR + 1u] = load_item(stage, items, place + VECTOR);
    return own;
}

// What is near the item `i`, at a place of a tile that is not whole.
__device__ __forceinline__ Near near_place(uint stage, In items, uint place, u64 i, u64 n)
{
    Element before = Element{0u, 0u}, after = Element{0u, 0u};
    if (i > 0u) before = load_item(stage, items, place - 1u);
    if (i + 1u < n) after = load_item(stage, items, place + 1u);
    return Near{before, after, i == 0u ? 1u : 0u, i + 1u == n ? 1u : 0u};
}

// Array `keys_out`: in a stage its results begin at this byte.
const uint OUT_1 = 0u;
struct Out1 {
    uint *at;
    __device__ explicit Out1(u64 address) : at((uint *)address) {}
};

__device__ __forceinline__ uint load_output1(Out1 items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ void store_output1(Out1 items, u64 i, uint item)
{
    items.at[i] = item;
}

// Array `values_out`: in a stage its results begin at this byte.
const uint OUT_2 = 32784u;
struct Out2 {
    float *at;
    __device__ explicit Out2(u64 address) : at((float *)address) {}
};

__device__ __forceinline__ float load_output2(Out2 items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ void store_output2(Out2 items, u64 i, float item)
{
    items.at[i] = item;
}

struct Out {
    u64 array1, array2;
};

// Whether a tile's first item is the first of its place, and its last one the last.
__shared__ uint begins_run;
__shared__ uint ends_run;

const uint SUBGROUPS = 16u; // of the block

// The elements of a group of items.
struct Group {
    Headed at[VECTOR];
};

// What groups add up to, up: nodes have their total at their first group, and that of their earlier half at the first of the other half.
struct Totals {
    Headed at[GROUPS];
};

struct GroupEnds {
    Ends at[GROUPS];
};

// The group that a thread takes first: it takes group g ^ first_group() after g others.
__device__ __forceinline__ uint first_group()
{
    return thread_id() / 2u % GROUPS;
}

// Place in its tile of the group that this thread takes after g others.
__device__ __forceinline__ uint group_place(uint g)
{
    return thread_place() + (g ^ first_group()) * VECTOR;
}

// Up in a group: where a block of items ends is what it adds up to.
__device__ __forceinline__ Group group_up(Group x)
{
    x.at[1] = combine(x.at[0], x.at[1]);
    x.at[3] = combine(x.at[2], x.at[3]);
    x.at[3] = combine(x.at[1], x.at[3]);
    return x;
}

// Down: what comes before each item's end.
__device__ __forceinline__ Group group_down(Group x, Ends ends)
{
    x.at[VECTOR - 1u] = ends.through;
    x.at[1] = combine(ends.before, x.at[1]);
    x.at[0] = combine(ends.before, x.at[0]);
    x.at[2] = combine(x.at[1], x.at[2]);
    return x;
}

__device__ __forceinline__ Totals groups_up(Totals x)
{
    UNROLL for (uint step = 1u; step < GROUPS; step *= 2u) {
        const bool is_turned = (first_group() & step) != 0u;
        UNROLL for (uint g = 0u; g < GROUPS; g += 2u * step) {
            Headed earlier = x.at[g], later = x.at[g + step];
            if (is_turned) {
                earlier = x.at[g + step];
                later = x.at[g];
            }
            x.at[g] = combine(earlier, later);
            x.at[g + step] = earlier;
        }
    }
    return x;
}

// The ends of groups, from those of all.
__device__ __forceinline__ GroupEnds groups_down(Totals x, Ends ends)
{
    GroupEnds result;
    result.at[0] = ends;
    UNROLL for (uint step = GROUPS / 2u; step > 0u; step /= 2u) {
        const bool is_turned = (first_group() & step) != 0u;
        UNROLL for (uint g = 0u; g < GROUPS; g += 2u * step) {
            Ends earlier = result.at[g], later = result.at[g];
            earlier.through = combine(earlier.before, x.at[g + step]);
            later.before = earlier.through;
            result.at[g] = earlier;
            result.at[g + step] = later;
            if (is_turned) {
                result.at[g] = later;
                result.at[g + step] = earlier;
            }
        }
    }
    return result;
}

__shared__ Headed subgroup_totals[2u * SUBGROUPS];
__shared__ Headed subgroup_ups[STAGES * SUBGROUPS]; // the same, up

// What a tile's items add up to, and the longest block in the subgroup that ends with this thread's items.
struct TileSum {
    Headed up;
    Headed total;
};

// What the threads' groups come to, of a tile. The whole block calls it, with 0 and 1 by turns.
__device__ __forceinline__ TileSum sum_groups(Totals totals, uint stage, uint turn)
{
    TileSum sum;
    sum.up = subgroup_up(groups_up(totals).at[0], LANES);
    if (lane_id() == LANES - 1u) subgroup_totals[turn * SUBGROUPS + subgroup_id()] = sum.up;
    block_barrier();
    Headed subgroups = sum.up;
    if (lane_id() < SUBGROUPS) subgroups = subgroup_totals[turn * SUBGROUPS + lane_id()];
    subgroups = subgroup_up(subgroups, SUBGROUPS);
    if (thread_id() < SUBGROUPS) subgroup_ups[stage * SUBGROUPS + thread_id()] = subgroups;
    subgroup_barrier(); // it is there before the signal that the first thread gives
    sum.total = shuffle(subgroups, SUBGROUPS - 1u);
    return sum;
}

const uint PLACES = 17u; // of a tile: what comes before each subgroup, and that with the last one
__shared__ Headed subgroup_places[STAGES * PLACES];

// The ends of this thread's items of a tile of which that is known, from the longest block in the subgroup that ends with them.
__device__ __forceinline__ Ends thread_ends(uint slot, Headed up)
{
    Ends ends;
    ends.before = subgroup_places[slot * PLACES + subgroup_id()];
    ends.through = subgroup_places[slot * PLACES + subgroup_id() + 1u];
    const Headed through = subgroup_down(up, ends, LANES), earlier = shuffle_up(through, 1u);
    if (lane_id() > 0u) ends.before = earlier;
    ends.through = through;
    return ends;
}

__shared__ Headed last_end; // what all items come to, if the last tile is not whole

// A group of a whole tile, up.
__device__ __forceinline__ Group whole_group(Items own, u64 first, u64 n)
{
    Group x;
    UNROLL for (uint v = 0u; v < VECTOR; v++) x.at[v] = map_item(own.at[v + 1u], first + v, Near{own.at[v], own.at[v + 2u], v == 0u && first == 0u ? 1u : 0u, v == VECTOR - 1u && first + VECTOR == n ? 1u : 0u});
    return group_up(x);
}

// A group of the last tile, up: the identity beyond n.
__device__ __forceinline__ Group last_group(uint stage, In items, uint place, u64 first, u64 n)
{
    Group x;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        x.at[v] = identity();
        if (first + v < n) x.at[v] = map_item(load_item(stage, items, place + v), first + v, near_place(stage, items, place + v, first + v, n));
    }
    return group_up(x);
}

// The whole block calls it, with 0 and 1 by turns.
__device__ __forceinline__ TileSum sum_tile(uint stage, In items, uint tile, Tiles tiles, uint turn)
{
    const u64 start = tile_start(tile, tiles);
    Totals totals;
    if (is_whole(tile, tiles)) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const u64 first = start + group_place(g);
            totals.at[g] = whole_group(load_items(stage, items, group_place(g), first, tiles.n), first, tiles.n).at[VECTOR - 1u];
        }
    } else {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            totals.at[g] = last_group(stage, items, group_place(g), start + group_place(g), tiles.n).at[VECTOR - 1u];
        }
    }
    return sum_groups(totals, stage, turn);
}

const uint COPIES = 4u; // that a thread has in flight

// Writes `count` packed items, the array's from `first` on; item `low` is, or would be, the stage's first. Each subgroup writes whole lines. The whole
// block calls it.
__device__ __forceinline__ void leave_output1(uint stage, u64 array, uint low, uint first, uint count)
{
    Out1 from = Out1(place_address(stage * STAGE_BYTES + OUT_1));
    const uint lead = (first + place_in_line(array) / 4u) % 32u;
    uint at = (thread_id() < lead ? thread_id() + BLOCK : thread_id()) - lead; // lanes before the first item begin a turn later
    for (; at + (COPIES - 1u) * BLOCK < count; at += COPIES * BLOCK) {
        uint moved[COPIES];
        const u64 place = u64(first) + at; // in 64 bits, where addresses have them: so the copies' differ by constants
        UNROLL for (uint c = 0u; c < COPIES; c++) moved[c] = load_output1(from, first - low + (at + c * BLOCK));
        UNROLL for (uint c = 0u; c < COPIES; c++) store_output1(Out1(array), place + c * BLOCK, moved[c]);
    }
    ROLL for (; at < count; at += BLOCK) store_output1(Out1(array), u64(first) + at, load_output1(from, first - low + at));
}

// Writes `count` packed items, the array's from `first` on; item `low` is, or would be, the stage's first. Each subgroup writes whole lines. The whole
// block calls it.
__device__ __forceinline__ void leave_output2(uint stage, u64 array, uint low, uint first, uint count)
{
    Out2 from = Out2(place_address(stage * STAGE_BYTES + OUT_2));
    const uint lead = (first + place_in_line(array) / 4u) % 32u;
    uint at = (thread_id() < lead ? thread_id() + BLOCK : thread_id()) - lead; // lanes before the first item begin a turn later
    for (; at + (COPIES - 1u) * BLOCK < count; at += COPIES * BLOCK) {
        float moved[COPIES];
        const u64 place = u64(first) + at; // in 64 bits, where addresses have them: so the copies' differ by constants
        UNROLL for (uint c = 0u; c < COPIES; c++) moved[c] = load_output2(from, first - low + (at + c * BLOCK));
        UNROLL for (uint c = 0u; c < COPIES; c++) store_output2(Out2(array), place + c * BLOCK, moved[c]);
    }
    ROLL for (; at < count; at += BLOCK) store_output2(Out2(array), u64(first) + at, load_output2(from, first - low + at));
}

// Writes the outputs of a whole tile that has been packed, which has the items `start` to `past` - 1. `before` is what comes before it, `end` the same
// with it. The whole block calls it.
__device__ __forceinline__ void leave_tile(uint stage, Out out_items, u64 start, u64 past, Headed before, Headed end, bool is_head, bool is_tail)
{
    const Counts count_before = totals_of(before), count_after = totals_of(end);
    if (is_given(out_items.array1)) {
        const uint first = (uint)count_before.count, last = (uint)count_after.count;
        leave_output1(stage, out_items.array1, (uint)count_before.count - 1u, first, last - first);
    }
    if (is_given(out_items.array2)) {
        const uint low = (uint)count_before.count - 1u, high = (uint)count_after.count - 1u;
        const uint has_low = !is_head && (high != low || is_tail) ? 1u : 0u;
        leave_output2(stage, out_items.array2, low, low + 1u - has_low, high - low + has_low + (is_tail ? 1u : 0u) - (high != low || has_low != 0u ? 1u : 0u));
    }
}

// A thread's items, group by group as it takes them.
struct Taken {
    Items at[GROUPS];
};

// Puts what is made of a whole tile's items where it leaves from, and what is not packed where it belongs. `before` is what comes before the tile, `end`
// the same with it, `group_ends` of this thread's groups.
__device__ __forceinline__ void pack_tile(uint stage, Out out_items, Taken taken, uint tile, Tiles tiles, Headed before, Headed end, GroupEnds group_ends)
{
    const Counts count_before = totals_of(before);
    const uint low1 = (uint)count_before.count - 1u;
    const uint low2 = (uint)count_before.count - 1u;
    UNROLL for (uint g = 0u; g < GROUPS; g++) {
        const Items own = taken.at[g];
        const uint place = group_place(g);
        const u64 first = tile_start(tile, tiles) + place;
        const Group x = group_down(whole_group(own, first, tiles.n), group_ends.at[g]);
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const Headed inclusive = x.at[v];
            const Result result = output_item(inclusive, own.at[v + 1u], first + v, Near{own.at[v], own.at[v + 2u], v == 0u && first == 0u ? 1u : 0u, v == VECTOR - 1u && first + VECTOR == tiles.n ? 1u : 0u});
            if (v == 0u && place == 0u) begins_run = (uint)totals_of(inclusive).count != (uint)count_before.count ? 1u : 0u;
            if (v == VECTOR - 1u && place == TILE - VECTOR) ends_run = result.keeps_values_out != 0u ? 1u : 0u;
            if (result.keeps_keys_out != 0u) store_output1(Out1(place_address(stage * STAGE_BYTES + OUT_1)), result.place_of_keys_out - low1, result.keys_out);
            if (result.keeps_values_out != 0u) store_output2(Out2(place_address(stage * STAGE_BYTES + OUT_2)), result.place_of_values_out - low2, result.values_out);
        }
    }
}

// The outputs of a tile: `before` is what comes before the tile, `end` the same with the tile, `ends` those of this thread's items. A tile that is not
// whole leaves `last_end`. The whole block calls it.
__device__ __forceinline__ void finish_tile(uint stage, In items, Out out_items, uint tile, Tiles tiles, Headed before, Headed end, Ends ends)
{
    if (is_whole(tile, tiles)) {
        Taken taken;
        Totals totals;
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const u64 first = tile_start(tile, tiles) + group_place(g);
            taken.at[g] = load_items(stage, items, group_place(g), first, tiles.n);
            totals.at[g] = whole_group(taken.at[g], first, tiles.n).at[VECTOR - 1u];
        }
        block_barrier(); // results lie where others' items are
        pack_tile(stage, out_items, taken, tile, tiles, before, end, groups_down(groups_up(totals), ends));
        block_barrier();
        leave_tile(stage, out_items, tile_start(tile, tiles), tile_start(tile, tiles) + TILE, before, end, begins_run != 0u, ends_run != 0u);
    } else {
        Totals totals;
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            totals.at[g] = last_group(stage, items, group_place(g), tile_start(tile, tiles) + group_place(g), tiles.n).at[VECTOR - 1u];
        }
        const GroupEnds group_ends = groups_down(groups_up(totals), ends);
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const u64 first = tile_start(tile, tiles) + group_place(g);
            const Group x = group_down(last_group(stage, items, group_place(g), first, tiles.n), group_ends.at[g]);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const uint place = group_place(g) + v;
                const u64 i = first + v;
                const Headed inclusive = x.at[v];
                if (i < tiles.n) {
                    const Result result = output_item(inclusive, load_item(stage, items, place), i, near_place(stage, items, place, i, tiles.n));
                    if (is_given(out_items.array1) && result.keeps_keys_out != 0u) store_output1(Out1(out_items.array1), result.place_of_keys_out, result.keys_out);
                    if (is_given(out_items.array2) && result.keeps_values_out != 0u) store_output2(Out2(out_items.array2), result.place_of_values_out, result.values_out);
                    if (i == tiles.n - 1u) last_end = inclusive;
                }
            }
        }
        block_barrier();
    }
}

const uint AHEAD = 1u; // rounds between a tile's sum and its end

// The starting prefix, which tile 0 has posted.
__device__ __forceinline__ Headed posted_start(Posts posts, uint tag)
{
    Descriptor seen = poll(posts, 0u, tag);
    while (last_lane(seen.state == EMPTY) < LANES) seen = poll(posts, 0u, tag);
    return seen.value;
}

const uint DEPTH = 6u; // nodes between a block's tiles, with those of both: posts that each lane reads together

// Posts of nodes, a tile a lane.
struct Asked {
    Descriptor at[DEPTH];
};

// Asks for all at once: one wait for what is far away. Of tiles behind the last one that one stands there.
__device__ __forceinline__ Asked ask(Posts posts, uint tag, uint first, uint last)
{
    const uint lowest = first * LANES + lane_id();
    Asked asked;
    UNROLL for (uint k = 0u; k < DEPTH; k++) asked.at[k] = poll(posts, 1u + min(lowest + k * LANES, last), tag);
    return asked;
}

// From node `first` to that of tile `last`, with its tiles up to this one: what is missing is asked for again.
__device__ __forceinline__ Asked ask_until_there(Posts posts, uint tag, uint first, uint last)
{
    const uint lowest = first * LANES + lane_id();
    Asked asked = ask(posts, tag, first, last);
    bool is_missing = true;
    while (last_lane(is_missing) < LANES) {
        is_missing = false;
        UNROLL for (uint k = 0u; k < DEPTH; k++) {
            if (lowest + k * LANES <= last && asked.at[k].state == EMPTY) {
                asked.at[k] = poll(posts, 1u + lowest + k * LANES, tag);
                is_missing = is_missing || asked.at[k].state == EMPTY;
            }
        }
    }
    return asked;
}

// The last blocks of 2^k nodes: in lane k what each adds up to, and what comes before it.
struct Levels {
    Headed total;
    Headed before;
};

struct Grown {
    Levels levels;
    Headed through;
};

// With a node whose tiles add up to `total`, which comes after `before`: nodes from 0 on, one after the other.
__device__ __forceinline__ Grown grow(Levels levels, uint node, Headed before, Headed total)
{
    uint level = 0u;
    for (; (node >> level) % 2u != 0u; level++) {
        const Headed earlier = shuffle(levels.total, level);
        total = combine(earlier, total);
        before = shuffle(levels.before, level);
    }
    if (lane_id() == level) {
        levels.total = total;
        levels.before = before;
    }
    Grown grown;
    grown.levels = levels;
    grown.through = combine(before, total);
    return grown;
}

// The last subgroup finds out what comes before the block's tiles, while the others go on.
__device__ __forceinline__ void precede_tiles(Posts posts, uint tag, uint own_tiles)
{
    if (own_tiles == 0u) return;
    Headed before = posted_start(posts, tag); // what comes before node `node`
    uint node = 0u;
    Levels levels;
    levels.total = before;
    levels.before = before;
    for (uint round = 0u; round < own_tiles; round++) {
        const uint tile = block_id() + round * block_count(), slot = round % STAGES;
        wait_for_signal(SUMMED + slot, round / STAGES);
        const Asked asked = ask_until_there(posts, tag, node, tile);
        Headed nodes[DEPTH]; // up
        UNROLL for (uint k = 0u; k < DEPTH; k++) nodes[k] = subgroup_up(asked.at[k].value, LANES);
        Headed own = nodes[0];
        UNROLL for (uint k = 1u; k < DEPTH; k++) {
            if (node < tile / LANES) {
                const Grown grown = grow(levels, node, before, shuffle(own, LANES - 1u));
                levels = grown.levels;
                before = grown.through;
                own = nodes[k];
                node++;
            }
        }

        Ends ends;
        ends.before = before;
        ends.through = before; // of a node that is not whole: nothing is made of it
        const Headed down = subgroup_down(own, ends, LANES), earlier = shuffle(down, tile % LANES - 1u);
        if (tile % LANES != 0u) ends.before = earlier;
        ends.through = shuffle(down, tile % LANES);
        if (tile % LANES == LANES - 1u) ends.through = grow(levels, node, before, shuffle(own, LANES - 1u)).through;

        Headed subgroups = own;
        if (lane_id() < SUBGROUPS) subgroups = subgroup_ups[slot * SUBGROUPS + lane_id()];
        subgroups = subgroup_down(subgroups, ends, SUBGROUPS);
        if (lane_id() == 0u) subgroup_places[slot * PLACES] = ends.before;
        if (lane_id() < SUBGROUPS) subgroup_places[slot * PLACES + 1u + lane_id()] = subgroups;
        subgroup_barrier();
        if (lane_id() == 0u) give_signal(PRECEDED + slot);
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
    const In in_items = In{params.buffers[0], params.buffers[1]};
    const Out out_items = Out{params.buffers[2], params.buffers[3]};
    const bool writes = (is_given(params.buffers[2]) || is_given(params.buffers[3]));
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    if (!has_posts_of(params.scratch, tiles.count + 1u)) return;
    const uint tag = launch_tag(params.scratch);
    const uint own_tiles = (tiles.count + block_count() - 1u - block_id()) / block_count();

    // By one: carry-in may be carry-out.
    if (block_id() == 0u && thread_id() == 0u) publish_aggregate(posts, 0u, tag, starting_prefix(params.carry_in));
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
    Headed ups[AHEAD + 1u]; // in the tiles that are summed up, of the longest block in the subgroup that ends with this thread's items
    UNROLL for (uint a = 0u; a <= AHEAD; a++) ups[a] = identity();
    // In each round the block sums up a tile, which others wait for, and finishes an earlier one.
    for (uint round = 0u; round < own_tiles + AHEAD; round++) {
        UNROLL for (uint a = 0u; a < AHEAD; a++) ups[a] = ups[a + 1u];
        if (round < own_tiles) {
            const uint tile = block_id() + round * block_count(), stage = round % STAGES;
            wait_for_tile(stage, round / STAGES);
            complete_tile(stage, in_items, tile, tiles);
            const TileSum sum = sum_tile(stage, in_items, tile, tiles, round % 2u);
            ups[AHEAD] = sum.up;
            if (thread_id() == 0u) {
                publish_aggregate(posts, 1u + tile, tag, sum.total);
                give_signal(SUMMED + stage);
                wait_for_leaves();
                give_signal(FREED + stage); // the stage of the tile that left in the last round, since the block met in sum_tile
            }
        }
        if (round >= AHEAD) {
            const uint earlier = round - AHEAD, tile = block_id() + earlier * block_count(), stage = earlier % STAGES;
            wait_for_signal(PRECEDED + stage, earlier / STAGES);
            const Headed prefix = subgroup_places[stage * PLACES], end = subgroup_places[stage * PLACES + SUBGROUPS];
            if (writes || !is_whole(tile, tiles)) finish_tile(stage, in_items, out_items, tile, tiles, prefix, end, thread_ends(stage, ups[0]));
            else block_barrier();
            if (thread_id() == 0u) end_leaves();
            ready_stage();
            if (thread_id() == 0u && tile == tiles.count - 1u) store_carry(params.carry_out, CountsAt{params.buffers[4]}, is_whole(tile, tiles) ? end : last_end);
        }
    }
    if (thread_id() != 0u) return;
    wait_for_leaves();
    if (tiles.count == 0u && block_id() == 0u) store_carry(params.carry_out, CountsAt{params.buffers[4]}, starting_prefix(params.carry_in));
}
// ---- by_key, kernel 2 of 2: zero_scratch
// by_key: reduce_by_key of keys, values to keys_out, values_out, count
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 512, subgroup 32, items 16, vector 4
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
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // keys: u32[n], 4-byte aligned; values: u32[n], 4-byte aligned; keys_out: u32[n], 4-byte aligned; values_out: f32[n], 4-byte aligned; count: u64, 8-byte aligned
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
