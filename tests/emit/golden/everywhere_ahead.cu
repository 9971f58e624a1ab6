// monosweep gen tests/corpus/everywhere.lua --op sum_backwards --target cuda --arch sm_90 --set strategy=lookahead --quiet
// ---- sum_backwards, kernel 1 of 2: scan_lookahead
// sum_backwards: exclusive scan of u32 by sum(f32), from the last element
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
    u64 carry_in; // f32: what comes before all elements
    u64 carry_out; // f32: what all add up to
    u64 buffers[8]; // in: u32[n], 4-byte aligned; out: f32[n], 4-byte aligned
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

__device__ __forceinline__ float combine(float a, float b)
{
    return a + b;
}

__device__ __forceinline__ float map_item(uint x)
{
    return (x & 1u) == 0u ? ((x & 2u) == 0u ? -0.0f : 0.0f) : __fmul_rn((float)x, 0.7f);
}

__device__ __forceinline__ float identity()
{
    return 0.0f;
}

// The value of another lane. All lanes of the subgroup call it.
__device__ __forceinline__ float shuffle(float x, uint lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}

// The value of the lane `distance` before; any value where there is none.
__device__ __forceinline__ float shuffle_up(float x, uint distance)
{
    return __shfl_up_sync(ALL_LANES, x, distance);
}

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
__device__ __forceinline__ uint last_lane(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}

// What comes before some values, and that joined with them.
struct Ends {
    float before;
    float through;
};

// Up in the first `lanes` lanes, a power of two. All lanes of the subgroup call it.
__device__ __forceinline__ float subgroup_up(float x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const float left = shuffle_up(x, step);
        if (lane_id() % (2u * step) == 2u * step - 1u) x = combine(x, left);
    }
    return x;
}

// Down. All lanes of the subgroup call it.
__device__ __forceinline__ float subgroup_down(float x, Ends ends, uint lanes)
{
    if (lane_id() == lanes - 1u) x = ends.through;
    UNROLL for (uint step = lanes / 2u; step > 0u; step /= 2u) {
        float left = shuffle_up(x, step);
        if (lane_id() < step) left = ends.before;
        if (lane_id() % (2u * step) == step - 1u) x = combine(x, left);
    }
    return x;
}

struct In {
    const uint *at;
    __device__ explicit In(u64 address) : at((const uint *)address) {}
};

struct Inputs {
    alignas(16) uint at[VECTOR];
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

// Items start .. start + VECTOR - 1 but for those from n on.
__device__ __forceinline__ void store_outputs(Out items, u64 start, u64 n, Outputs group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = group.at[v];
    }
}

struct Carry {
    float *at;
    __device__ explicit Carry(u64 address) : at((float *)address) {}
};

// The first item alone.
__device__ __forceinline__ float load_first_elements(Carry items)
{
    return items.at[0];
}

__device__ __forceinline__ void store_first_elements(Carry items, float item)
{
    items.at[0] = item;
}

// The carry-in if there is one, else the operation's init.
__device__ __forceinline__ float starting_prefix(u64 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return -0.0f;
}

// One thread's total becomes the carry-out, if one is asked for.
__device__ __forceinline__ void store_carry(u64 carry_out, float total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
}

const uint STAGES = 7u;
const uint STAGE_BYTES = 32896u; // of one tile, with room for 16 bytes more
const uint THREAD_WORDS = 16u; // of inputs
const uint PIECE_WORDS = 4u; // that are read and written together

struct alignas(4u * PIECE_WORDS) Piece {
    uint word[PIECE_WORDS];
};

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
    address -= stage_shift(address);
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
    address -= stage_shift(address);
    const uint first = min((bytes.first + 15u) / 16u * 16u, bytes.end), end = max(bytes.end / 16u * 16u, first);
    const uint byte = thread_id() < 16u ? bytes.first + thread_id() : end + thread_id() - 16u;
    if (byte < first || (byte >= end && byte < bytes.end)) (stages + stage * STAGE_BYTES)[byte] = ((const u8 *)address)[byte];
    block_barrier();
}

