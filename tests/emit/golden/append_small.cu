// monosweep gen tests/corpus/append.lua --op append_small --target cuda --set strategy=lookback
// ---- append_small, kernel 1 of 4: scan_lookback
// append_small: append of u32 to out, count
// monosweep 0.1.0, templates/scan/lookback.tpl, strategy lookback: block 128, subgroup 32, items 16, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")

typedef unsigned short u16;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 128u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint ROWS = 4u; // of a tile, for each subgroup
constexpr uint TILE = 2048u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // in: u32[n], 4-byte aligned; out: u32[n], 4-byte aligned; count: u64, 8-byte aligned
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

// Bytes from the last multiple of 128, the size of a line of memory, to an address.
__device__ __forceinline__ uint place_in_line(u64 address)
{
    return uint(address % 128u);
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

__device__ __forceinline__ uint subgroup_id()
{
    return threadIdx.x / LANES;
}

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

struct Result {
    uint out;
};

struct Counts {
    u64 count;
};

__device__ __forceinline__ u64 combine(u64 a, u64 b)
{
    return a + b;
}

__device__ __forceinline__ u64 map_item(uint x)
{
    return (u64)(x % 6u);
}

__device__ __forceinline__ Counts totals_of(u64 total)
{
    return Counts{total};
}

__device__ __forceinline__ Result item_of(uint x, u64 i, uint k)
{
    return Result{x + (uint)i * 7u + k};
}

__device__ __forceinline__ uint reach(u64 from, u64 to)
{
    u64 difference = to - from;
    return difference < 0xffffffffull ? (uint)difference : 0xffffffffu;
}

__device__ __forceinline__ u64 identity()
{
    return 0ull;
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

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
__device__ __forceinline__ uint last_lane(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}

// The same of numbers.
__device__ __forceinline__ uint shuffle_uint(uint x, uint lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}

__device__ __forceinline__ uint shuffle_uint_up(uint x, uint distance)
{
    return __shfl_up_sync(ALL_LANES, x, distance);
}

// The monoid's elements of one lane in one row.
struct Elements {
    u64 at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ u64 subgroup_scan_of(u64 x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const u64 earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
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

const uint TOTALS = 4u; // one for each subgroup
__shared__ u64 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(u64 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
    u64 total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// Array `in`.
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

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs1 load_inputs1(In1 items, u64 start, u64 n)
{
    Inputs1 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

// Addresses of the arrays.
struct In {
    u64 array1;
};

struct Inputs {
    uint at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
__device__ __forceinline__ Inputs load_full_inputs(In items, u64 start)
{
    const Inputs1 group1 = load_full_inputs1(In1(items.array1), start);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = group1.at[v];
    return group;
}

// Elements start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs load_inputs(In items, u64 start, u64 n)
{
    const Inputs1 group1 = load_inputs1(In1(items.array1), start, n);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = group1.at[v];
    return group;
}

// Array `out`.
struct Out1 {
    uint *at;
    __device__ explicit Out1(u64 address) : at((uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ void store_output1(Out1 items, u64 i, uint item)
{
    items.at[i] = item;
}

// Addresses of the arrays; and the length of those whose elements go anywhere.
struct Out {
    u64 array1;
    u64 n;
};

// The carry-in if there is one, else the identity.
__device__ __forceinline__ u64 starting_prefix(u64 carry_in)
{
    return identity();
}

// Array `count`.
struct CountsAt1 {
    u64 *at;
    __device__ explicit CountsAt1(u64 address) : at((u64 *)__cvta_global_to_generic(address)) {}
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
__device__ __forceinline__ void store_carry(u64 carry_out, CountsAt numbers, u64 total)
{
    store_number(numbers, 0u, totals_of(total));
}

__device__ __forceinline__ uint tile_count(u64 n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the first item of a tile.
__device__ __forceinline__ u64 tile_start(u64 tile, u64 n)
{
    return tile * TILE;
}

// Place in its tile of the first item of this lane's part of a row.
__device__ __forceinline__ uint row_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// The monoid's elements of one lane, row by row.
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
__device__ __forceinline__ Tile load_tile(In in_items, bool is_aligned, u64 start, u64 n)
{
    Tile tile;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = map_item(inputs.at[v]);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[v] = identity();
                if (first + v < n) tile.rows[row].at[v] = map_item(inputs.at[v]);
            }
        }
    }
    return tile;
}

const uint DESCRIPTORS_OFFSET = 384u; // bytes, in the scratch
const uint WORDS = 1u; // of a post

// Counters at the start of the scratch, as indices of 4-byte words. Those that all blocks change have a cache line each.
const uint LAUNCH = 0u; // launches that have ended, modulo 2^31 - 1
const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TURN = 2u; // launches that have ended, modulo 2
const uint PARTS = 3u; // parts of large tiles' items: launches count them here and in the next word, by turns
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

// Where a launch counts its parts, 0 or 1. What is counted stays until the next launch has ended.
__device__ __forceinline__ uint parts_turn(u64 scratch)
{
    return load_counter(scratch, TURN);
}

// The number of a new part.
__device__ __forceinline__ uint take_part(u64 scratch, uint turn)
{
    return add_counter(scratch, PARTS + turn);
}

// The last block calls it: the next launch counts from 0.
__device__ __forceinline__ void end_parts(u64 scratch)
{
    const uint next = 1u - load_counter(scratch, TURN);
    store_counter(scratch, PARTS + next, 0u);
    store_counter(scratch, TURN, next);
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
    end_parts(scratch);
}

// Whether the posts of `tiles` tiles, and behind them the parts of large ones, lie in what was zeroed of the scratch.
__device__ __forceinline__ bool has_posts_of(u64 scratch, uint tiles)
{
    const u64 words = DESCRIPTORS_OFFSET / 8u + u64(tiles) * 2u; // of 8 bytes
    return (words + 31u) / 32u + (u64(tiles) * 2u + 17u) / 16u <= zeroed_count(scratch);
}

const uint EMPTY = 0u;
const uint AGGREGATE = 1u;
const uint PREFIX = 2u;

struct Descriptor {
    u64 value;
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

__device__ __forceinline__ void publish(Posts posts, u64 first, uint tag, u64 x)
{
    store_word(posts, first, Word{(uint)x, (uint)(x >> 32), 0u, tag});
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
        descriptor.value = ((u64)word0.y << 32) | word0.x;
    }
    return descriptor;
}

__device__ __forceinline__ void publish_aggregate(Posts posts, uint tile, uint tag, u64 x)
{
    publish(posts, u64(tile) * WORDS, tag << 1, x);
}

__device__ __forceinline__ void publish_prefix(Posts posts, uint tile, uint tag, u64 x)
{
    publish(posts, u64(tile) * WORDS, tag << 1 | 1u, x);
}

const uint PART = 16384u; // items

struct Part {
    uint tile;
    uint begin; // among the tile's items
    uint first; // place of the tile's first item
    uint count; // the tile's items, as far as there is room
};

struct Parts {
    Part *at;
    __device__ explicit Parts(u64 address) : at((Part *)address) {}
};

// The place of a part of that number, of an array that begins where the scratch does.
__device__ __forceinline__ u64 part_place(u64 scratch, uint number)
{
    return zeroed_count(scratch) * 16u - 1u - number;
}

struct Starts {
    uint at[VECTOR];
};

// Where items begin among the tile's.
struct TileScan {
    Starts rows[ROWS]; // each element's
    uint total;        // the tile's items
};

__shared__ uint subgroup_lengths[BLOCK / LANES];

// Each row: a lane's own lengths, then across the lanes, then after the rows and subgroups before it. The whole block calls it.
__device__ __forceinline__ TileScan scan_lengths(Tile tile)
{
    const u64 none = identity();
    TileScan scan;
    uint total = 0u; // of the subgroup
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        uint end = 0u;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const u64 length = tile.rows[row].at[v];
            scan.rows[row].at[v] = end;
            end += min(reach(none, length), PART + 1u);
        }
        uint inclusive = end;
        UNROLL for (uint step = 1u; step < LANES; step *= 2u) {
            const uint earlier = shuffle_uint_up(inclusive, step);
            if (lane_id() >= step) inclusive += earlier;
        }
        const uint earlier_items = total + inclusive - end;
        total += shuffle_uint(inclusive, LANES - 1u);
        UNROLL for (uint v = 0u; v < VECTOR; v++) scan.rows[row].at[v] += earlier_items;
    }
    if (lane_id() == 0u) subgroup_lengths[subgroup_id()] = total;
    block_barrier();
    uint before = 0u;
    scan.total = 0u;
    UNROLL for (uint subgroup = 0u; subgroup < BLOCK / LANES; subgroup++) {
        if (subgroup == subgroup_id()) before = scan.total;
        scan.total += subgroup_lengths[subgroup];
    }
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) scan.rows[row].at[v] += before;
    }
    return scan;
}

struct Sources1 {
    const uint *at;
    __device__ explicit Sources1(u64 address) : at((const uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ uint load_source1(Sources1 items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ uint load_source(In items, u64 i)
{
    return load_source1(Sources1(items.array1), i);
}

const uint CHUNK = 4096u; // items that lie in shared memory together
const uint LONG = 8u; // items of an element that its thread writes by itself; of more, subgroups write pieces
const uint FEW = 4u; // of them are written between two looks at how many there are
const uint PIECE = 128u; // items
const uint COPIES = 4u; // that a thread has in flight

__shared__ alignas(16) u16 starts[TILE + 1u]; // where the items of each of the tile's elements begin among the tile's, and where they end
__shared__ uint staged[CHUNK];
__shared__ uint pieces[488]; // an element's place in the tile, and the piece's number in the upper half
__shared__ uint piece_count;

// Notes where the elements' items begin.
__device__ __forceinline__ void write_starts(TileScan scan)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) starts[row_place(row) + v] = (u16)(scan.rows[row].at[v]);
    }
    if (thread_id() == 0u) starts[TILE] = (u16)(scan.total);
}

// Writes a piece of the items of an element. All lanes of the subgroup call it.
__device__ __forceinline__ void stage_piece(In in_items, uint piece, u64 start)
{
    const uint source = piece & 0xffffu, begin = starts[source], end = starts[source + 1u];
    const uint first = begin + (piece >> 16u) * PIECE;
    const uint count = min(end - first, PIECE);
    const uint x = load_source(in_items, start + source);
    for (uint done = lane_id(); done < count; done += LANES) staged[first + done] = item_of(x, start + source, first - begin + done).out;
}

// Puts together all of a tile's items, if they are not too many: those are left to the next launch. Starts are written, and what lay there before has left,
// when all have met here; barriers of the block must lie between it and the tile's way out. The whole block calls it.
__device__ __forceinline__ void stage_tile(In in_items, bool is_aligned, uint items, u64 start, u64 n)
{
    if (items == 0u || items > CHUNK) return;
    if (thread_id() == 0u) piece_count = 0u;
    block_barrier();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const u64 first = start + row_place(row);
        Inputs inputs;
        if (is_aligned && start + TILE <= n) inputs = load_full_inputs(in_items, first);
        else inputs = load_inputs(in_items, first, n);
        uint begins[VECTOR], counts[VECTOR], most = 0u;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            begins[v] = starts[row_place(row) + v];
            counts[v] = starts[row_place(row) + v + 1u] - begins[v];
            if (counts[v] > most) most = counts[v];
        }
        if (most > LONG) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if (counts[v] <= LONG) continue;
                const uint more = (counts[v] + (PIECE - 1u)) / PIECE, place = atomicAdd(&piece_count, more);
                for (uint k = 0u; k < more; k++) pieces[place + k] = (row_place(row) + v) | k << 16u;
                counts[v] = 0u;
            }
            most = LONG;
        }
        ROLL for (uint k = 0u; k < most; k += FEW) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                UNROLL for (uint more = 0u; more < FEW; more++) {
                    if (k + more < counts[v]) staged[begins[v] + k + more] = item_of(inputs.at[v], first + v, k + more).out;
                }
            }
        }
    }
    block_barrier();
    for (uint piece = subgroup_id(); piece < piece_count; piece += BLOCK / LANES) stage_piece(in_items, pieces[piece], start);
}

