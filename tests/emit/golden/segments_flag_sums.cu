// monosweep gen tests/corpus/segments.lua --op flag_sums --target cuda --set strategy=lookback --set counts=32
// ---- flag_sums, kernel 1 of 2: scan_lookback
// flag_sums: segmented_reduce of in, segments to out, count
// monosweep 0.1.0, templates/scan/lookback.tpl, strategy lookback: block 256, subgroup 32, items 12, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned char u8;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 256u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint ROWS = 3u; // of a tile, for each subgroup
constexpr uint TILE = 3072u; // items of a tile

// Addresses are device addresses, 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // not used
    u64 carry_out; // not used
    u64 buffers[8]; // in: u32[n], 4-byte aligned; segments: u8[n], 4-byte aligned; out: u32[n], 4-byte aligned; count: u64, 8-byte aligned
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

struct Headed {
    uint heads;
    uint value;
};

struct Element {
    uint in;
    u8 segments;
};

struct Result {
    uint out;
    uint place_of_out;
    uint keeps_out;
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
    return Headed{near_.first != 0u || x.segments != 0 ? 1u : 0u, x.in};
}

__device__ __forceinline__ Result output_item(Headed state, Element x, u64 i, Near near_)
{
    return Result{state.value, state.heads - 1u, near_.last != 0u || near_.after.segments != 0 ? 1u : 0u};
}

__device__ __forceinline__ uint continued_value(Headed before, uint own)
{
    return before.value + own;
}

__device__ __forceinline__ Counts totals_of(Headed total)
{
    return Counts{(u64)total.heads};
}

