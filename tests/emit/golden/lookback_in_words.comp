// monosweep gen tests/corpus/maps.lua --op affine --target glsl --without int64,atomic64 --set strategy=lookback --quiet
// ---- affine, kernel 1 of 2: scan_lookback
// affine: inclusive scan of Affine by monoid of Affine
// monosweep 0.1.0, templates/scan/lookback.tpl, strategy lookback: block 256, subgroup 32, items 12, vector 2
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]

layout(local_size_x = 256) in;

const uint LANES = 32u; // of a subgroup
const uint VECTOR = 2u; // consecutive items of a lane
const uint ROWS = 6u; // of a tile, for each subgroup
const uint TILE = 3072u; // items of a tile

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // Affine: what comes before all elements
    uvec2 carry_out; // Affine: what all add up to
    uvec2 buffers[8]; // in: Affine[n], 4-byte aligned; out: Affine[n], 4-byte aligned
    uint argument;
} params;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Count {
    uvec2 value;
};

bool is_given(uvec2 address)
{
    return address != uvec2(0u);
}

bool is_vector_aligned(uvec2 address)
{
    return (address.x & 15u) == 0u;
}

uvec2 address_at(uvec2 address, uint offset_bytes)
{
    const uint low = address.x + offset_bytes;
    return uvec2(low, address.y + uint(low < offset_bytes));
}

uint element_count(uvec2 n, uvec2 n_address)
{
    if (!is_given(n_address)) return n.x;
    const uvec2 count = Count(n_address).value;
    return count.y == 0u ? min(count.x, n.x) : n.x;
}

uint block_id()
{
    return gl_WorkGroupID.x;
}

uint block_count()
{
    return gl_NumWorkGroups.x;
}

// Orders what the threads of the block do in shared memory alone.
void block_barrier()
{
    barrier();
}

// A block_barrier that orders what they do in buffers, too.
void block_barrier_all_memory()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
}

uint lane_id()
{
    return gl_SubgroupInvocationID;
}

uint subgroup_id()
{
    return gl_SubgroupID;
}

uint thread_id()
{
    return subgroup_id() * LANES + lane_id();
}

struct Affine {
    uint a;
    uint b;
};

Affine combine(Affine f, Affine g)
{
    return Affine(f.a * g.a, f.b * g.a + g.b);
}

Affine identity()
{
    return Affine(1u, 0u);
}

// The value of another lane. All lanes of the subgroup call it.
Affine shuffle(Affine x, uint lane)
{
    return Affine(subgroupShuffle(x.a, lane), subgroupShuffle(x.b, lane));
}

// The value of the lane `distance` before; any value where there is none.
Affine shuffle_up(Affine x, uint distance)
{
    return Affine(subgroupShuffleUp(x.a, distance), subgroupShuffleUp(x.b, distance));
}

// The last lane for which p holds, or LANES. All lanes of the subgroup call it.
uint last_lane(bool p)
{
    const uvec4 lanes = subgroupBallot(p);
    return lanes == uvec4(0u) ? LANES : subgroupBallotFindMSB(lanes);
}

// The monoid's elements of one lane in one row.
struct Elements {
    Affine at[VECTOR];
};

// Inclusive scan of one value a lane, in the first `lanes` lanes (Kogge-Stone). All lanes of the subgroup call it.
Affine subgroup_scan_of(Affine x, uint lanes)
{
    UNROLL for (uint step = 1u; step < lanes; step *= 2u) {
        const Affine earlier = shuffle_up(x, step);
        if (lane_id() >= step) x = combine(earlier, x);
    }
    return x;
}

// Inclusive scan of one value a lane. All lanes of the subgroup call it.
Affine subgroup_scan(Affine x)
{
    return subgroup_scan_of(x, LANES);
}

// The value of the lane before; the identity in lane 0.
Affine subgroup_shift(Affine x)
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