// Writes `count` items, the array's from `first` on. Each subgroup writes whole lines. The whole
// block calls it.
__device__ __forceinline__ void leave_items(u64 array, uint first, uint count)
{
    const uint lead = (first + place_in_line(array) / 4u) % 32u;
    const u64 line = u64(first) - lead;
    for (uint round = 0u; round < lead + count; round += COPIES * BLOCK) {
        uint moved[COPIES];
        const u64 place = line + round + thread_id(); // in 64 bits, where addresses have them: so the copies' differ by constants
        if (round > 0u && lead + count - round >= COPIES * BLOCK) { // all of the round's items
            const uint first_at = round + thread_id() - lead;
            UNROLL for (uint c = 0u; c < COPIES; c++) moved[c] = staged[first_at + c * BLOCK];
            UNROLL for (uint c = 0u; c < COPIES; c++) store_output1(Out1(array), place + c * BLOCK, moved[c]);
            continue;
        }
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            const uint at = round + thread_id() + c * BLOCK - lead;
            if (at < count) moved[c] = staged[at];
        }
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            if (round + c * BLOCK + thread_id() - lead < count) store_output1(Out1(array), place + c * BLOCK, moved[c]);
        }
    }
}

// Leaves the items of a tile to the next launch. The whole block calls it.
__device__ __forceinline__ void leave_parts(u64 scratch, uint turn, uint tile, uint first, uint count)
{
    Parts parts = Parts(scratch);
    const uint end = count / PART + (count % PART != 0u ? 1u : 0u);
    for (uint p = thread_id(); p < end; p += BLOCK) {
        const Part part = Part{tile, p * PART, first, count};
        parts.at[part_place(scratch, take_part(scratch, turn))] = part;
    }
}

