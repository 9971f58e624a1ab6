// monosweep gen examples/affine.lua --target cuda --arch sm_90 --set strategy=lookahead --quiet
// ---- affine, kernel 1 of 2: scan_lookahead
// affine: inclusive scan of u8 by monoid of Affine
// monosweep 0.1.0, templates/scan/lookahead.tpl, strategy lookahead: block 384, subgroup 32, items 20, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 384u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint TILE = 7680u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // Affine: what comes before all elements
    u64 carry_out; // Affine: what all add up to
    u64 buffers[8]; // in: u8[n], 4-byte aligned; out: f32[n], 4-byte aligned
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

struct Affine {
    float a;
    float b;
};

__device__ __forceinline__ Affine combine(Affine f, Affine g)
{
    return Affine{__fmul_rn(f.a, g.a), __fmul_rn(f.b, g.a) + g.b};
}

__device__ __forceinline__ Affine map_item(u8 x)
{
    return Affine{0.9f, __fmul_rn((float)x, 0.1f)};
}

__device__ __forceinline__ float output_item(Affine y)
{
    return y.b;
}

__device__ __forceinline__ Affine identity()
{
    return Affine{1.0f, 0.0f};
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ Affine shuffle(Affine x, uint lane)
{
    return Affine{__shfl_sync(ALL_LANES, x.a, lane), __shfl_sync(ALL_LANES, x.b, lane)};
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ Affine shuffle_up(Affine x, uint distance)
{
    return Affine{__shfl_up_sync(ALL_LANES, x.a, distance), __shfl_up_sync(ALL_LANES, x.b, distance)};
}

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
__device__ __forceinline__ uint last_lane(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ Affine subgroup_scan_of(Affine x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const Affine earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ Affine subgroup_scan(Affine x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ Affine subgroup_shift(Affine x)
{
    const Affine earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    Affine before;
    Affine total;
};

const uint TOTALS = 12u; // one for each subgroup
__shared__ Affine subgroup_totals[2u * TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(Affine subgroup_total, uint turn)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[turn * TOTALS + subgroup_id()] = subgroup_total;
    block_barrier();

    // 12 totals: every subgroup scans them for itself.
    Affine total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[turn * TOTALS + lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    return scan;
}

struct In {
    const u8 *at;
    __device__ explicit In(u64 address) : at((const u8 *)address) {}
};

struct Inputs {
    alignas(4) u8 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs load_full_inputs(In items, u64 start)
{
    return *(const Inputs *)(items.at + start);
}

// The first item alone.
__device__ __forceinline__ u8 load_first_inputs(In items)
{
    return items.at[0];
}

struct Out {
    float *at;
    __device__ explicit Out(u64 address) : at((float *)address) {}
};

struct Outputs {
    alignas(16) float at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ void store_full_outputs(Out items, u64 start, Outputs group)
{
    *(Outputs *)(items.at + start) = group;
}

__device__ __forceinline__ void store_first_outputs(Out items, float item)
{
    items.at[0] = item;
}

struct Carry {
    Affine *at;
    __device__ explicit Carry(u64 address) : at((Affine *)address) {}
};

// The first item alone.
__device__ __forceinline__ Affine load_first_elements(Carry items)
{
    return items.at[0];
}

__device__ __forceinline__ void store_first_elements(Carry items, Affine item)
{
    items.at[0] = item;
}

// The carry-in if there is one, else the identity.
__device__ __forceinline__ Affine starting_prefix(u64 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return identity();
}

// One thread's total becomes the carry-out, if one is asked for.
__device__ __forceinline__ void store_carry(u64 carry_out, Affine total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
}

const uint STAGES = 7u;
const uint STAGE_BYTES = 30848u; // of one tile, with room for 16 bytes more
struct alignas(16) Quad {
    uint word[4];
};

// Of a stage, from `first` to before `end`.
struct Bytes {
    uint first;
    uint end;
};

extern __shared__ __align__(128) u8 stages[]; // comes with the launch

// What the stages' signals are for: a tile has come, has been summed up, what comes before it is known.
const uint COME = 0u;
const uint SUMMED = STAGES;
const uint PRECEDED = 2u * STAGES;
const uint SIGNALS = 3u * STAGES;
__shared__ u64 signals[SIGNALS]; // mbarriers

__device__ __forceinline__ u64 stage_address(uint stage)
{
    return (u64)(stages + stage * STAGE_BYTES);
}

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

// Starts a copy of the whole 16 bytes among these to the stage of a tile that begins at this address; its coming gives a signal. One thread calls
// it.
__device__ __forceinline__ void fill_stage(uint stage, u64 address, Bytes bytes)
{
    const uint first = (bytes.first + 15u) / 16u * 16u, end = bytes.end / 16u * 16u;
    if (first >= end) {
        give_signal(COME + stage);
        return;
    }
    const uint arrival = shared_address(&signals[COME + stage]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrival), "r"(end - first) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(stages + stage * STAGE_BYTES) + first),
                 "l"(__cvta_generic_to_global((const void *)(address + first))), "r"(end - first), "r"(arrival)
                 : "memory");
}

// Fetches the others of them. The whole block calls it.
__device__ __forceinline__ void complete_stage(uint stage, u64 address, Bytes bytes)
{
    const uint first = min((bytes.first + 15u) / 16u * 16u, bytes.end), end = max(bytes.end / 16u * 16u, first);
    const uint byte = thread_id() < 16u ? bytes.first + thread_id() : end + thread_id() - 16u;
    if (byte < first || (byte >= end && byte < bytes.end)) (stages + stage * STAGE_BYTES)[byte] = ((const u8 *)address)[byte];
    block_barrier();
}

// Every thread calls it after it wrote to a stage; a barrier must follow, then leave_stage.
__device__ __forceinline__ void ready_stage()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Starts a copy from a stage; address and bytes are multiples of 16. One thread calls it.
__device__ __forceinline__ void leave_stage(uint stage, u64 address, uint bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global((void *)address)),
                 "r"(shared_address(stages + stage * STAGE_BYTES)), "r"(bytes)
                 : "memory");
}

// Copies these bytes of a stage, if there are any, whose first byte goes to this address, without starting anything. A subgroup calls it; barriers
// must lie between it and the next use of the stage.
__device__ __forceinline__ void copy_stage(uint stage, u64 address, Bytes bytes)
{
    const u8 *from = stages + stage * STAGE_BYTES;
    u8 *to = (u8 *)address;
    if (bytes.first >= bytes.end) return;
    const uint first = min(bytes.first + stage_shift(0u - address - bytes.first), bytes.end), quads = (bytes.end - first) / 16u; // whole 16 bytes there
    const uint skipped = first / 4u % 4u; // words of the lower 16 bytes; registers have no addresses, so all move by 2, then by 1
    ROLL for (uint i = lane_id(); i < quads; i += LANES) {
        const Quad *quad = (const Quad *)from + first / 16u + i;
        const Quad low = quad[0], high = first % 16u != 0u ? quad[1] : low;
        uint words[8];
        UNROLL for (uint k = 0u; k < 4u; k++) words[k] = low.word[k];
        UNROLL for (uint k = 0u; k < 4u; k++) words[k + 4u] = high.word[k];
        UNROLL for (uint k = 0u; k < 6u; k++) words[k] = skipped >= 2u ? words[k + 2u] : words[k];
        UNROLL for (uint k = 0u; k < 5u; k++) words[k] = skipped % 2u != 0u ? words[k + 1u] : words[k];
        Quad moved;
        UNROLL for (uint k = 0u; k < 4u; k++) moved.word[k] = words[k];
        ((Quad *)(to + first))[i] = moved;
    }
    const uint end = first + quads * 16u, byte = lane_id() < 16u ? bytes.first + lane_id() : end + lane_id() - 16u;
    if (byte < first || (byte >= end && byte < bytes.end)) to[byte] = from[byte];
}

// The thread that calls leave_stage calls it once a round, and later in the round one of the next two: all copies of rounds but this one, or all,
// have read their stages.
__device__ __forceinline__ void end_leaves()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ __forceinline__ void wait_for_earlier_leaves()
{
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
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
    Affine value;
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

__device__ __forceinline__ void publish(Posts posts, u64 first, uint tag, Affine x)
{
    store_word(posts, first, Word{__float_as_uint(x.a), __float_as_uint(x.b), 0u, tag});
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
        descriptor.value = Affine{__uint_as_float(word0.x), __uint_as_float(word0.y)};
    }
    return descriptor;
}

__device__ __forceinline__ void publish_aggregate(Posts posts, uint tile, uint tag, Affine x)
{
    publish(posts, u64(tile) * WORDS, tag << 1, x);
}

const uint GROUPS = 5u; // of VECTOR items, of a thread

// How an array is cut into tiles. Places before the array and beyond its end have indices that are not below n.
struct Tiles {
    u64 n;
    uint count;
    uint head; // places of the lowest tile that lie before the array, so that tiles begin where 16 bytes do
};

__device__ __forceinline__ Tiles tiles_of(u64 in, u64 n)
{
    Tiles tiles;
    tiles.n = n;
    tiles.head = stage_shift(in);
    tiles.count = n == 0u ? 0u : uint((n + tiles.head + (TILE - 1u)) / TILE);
    return tiles;
}

// Index of the lowest place of a tile.
__device__ __forceinline__ u64 tile_start(uint tile, Tiles tiles)
{
    return u64(tile) * TILE - tiles.head;
}

// Place in its tile of this thread's lowest item.
__device__ __forceinline__ uint thread_place()
{
    return thread_id() * (GROUPS * VECTOR);
}

// Whether all of a tile's places have items.
__device__ __forceinline__ bool is_whole(uint tile, Tiles tiles)
{
    const u64 start = tile_start(tile, tiles);
    return start < tiles.n && tiles.n - start >= TILE;
}

// How many places come before the first that has an item.
__device__ __forceinline__ uint empty_places(uint tile, Tiles tiles)
{
    return tile_start(tile, tiles) < tiles.n ? 0u : tiles.head;
}

// The bytes of the array that lie in a tile's stage, which begins where 16 bytes do.
__device__ __forceinline__ Bytes staged_bytes(uint tile, Tiles tiles)
{
    const u64 start = tile_start(tile, tiles), left = tiles.n - start;
    const uint most = TILE, first = empty_places(tile, tiles);
    Bytes bytes;
    bytes.first = first;
    bytes.end = left < most ? uint(left) : most;
    return bytes;
}

// Has a tile brought to a stage, but for bytes at its ends. One thread calls it.
__device__ __forceinline__ void fill_with_tile(uint stage, u64 in, uint tile, Tiles tiles)
{
    fill_stage(stage, address_after(in, tile_start(tile, tiles), 1u), staged_bytes(tile, tiles));
}

// What is missing of a tile that has come. The whole block calls it.
__device__ __forceinline__ void complete_tile(uint stage, u64 in, uint tile, Tiles tiles)
{
    const Bytes bytes = staged_bytes(tile, tiles);
    if ((bytes.first | bytes.end) % 16u != 0u) complete_stage(stage, address_after(in, tile_start(tile, tiles), 1u), bytes);
}

const uint SUBGROUP_ITEMS = 640u;

// The bytes of this subgroup's items in the stage of their results.
__device__ __forceinline__ Bytes subgroup_results(uint tile, Tiles tiles)
{
    const uint first = subgroup_id() * SUBGROUP_ITEMS, empty = empty_places(tile, tiles);
    const u64 left = tiles.n - tile_start(tile, tiles);
    Bytes bytes;
    bytes.first = (first < empty ? empty : first) * 4u;
    bytes.end = (left < first + SUBGROUP_ITEMS ? uint(left) : first + SUBGROUP_ITEMS) * 4u;
    return bytes;
}

// What a tile's items add up to, and those before this thread's.
struct TileSum {
    Affine before;
    Affine total;
};

// The whole block calls it, with 0 and 1 by turns.
__device__ __forceinline__ TileSum sum_tile(uint stage, uint tile, Tiles tiles, uint turn)
{
    Affine sum = identity();
    if (is_whole(tile, tiles)) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const uint at = thread_place() + g * VECTOR;
            const Inputs inputs = load_full_inputs(In(stage_address(stage)), at);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const Affine x = map_item(inputs.at[v]);
                sum = g == 0u && v == 0u ? x : combine(sum, x);
            }
        }
    } else {
        ROLL for (uint i = 0u; i < GROUPS * VECTOR; i++) { // one by one: it comes once
            const uint at = thread_place() + i;
            if (tile_start(tile, tiles) + at < tiles.n) {
                const Affine x = map_item(load_first_inputs(In(address_after(stage_address(stage), at, 1u))));
                sum = combine(sum, x);
            }
        }
    }
    const Affine inclusive = subgroup_scan(sum);
    const BlockScan block = block_scan(shuffle(inclusive, LANES - 1u), turn);
    const Affine earlier = subgroup_shift(inclusive);
    TileSum result;
    result.before = combine(block.before, earlier);
    result.total = block.total;
    return result;
}

// Puts the scan of this thread's items, after `prefix`, into the stage, or where it belongs, if the tile is not whole. The whole block calls it.
__device__ __forceinline__ void scan_tile(uint stage, u64 out, uint tile, Tiles tiles, Affine prefix)
{
    if (is_whole(tile, tiles)) {
        Inputs inputs[GROUPS];
        UNROLL for (uint g = 0u; g < GROUPS; g++) inputs[g] = load_full_inputs(In(stage_address(stage)), thread_place() + g * VECTOR);
        block_barrier(); // results lie where others' items are
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const uint at = thread_place() + g * VECTOR;
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const Affine x = map_item(inputs[g].at[v]);
                const Affine inclusive = combine(prefix, x);
                outputs.at[v] = output_item(inclusive);
                prefix = inclusive;
            }
            store_full_outputs(Out(stage_address(stage)), at, outputs);
        }
    } else {
        ROLL for (uint i = 0u; i < GROUPS * VECTOR; i++) {
            const uint at = thread_place() + i;
            if (tile_start(tile, tiles) + at < tiles.n) {
                const u8 item = load_first_inputs(In(address_after(stage_address(stage), at, 1u)));
                const Affine x = map_item(item);
                const Affine inclusive = combine(prefix, x);
                const float result = output_item(inclusive);
                prefix = inclusive;
                store_first_outputs(Out(address_after(out, tile_start(tile, tiles) + at, 4u)), result);
            }
        }
    }
}