// Moves inputs that begin `shift` bytes after their stage to where it begins, each thread its own from byte `own` on. The whole block calls it.
__device__ __forceinline__ void align_stage(uint stage, uint shift, uint own, Bytes)
{
    Piece *pieces = (Piece *)(stages + stage * STAGE_BYTES + own);
    uint words[THREAD_WORDS + 4u];
    UNROLL for (uint p = 0u; p < (THREAD_WORDS + 4u) / PIECE_WORDS; p++) {
        const Piece piece = pieces[p];
        UNROLL for (uint k = 0u; k < PIECE_WORDS; k++) words[p * PIECE_WORDS + k] = piece.word[k];
    }
    block_barrier();
    UNROLL for (uint w = 0u; w < 4u; w++) { // registers have no addresses
        if (shift / 4u == w) {
            UNROLL for (uint p = 0u; p < THREAD_WORDS / PIECE_WORDS; p++) {
                Piece piece;
                UNROLL for (uint k = 0u; k < PIECE_WORDS; k++) piece.word[k] = words[p * PIECE_WORDS + k + w];
                pieces[p] = piece;
            }
        }
    }
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
    const u64 words = DESCRIPTORS_OFFSET / 8u + u64(tiles); // of 8 bytes
    return (words + 31u) / 32u <= zeroed_count(scratch);
}

const uint EMPTY = 0u;
const uint AGGREGATE = 1u;
const uint PREFIX = 2u;

struct Descriptor {
    float value;
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

__device__ __forceinline__ void publish(Posts posts, u64 first, uint tag, float x)
{
    store_word(posts, first, Word{__float_as_uint(x), tag});
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
        descriptor.value = __uint_as_float(word0.x);
    }
    return descriptor;
}

__device__ __forceinline__ void publish_aggregate(Posts posts, uint tile, uint tag, float x)
{
    publish(posts, u64(tile) * WORDS, tag << 1, x);
}

const uint GROUPS = 4u; // of VECTOR items, of a thread

// How an array is cut into tiles. Places before the array and beyond its end have indices that are not below n.
struct Tiles {
    u64 n;
    uint count;
    uint head; // places of the lowest tile that lie before the array, so that tiles end with it
    uint shift; // bytes after it, where no head comes nearer
};

__device__ __forceinline__ Tiles tiles_of(u64 in, u64 n)
{
    Tiles tiles;
    tiles.n = n;
    tiles.head = uint(TILE - n % TILE) % TILE;
    tiles.shift = stage_shift(in - tiles.head * 4u) % 16u;
    tiles.count = n == 0u ? 0u : uint((n + tiles.head + (TILE - 1u)) / TILE);
    return tiles;
}

// Index of the lowest place of a tile; tiles, threads and items go from the last item to the first.
__device__ __forceinline__ u64 tile_start(uint tile, Tiles tiles)
{
    return u64(tiles.count - 1u - tile) * TILE - tiles.head;
}

// Place in its tile of this thread's lowest item.
__device__ __forceinline__ uint thread_place()
{
    return (BLOCK - 1u - thread_id()) * (GROUPS * VECTOR);
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
    const u64 start = tile_start(tile, tiles), left = (tiles.n - start) * 4u + tiles.shift;
    const uint most = tiles.shift == 0u ? TILE * 4u : TILE * 4u + 16u;
    uint first = 0u;
    if (start >= tiles.n) first = (tiles.head) * 4u + tiles.shift;
    else if ((start) * 4u < tiles.shift) first = tiles.shift - uint((start) * 4u); // the tile below has less
    Bytes bytes;
    bytes.first = first;
    bytes.end = left < most ? uint(left) : most;
    return bytes;
}

// Has a tile brought to a stage, but for bytes at its ends. One thread calls it.
__device__ __forceinline__ void fill_with_tile(uint stage, u64 in, uint tile, Tiles tiles)
{
    fill_stage(stage, address_after(in, tile_start(tile, tiles), 4u), staged_bytes(tile, tiles));
}

// What is missing of a tile that has come. The whole block calls it.
__device__ __forceinline__ void complete_tile(uint stage, u64 in, uint tile, Tiles tiles)
{
    const Bytes bytes = staged_bytes(tile, tiles);
    if ((bytes.first | bytes.end) % 16u != 0u) complete_stage(stage, address_after(in, tile_start(tile, tiles), 4u), bytes);
    if (tiles.shift != 0u) align_stage(stage, tiles.shift, thread_place() * 4u, bytes);
}

// Where the array would begin if a tile's items, of `bytes` bytes each, were where they are in the stage.
__device__ __forceinline__ u64 staged_array(uint stage, uint tile, Tiles tiles, uint bytes)
{
    return stage_address(stage) - tile_start(tile, tiles) * bytes;
}

const uint SUBGROUP_ITEMS = 512u;

