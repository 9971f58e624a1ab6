$ -- What begins the scratch of kernels that take tickets, post or count: what their launches tell each other.
// Begins the scratch, zero before the first launch. Each counter has a cache line of its own.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Counters {
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
uint launch_tag(uvec2 scratch)
{
    return atomicLoad(Counters(scratch).launch, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed) + 1u;
}

// So many times 256 bytes of the scratch were zeroed.
uint zeroed_count(uvec2 scratch)
{
    return Counters(scratch).zeroed;
}

$ if strategy == "onesweep" then
// Which of its two histograms a sort counts in, 0 or 1: the one that is zero.
uint sort_turn(uvec2 scratch)
{
    return atomicLoad(Counters(scratch).turn, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed) % 2u;
}

void end_turn(uvec2 scratch, uint turn)
{
    atomicStore(Counters(scratch).turn, 1u - turn, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

$ end
uint take_ticket(uvec2 scratch)
{
    return atomicAdd(Counters(scratch).ticket, 1u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

$ -- llvmpipe takes memory barriers for execution barriers, and loses threads where only some meet one; all its updates are in one order.
$ local order = has_long_loops and "gl_StorageSemanticsBuffer, gl_SemanticsRelease" or "gl_StorageSemanticsNone, gl_SemanticsRelaxed"
// One thread of each block calls it, once, after the block's last use of the counters above: how many blocks have done so before.
uint finish_block(uvec2 scratch)
{
    return atomicAdd(Counters(scratch).finished, 1u, gl_ScopeDevice, $(order));
}

// Whether it was the last block: then the others' uses of the counters come before what follows.
bool is_last_block(uvec2 scratch, uint others)
{
    if (others != block_count() - 1u) return false;
$ if has_long_loops then
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
$ end
    atomicStore(Counters(scratch).finished, 0u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    return true;
}

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
void end_launch(uvec2 scratch)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    Counters counters = Counters(scratch);
    atomicStore(counters.launch, launch_tag(scratch) % 0x7fffffffu, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    atomicStore(counters.ticket, 0u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
