$ -- What begins the scratch of kernels that take tickets, post or count: what their launches tell each other.
// Begins the scratch, zero before the first launch. Each counter has a cache line of its own.
struct Counters {
    uint launch; // launches that have ended
    uint zeroed; // of the scratch, before the first launch: so many times 256 bytes
$ if strategy == "onesweep" then
    uint turn; // sorts that have been counted, modulo 2
    uint other1[29];
$ else
    uint other1[30];
$ end
    uint ticket; // tiles taken
    uint other2[31];
    uint finished; // blocks that need none of these any more
};

// The tag of this launch's posts: never 0, and half of what a post's tag can be.
uint launch_tag(u64 scratch)
{
    return ((const volatile Counters *)scratch)->launch + 1u;
}

// So many times 256 bytes of the scratch were zeroed.
u64 zeroed_count(u64 scratch)
{
    return ((const Counters *)scratch)->zeroed;
}

$ if strategy == "onesweep" then
// Which of its two histograms a sort counts in, 0 or 1: the one that is zero.
uint sort_turn(u64 scratch)
{
    return ((const volatile Counters *)scratch)->turn % 2u;
}

void end_turn(u64 scratch, uint turn)
{
    ((volatile Counters *)scratch)->turn = 1u - turn;
}

$ end
uint take_ticket(u64 scratch)
{
    return atomicAdd(&((Counters *)scratch)->ticket, 1u);
}

// One thread of each block calls it, once, after the block's last use of the counters above: how many blocks have done so before.
uint finish_block(u64 scratch)
{
    uint others;
    asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 1;"
                 : "=r"(others)
                 : "l"(__cvta_generic_to_global(&((Counters *)scratch)->finished))
                 : "memory");
    return others;
}

// Whether it was the last block: then the others' uses of the counters come before what follows.
bool is_last_block(u64 scratch, uint others)
{
    if (others != block_count() - 1u) return false;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    ((volatile Counters *)scratch)->finished = 0u;
    return true;
}

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
void end_launch(u64 scratch)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    volatile Counters *counters = (volatile Counters *)scratch;
    counters->launch = (counters->launch + 1u) % 0x7fffffffu;
    counters->ticket = 0u;
}
