$ -- Tiles on their way through shared memory: bulk copies in and out, which one thread starts and no thread waits in between.
$ -- Sources: PTX ISA, "cp.async.bulk" and "mbarrier" (sm_90).
const uint STAGES = $(stages)u;
const uint STAGE_BYTES = $(stage_bytes)u; // of one tile, with room for 16 bytes more
$ if stays_unaligned then
const uint THREAD_WORDS = $(ITEMS * input.size // 4)u; // of inputs
$ end

extern __shared__ __align__(128) u8 stages[]; // comes with the launch

// What the stages' signals are for: a tile has come, has been summed up, what comes before it is known.
const uint COME = 0u;
const uint SUMMED = STAGES;
const uint PRECEDED = 2u * STAGES;
const uint SIGNALS = 3u * STAGES;
__shared__ u64 signals[SIGNALS]; // mbarriers

u64 stage_address(uint stage)
{
    return (u64)(stages + stage * STAGE_BYTES);
}

uint shared_address(const void *pointer)
{
    return (uint)__cvta_generic_to_shared(pointer);
}

// The whole block calls it, once.
void begin_stages()
{
    if (thread_id() == 0u) {
        for (uint s = 0u; s < SIGNALS; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&signals[s])));
        asm volatile("fence.mbarrier_init.release.cluster;"); // and for the copies
    }
    __syncthreads();
}

// One thread calls it: who waits for it sees what it wrote before.
void give_signal(uint signal)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&signals[signal])) : "memory");
}

// Waits until the signal has been given once more than so many times.
void wait_for_signal(uint signal, uint times)
{
    uint is_there = 0u;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(is_there)
                     : "r"(shared_address(&signals[signal])), "r"(times % 2u)
                     : "memory");
    } while (is_there == 0u);
}

// Copies take whole 16 bytes: so many bytes after such what is at an address begins$(stays_unaligned and ", in its stage too" or "").
uint stage_shift(u64 address)
{
    return (uint)(address % 16u);
}

// Starts a copy to a stage, whose coming gives a signal; $(stays_unaligned and "bytes is a multiple" or "address and bytes are multiples") of 16. One thread calls it.
void fill_stage(uint stage, u64 address, uint bytes)
{
$ if stays_unaligned then
    const uint shift = stage_shift(address);
    address -= shift;
    bytes += shift == 0u ? 0u : 16u;
$ end
    const uint arrival = shared_address(&signals[COME + stage]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrival), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(stages + stage * STAGE_BYTES)),
                 "l"(__cvta_generic_to_global((const void *)address)), "r"(bytes), "r"(arrival)
                 : "memory");
}

$ if stays_unaligned then
// Moves inputs that begin `shift` bytes after their stage to where it begins. The whole block calls it.
void align_stage(uint stage, uint shift)
{
    uint *words = (uint *)(stages + stage * STAGE_BYTES);
    uint moved[THREAD_WORDS];
    UNROLL for (uint i = 0u; i < THREAD_WORDS; i++) {
        const uint *word = words + i * BLOCK + thread_id() + shift / 4u;
        moved[i] = $(input.align >= 4 and "*word" or "__funnelshift_r(word[0], word[1], shift % 4u * 8u)");
    }
    block_barrier();
    UNROLL for (uint i = 0u; i < THREAD_WORDS; i++) words[i * BLOCK + thread_id()] = moved[i];
    block_barrier();
}

$ end
// Every thread calls it after it wrote to a stage; a barrier must follow, then leave_stage.
void ready_stage()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Starts a copy from a stage; address and bytes are multiples of 16. One thread calls it.
void leave_stage(uint stage, u64 address, uint bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global((void *)address)),
                 "r"(shared_address(stages + stage * STAGE_BYTES)), "r"(bytes)
                 : "memory");
}

// The same to an address that is no multiple of 16. The whole block calls it; barriers must lie between it and the next use of the stage.
void copy_stage(uint stage, u64 address, uint bytes)
{
    const u8 *from = stages + stage * STAGE_BYTES;
    u8 *to = (u8 *)address;
    const uint before = (uint)(0u - address) % 4u, words = (bytes - before) / 4u; // whole words, and the bytes before them
    for (uint i = thread_id(); i < words; i += BLOCK) {
        const uint *pair = (const uint *)from + i;
        ((uint *)(to + before))[i] = __funnelshift_r(pair[0], pair[1], before * 8u);
    }
    const uint rest = bytes - words * 4u, after = before + words * 4u;
    if (thread_id() < rest) {
        const uint byte = thread_id() < before ? thread_id() : after + thread_id() - before;
        to[byte] = from[byte];
    }
}

// The thread that calls leave_stage calls it once a round, and later in the round one of the next two: all copies of rounds but this one, or all,
// have read their stages.
void end_leaves()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

void wait_for_earlier_leaves()
{
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
}

void wait_for_leaves()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