__device__ __forceinline__ Headed identity()
{
    return Headed{0u, 0u};
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

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
__device__ __forceinline__ Headed subgroup_scan_of(Headed x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const Headed earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
__device__ __forceinline__ Headed subgroup_scan(Headed x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
__device__ __forceinline__ Headed subgroup_shift(Headed x)
{
    const Headed earlier = shuffle_up(x, 1u);
    if (lane_id() == 0u) return identity();
    return earlier;
}

// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    Headed before;
    Headed total;
};

const uint TOTALS = 8u; // one for each subgroup
__shared__ Headed subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
__device__ __forceinline__ BlockScan block_scan(Headed subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    Headed total = identity();
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

// Array `segments`.
struct In2 {
    const u8 *at;
    __device__ explicit In2(u64 address) : at((const u8 *)address) {}
};

struct Inputs2 {
    alignas(4) u8 at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
__device__ __forceinline__ Inputs2 load_full_inputs2(In2 items, u64 start)
{
    return *(const Inputs2 *)(items.at + start);
}

// Items start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs2 load_inputs2(In2 items, u64 start, u64 n)
{
    Inputs2 group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

// Addresses of the arrays.
struct In {
    u64 array1, array2;
};

struct Inputs {
    Element at[VECTOR];
};

// Elements start .. start + VECTOR - 1, all below n; the first items' addresses are vector-aligned.
__device__ __forceinline__ Inputs load_full_inputs(In items, u64 start)
{
    const Inputs1 group1 = load_full_inputs1(In1(items.array1), start);
    const Inputs2 group2 = load_full_inputs2(In2(items.array2), start);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = Element{group1.at[v], group2.at[v]};
    return group;
}

// Elements start .. start + VECTOR - 1; those from n on are not read.
__device__ __forceinline__ Inputs load_inputs(In items, u64 start, u64 n)
{
    const Inputs1 group1 = load_inputs1(In1(items.array1), start, n);
    const Inputs2 group2 = load_inputs2(In2(items.array2), start, n);
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = Element{group1.at[v], group2.at[v]};
    return group;
}

struct Neighbours1 {
    const uint *at;
    __device__ explicit Neighbours1(u64 address) : at((const uint *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ uint load_neighbour1(Neighbours1 items, u64 i)
{
    return items.at[i];
}

struct Neighbours2 {
    const u8 *at;
    __device__ explicit Neighbours2(u64 address) : at((const u8 *)__cvta_global_to_generic(address)) {}
};

__device__ __forceinline__ u8 load_neighbour2(Neighbours2 items, u64 i)
{
    return items.at[i];
}

__device__ __forceinline__ Element load_neighbour(In items, u64 i)
{
    return Element{load_neighbour1(Neighbours1(items.array1), i), load_neighbour2(Neighbours2(items.array2), i)};
}

// What is beside a group of items: zeros beyond the ends.
struct Edges {
    Element before, after;
};

// Of the elements start .. start + VECTOR - 1; where some are beyond n it means nothing.
__device__ __forceinline__ Edges load_edges(In items, u64 start, u64 n)
{
    Edges edges;
    edges.before = Element{0u, 0};
    edges.after = Element{0u, 0};
    if (start > 0u && start < n) edges.before = load_neighbour(items, start - 1u);
    if (start + VECTOR < n) edges.after = load_neighbour(items, start + VECTOR);
    return edges;
}

// Of item `v` of a group, which is the array's item `i`.
__device__ __forceinline__ Near near_of(Inputs inputs, Edges edges, uint v, u64 i, u64 n)
{
    Element before = edges.before, after = edges.after;
    if (v > 0u) before = inputs.at[v - 1u];
    if (v + 1u < VECTOR) after = inputs.at[v + 1u];
    if (i + 1u >= n) after = Element{0u, 0};
    return Near{before, after, i == 0u ? 1u : 0u, i + 1u == n ? 1u : 0u};
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

// Addresses of the arrays.
struct Out {
    u64 array1;
};

// The carry-in if there is one, else the identity.
__device__ __forceinline__ Headed starting_prefix(u64 carry_in)
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
__device__ __forceinline__ void store_carry(u64 carry_out, CountsAt numbers, Headed total)
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

// Array `out`: what a tile has of it.
__shared__ uint packed1[TILE + 1u];

// Whether a tile's first item is the first of its place, and its last one the last.
__shared__ uint begins_run;
__shared__ uint ends_run;

const uint COPIES = 4u; // that a thread has in flight

// Writes `count` packed items, the array's from `first` on; item `low` is, or would be, the room's first. Each subgroup writes whole lines. The whole
// block calls it.
__device__ __forceinline__ void leave_output1(u64 array, uint low, uint first, uint count, Headed before)
{
    const uint lead = (first + place_in_line(array) / 4u) % 32u;
    for (uint round = 0u; round < lead + count; round += COPIES * BLOCK) {
        uint moved[COPIES];
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            const uint at = round + thread_id() + c * BLOCK - lead;
            if (at < count) {
                moved[c] = packed1[first - low + at];
                if (first + at == low) moved[c] = continued_value(before, moved[c]); // of a run that began before the tile
            }
        }
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            const uint at = round + thread_id() + c * BLOCK - lead;
            if (at < count) store_output1(Out1(array), first + at, moved[c]);
        }
    }
}

// Writes the outputs of a tile that has been packed, which has the items `start` to `past` - 1. `before` is what comes before it, `end` the same
// with it. The whole block calls it.
__device__ __forceinline__ void leave_tile(Out out_items, u64 start, u64 past, Headed before, Headed end, bool is_head, bool is_tail)
{
    const Counts count_before = totals_of(before), count_after = totals_of(end);
    if (is_given(out_items.array1)) {
        const uint low = (uint)count_before.count - 1u, high = (uint)count_after.count - 1u;
        const uint has_low = !is_head && (high != low || is_tail) ? 1u : 0u;
        leave_output1(out_items.array1, low, low + 1u - has_low, high - low + has_low + (is_tail ? 1u : 0u) - (high != low || has_low != 0u ? 1u : 0u), before);
    }
}

// A lane's items of a tile, row by row.
struct Items {
    Inputs rows[ROWS];
    Edges edges[ROWS];
};

// Of those from n on they mean nothing.
__device__ __forceinline__ Items load_items(In in_items, bool is_aligned, u64 start, u64 n)
{
    Items items;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) items.rows[row] = load_full_inputs(in_items, start + row_place(row));
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) items.rows[row] = load_inputs(in_items, start + row_place(row), n);
    }
    UNROLL for (uint row = 0u; row < ROWS; row++) items.edges[row] = load_edges(in_items, start + row_place(row), n);
    return items;
}

struct RowScan {
    Headed before[ROWS]; // what comes before the lane's part of a row in the subgroup's rows
    Headed total; // of the subgroup's rows
};

// By the same tree as a tile whose results are not put together.
__device__ __forceinline__ RowScan scan_items(Items items, u64 start, u64 n)
{
    Headed sums[ROWS];
    if (start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const Headed x = map_item(items.rows[row].at[v], start + row_place(row) + v, near_of(items.rows[row], items.edges[row], v, start + row_place(row) + v, n));
                sums[row] = v == 0u ? x : combine(sums[row], x);
            }
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            sums[row] = identity();
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                Headed x = identity();
                if (start + row_place(row) + v < n) x = map_item(items.rows[row].at[v], start + row_place(row) + v, near_of(items.rows[row], items.edges[row], v, start + row_place(row) + v, n));
                sums[row] = v == 0u ? x : combine(sums[row], x);
            }
        }
    }
    RowScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const Headed inclusive = subgroup_scan(sums[row]);
        const Headed earlier = subgroup_shift(inclusive);
        const Headed row_total = shuffle(inclusive, LANES - 1u);
        scan.before[row] = combine(scan.total, earlier);
        scan.total = combine(scan.total, row_total);
    }
    return scan;
}

