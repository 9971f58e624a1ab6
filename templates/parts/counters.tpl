$ -- The start of the scratch of kernels that take tickets, post or count: what launches tell each other. Zero before the first launch.
$ -- Uses counters.tpl of the backend.
$ local takes_room = strategy == "block_atomic" or strategy == "atomic_bump"
// Counters at the start of the scratch, as indices of 4-byte words. Those that all blocks change have a cache line each.
const uint LAUNCH = 0u; // launches that have ended, modulo 2^31 - 1
const uint ZEROED = 1u; // units of 256 bytes of the scratch that were zeroed before the first launch
$ local takes_turns = strategy == "onesweep" or strategy == "msd_hybrid" or strategy == "counting"
$ if takes_turns then
const uint TURN = 2u; // sorts that have been counted, modulo 2
$ end
$ local counts_more = strategy == "msd_hybrid" or strategy == "counting"
$ if counts_more then
const uint BUCKET_TURN = 3u; // sorts whose buckets or images have been counted, modulo 2
$ end
$ if part_items then
const uint TURN = 2u; // launches that have ended, modulo 2
const uint PARTS = 3u; // parts of large tiles' items: launches count them here and in the next word, by turns
$ end
$ if takes_room then
const uint ROOM = 32u; // items that have room, in 8 bytes
$ else
const uint TICKET = 32u; // tiles taken
$ end
const uint FINISHED = 64u; // blocks that need none of the counters any more

$ include("counters", {has_wide = takes_room, waits = joins_passes})

// The tag of this launch: 1 to 2^31 - 1, so that tag * 2 + 1 fits 32 bits.
uint launch_tag($(Address) scratch)
{
    return load_counter(scratch, LAUNCH) + 1u;
}

// Units of 256 bytes of the scratch that were zeroed.
$(Index) zeroed_count($(Address) scratch)
{
    return constant_counter(scratch, ZEROED);
}

$ if takes_turns then
// Which of its two histograms a sort counts in, 0 or 1: the one that is zero.
uint sort_turn($(Address) scratch)
{
    return load_counter(scratch, TURN) % 2u;
}

void end_turn($(Address) scratch, uint turn)
{
    store_counter(scratch, TURN, 1u - turn);
}

$ end
$ if counts_more then
// Which of its two tables of buckets or images.
uint bucket_turn($(Address) scratch)
{
    return load_counter(scratch, BUCKET_TURN) % 2u;
}

void end_bucket_turn($(Address) scratch, uint turn)
{
    store_counter(scratch, BUCKET_TURN, 1u - turn);
}

$ end
$ if takes_room then
// Takes room for that many items; returns where it begins.
$(T) take_room($(Address) scratch, $(T) count)
{
    return add_wide_counter(scratch, ROOM, count);
}

// How many items have taken room; the next launch begins anew.
$(T) end_rooms($(Address) scratch)
{
    return exchange_wide_counter(scratch, ROOM, identity());
}
$ else
uint take_ticket($(Address) scratch)
{
    return add_counter(scratch, TICKET);
}
$ end

$ if part_items then
// Where a launch counts its parts, 0 or 1. What is counted stays until the next launch has ended.
uint parts_turn($(Address) scratch)
{
    return load_counter(scratch, TURN);
}

// The number of a new part.
uint take_part($(Address) scratch, uint turn)
{
    return add_counter(scratch, PARTS + turn);
}

// How many parts the launch before this one has counted.
uint part_count($(Address) scratch)
{
    return load_counter(scratch, PARTS + (1u - load_counter(scratch, TURN)));
}

// The last block calls it: the next launch counts from 0.
void end_parts($(Address) scratch)
{
    const uint next = 1u - load_counter(scratch, TURN);
    store_counter(scratch, PARTS + next, 0u);
    store_counter(scratch, TURN, next);
}

$ end
// One thread of each block calls it, once, after the block's last use of the counters above. Returns how many blocks have done so before.
uint finish_block($(Address) scratch)
{
    return release_counter(scratch, FINISHED, 1u);
}

// Whether it was the last block: then the other blocks' uses of the counters come before what follows.
bool is_last_block($(Address) scratch, uint others)
{
    if (others != block_count() - 1u) return false;
    acquire_counters();
    store_counter(scratch, FINISHED, 0u);
    return true;
}
$ if not takes_room then

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
void end_launch($(Address) scratch)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    store_counter(scratch, LAUNCH, launch_tag(scratch) % 0x7fffffffu);
    store_counter(scratch, TICKET, 0u);
$ if part_items then
    end_parts(scratch);
$ end
}
$ end