// Writes the items of a tile that lie in shared memory, or leaves them to the next launch, if they are too many: `items`, of which `prefix` come before the
// tile's and `end` with them. The whole block calls it.
__device__ __forceinline__ void leave_tile(Out out_items, uint items, u64 prefix, u64 end, uint tile, u64 scratch, uint turn)
{
    const u64 none = identity();
    const uint first = reach(none, prefix);
    const uint count = first < out_items.n ? min(reach(prefix, end), uint(out_items.n - first)) : 0u;
    if (items > CHUNK) leave_parts(scratch, turn, tile, first, count);
    else leave_items(out_items.array1, first, count);
}

// How many items a tile has, where `sum` is what scan_lengths returns: by loads of one element, since it is seldom more than PART. The whole block calls it.
__device__ __forceinline__ u64 tile_length(uint sum, In in_items, u64 start, u64 n)
{
    if (sum <= PART) return (u64)sum;
    u64 length = identity();
    for (u64 i = start + thread_id(); i < n && i < start + TILE; i += BLOCK) {
        const u64 more = map_item(load_source(in_items, i));
        length = combine(length, more);
    }
    return block_scan(shuffle(subgroup_scan(length), LANES - 1u)).total;
}

const uint DEPTH = 2u; // consecutive descriptors of a lane, read together
const uint WINDOW = 64u; // descriptors of the subgroup
const uint NO_TILE = 0xffffffffu;

// A look-back that has come to tile `end`: what the tiles from there up to its own add up to.
struct LookBack {
    u64 aggregate;
    uint end;     // 0: that is all
    uint missing; // the tile this lane waits for, or NO_TILE
};

// Takes a look-back further, to its end. One subgroup calls it.
__device__ __forceinline__ LookBack look_back(Posts posts, uint tag, LookBack look)
{
    const uint place = lane_id() * DEPTH; // in the window, whose lowest tile is end - WINDOW
    bool is_waiting = false;
    while (look.end > 0u && !is_waiting) {
        Descriptor seen[DEPTH];
        u64 value = identity();
        bool has_prefix = false;
        uint prefix_lane = LANES;
        is_waiting = true;
        while (is_waiting) {
            // All posts are on their way together: a load that a condition leaves out would wait for the one before.
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = WINDOW - place - k;
                seen[k] = poll(posts, (back <= look.end ? look.end - back : 0u), tag);
            }
            // What this lane's tiles add up to, from its last inclusive prefix on.
            value = identity();
            look.missing = NO_TILE;
            has_prefix = false;
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = WINDOW - place - k;
                if (back > look.end) {
                    // no such tile
                } else if (seen[k].state == EMPTY) {
                    look.missing = look.end - back;
                } else if (seen[k].state == AGGREGATE) {
                    value = combine(value, seen[k].value);
                } else {
                    value = seen[k].value;
                    look.missing = NO_TILE;
                    has_prefix = true;
                }
            }
            // Lanes before the last inclusive prefix do not matter.
            prefix_lane = last_lane(has_prefix);
            if (prefix_lane < LANES && lane_id() < prefix_lane) {
                value = identity();
                look.missing = NO_TILE;
            }
            is_waiting = last_lane(look.missing != NO_TILE) < LANES;
        }
        value = shuffle(subgroup_scan(value), LANES - 1u);
        look.aggregate = combine(value, look.aggregate);
        look.end = prefix_lane < LANES || look.end <= WINDOW ? 0u : look.end - WINDOW;
    }
    return look;
}

__shared__ uint ticket;
__shared__ u64 first_prefix; // what comes before tile 0
__shared__ u64 tile_prefix;

// A tile that has been summed up and is to be finished.
struct Summed {
    uint tile;
    uint items;
    u64 total;
};