// The bytes of this subgroup's items in the stage of their results.
__device__ __forceinline__ Bytes subgroup_results(uint tile, Tiles tiles)
{
    const uint first = (15u - subgroup_id()) * SUBGROUP_ITEMS, empty = empty_places(tile, tiles);
    const u64 left = tiles.n - tile_start(tile, tiles);
    Bytes bytes;
    bytes.first = (first < empty ? empty : first) * 4u;
    bytes.end = (left < first + SUBGROUP_ITEMS ? uint(left) : first + SUBGROUP_ITEMS) * 4u;
    return bytes;
}

const uint SUBGROUPS = 16u; // of the block

// The elements of a group of items.
struct Group {
    float at[VECTOR];
};

// What groups add up to, up: nodes have their total at their first group, and that of their earlier half at the first of the other half.
struct Totals {
    float at[GROUPS];
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
    return thread_place() + (g ^ first_group() ^ (GROUPS - 1u)) * VECTOR;
}

// Up in a group: where a block of items ends is what it adds up to.
__device__ __forceinline__ Group group_up(Group x)
{
    x.at[1] = combine(x.at[1], x.at[0]);
    x.at[3] = combine(x.at[3], x.at[2]);
    x.at[3] = combine(x.at[3], x.at[1]);
    return x;
}

// Down: what comes before each item's end.
__device__ __forceinline__ Group group_down(Group x, Ends ends)
{
    x.at[VECTOR - 1u] = ends.through;
    x.at[1] = combine(x.at[1], ends.before);
    x.at[0] = combine(x.at[0], ends.before);
    x.at[2] = combine(x.at[2], x.at[1]);
    return x;
}

__device__ __forceinline__ Totals groups_up(Totals x)
{
    UNROLL for (uint step = 1u; step < GROUPS; step *= 2u) {
        const bool is_turned = (first_group() & step) != 0u;
        UNROLL for (uint g = 0u; g < GROUPS; g += 2u * step) {
            float earlier = x.at[g], later = x.at[g + step];
            if (is_turned) {
                earlier = x.at[g + step];
                later = x.at[g];
            }
            x.at[g] = combine(later, earlier);
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
            earlier.through = combine(x.at[g + step], earlier.before);
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

__shared__ float subgroup_totals[2u * SUBGROUPS];
__shared__ float subgroup_ups[STAGES * SUBGROUPS]; // the same, up

// What a tile's items add up to, and the longest block in the subgroup that ends with this thread's items.
struct TileSum {
    float up;
    float total;
};

// What the threads' groups come to, of a tile. The whole block calls it, with 0 and 1 by turns.
__device__ __forceinline__ TileSum sum_groups(Totals totals, uint stage, uint turn)
{
    TileSum sum;
    sum.up = subgroup_up(groups_up(totals).at[0], LANES);
    if (lane_id() == LANES - 1u) subgroup_totals[turn * SUBGROUPS + subgroup_id()] = sum.up;
    block_barrier();
    float subgroups = sum.up;
    if (lane_id() < SUBGROUPS) subgroups = subgroup_totals[turn * SUBGROUPS + lane_id()];
    subgroups = subgroup_up(subgroups, SUBGROUPS);
    if (thread_id() < SUBGROUPS) subgroup_ups[stage * SUBGROUPS + thread_id()] = subgroups;
    subgroup_barrier(); // it is there before the signal that the first thread gives
    sum.total = shuffle(subgroups, SUBGROUPS - 1u);
    return sum;
}

const uint PLACES = 17u; // of a tile: what comes before each subgroup, and that with the last one
__shared__ float subgroup_places[STAGES * PLACES];

// The ends of this thread's items of a tile of which that is known, from the longest block in the subgroup that ends with them.
__device__ __forceinline__ Ends thread_ends(uint slot, float up)
{
    Ends ends;
    ends.before = subgroup_places[slot * PLACES + subgroup_id()];
    ends.through = subgroup_places[slot * PLACES + subgroup_id() + 1u];
    const float through = subgroup_down(up, ends, LANES), earlier = shuffle_up(through, 1u);
    if (lane_id() > 0u) ends.before = earlier;
    ends.through = through;
    return ends;
}

// A group of a whole tile.
__device__ __forceinline__ Group whole_group(Inputs inputs, u64 first)
{
    Group x;
    UNROLL for (uint v = 0u; v < VECTOR; v++) x.at[v] = map_item(inputs.at[VECTOR - 1u - v]);
    return group_up(x);
}

// A group of the last tile: the identity beyond n.
__device__ __forceinline__ Group last_group(Inputs inputs, u64 first, u64 n)
{
    Group x;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        x.at[v] = identity();
        if (first + VECTOR - 1u - v < n) x.at[v] = map_item(inputs.at[VECTOR - 1u - v]);
    }
    return group_up(x);
}

// The whole block calls it, with 0 and 1 by turns.
__device__ __forceinline__ TileSum sum_tile(uint stage, uint tile, Tiles tiles, uint turn)
{
    Totals totals;
    if (is_whole(tile, tiles)) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const Inputs inputs = load_full_inputs(In(stage_address(stage)), group_place(g));
            totals.at[g] = whole_group(inputs, tile_start(tile, tiles) + group_place(g)).at[VECTOR - 1u];
        }
    } else {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const u64 first = tile_start(tile, tiles) + group_place(g);
            const Inputs inputs = load_inputs(In(staged_array(stage, tile, tiles, 4u)), first, tiles.n);
            totals.at[g] = last_group(inputs, first, tiles.n).at[VECTOR - 1u];
        }
    }
    return sum_groups(totals, stage, turn);
}