const uint AHEAD = 3u; // rounds between a tile's sum and its end

const uint DEPTH = 5u; // posts that each lane reads together
const uint WINDOW = DEPTH * LANES; // tiles, no fewer than there are blocks

// A lane reads every LANES-th post, so that loads touch few cache lines, in which all blocks look at a time; it adds up posts that follow each other.
__shared__ Affine posted[WINDOW];

// What `before` and the tiles from `first` to `end` - 1 add up to, no more than WINDOW; in lane 0. One subgroup calls it.
__device__ __forceinline__ Affine sum_posts(Posts posts, uint tag, Affine before, uint first, uint end)
{
    const uint lowest = first + lane_id();
    uint asked[DEPTH]; // posts that are missing, or `end`
    Affine own[DEPTH];
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
    Affine sum = combine(combine(combine(own[0u], own[1u]), own[2u]), combine(own[3u], own[4u]));
    if (lane_id() == 0u) sum = combine(before, sum);
    UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
        const Affine later = shuffle(sum, lane_id() + step);
        sum = combine(sum, later);
    }
    return sum;
}

__shared__ Affine first_prefix; // of tile 0; other blocks begin with the identity
__shared__ Affine tile_totals[STAGES];
__shared__ Affine tile_prefixes[STAGES]; // what comes before a tile