// Takes the next tile, sums it up and posts the sum; from tile_count(n) on there is none. Tiles are taken in the order in which blocks come to
// run: every tile before has been begun. is_left: whether there can be one. The whole block calls it.
__device__ __forceinline__ Summed sum_next_tile(In in_items, bool is_aligned, Posts posts, uint tag, u64 n, u64 scratch, u64 carry_in, bool is_left)
{
    Summed summed;
    if (thread_id() == 0u) ticket = is_left ? take_ticket(scratch) : NO_TILE;
    block_barrier();
    const uint tile = ticket;
    summed.tile = tile;
    if (tile >= tile_count(n)) {
        if (thread_id() == 0u) end_launch(scratch);
        return summed;
    }

    const TileScan scan = scan_lengths(load_tile(in_items, is_aligned, tile_start(tile, n), n));
    summed.items = scan.total;
    summed.total = tile_length(scan.total, in_items, tile_start(tile, n), n);
    write_starts(scan);
    if (thread_id() == 0u && tile == 0u) { // by one: carry-in may be carry-out
        const u64 first = starting_prefix(carry_in);
        first_prefix = first;
        publish_prefix(posts, tile, tag, combine(first, summed.total));
    }
    if (thread_id() == 0u && tile > 0u) publish_aggregate(posts, tile, tag, summed.total);
    return summed;
}

extern "C" __global__ void __launch_bounds__(BLOCK, 8) scan_lookback(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In{params.buffers[0]};
    Out out_items = Out{params.buffers[1], n};
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    const uint tag = launch_tag(params.scratch);
    const uint turn = parts_turn(params.scratch);
    const uint tiles = tile_count(n);
    if (!has_posts_of(params.scratch, tiles)) return;
    block_barrier_all_memory(); // all have read the tag before one of them ends the launch

    // Before a tile waits for what comes before it, the next one is summed up: its items come, and others learn its sum, in the meantime.
    Summed next;
    uint round = 0u; // it has no tile to finish
    do {
        const Summed summed = next;
        if (round > 0u) {
            if (is_given(params.buffers[1])) stage_tile(in_items, in_is_aligned, summed.items, tile_start(summed.tile, n), n);
        }
        next = sum_next_tile(in_items, in_is_aligned, posts, tag, n, params.scratch, params.carry_in, round == 0u || tiles > block_count());
        round++;
        if (round == 1u) continue;

        const uint tile = summed.tile;
        LookBack look;
        look.aggregate = identity();
        look.end = tile;
        look.missing = NO_TILE;
        if (tile == 0u && thread_id() == 0u) look.aggregate = first_prefix;
        if (subgroup_id() == 0u) look = look_back(posts, tag, look);
        if (thread_id() == 0u) {
            tile_prefix = look.aggregate;
            const u64 inclusive = combine(look.aggregate, summed.total);
            if (tile > 0u) publish_prefix(posts, tile, tag, inclusive);
        }
        block_barrier();
        const u64 prefix = tile_prefix;
        const u64 end = combine(prefix, summed.total);
        if (is_given(params.buffers[1])) leave_tile(out_items, summed.items, prefix, end, tile, params.scratch, turn);
        if (tile == tiles - 1u && thread_id() == 0u) store_carry(params.carry_out, CountsAt{params.buffers[2]}, end);
    } while (next.tile < tiles);
    if (tiles == 0u && block_id() == 0u && thread_id() == 0u) store_carry(params.carry_out, CountsAt{params.buffers[2]}, starting_prefix(params.carry_in));
}
// ---- append_small, kernel 2 of 4: expand_parts
// append_small: append of u32 to out, count
// monosweep 0.1.0, templates/scan/expand_parts.tpl, strategy lookback: block 128, subgroup 32, items 16, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 128u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint ROWS = 4u; // of a tile, for each subgroup
constexpr uint TILE = 2048u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // in: u32[n], 4-byte aligned; out: u32[n], 4-byte aligned; count: u64, 8-byte aligned
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

struct Result {
    uint out;
};

__device__ __forceinline__ u64 combine(u64 a, u64 b)
{
    return a + b;
}

__device__ __forceinline__ u64 map_item(uint x)
{
    return (u64)(x % 6u);
}

__device__ __forceinline__ Result item_of(uint x, u64 i, uint k)
{
    return Result{x + (uint)i * 7u + k};
}

__device__ __forceinline__ uint reach(u64 from, u64 to)
{
    u64 difference = to - from;
    return difference < 0xffffffffull ? (uint)difference : 0xffffffffu;
}

__device__ __forceinline__ u64 identity()
{
    return 0ull;
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

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
__device__ __forceinline__ uint last_lane(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}

// The last lane before this one for which p holds, or LANES. All lanes of the subgroup call it.
__device__ __forceinline__ uint last_lane_before(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p) & ((1u << lane_id()) - 1u);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}

// The same of numbers.
__device__ __forceinline__ uint shuffle_uint(uint x, uint lane)
{
    return __shfl_sync(ALL_LANES, x, lane);
}