// Puts the scan of this thread's items, whose ends these are, into the stage.
// Who has the last item of all leaves the carry. The whole block calls it.
__device__ __forceinline__ void scan_tile(uint stage, uint tile, Tiles tiles, Ends ends, u64 carry_out)
{
    Inputs taken[GROUPS];
    Totals totals;
    if (is_whole(tile, tiles)) {
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            taken[g] = load_full_inputs(In(stage_address(stage)), group_place(g));
            totals.at[g] = whole_group(taken[g], tile_start(tile, tiles) + group_place(g)).at[VECTOR - 1u];
        }
        const GroupEnds group_ends = groups_down(groups_up(totals), ends);
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const u64 first = tile_start(tile, tiles) + group_place(g);
            const Inputs inputs = taken[g];
            const Group x = group_down(whole_group(inputs, first), group_ends.at[g]);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                float before = group_ends.at[g].before;
                if (v > 0u) before = x.at[v - 1u];
                outputs.at[VECTOR - 1u - v] = before;
            }
            store_full_outputs(Out(stage_address(stage)), group_place(g), outputs);
        }
        if (tile == tiles.count - 1u && thread_id() == BLOCK - 1u) store_carry(carry_out, ends.through);
    } else {
        const In items = In(staged_array(stage, tile, tiles, 4u));
        const Out results = Out(staged_array(stage, tile, tiles, 4u));
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const u64 first = tile_start(tile, tiles) + group_place(g);
            taken[g] = load_inputs(items, first, tiles.n);
            totals.at[g] = last_group(taken[g], first, tiles.n).at[VECTOR - 1u];
        }
        const GroupEnds group_ends = groups_down(groups_up(totals), ends);
        UNROLL for (uint g = 0u; g < GROUPS; g++) {
            const u64 first = tile_start(tile, tiles) + group_place(g);
            const Inputs inputs = taken[g];
            const Group x = group_down(last_group(inputs, first, tiles.n), group_ends.at[g]);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if (first + VECTOR - 1u - v < tiles.n) {
                    float before = group_ends.at[g].before;
                    if (v > 0u) before = x.at[v - 1u];
                    outputs.at[VECTOR - 1u - v] = before;
                    if (first + VECTOR - 1u - v == 0u) store_carry(carry_out, x.at[v]);
                }
            }
            store_outputs(results, first, tiles.n, outputs);
        }
    }
}

const uint AHEAD = 3u; // rounds between a tile's sum and its end

// The starting prefix, which tile 0 has posted.
__device__ __forceinline__ float posted_start(Posts posts, uint tag)
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
    float total;
    float before;
};

struct Grown {
    Levels levels;
    float through;
};

// With a node whose tiles add up to `total`, which comes after `before`: nodes from 0 on, one after the other.
__device__ __forceinline__ Grown grow(Levels levels, uint node, float before, float total)
{
    uint level = 0u;
    for (; (node >> level) % 2u != 0u; level++) {
        const float earlier = shuffle(levels.total, level);
        total = combine(total, earlier);
        before = shuffle(levels.before, level);
    }
    if (lane_id() == level) {
        levels.total = total;
        levels.before = before;
    }
    Grown grown;
    grown.levels = levels;
    grown.through = combine(total, before);
    return grown;
}