// The last subgroup finds out what comes before the block's tiles, while the others go on.
__device__ __forceinline__ void precede_tiles(Posts posts, uint tag, uint own_tiles)
{
    Affine before = first_prefix; // what the tiles before `first` add up to; from round 1 on in lane 0
    uint first = 0u;
    for (uint round = 0u; round < own_tiles; round++) {
        const uint tile = block_id() + round * block_count(), slot = round % STAGES;
        const Affine prefix = sum_posts(posts, tag, before, first, tile);
        first = tile + 1u;
        subgroup_barrier(); // the next posts take the place of these
        if (lane_id() == 0u) {
            tile_prefixes[slot] = prefix;
            give_signal(PRECEDED + slot);
        }
        wait_for_signal(SUMMED + slot, round / STAGES);
        const Affine total = tile_totals[slot];
        before = combine(prefix, total);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK + LANES, 1) scan_lookahead(const __grid_constant__ Parameters params)
{
    const Tiles tiles = tiles_of(params.buffers[0], element_count(params.n, params.n_address));
    const bool writes = is_given(params.buffers[1]);
    const bool out_is_aligned = stage_shift(address_after(params.buffers[1], tile_start(0u, tiles), 4u)) == 0u;
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    if (!has_posts_of(params.scratch, tiles.count)) return;
    const uint tag = launch_tag(params.scratch);
    const uint own_tiles = (tiles.count + block_count() - 1u - block_id()) / block_count();

    if (thread_id() == 0u) { // by one: carry-in may be carry-out
        const Affine first = block_id() == 0u ? starting_prefix(params.carry_in) : identity();
        first_prefix = first;
    }
    begin_stages();
    if (thread_id() >= BLOCK) {
        if (lane_id() == 0u) end_launch(params.scratch); // all of the block have the tag, and there are no tickets
        precede_tiles(posts, tag, own_tiles);
        return;
    }
    if (thread_id() == 0u) {
        ROLL for (uint s = 0u; s < STAGES - 1u; s++) {
            const uint tile = block_id() + s * block_count();
            if (tile < tiles.count) fill_with_tile(s, params.buffers[0], tile, tiles);
        }
    }
    Affine befores[AHEAD + 1u]; // in the tiles that are summed up, what comes before this thread's items
    UNROLL for (uint a = 0u; a <= AHEAD; a++) befores[a] = identity();
    // In each round the block sums up a tile, which others wait for, and finishes an earlier one.
    for (uint round = 0u; round < own_tiles + AHEAD; round++) {
        UNROLL for (uint a = 0u; a < AHEAD; a++) befores[a] = befores[a + 1u];
        if (round < own_tiles) {
            const uint tile = block_id() + round * block_count(), stage = round % STAGES;
            wait_for_signal(COME + stage, round / STAGES);
            complete_tile(stage, params.buffers[0], tile, tiles);
            const TileSum sum = sum_tile(stage, tile, tiles, round % 2u);
            befores[AHEAD] = sum.before;
            if (thread_id() == 0u) {
                publish_aggregate(posts, tile, tag, round == 0u ? combine(first_prefix, sum.total) : sum.total);
                tile_totals[stage] = sum.total;
                give_signal(SUMMED + stage);
            }
        }
        if (round >= AHEAD) {
            const uint earlier = round - AHEAD, tile = block_id() + earlier * block_count(), stage = earlier % STAGES;
            wait_for_signal(PRECEDED + stage, earlier / STAGES);
            const Affine prefix = tile_prefixes[stage];
            if (writes) scan_tile(stage, params.buffers[1], tile, tiles, combine(prefix, befores[0]));
            const u64 out = address_after(params.buffers[1], tile_start(tile, tiles), 4u);
            const bool leaves = writes && out_is_aligned && is_whole(tile, tiles);
            if (writes && !leaves && is_whole(tile, tiles)) {
                subgroup_barrier();
                copy_stage(stage, out, subgroup_results(tile, tiles));
            }
            ready_stage();
            block_barrier();
            if (thread_id() == 0u) {
                if (leaves) leave_stage(stage, out, TILE * 4u);
                end_leaves();
                wait_for_earlier_leaves();
                const uint later = tile + (STAGES - 1u) * block_count();
                if (later < tiles.count) fill_with_tile((earlier + STAGES - 1u) % STAGES, params.buffers[0], later, tiles);
                if (tile == tiles.count - 1u) store_carry(params.carry_out, combine(prefix, tile_totals[stage]));
            }
        }
    }
    if (thread_id() != 0u) return;
    wait_for_leaves();
    if (tiles.count == 0u && block_id() == 0u) store_carry(params.carry_out, starting_prefix(params.carry_in));
}
// ---- affine, kernel 2 of 2: zero_scratch
// affine: inclusive scan of u8 by monoid of Affine
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 384, subgroup 32, items 20, vector 4
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
    u64 carry_in; // Affine: what comes before all elements
    u64 carry_out; // Affine: what all add up to
    u64 buffers[8]; // in: u8[n], 4-byte aligned; out: f32[n], 4-byte aligned
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