// The monoid's elements of one lane in one row.
struct Elements {
    u64 at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ u64 subgroup_scan_of(u64 x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const u64 earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
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

const uint TOTALS = 4u; // one for each subgroup
__shared__ u64 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(u64 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
    u64 total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// Array `in`.
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

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs1 load_inputs1(In1 items, u64 start, u64 n)
{
    Inputs1 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

// Addresses of the arrays.
struct In {
    u64 array1;
};

struct Inputs {
    uint at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
__device__ __forceinline__ Inputs load_full_inputs(In items, u64 start)
{
    const Inputs1 group1 = load_full_inputs1(In1(items.array1), start);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = group1.at[v];
    return group;
}

// Elements start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs load_inputs(In items, u64 start, u64 n)
{
    const Inputs1 group1 = load_inputs1(In1(items.array1), start, n);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = group1.at[v];
    return group;
}

// Array `out`.
struct Out1 {
    uint *at;
    __device__ explicit Out1(u64 address) : at((uint *)address) {}
};

struct Outputs1 {
    alignas(16) uint at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ void store_full_outputs1(Out1 items, u64 start, Outputs1 group)
{
    *(Outputs1 *)(items.at + start) = group;
}

// Addresses of the arrays; and the length of those whose elements go anywhere.
struct Out {
    u64 array1;
    u64 n;
};

struct Outputs {
    Result at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
__device__ __forceinline__ void store_full_outputs(Out items, u64 start, Outputs group)
{
    if (is_given(items.array1)) {
        Outputs1 group1;
        UNROLL for (uint v = 0u; v < VECTOR; v++) group1.at[v] = group.at[v].out;
        store_full_outputs1(Out1(items.array1), start, group1);
    }
}

const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TURN = 2u; // launches that have ended, modulo 2
const uint PARTS = 3u; // parts of large tiles' items: launches count them here and in the next word, by turns

__device__ __forceinline__ uint load_counter(u64 scratch, uint counter)
{
    return ((const volatile uint *)scratch)[counter];
}

// One that does not change during a launch.
__device__ __forceinline__ uint constant_counter(u64 scratch, uint counter)
{
    return ((const uint *)scratch)[counter];
}

// Units of 256 bytes of the scratch that were zeroed.
__device__ __forceinline__ u64 zeroed_count(u64 scratch)
{
    return constant_counter(scratch, ZEROED);
}

// How many parts the launch before this one has counted.
__device__ __forceinline__ uint part_count(u64 scratch)
{
    return load_counter(scratch, PARTS + (1u - load_counter(scratch, TURN)));
}

const uint PART = 16384u; // items

struct Part {
    uint tile;
    uint begin; // among the tile's items
    uint first; // place of the tile's first item
    uint count; // the tile's items, as far as there is room
};

struct Parts {
    Part *at;
    __device__ explicit Parts(u64 address) : at((Part *)address) {}
};

// The place of a part of that number, of an array that begins where the scratch does.
__device__ __forceinline__ u64 part_place(u64 scratch, uint number)
{
    return zeroed_count(scratch) * 16u - 1u - number;
}
const uint DESCRIPTORS_OFFSET = 384u; // bytes, in the scratch

// Whether the posts of `tiles` tiles, and behind them the parts of large ones, lie in what was zeroed of the scratch.
__device__ __forceinline__ bool has_posts_of(u64 scratch, uint tiles)
{
    const u64 words = DESCRIPTORS_OFFSET / 8u + u64(tiles) * 2u; // of 8 bytes
    return (words + 31u) / 32u + (u64(tiles) * 2u + 17u) / 16u <= zeroed_count(scratch);
}

__device__ __forceinline__ uint tile_count(u64 n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the first item of a tile.
__device__ __forceinline__ u64 tile_start(u64 tile, u64 n)
{
    return tile * TILE;
}

// Place in its tile of the first item of this lane's part of a row.
__device__ __forceinline__ uint row_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// The monoid's elements of one lane, row by row.
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
__device__ __forceinline__ Tile load_tile(In in_items, bool is_aligned, u64 start, u64 n)
{
    Tile tile;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = map_item(inputs.at[v]);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[v] = identity();
                if (first + v < n) tile.rows[row].at[v] = map_item(inputs.at[v]);
            }
        }
    }
    return tile;
}

struct TileScan {
    Elements rows[ROWS]; // inclusive in each lane's part of a row
    u64 row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    u64 total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
__device__ __forceinline__ TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v - 1u], x.at[v]);
        const u64 inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const u64 exclusive = subgroup_shift(inclusive);
        const u64 row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(scan.total, exclusive);
        scan.total = combine(scan.total, row_total);
    }
    return scan;
}

struct Sources1 {
    const uint *at;
    __device__ explicit Sources1(u64 address) : at((const uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ uint load_source1(Sources1 items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ uint load_source(In items, u64 i)
{
    return load_source1(Sources1(items.array1), i);
}

__shared__ alignas(16) uint starts[TILE]; // where the items of each of the tile's elements begin among the tile's

// The element that has item j of the tile, the same in all lanes: the last whose items begin no later. All lanes of the subgroup call it.
__device__ __forceinline__ uint source_of(uint j)
{
    uint source = 0u;
    source += last_lane(starts[source + lane_id() * 64u] <= j) * 64u;
    source += last_lane(starts[source + lane_id() * 2u] <= j) * 2u;
    source += last_lane(lane_id() * 1u < 2u && starts[source + lane_id()] <= j);
    return source;
}

struct Alone {
    uint *at;
    __device__ explicit Alone(u64 address) : at((uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ void store_alone(Alone items, u64 i, uint item)
{
    items.at[i] = item;
}

const uint CHUNK = 2u * TILE; // items that are written between two barriers
const uint GROUPS = CHUNK / (BLOCK * VECTOR); // of VECTOR items, of a lane

__shared__ alignas(16) uint marks[CHUNK]; // at the first item of an element its place in the tile, plus 1; at all others 0

// Which of a lane's elements have items.
struct Heads {
    uint rows[ROWS]; // a bit each
};

// Notes which of a chunk's items are the first of an element. The whole block calls it.
__device__ __forceinline__ void mark_items(Heads heads, uint chunk, uint shift, uint count)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const uint begin = starts[row_place(row) + v], place = begin + shift - chunk;
            if ((heads.rows[row] >> v & 1u) != 0u && begin < count && place < CHUNK) marks[place] = row_place(row) + v + 1u;
        }
    }
    block_barrier();
}

// The elements of the items of a lane's group.
struct Group {
    uint at[VECTOR];
};

// Of the group that begins at `place` of the chunk; before: the element of the item before the subgroup's groups. All lanes of the subgroup call it.
__device__ __forceinline__ Group sources_of(uint place, uint before)
{
    Group group;
    uint last = 0u;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        const uint head = marks[place + v];
        if (head != 0u) last = head;
        group.at[v] = last;
    }
    const uint lane = last_lane_before(last != 0u);
    const uint earlier = shuffle_uint(last, lane);
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (group.at[v] == 0u) group.at[v] = lane < LANES ? earlier : before + 1u;
        group.at[v] -= 1u;
    }
    return group;
}

// Notes where the elements' items begin: `prefix` are those before the tile, subgroup_prefix those before this subgroup. Returns which have any.
__device__ __forceinline__ Heads write_starts(TileScan scan, u64 prefix, u64 subgroup_prefix)
{
    Heads heads;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const u64 before = combine(subgroup_prefix, scan.row_prefix[row]);
        heads.rows[row] = 0u;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            u64 s = before;
            if (v > 0u) s = combine(before, scan.rows[row].at[v - 1u]);
            starts[row_place(row) + v] = reach(prefix, s);
            u64 earlier = identity();
            if (v > 0u) earlier = scan.rows[row].at[v - 1u];
            if (scan.rows[row].at[v] != earlier) heads.rows[row] |= 1u << v;
        }
    }
    return heads;
}

// Writes the tile's items from `from` on before `to`; first: the place of the tile's first item. The whole block calls it.
__device__ __forceinline__ void write_items(In in_items, Out out_items, Heads heads, uint first, uint from, uint to, u64 start)
{
    const bool is_aligned = is_vector_aligned(out_items.array1);
    const uint shift = from < to ? first % VECTOR : 0u; // so that groups begin where whole ones are stored
    for (uint chunk = from; chunk < shift + to; chunk += CHUNK) {
        const uint groups = min((shift + to - chunk + (BLOCK * VECTOR - 1u)) / (BLOCK * VECTOR), GROUPS);
        for (uint g = 0u; g < groups; g++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) marks[(g * BLOCK + thread_id()) * VECTOR + v] = 0u;
        }
        block_barrier();
        mark_items(heads, chunk, shift, to);

        // Subgroups have equal shares of the groups that there are, one behind the other.
        const uint begin = subgroup_id() * groups * (LANES * VECTOR);
        uint source = source_of(chunk + begin > shift ? chunk + begin - shift : 0u);
        for (uint g = 0u; g < groups; g++) {
            const uint place = begin + (g * LANES + lane_id()) * VECTOR;
            const uint j = chunk + place - shift; // of the group's first item
            const Group sources = sources_of(place, source);
            source = shuffle_uint(sources.at[VECTOR - 1u], LANES - 1u);
            if (is_aligned && chunk + place >= shift + from && to - from >= VECTOR && j <= to - VECTOR) {
                Outputs outputs;
                UNROLL for (uint v = 0u; v < VECTOR; v++) outputs.at[v] = item_of(load_source(in_items, start + sources.at[v]), start + sources.at[v], j + v - starts[sources.at[v]]);
                store_full_outputs(out_items, first + j, outputs);
            } else {
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
                    if (j + v - from < to - from) store_alone(Alone(out_items.array1), first + j + v, item_of(load_source(in_items, start + sources.at[v]), start + sources.at[v], j + v - starts[sources.at[v]]).out);
                }
            }
        }
        block_barrier(); // the next chunk's marks take the place of these
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, 8) expand_parts(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In{params.buffers[0]};
    Out out_items = Out{params.buffers[1], n};
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    if (!has_posts_of(params.scratch, tile_count(n))) return; // what lies there an earlier enqueue left
    Parts parts = Parts(params.scratch);
    const uint count = part_count(params.scratch);

    for (uint number = block_id(); number < count; number += block_count()) {
        const Part part = parts.at[part_place(params.scratch, number)];
        const u64 start = tile_start(part.tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        const Heads heads = write_starts(scan, identity(), block.before);
        write_items(in_items, out_items, heads, part.first, part.begin, part.count - part.begin < PART ? part.count : part.begin + PART, start);
    }
}
// ---- append_small, kernel 3 of 4: scan_lookback_wide
// append_small: append of u32 to out, count
// monosweep 0.1.0, templates/scan/lookback.tpl, strategy lookback: block 128, subgroup 32, items 16, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 128u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint ROWS = 4u; // of a tile, for each subgroup
constexpr uint TILE = 2048u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // in: u32[n], 4-byte aligned; out: u32[n], 4-byte aligned; count: u64, 8-byte aligned
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

__device__ __forceinline__ uint subgroup_id()
{
    return threadIdx.x / LANES;
}

__device__ __forceinline__ uint thread_id()
{
    return threadIdx.x;
}

struct Result {
    uint out;
};

struct Counts {
    u64 count;
};

__device__ __forceinline__ u64 combine(u64 a, u64 b)
{
    return a + b;
}

__device__ __forceinline__ u64 map_item(uint x)
{
    return (u64)(x % 6u);
}

__device__ __forceinline__ Counts totals_of(u64 total)
{
    return Counts{total};
}

__device__ __forceinline__ Result item_of(uint x, u64 i, uint k)
{
    return Result{x + (uint)i * 7u + k};
}

__device__ __forceinline__ u64 reach(u64 from, u64 to)
{
    return to - from;
}

__device__ __forceinline__ u64 identity()
{
    return 0ull;
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

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
__device__ __forceinline__ uint last_lane(bool p)
{
    const uint lanes = __ballot_sync(ALL_LANES, p);
    return lanes == 0u ? LANES : 31u - (uint)__clz(lanes);
}

// The monoid's elements of one lane in one row.
struct Elements {
    u64 at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ u64 subgroup_scan_of(u64 x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const u64 earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
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

const uint TOTALS = 4u; // one for each subgroup
__shared__ u64 subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(u64 subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 4 totals: every subgroup scans them for itself.
    u64 total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

// Array `in`.
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

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs1 load_inputs1(In1 items, u64 start, u64 n)
{
    Inputs1 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

// Addresses of the arrays.
struct In {
    u64 array1;
};

struct Inputs {
    uint at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
__device__ __forceinline__ Inputs load_full_inputs(In items, u64 start)
{
    const Inputs1 group1 = load_full_inputs1(In1(items.array1), start);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = group1.at[v];
    return group;
}

// Elements start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs load_inputs(In items, u64 start, u64 n)
{
    const Inputs1 group1 = load_inputs1(In1(items.array1), start, n);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = group1.at[v];
    return group;
}

// Array `out`.
struct Out1 {
    uint *at;
    __device__ explicit Out1(u64 address) : at((uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ void store_output1(Out1 items, u64 i, uint item)
{
    items.at[i] = item;
}

// Addresses of the arrays; and the length of those whose elements go anywhere.
struct Out {
    u64 array1;
    u64 n;
};

__device__ __forceinline__ void store_output(Out items, u64 i, Result item)
{
    if (is_given(items.array1)) store_output1(Out1(items.array1), i, item.out);
}

// The carry-in if there is one, else the identity.
__device__ __forceinline__ u64 starting_prefix(u64 carry_in)
{
    return identity();
}

// Array `count`.
struct CountsAt1 {
    u64 *at;
    __device__ explicit CountsAt1(u64 address) : at((u64 *)__cvta_global_to_generic(address)) {}
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
__device__ __forceinline__ void store_carry(u64 carry_out, CountsAt numbers, u64 total)
{
    store_number(numbers, 0u, totals_of(total));
}

__device__ __forceinline__ uint tile_count(u64 n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the first item of a tile.
__device__ __forceinline__ u64 tile_start(u64 tile, u64 n)
{
    return tile * TILE;
}

// Place in its tile of the first item of this lane's part of a row.
__device__ __forceinline__ uint row_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// The monoid's elements of one lane, row by row.
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
__device__ __forceinline__ Tile load_tile(In in_items, bool is_aligned, u64 start, u64 n)
{
    Tile tile;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = map_item(inputs.at[v]);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const u64 first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[v] = identity();
                if (first + v < n) tile.rows[row].at[v] = map_item(inputs.at[v]);
            }
        }
    }
    return tile;
}

struct TileScan {
    Elements rows[ROWS]; // inclusive in each lane's part of a row
    u64 row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    u64 total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
__device__ __forceinline__ TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v - 1u], x.at[v]);
        const u64 inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const u64 exclusive = subgroup_shift(inclusive);
        const u64 row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(scan.total, exclusive);
        scan.total = combine(scan.total, row_total);
    }
    return scan;
}

struct Sources1 {
    const uint *at;
    __device__ explicit Sources1(u64 address) : at((const uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ uint load_source1(Sources1 items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ uint load_source(In items, u64 i)
{
    return load_source1(Sources1(items.array1), i);
}

__shared__ u64 starts[TILE]; // where the items of each of the tile's elements begin among the tile's

// The element that has item j of the tile: the last whose items begin no later.
__device__ __forceinline__ uint source_of(u64 j)
{
    uint source = 0u;
    UNROLL for (uint bit = 0u; bit < 11u; bit++) {
        const uint later = source + (1024u >> bit);
        if (starts[later] <= j) source = later;
    }
    return source;
}

// Notes where the elements' items begin: `prefix` are those before the tile, subgroup_prefix those before this subgroup.
__device__ __forceinline__ void write_starts(TileScan scan, u64 prefix, u64 subgroup_prefix)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const u64 before = combine(subgroup_prefix, scan.row_prefix[row]);
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            u64 s = before;
            if (v > 0u) s = combine(before, scan.rows[row].at[v - 1u]);
            starts[row_place(row) + v] = reach(prefix, s);
        }
    }
}

// Writes the tile's items from `from` on before `to`; first: the place of the tile's first item. The whole block calls it.
__device__ __forceinline__ void write_items(In in_items, Out out_items, u64 first, u64 from, u64 to, u64 start)
{
    block_barrier();
    // All threads take part in each round, so that they are together again behind the last one.
    for (u64 round = from; round < to; round += BLOCK) {
        const u64 j = round + thread_id();
        const uint source = source_of(j);
        if (j < to) store_output(out_items, first + j, item_of(load_source(in_items, start + source), start + source, uint(j - starts[source])));
    }
}

// Writes the items of a tile: `prefix` are those before it, `end` with its own; subgroup_prefix: those before this subgroup. The whole block
// calls it.
__device__ __forceinline__ void expand_tile(In in_items, Out out_items, TileScan scan, u64 prefix, u64 subgroup_prefix, u64 end, u64 start)
{
    const u64 none = identity();
    const u64 first = reach(none, prefix);
    const u64 count = first < out_items.n ? min(reach(prefix, end), out_items.n - first) : 0u;
    write_starts(scan, prefix, subgroup_prefix);
    write_items(in_items, out_items, first, 0u, count, start);
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

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
__device__ __forceinline__ void end_launch(u64 scratch)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    store_counter(scratch, LAUNCH, launch_tag(scratch) % 0x7fffffffu);
    store_counter(scratch, TICKET, 0u);
}

// Whether the posts of `tiles` tiles, and behind them the parts of large ones, lie in what was zeroed of the scratch.
__device__ __forceinline__ bool has_posts_of(u64 scratch, uint tiles)
{
    const u64 words = DESCRIPTORS_OFFSET / 8u + u64(tiles) * 2u; // of 8 bytes
    return (words + 31u) / 32u + (u64(tiles) * 2u + 17u) / 16u <= zeroed_count(scratch);
}

const uint EMPTY = 0u;
const uint AGGREGATE = 1u;
const uint PREFIX = 2u;

struct Descriptor {
    u64 value;
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

__device__ __forceinline__ void publish(Posts posts, u64 first, uint tag, u64 x)
{
    store_word(posts, first, Word{(uint)x, (uint)(x >> 32), 0u, tag});
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
        descriptor.value = ((u64)word0.y << 32) | word0.x;
    }
    return descriptor;
}

__device__ __forceinline__ void publish_aggregate(Posts posts, uint tile, uint tag, u64 x)
{
    publish(posts, u64(tile) * WORDS, tag << 1, x);
}

__device__ __forceinline__ void publish_prefix(Posts posts, uint tile, uint tag, u64 x)
{
    publish(posts, u64(tile) * WORDS, tag << 1 | 1u, x);
}

const uint DEPTH = 2u; // consecutive descriptors of a lane, read together
const uint WINDOW = 64u; // descriptors of the subgroup
const uint NO_TILE = 0xffffffffu;

// A look-back that has come to tile `end`: what the tiles from there up to its own add up to.
struct LookBack {
    u64 aggregate;
    uint end;     // 0: that is all
    uint missing; // the tile this lane waits for, or NO_TILE
};

// Takes a look-back further, to its end. One subgroup calls it.
__device__ __forceinline__ LookBack look_back(Posts posts, uint tag, LookBack look)
{
    const uint place = lane_id() * DEPTH; // in the window, whose lowest tile is end - WINDOW
    bool is_waiting = false;
    while (look.end > 0u && !is_waiting) {
        Descriptor seen[DEPTH];
        u64 value = identity();
        bool has_prefix = false;
        uint prefix_lane = LANES;
        is_waiting = true;
        while (is_waiting) {
            // All posts are on their way together: a load that a condition leaves out would wait for the one before.
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = WINDOW - place - k;
                seen[k] = poll(posts, (back <= look.end ? look.end - back : 0u), tag);
            }
            // What this lane's tiles add up to, from its last inclusive prefix on.
            value = identity();
            look.missing = NO_TILE;
            has_prefix = false;
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = WINDOW - place - k;
                if (back > look.end) {
                    // no such tile
                } else if (seen[k].state == EMPTY) {
                    look.missing = look.end - back;
                } else if (seen[k].state == AGGREGATE) {
                    value = combine(value, seen[k].value);
                } else {
                    value = seen[k].value;
                    look.missing = NO_TILE;
                    has_prefix = true;
                }
            }
            // Lanes before the last inclusive prefix do not matter.
            prefix_lane = last_lane(has_prefix);
            if (prefix_lane < LANES && lane_id() < prefix_lane) {
                value = identity();
                look.missing = NO_TILE;
            }
            is_waiting = last_lane(look.missing != NO_TILE) < LANES;
        }
        value = shuffle(subgroup_scan(value), LANES - 1u);
        look.aggregate = combine(value, look.aggregate);
        look.end = prefix_lane < LANES || look.end <= WINDOW ? 0u : look.end - WINDOW;
    }
    return look;
}

__shared__ uint ticket;
__shared__ u64 first_prefix; // what comes before tile 0
__shared__ u64 tile_prefix;

// A tile that has been summed up and is to be finished.
struct Summed {
    uint tile;
    TileScan scan;
    BlockScan block;
};

// Takes the next tile, sums it up and posts the sum; from tile_count(n) on there is none. Tiles are taken in the order in which blocks come to
// run: every tile before has been begun. is_left: whether there can be one. The whole block calls it.
__device__ __forceinline__ Summed sum_next_tile(In in_items, bool is_aligned, Posts posts, uint tag, u64 n, u64 scratch, u64 carry_in, bool is_left)
{
    Summed summed;
    if (thread_id() == 0u) ticket = is_left ? take_ticket(scratch) : NO_TILE;
    block_barrier();
    const uint tile = ticket;
    summed.tile = tile;
    if (tile >= tile_count(n)) {
        if (thread_id() == 0u) end_launch(scratch);
        return summed;
    }

    summed.scan = scan_tile(load_tile(in_items, is_aligned, tile_start(tile, n), n));
    summed.block = block_scan(summed.scan.total);
    if (thread_id() == 0u && tile == 0u) { // by one: carry-in may be carry-out
        const u64 first = starting_prefix(carry_in);
        first_prefix = first;
        publish_prefix(posts, tile, tag, combine(first, summed.block.total));
    }
    if (thread_id() == 0u && tile > 0u) publish_aggregate(posts, tile, tag, summed.block.total);
    return summed;
}

extern "C" __global__ void __launch_bounds__(BLOCK, 8) scan_lookback_wide(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In{params.buffers[0]};
    Out out_items = Out{params.buffers[1], n};
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    const uint tag = launch_tag(params.scratch);
    const uint tiles = tile_count(n);
    if (!has_posts_of(params.scratch, tiles)) return;
    block_barrier_all_memory(); // all have read the tag before one of them ends the launch

    // Before a tile waits for what comes before it, the next one is summed up: its items come, and others learn its sum, in the meantime.
    Summed next;
    uint round = 0u; // it has no tile to finish
    do {
        const Summed summed = next;
        next = sum_next_tile(in_items, in_is_aligned, posts, tag, n, params.scratch, params.carry_in, round == 0u || tiles > block_count());
        round++;
        if (round == 1u) continue;

        const uint tile = summed.tile;
        LookBack look;
        look.aggregate = identity();
        look.end = tile;
        look.missing = NO_TILE;
        if (tile == 0u && thread_id() == 0u) look.aggregate = first_prefix;
        if (subgroup_id() == 0u) look = look_back(posts, tag, look);
        if (thread_id() == 0u) {
            tile_prefix = look.aggregate;
            const u64 inclusive = combine(look.aggregate, summed.block.total);
            if (tile > 0u) publish_prefix(posts, tile, tag, inclusive);
        }
        block_barrier();
        const u64 prefix = tile_prefix;
        const u64 subgroup_prefix = combine(prefix, summed.block.before);
        const u64 end = combine(prefix, summed.block.total);
        if (is_given(params.buffers[1])) expand_tile(in_items, out_items, summed.scan, prefix, subgroup_prefix, end, tile_start(tile, n));
        if (tile == tiles - 1u && thread_id() == 0u) store_carry(params.carry_out, CountsAt{params.buffers[2]}, end);
    } while (next.tile < tiles);
    if (tiles == 0u && block_id() == 0u && thread_id() == 0u) store_carry(params.carry_out, CountsAt{params.buffers[2]}, starting_prefix(params.carry_in));
}
// ---- append_small, kernel 4 of 4: zero_scratch
// append_small: append of u32 to out, count
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 128, subgroup 32, items 16, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 128u; // threads of a block

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // in: u32[n], 4-byte aligned; out: u32[n], 4-byte aligned; count: u64, 8-byte aligned
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

extern "C" __global__ void __launch_bounds__(BLOCK, 8) zero_scratch(const __grid_constant__ Parameters params)
{
    const uint chunks = chunks_of_65536(params.n);
    const uint rest = uint(params.n % 65536u) / 4u; // words of the last chunk
    for (uint chunk = block_id(); chunk <= chunks; chunk += block_count()) {
        Words words = Words(address_after(params.scratch, chunk, 65536u));
        const uint count = chunk < chunks ? 16384u : rest;
        for (uint i = thread_id(); i < count; i += BLOCK) words.at[i] = chunk == 0u && i == 1u ? chunks * 256u + rest / 64u : 0u;
    }
}