// Puts together what is packed of a tile that has been summed up. Barriers of the block must lie between it and the tile's way
// out, and the one of the tile before. The whole block calls it.
__device__ __forceinline__ void pack_tile(Out out_items, Items items, RowScan scan, BlockScan block, u64 start, u64 n)
{
    const uint count = n - start < TILE ? uint(n - start) : TILE;
    const Headed first_state = Headed{1u, 0u};
    const Counts count_before = totals_of(first_state);
    const Headed subgroup_state = combine(first_state, block.before);
    const uint low1 = (uint)count_before.count - 1u;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Headed prefix = combine(subgroup_state, scan.before[row]);
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            const Headed x = map_item(items.rows[row].at[v], start + row_place(row) + v, near_of(items.rows[row], items.edges[row], v, start + row_place(row) + v, n));
            const Headed inclusive = combine(prefix, x);
            const Result result = output_item(inclusive, items.rows[row].at[v], start + row_place(row) + v, near_of(items.rows[row], items.edges[row], v, start + row_place(row) + v, n));
            const bool is_there = row_place(row) + v < count;
            prefix = inclusive;
            if (row == 0u && v == 0u && thread_id() == 0u) begins_run = (uint)totals_of(inclusive).count != (uint)count_before.count ? 1u : 0u;
            if (row == ROWS - 1u && v == VECTOR - 1u && thread_id() == BLOCK - 1u) ends_run = !is_there || result.keeps_out != 0u ? 1u : 0u; // n ends all
            if (is_there && result.keeps_out != 0u) packed1[result.place_of_out - low1] = result.out;
        }
    }
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
    store_word(posts, first, Word{x.heads, x.value, 0u, tag});
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
        descriptor.value = Headed{word0.x, word0.y};
    }
    return descriptor;
}

__device__ __forceinline__ void publish_aggregate(Posts posts, uint tile, uint tag, Headed x)
{
    publish(posts, u64(tile) * WORDS, tag << 1, x);
}

__device__ __forceinline__ void publish_prefix(Posts posts, uint tile, uint tag, Headed x)
{
    publish(posts, u64(tile) * WORDS, tag << 1 | 1u, x);
}

const uint DEPTH = 1u; // consecutive descriptors of a lane, read together
const uint WINDOW = 32u; // descriptors of the subgroup
const uint NO_TILE = 0xffffffffu;

// A look-back that has come to tile `end`: what the tiles from there up to its own add up to.
struct LookBack {
    Headed aggregate;
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
        UNROLL for (uint k = 0u; k < DEPTH; k++) seen[k].state = EMPTY;
        Headed value = identity();
        bool has_prefix = false;
        uint prefix_lane = LANES;
        is_waiting = true;
        while (is_waiting) {
            UNROLL for (uint k = 0u; k < DEPTH; k++) {
                const uint back = WINDOW - place - k;
                if (back <= look.end && seen[k].state == EMPTY) seen[k] = poll(posts, look.end - back, tag);
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
__shared__ Headed first_prefix; // what comes before tile 0
__shared__ Headed tile_prefix;

// A tile that has been summed up and is to be finished.
struct Summed {
    uint tile;
    Items items;
    RowScan scan;
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

    const Items items = load_items(in_items, is_aligned, tile_start(tile, n), n);
    summed.items = items;
    summed.scan = scan_items(items, tile_start(tile, n), n);
    summed.block = block_scan(summed.scan.total);
    if (thread_id() == 0u && tile == 0u) { // by one: carry-in may be carry-out
        const Headed first = starting_prefix(carry_in);
        first_prefix = first;
        publish_prefix(posts, tile, tag, combine(first, summed.block.total));
    }
    if (thread_id() == 0u && tile > 0u) publish_aggregate(posts, tile, tag, summed.block.total);
    return summed;
}

extern "C" __global__ void __launch_bounds__(BLOCK) scan_lookback(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In{params.buffers[0], params.buffers[1]};
    Out out_items = Out{params.buffers[2]};
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]) && is_vector_aligned(params.buffers[1]);
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
        if (round > 0u) {
            if (is_given(params.buffers[2])) pack_tile(out_items, summed.items, summed.scan, summed.block, tile_start(summed.tile, n), n);
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
            const Headed inclusive = combine(look.aggregate, summed.block.total);
            if (tile > 0u) publish_prefix(posts, tile, tag, inclusive);
        }
        block_barrier();
        const Headed prefix = tile_prefix;
        const Headed end = combine(prefix, summed.block.total);
        if (is_given(params.buffers[2])) leave_tile(out_items, tile_start(tile, n), min(tile_start(tile, n) + TILE, n), prefix, end, begins_run != 0u, ends_run != 0u);
        if (tile == tiles - 1u && thread_id() == 0u) store_carry(params.carry_out, CountsAt{params.buffers[3]}, end);
        block_barrier(); // the next tile's results take the place of these
    } while (next.tile < tiles);
    if (tiles == 0u && block_id() == 0u && thread_id() == 0u) store_carry(params.carry_out, CountsAt{params.buffers[3]}, starting_prefix(params.carry_in));
}
// ---- flag_sums, kernel 2 of 2: zero_scratch
// flag_sums: segmented_reduce of in, segments to out, count
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 256, subgroup 32, items 12, vector 4
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
    u64 buffers[8]; // in: u32[n], 4-byte aligned; segments: u8[n], 4-byte aligned; out: u32[n], 4-byte aligned; count: u64, 8-byte aligned
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