// The last subgroup finds out what comes before the block's tiles, while the others go on.
__device__ __forceinline__ void precede_tiles(Posts posts, uint tag, uint own_tiles)
{
    if (own_tiles == 0u) return;
    float before = posted_start(posts, tag); // what comes before node `node`
    uint node = 0u;
    Levels levels;
    levels.total = before;
    levels.before = before;
    for (uint round = 0u; round < own_tiles; round++) {
        const uint tile = block_id() + round * block_count(), slot = round % STAGES;
        wait_for_signal(SUMMED + slot, round / STAGES);
        const Asked asked = ask_until_there(posts, tag, node, tile);
        float nodes[DEPTH]; // up
        UNROLL for (uint k = 0u; k < DEPTH; k++) nodes[k] = subgroup_up(asked.at[k].value, LANES);
        float own = nodes[0];
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
        const float down = subgroup_down(own, ends, LANES), earlier = shuffle(down, tile % LANES - 1u);
        if (tile % LANES != 0u) ends.before = earlier;
        ends.through = shuffle(down, tile % LANES);
        if (tile % LANES == LANES - 1u) ends.through = grow(levels, node, before, shuffle(own, LANES - 1u)).through;

        float subgroups = own;
        if (lane_id() < SUBGROUPS) subgroups = subgroup_ups[slot * SUBGROUPS + lane_id()];
        subgroups = subgroup_down(subgroups, ends, SUBGROUPS);
        if (lane_id() == 0u) subgroup_places[slot * PLACES] = ends.before;
        if (lane_id() < SUBGROUPS) subgroup_places[slot * PLACES + 1u + lane_id()] = subgroups;
        subgroup_barrier();
        if (lane_id() == 0u) give_signal(PRECEDED + slot);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK + LANES, 1) scan_lookahead(const __grid_constant__ Parameters params)
{
    const Tiles tiles = tiles_of(params.buffers[0], element_count(params.n, params.n_address));
    const bool writes = is_given(params.buffers[1]);
    const bool out_is_aligned = stage_shift(address_after(params.buffers[1], tile_start(0u, tiles), 4u)) == 0u;
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    if (!has_posts_of(params.scratch, tiles.count + 1u)) return;
    const uint tag = launch_tag(params.scratch);
    const uint own_tiles = (tiles.count + block_count() - 1u - block_id()) / block_count();

    // By one: carry-in may be carry-out.
    if (block_id() == 0u && thread_id() == 0u) publish_aggregate(posts, 0u, tag, starting_prefix(params.carry_in));
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
    float ups[AHEAD + 1u]; // in the tiles that are summed up, of the longest block in the subgroup that ends with this thread's items
    UNROLL for (uint a = 0u; a <= AHEAD; a++) ups[a] = identity();
    // In each round the block sums up a tile, which others wait for, and finishes an earlier one.
    for (uint round = 0u; round < own_tiles + AHEAD; round++) {
        UNROLL for (uint a = 0u; a < AHEAD; a++) ups[a] = ups[a + 1u];
        if (round < own_tiles) {
            const uint tile = block_id() + round * block_count(), stage = round % STAGES;
            wait_for_signal(COME + stage, round / STAGES);
            complete_tile(stage, params.buffers[0], tile, tiles);
            const TileSum sum = sum_tile(stage, tile, tiles, round % 2u);
            ups[AHEAD] = sum.up;
            if (thread_id() == 0u) {
                publish_aggregate(posts, 1u + tile, tag, sum.total);
                give_signal(SUMMED + stage);
            }
        }
        if (round >= AHEAD) {
            const uint earlier = round - AHEAD, tile = block_id() + earlier * block_count(), stage = earlier % STAGES;
            wait_for_signal(PRECEDED + stage, earlier / STAGES);
            const Ends ends = thread_ends(stage, ups[0]);
            if (writes || tile == tiles.count - 1u) scan_tile(stage, tile, tiles, ends, params.carry_out);
            const u64 out = address_after(params.buffers[1], tile_start(tile, tiles), 4u);
            const bool leaves = writes && out_is_aligned && is_whole(tile, tiles);
            if (writes && !leaves) {
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
            }
        }
    }
    if (thread_id() != 0u) return;
    wait_for_leaves();
    if (tiles.count == 0u && block_id() == 0u) store_carry(params.carry_out, starting_prefix(params.carry_in));
}
// ---- sum_backwards, kernel 2 of 2: zero_scratch
// sum_backwards: exclusive scan of u32 by sum(f32), from the last element
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
    u64 carry_in; // f32: what comes before all elements
    u64 carry_out; // f32: what all add up to
    u64 buffers[8]; // in: u32[n], 4-byte aligned; out: f32[n], 4-byte aligned
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