const uint TOTALS = 8u; // one for each subgroup
shared Affine subgroup_totals[TOTALS];

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan(Affine subgroup_total)
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[subgroup_id()] = subgroup_total;
    block_barrier();

    // 8 totals: every subgroup scans them for itself.
    Affine total = identity();
    if (lane_id() < TOTALS) total = subgroup_totals[lane_id()];
    total = subgroup_scan_of(total, TOTALS);
    scan.before = shuffle(subgroup_shift(total), subgroup_id());
    scan.total = shuffle(total, TOTALS - 1u);
    block_barrier();
    return scan;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer In {
    Affine at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer InWords {
    uvec4 at[];
};

struct Inputs {
    Affine at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
Inputs load_full_inputs(In items, uint start)
{
    Inputs group;
    InWords words = InWords(uvec2(items));
    const uint first = start / VECTOR;
    const uvec4 word0 = words.at[first];
    group.at[0] = Affine(word0.x, word0.y);
    group.at[1] = Affine(word0.z, word0.w);
    return group;
}

// Items start .. start + VECTOR - 1; those from n on are not read.
Inputs load_inputs(In items, uint start, uint n)
{
    Inputs group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Out {
    Affine at[];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer OutWords {
    uvec4 at[];
};

struct Outputs {
    Affine at[VECTOR];
};

// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_outputs(Out items, uint start, Outputs group)
{
    OutWords words = OutWords(uvec2(items));
    const uint first = start / VECTOR;
    words.at[first] = uvec4(group.at[0].a, group.at[0].b, group.at[1].a, group.at[1].b);
}

// Items start .. start + VECTOR - 1 but for those from n on.
void store_outputs(Out items, uint start, uint n, Outputs group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = group.at[v];
    }
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Carry {
    Affine at[];
};

// The first item alone.
Affine load_first_elements(Carry items)
{
    return items.at[0];
}

void store_first_elements(Carry items, Affine item)
{
    items.at[0] = item;
}

// The carry-in if there is one, else the operation's init.
Affine starting_prefix(uvec2 carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return Affine(3u, 5u);
}

// One thread's total becomes the carry-out, if one is asked for.
void store_carry(uvec2 carry_out, Affine total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
}

uint tile_count(uint n)
{
    return (n + (TILE - 1u)) / TILE; // a plan's n_max leaves room for the sum
}

// Index of the first item of a tile.
uint tile_start(uint tile, uint n)
{
    return tile * TILE;
}

// Place in its tile of the first item of this lane's part of a row.
uint row_place(uint row)
{
    return ((subgroup_id() * ROWS + row) * LANES + lane_id()) * VECTOR;
}

// The monoid's elements of one lane, row by row.
struct Tile {
    Elements rows[ROWS];
};

// The tile's items as the monoid's elements; the identity beyond n.
Tile load_tile(In in_items, bool is_aligned, uint start, uint n)
{
    Tile tile;
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Inputs inputs = load_full_inputs(in_items, first);
            UNROLL for (uint v = 0u; v < VECTOR; v++) tile.rows[row].at[v] = inputs.at[v];
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Inputs inputs = load_inputs(in_items, first, n);
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                tile.rows[row].at[v] = identity();
                if (first + v < n) tile.rows[row].at[v] = inputs.at[v];
            }
        }
    }
    return tile;
}

struct TileScan {
    Elements rows[ROWS]; // inclusive in each lane's part of a row
    Affine row_prefix[ROWS]; // what comes before that part in the subgroup's rows
    Affine total; // of the subgroup's rows
};

// Each row: a lane's own items, then across the lanes, then after the rows before it.
TileScan scan_tile(Tile tile)
{
    TileScan scan;
    scan.total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Elements x = tile.rows[row];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x.at[v] = combine(x.at[v - 1u], x.at[v]);
        const Affine inclusive = subgroup_scan(x.at[VECTOR - 1u]);
        const Affine exclusive = subgroup_shift(inclusive);
        const Affine row_total = shuffle(inclusive, LANES - 1u);
        scan.rows[row] = x;
        scan.row_prefix[row] = combine(scan.total, exclusive);
        scan.total = combine(scan.total, row_total);
    }
    return scan;
}

