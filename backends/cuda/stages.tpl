$ -- Tiles on their way through shared memory: bulk copies in and out, which one thread starts and no thread waits in between.
$ -- Sources: PTX ISA, "cp.async.bulk" and "mbarrier" (sm_90).
const uint STAGES = $(stages)u;
const uint STAGE_BYTES = $(stage_bytes)u; // of one tile, with room for 16 bytes more
$ if stays_unaligned then
const uint THREAD_WORDS = $(ITEMS * input.size // 4)u; // of inputs
$ end

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

// Copies take whole 16 bytes: so many bytes after such an address lies.
uint stage_shift(u64 address)
{
    return (uint)(address % 16u);
}

// Starts a copy of the whole 16 bytes among these to the stage of a tile that begins at this address; its coming gives a signal. One thread calls
// it.
void fill_stage(uint stage, u64 address, Bytes bytes)
{
$ if stays_unaligned then
    address -= stage_shift(address);
$ end
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
void complete_stage(uint stage, u64 address, Bytes bytes)
{
$ if stays_unaligned then
    address -= stage_shift(address);
$ end
    const uint first = min((bytes.first + 15u) / 16u * 16u, bytes.end), end = max(bytes.end / 16u * 16u, first);
    const uint byte = thread_id() < 16u ? bytes.first + thread_id() : end + thread_id() - 16u;
    if (byte < first || (byte >= end && byte < bytes.end)) (stages + stage * STAGE_BYTES)[byte] = ((const u8 *)address)[byte];
    block_barrier();
}

$ if stays_unaligned then
// Moves inputs that begin `shift` bytes after their stage to where it begins; of the stage there are these bytes, but to move the others does no
// harm. The whole block calls it.
void align_stage(uint stage, uint shift, Bytes)
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

struct alignas(16) Quad {
    uint word[4];
};

// Copies these bytes of a stage, whose first byte goes to this address, without starting anything. The whole block calls it; barriers must lie
// between it and the next use of the stage.
void copy_stage(uint stage, u64 address, Bytes bytes)
{
    const u8 *from = stages + stage * STAGE_BYTES;
    u8 *to = (u8 *)address;
    const uint first = min(bytes.first + stage_shift(0u - address - bytes.first), bytes.end), quads = (bytes.end - first) / 16u; // whole 16 bytes there
    for (uint i = thread_id(); i < quads; i += BLOCK) {
        const Quad low = ((const Quad *)from)[first / 16u + i], high = ((const Quad *)from)[first / 16u + i + 1u];
        uint words[8];
        UNROLL for (uint k = 0u; k < 4u; k++) words[k] = low.word[k];
        UNROLL for (uint k = 0u; k < 4u; k++) words[k + 4u] = high.word[k];
        UNROLL for (uint k = 0u; k < 6u; k++) words[k] = first / 8u % 2u != 0u ? words[k + 2u] : words[k];
        UNROLL for (uint k = 0u; k < 5u; k++) words[k] = first / 4u % 2u != 0u ? words[k + 1u] : words[k];
        Quad moved;
        UNROLL for (uint k = 0u; k < 4u; k++) moved.word[k] = $(output.align >= 4 and "words[k]" or "__funnelshift_r(words[k], words[k + 1u], first % 4u * 8u)");
        ((Quad *)(to + first))[i] = moved;
    }
    const uint end = first + quads * 16u, byte = thread_id() < 16u ? bytes.first + thread_id() : end + thread_id() - 16u;
    if (byte < first || (byte >= end && byte < bytes.end)) to[byte] = from[byte];
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
