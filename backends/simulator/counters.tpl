$ -- What begins the scratch of kernels that take tickets, post or count: what their launches tell each other.
// Begins the scratch, zero before the first launch. Each counter has a cache line of its own.
#define LAUNCH_OFFSET 0u // launches that have ended
$ if strategy == "onesweep" then
#define TURN_OFFSET 8u // sorts that have been counted, modulo 2
$ end
// at 4: of the scratch, zeroed before the first launch: so many times 256 bytes
#define TICKET_OFFSET 128u // tiles taken
#define FINISHED_OFFSET 256u // blocks that need none of these any more

uint load_word(int line, u64 address, ms_order order)
{
    uint word;
    ms_machine_running->load(line, address, &word, 4u, order);
    return word;
}

void store_word(int line, u64 address, uint word, ms_order order)
{
    ms_machine_running->store(line, address, &word, 4u, order);
}

// The tag of this launch's posts: never 0, and half of what a post's tag can be.
uint launch_tag(u64 scratch)
{
    return load_word(__LINE__, scratch + LAUNCH_OFFSET, MS_RELAXED) + 1u;
}

// So many times 256 bytes of the scratch were zeroed.
u64 zeroed_count(u64 scratch)
{
    return ((const uint *)scratch)[1];
}

$ if strategy == "onesweep" then
// Which of its two histograms a sort counts in, 0 or 1: the one that is zero.
uint sort_turn(u64 scratch)
{
    return load_word(__LINE__, scratch + TURN_OFFSET, MS_RELAXED) % 2u;
}

void end_turn(u64 scratch, uint turn)
{
    store_word(__LINE__, scratch + TURN_OFFSET, 1u - turn, MS_RELAXED);
}

$ end
uint take_ticket(u64 scratch)
{
    return (uint)ms_machine_running->update(__LINE__, scratch + TICKET_OFFSET, 4u, MS_ADD, 1u, 0u, MS_RELAXED);
}

// One thread of each block calls it, once, after the block's last use of the counters above: how many blocks have done so before.
uint finish_block(u64 scratch)
{
    return (uint)ms_machine_running->update(__LINE__, scratch + FINISHED_OFFSET, 4u, MS_ADD, 1u, 0u, MS_ACQUIRE_RELEASE);
}

// Whether it was the last block: then the others' uses of the counters come before what follows.
bool is_last_block(u64 scratch, uint others)
{
    if (others != block_count() - 1u) return false;
    store_word(__LINE__, scratch + FINISHED_OFFSET, 0u, MS_RELAXED);
    return true;
}

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
void end_launch(u64 scratch)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    store_word(__LINE__, scratch + LAUNCH_OFFSET, launch_tag(scratch) % 0x7fffffffu, MS_RELAXED);
    store_word(__LINE__, scratch + TICKET_OFFSET, 0u, MS_RELAXED);
}