// Writes the scan of the tile after `prefix`, which holds what comes before this subgroup.
void store_tile(Out out_items, bool is_aligned, TileScan scan, Affine prefix, uint start, uint n)
{
    if (is_aligned && start + TILE <= n) {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Affine before = combine(prefix, scan.row_prefix[row]);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const Affine s = combine(before, scan.rows[row].at[v]);
                outputs.at[v] = s;
            }
            store_full_outputs(out_items, first, outputs);
        }
    } else {
        UNROLL for (uint row = 0u; row < ROWS; row++) {
            const uint first = start + row_place(row);
            const Affine before = combine(prefix, scan.row_prefix[row]);
            Outputs outputs;
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                const Affine s = combine(before, scan.rows[row].at[v]);
                outputs.at[v] = s;
            }
            store_outputs(out_items, first, n, outputs);
        }
    }
}

// What the tile adds up to. The whole block calls it, and every thread gets it.
Affine reduce_tile(In in_items, bool is_aligned, uint start, uint n)
{
    const Tile tile = load_tile(in_items, is_aligned, start, n);
    Affine total = identity();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        Affine x = tile.rows[row].at[0];
        UNROLL for (uint v = 1u; v < VECTOR; v++) x = combine(x, tile.rows[row].at[v]);
        const Affine inclusive = subgroup_scan(x);
        const Affine row_total = shuffle(inclusive, LANES - 1u);
        total = combine(total, row_total);
    }
    return block_scan(total).total;
}

const uint DESCRIPTORS_OFFSET = 384u; // bytes, in the scratch
const uint WORDS = 3u; // of a post: its tag, its payload

// Counters at the start of the scratch, as indices of 4-byte words. Those that all blocks change have a cache line each.
const uint LAUNCH = 0u; // launches that have ended, modulo 2^31 - 1
const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
const uint TICKET = 32u; // tiles taken
const uint FINISHED = 64u; // blocks that need none of the counters any more

layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Counters {
    uint at[];
};

