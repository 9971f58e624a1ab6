// monosweep gen tests/corpus/append.lua --op append_strewn --target cuda --set strategy=block_atomic
// ---- append_strewn, kernel 1 of 4: scan_block_atomic
// append_strewn: append of u32 to out, count
// monosweep 0.1.0, templates/scan/any_order.tpl, strategy block_atomic: block 128, subgroup 32, items 24, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned short u16;
typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 128u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint ROWS = 6u; // of a tile, for each subgroup
constexpr uint TILE = 3072u; // items of a tile

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
    return Result{(uint)i * 8u + k};
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

const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TURN = 2u; // launches that have ended, modulo 2
const uint PARTS = 3u; // parts of large tiles' items: launches count them here and in the next word, by turns
const uint ROOM = 32u; // items that have room, in 8 bytes
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

// Of 8 bytes. Adds; returns what was there.
__device__ __forceinline__ u64 add_wide_counter(u64 scratch, uint counter, u64 value)
{
    return atomicAdd((u64 *)((uint *)scratch + counter), value);
}

// Of 8 bytes. Returns what was there.
__device__ __forceinline__ u64 exchange_wide_counter(u64 scratch, uint counter, u64 value)
{
    return atomicExch((u64 *)((uint *)scratch + counter), value);
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

// Units of 256 bytes of the scratch that were zeroed.
__device__ __forceinline__ u64 zeroed_count(u64 scratch)
{
    return constant_counter(scratch, ZEROED);
}

// Takes room for that many items; returns where it begins.
__device__ __forceinline__ u64 take_room(u64 scratch, u64 count)
{
    return add_wide_counter(scratch, ROOM, count);
}

// How many items have taken room; the next launch begins anew.
__device__ __forceinline__ u64 end_rooms(u64 scratch)
{
    return exchange_wide_counter(scratch, ROOM, identity());
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

const uint PART = 24576u; // items

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

// Whether all parts that `tiles` tiles can leave lie in what was zeroed of the scratch, behind what else it has.
__device__ __forceinline__ bool has_parts_of(u64 scratch, uint tiles)
{
    return 2u + (u64(tiles) * 2u + 17u) / 16u <= zeroed_count(scratch);
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

struct Starts {
    uint at[VECTOR];
};

// Where items begin among the tile's.
struct TileScan {
    Starts rows[ROWS]; // each element's
    uint ends[ROWS];   // and those of the element after the lane's part of a row
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
        scan.ends[row] = total + inclusive;
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
        scan.ends[row] += before;
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

__shared__ alignas(16) u16 starts[TILE]; // where the items of each of the tile's elements begin among the tile's

// The element that has item j of the tile, the same in all lanes: the last whose items begin no later. All lanes of the subgroup call it.
__device__ __forceinline__ uint source_of(uint j)
{
    uint source = 0u;
    source += last_lane(starts[source + lane_id() * 96u] <= j) * 96u;
    source += last_lane(starts[source + lane_id() * 3u] <= j) * 3u;
    source += last_lane(lane_id() * 1u < 3u && starts[source + lane_id()] <= j);
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

__shared__ alignas(16) u16 marks[CHUNK]; // at the first item of an element its place in the tile, plus 1; at all others 0

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
            if ((heads.rows[row] >> v & 1u) != 0u && begin < count && place < CHUNK) marks[place] = (u16)(row_place(row) + v + 1u);
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

// Notes where the elements' items begin. Returns which have any.
__device__ __forceinline__ Heads write_starts(TileScan scan)
{
    Heads heads;
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        heads.rows[row] = 0u;
        uint end = scan.ends[row];
        UNROLL for (uint next = VECTOR; next > 0u; next--) {
            const uint begin = scan.rows[row].at[next - 1u];
            if (begin != end) heads.rows[row] |= 1u << (next - 1u);
            end = begin;
        }
        UNROLL for (uint v = 0u; v < VECTOR; v++) starts[row_place(row) + v] = (u16)(scan.rows[row].at[v]);
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
            UNROLL for (uint v = 0u; v < VECTOR; v++) marks[(g * BLOCK + thread_id()) * VECTOR + v] = (u16)(0u);
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

__shared__ uint left_turn; // where this launch counts its parts

// Leaves the items of a tile to the next launch. The whole block calls it.
__device__ __forceinline__ void leave_parts(u64 scratch, uint tile, uint first, uint count)
{
    if (thread_id() == 0u) left_turn = parts_turn(scratch); // it ends the block's launch later
    block_barrier();
    Parts parts = Parts(scratch);
    const uint end = count / PART + (count % PART != 0u ? 1u : 0u);
    for (uint p = thread_id(); p < end; p += BLOCK) {
        const Part part = Part{tile, p * PART, first, count};
        parts.at[part_place(scratch, take_part(scratch, left_turn))] = part;
    }
}

// Writes the items of a tile: `prefix` are those before it, `end` with its own. The whole block
// calls it. Many are left to the next launch.
__device__ __forceinline__ void expand_tile(In in_items, Out out_items, TileScan scan, u64 prefix, u64 end, uint tile, u64 start, u64 scratch)
{
    const u64 none = identity();
    const uint first = reach(none, prefix);
    const uint count = first < out_items.n ? min(reach(prefix, end), uint(out_items.n - first)) : 0u;
    if (scan.total > PART) {
        leave_parts(scratch, tile, first, count);
        return;
    }
    const Heads heads = write_starts(scan);
    write_items(in_items, out_items, heads, first, 0u, count, start);
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

__shared__ u64 tile_room; // where the tile's items begin

extern "C" __global__ void __launch_bounds__(BLOCK, 8) scan_block_atomic(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In{params.buffers[0]};
    Out out_items = Out{params.buffers[1], n};
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const TileRange tiles = owned_tiles(tile_count(n));
    if (!has_parts_of(params.scratch, tile_count(n))) return;

    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const u64 start = tile_start(tile, n);
        const TileScan scan = scan_lengths(load_tile(in_items, in_is_aligned, start, n));
        const u64 length = tile_length(scan.total, in_items, start, n);
        if (thread_id() == 0u) tile_room = take_room(params.scratch, length);
        block_barrier();
        if (is_given(params.buffers[1])) {
            const u64 prefix = tile_room;
            const u64 end = combine(prefix, length);
            expand_tile(in_items, out_items, scan, prefix, end, tile, start, params.scratch);
        }
    }
    if (thread_id() != 0u || !is_last_block(params.scratch, finish_block(params.scratch))) return;
    store_carry(params.carry_out, CountsAt{params.buffers[2]}, end_rooms(params.scratch));
    end_parts(params.scratch);
}
// ---- append_strewn, kernel 2 of 4: expand_parts
// append_strewn: append of u32 to out, count
// monosweep 0.1.0, templates/scan/expand_parts.tpl, strategy block_atomic: block 128, subgroup 32, items 24, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 128u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint ROWS = 6u; // of a tile, for each subgroup
constexpr uint TILE = 3072u; // items of a tile

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
    return Result{(uint)i * 8u + k};
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

const uint PART = 24576u; // items

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

// Whether all parts that `tiles` tiles can leave lie in what was zeroed of the scratch, behind what else it has.
__device__ __forceinline__ bool has_parts_of(u64 scratch, uint tiles)
{
    return 2u + (u64(tiles) * 2u + 17u) / 16u <= zeroed_count(scratch);
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
    source += last_lane(starts[source + lane_id() * 96u] <= j) * 96u;
    source += last_lane(starts[source + lane_id() * 3u] <= j) * 3u;
    source += last_lane(lane_id() * 1u < 3u && starts[source + lane_id()] <= j);
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
    if (!has_parts_of(params.scratch, tile_count(n))) return; // what lies there an earlier enqueue left
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
// ---- append_strewn, kernel 3 of 4: scan_block_atomic_wide
// append_strewn: append of u32 to out, count
// monosweep 0.1.0, templates/scan/any_order.tpl, strategy block_atomic: block 128, subgroup 32, items 24, vector 4
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")

typedef unsigned int uint;
typedef unsigned long long u64;

constexpr uint BLOCK = 128u; // threads of a block
constexpr uint LANES = 32u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
constexpr uint VECTOR = 4u; // consecutive items of a lane
constexpr uint ROWS = 6u; // of a tile, for each subgroup
constexpr uint TILE = 3072u; // items of a tile

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
    return Result{(uint)i * 8u + k};
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

const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint ROOM = 32u; // items that have room, in 8 bytes
const uint FINISHED = 64u; // blocks that need none of the counters any more

// One that does not change during a launch.
__device__ __forceinline__ uint constant_counter(u64 scratch, uint counter)
{
    return ((const uint *)scratch)[counter];
}

__device__ __forceinline__ void store_counter(u64 scratch, uint counter, uint value)
{
    ((volatile uint *)scratch)[counter] = value;
}

// Of 8 bytes. Adds; returns what was there.
__device__ __forceinline__ u64 add_wide_counter(u64 scratch, uint counter, u64 value)
{
    return atomicAdd((u64 *)((uint *)scratch + counter), value);
}

// Of 8 bytes. Returns what was there.
__device__ __forceinline__ u64 exchange_wide_counter(u64 scratch, uint counter, u64 value)
{
    return atomicExch((u64 *)((uint *)scratch + counter), value);
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

// Units of 256 bytes of the scratch that were zeroed.
__device__ __forceinline__ u64 zeroed_count(u64 scratch)
{
    return constant_counter(scratch, ZEROED);
}

// Takes room for that many items; returns where it begins.
__device__ __forceinline__ u64 take_room(u64 scratch, u64 count)
{
    return add_wide_counter(scratch, ROOM, count);
}

// How many items have taken room; the next launch begins anew.
__device__ __forceinline__ u64 end_rooms(u64 scratch)
{
    return exchange_wide_counter(scratch, ROOM, identity());
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
    UNROLL for (uint bit = 0u; bit < 12u; bit++) {
        const uint later = source + (2048u >> bit);
        if (later < TILE && starts[later] <= j) source = later;
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

__shared__ u64 tile_room; // where the tile's items begin

extern "C" __global__ void __launch_bounds__(BLOCK, 8) scan_block_atomic_wide(const __grid_constant__ Parameters params)
{
    const u64 n = element_count(params.n, params.n_address);
    In in_items = In{params.buffers[0]};
    Out out_items = Out{params.buffers[1], n};
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const TileRange tiles = owned_tiles(tile_count(n));
    if (zeroed_count(params.scratch) < 2u) return; // the counters

    for (uint tile = tiles.first; tile < tiles.end; tile++) {
        const u64 start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);
        if (thread_id() == 0u) tile_room = take_room(params.scratch, block.total);
        block_barrier();
        if (is_given(params.buffers[1])) {
            const u64 prefix = tile_room;
            const u64 subgroup_prefix = combine(prefix, block.before);
            const u64 end = combine(prefix, block.total);
            expand_tile(in_items, out_items, scan, prefix, subgroup_prefix, end, start);
        }
    }
    if (thread_id() != 0u || !is_last_block(params.scratch, finish_block(params.scratch))) return;
    store_carry(params.carry_out, CountsAt{params.buffers[2]}, end_rooms(params.scratch));
}
// ---- append_strewn, kernel 4 of 4: zero_scratch
// append_strewn: append of u32 to out, count
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 128, subgroup 32, items 24, vector 4
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