uint load_counter(uvec2 scratch, uint counter)
{
    return atomicLoad(Counters(scratch).at[counter], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// One that does not change during a launch.
uint constant_counter(uvec2 scratch, uint counter)
{
    return Counters(scratch).at[counter];
}

void store_counter(uvec2 scratch, uint counter, uint value)
{
    atomicStore(Counters(scratch).at[counter], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Adds 1; returns what was there.
uint add_counter(uvec2 scratch, uint counter)
{
    return atomicAdd(Counters(scratch).at[counter], 1u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Adds `more` after everything that the thread has done; returns what was there.
uint release_counter(uvec2 scratch, uint counter, uint more)
{
    return atomicAdd(Counters(scratch).at[counter], more, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
}

// Call after reading a counter that others released: their earlier writes are then visible.
void acquire_counters()
{
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
}

// The tag of this launch: 1 to 2^31 - 1, so that tag * 2 + 1 fits 32 bits.
uint launch_tag(uvec2 scratch)
{
    return load_counter(scratch, LAUNCH) + 1u;
}

// Units of 256 bytes of the scratch that were zeroed.
uint zeroed_count(uvec2 scratch)
{
    return constant_counter(scratch, ZEROED);
}

uint take_ticket(uvec2 scratch)
{
    return add_counter(scratch, TICKET);
}

// One thread of each block calls it, once, after the block's last use of the counters above. Returns how many blocks have done so before.
uint finish_block(uvec2 scratch)
{
    return release_counter(scratch, FINISHED, 1u);
}

// Whether it was the last block: then the other blocks' uses of the counters come before what follows.
bool is_last_block(uvec2 scratch, uint others)
{
    if (others != block_count() - 1u) return false;
    acquire_counters();
    store_counter(scratch, FINISHED, 0u);
    return true;
}

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
void end_launch(uvec2 scratch)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    store_counter(scratch, LAUNCH, launch_tag(scratch) % 0x7fffffffu);
    store_counter(scratch, TICKET, 0u);
}

// Whether the posts of `tiles` tiles lie in what was zeroed of the scratch.
bool has_posts_of(uvec2 scratch, uint tiles)
{
    const uint words = DESCRIPTORS_OFFSET / 8u + tiles * 3u; // of 8 bytes
    return (words + 31u) / 32u <= zeroed_count(scratch);
}

const uint EMPTY = 0u;
const uint AGGREGATE = 1u;
const uint PREFIX = 2u;

struct Descriptor {
    Affine value;
    uint state;
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Posts {
    uint at[];
};

uint load_word(Posts posts, uint index)
{
    return atomicLoad(posts.at[index], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

void store_word(Posts posts, uint index, uint word)
{
    atomicStore(posts.at[index], word, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Acquire: a thread that reads the flag also sees what was stored before it.
uint load_flag(Posts posts, uint index)
{
    return atomicLoad(posts.at[index], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
}

void store_flag(Posts posts, uint index, uint flag)
{
    atomicStore(posts.at[index], flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}

void publish(Posts posts, uint first, uint tag, Affine x)
{
    store_word(posts, first + 1u, x.a);
    store_word(posts, first + 2u, x.b);
    store_flag(posts, first, tag);
}

// What a tile has posted: its inclusive prefix if that is there, else its aggregate.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const uint aggregate = tile * 2u * WORDS;
    const uint prefix = aggregate + WORDS;
    const bool has_aggregate = load_flag(posts, aggregate) == tag << 1;
    const bool has_prefix = load_flag(posts, prefix) == (tag << 1 | 1u);
    const uint first = has_prefix ? prefix : aggregate;
    Descriptor descriptor;
    descriptor.state = has_prefix ? PREFIX : has_aggregate ? AGGREGATE : EMPTY;
    descriptor.value = Affine(load_word(posts, first + 1u), load_word(posts, first + 2u));
    return descriptor;
}

void publish_aggregate(Posts posts, uint tile, uint tag, Affine x)
{
    publish(posts, tile * 2u * WORDS, tag << 1, x);
}

void publish_prefix(Posts posts, uint tile, uint tag, Affine x)
{
    publish(posts, (tile * 2u + 1u) * WORDS, tag << 1 | 1u, x);
}

// The aggregate of a tile whose own block may post as well.
void publish_missing(Posts posts, uint tile, uint tag, Affine x)
{
    publish_aggregate(posts, tile, tag, x);
}

const uint DEPTH = 1u; // consecutive descriptors of a lane, read together
const uint WINDOW = 32u; // descriptors of the subgroup
const uint SPIN_LIMIT = 4096u; // polls of a window until the block sums up a missing tile by itself
const uint NO_TILE = 0xffffffffu;

// A look-back that has come to tile `end`: what the tiles from there up to its own add up to.
struct LookBack {
    Affine aggregate;
    uint end;     // 0: that is all
    uint missing; // the tile this lane waits for, or NO_TILE
};

// Takes a look-back further, to its end or to a tile whose post does not come. One subgroup calls it.
LookBack look_back(Posts posts, uint tag, LookBack look)
{
    const uint place = lane_id() * DEPTH; // in the window, whose lowest tile is end - WINDOW
    bool is_waiting = false;
    while (look.end > 0u && !is_waiting) {
        Descriptor seen[DEPTH];
        UNROLL for (uint k = 0u; k < DEPTH; k++) seen[k].state = EMPTY;
        Affine value = identity();
        bool has_prefix = false;
        uint prefix_lane = LANES;
        is_waiting = true;
        for (uint polls = 0u; is_waiting && polls < SPIN_LIMIT; polls++) {
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
        if (!is_waiting) {
            value = shuffle(subgroup_scan(value), LANES - 1u);
            look.aggregate = combine(value, look.aggregate);
            look.end = prefix_lane < LANES || look.end <= WINDOW ? 0u : look.end - WINDOW;
        }
    }
    return look;
}

shared uint ticket;
shared Affine first_prefix; // what comes before tile 0
shared Affine tile_prefix;
shared uint missing_tile;

// A tile that has been summed up and is to be finished.
struct Summed {
    uint tile;
    TileScan scan;
    BlockScan block;
};

// Takes the next tile, sums it up and posts the sum; from tile_count(n) on there is none. Tiles are taken in the order in which blocks come to
// run: every tile before has been begun. is_left: whether there can be one. The whole block calls it.
Summed sum_next_tile(In in_items, bool is_aligned, Posts posts, uint tag, uint n, uvec2 scratch, uvec2 carry_in, bool is_left)
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
        const Affine first = starting_prefix(carry_in);
        first_prefix = first;
        publish_prefix(posts, tile, tag, combine(first, summed.block.total));
    }
    if (thread_id() == 0u && tile > 0u) publish_aggregate(posts, tile, tag, summed.block.total);
    return summed;
}

void main()
{
    const uint n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const bool out_is_aligned = is_vector_aligned(params.buffers[1]);
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
        uint missing = NO_TILE;
        do {
            if (subgroup_id() == 0u) {
                look = look_back(posts, tag, look);
                const uint waiting_lane = last_lane(look.missing != NO_TILE);
                if (lane_id() == (waiting_lane < LANES ? waiting_lane : 0u)) missing_tile = look.missing;
            }
            block_barrier();
            missing = missing_tile;
            if (missing != NO_TILE) {
                // Its block may not run before this one ends: sum it up in its place, by the same tree, and post that.
                const Affine aggregate = reduce_tile(in_items, in_is_aligned, tile_start(missing, n), n);
                if (thread_id() == 0u) {
                    const Affine first = starting_prefix(params.carry_in);
                    if (missing == 0u) publish_prefix(posts, missing, tag, combine(first, aggregate));
                    else publish_missing(posts, missing, tag, aggregate);
                }
                block_barrier();
            }
        } while (missing != NO_TILE);
        if (thread_id() == 0u) {
            tile_prefix = look.aggregate;
            const Affine inclusive = combine(look.aggregate, summed.block.total);
            if (tile > 0u) publish_prefix(posts, tile, tag, inclusive);
        }
        block_barrier();
        const Affine prefix = tile_prefix;
        const Affine subgroup_prefix = combine(prefix, summed.block.before);
        if (is_given(params.buffers[1])) store_tile(out_items, out_is_aligned, summed.scan, subgroup_prefix, tile_start(tile, n), n);
        if (tile == tiles - 1u && thread_id() == 0u) store_carry(params.carry_out, combine(prefix, summed.block.total));
    } while (next.tile < tiles);
    if (tiles == 0u && block_id() == 0u && thread_id() == 0u) store_carry(params.carry_out, starting_prefix(params.carry_in));
}
// ---- affine, kernel 2 of 2: zero_scratch
// affine: inclusive scan of Affine by monoid of Affine
// monosweep 0.1.0, templates/scratch/zero.tpl, strategy scratch initialisation: block 256, subgroup 32, items 12, vector 2
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model

layout(local_size_x = 256) in;

const uint BLOCK = 256u; // threads of a block
const uint LANES = 32u; // of a subgroup

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // Affine: what comes before all elements
    uvec2 carry_out; // Affine: what all add up to
    uvec2 buffers[8]; // in: Affine[n], 4-byte aligned; out: Affine[n], 4-byte aligned
    uint argument;
} params;

uvec2 address_at(uvec2 address, uint offset_bytes)
{
    const uint low = address.x + offset_bytes;
    return uvec2(low, address.y + uint(low < offset_bytes));
}

// `count` things of `bytes` bytes each after an address, beyond 4 GiB too.
uvec2 address_after(uvec2 address, uint count, uint bytes)
{
    uint high, low;
    umulExtended(count, bytes, high, low);
    const uvec2 end = address_at(address, low);
    return uvec2(end.x, end.y + high);
}

uint chunks_of_65536(uvec2 n)
{
    return n.y << 16u | n.x >> 16u;
}

uint block_id()
{
    return gl_WorkGroupID.x;
}

uint block_count()
{
    return gl_NumWorkGroups.x;
}

uint lane_id()
{
    return gl_SubgroupInvocationID;
}

uint subgroup_id()
{
    return gl_SubgroupID;
}

uint thread_id()
{
    return subgroup_id() * LANES + lane_id();
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
    uint at[];
};

void main()
{
    const uint chunks = chunks_of_65536(params.n);
    const uint rest = uint(params.n.x % 65536u) / 4u; // words of the last chunk
    for (uint chunk = block_id(); chunk <= chunks; chunk += block_count()) {
        Words words = Words(address_after(params.scratch, chunk, 65536u));
        const uint count = chunk < chunks ? 16384u : rest;
        for (uint i = thread_id(); i < count; i += BLOCK) words.at[i] = chunk == 0u && i == 1u ? chunks * 256u + rest / 64u : 0u;
    }
}
