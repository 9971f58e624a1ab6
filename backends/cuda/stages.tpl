$ -- Tiles on their way through shared memory: bulk copies in and out, which one thread starts and no thread waits in between.
$ -- Sources: PTX ISA, "cp.async.bulk" and "mbarrier" (sm_90).
const uint STAGES = $(stages)u;
const uint STAGE_BYTES = $(stage_bytes)u; // of one tile, with room for 16 bytes more
$ if stays_unaligned then
$     local bytes = ITEMS * input.size
const uint THREAD_WORDS = $(bytes // 4)u; // of inputs
const uint PIECE_WORDS = $(bytes % 16 == 0 and 4 or bytes % 8 == 0 and 2 or 1)u; // that are read and written together

struct alignas(4u * PIECE_WORDS) Piece {
    uint word[PIECE_WORDS];
};

$ end
struct alignas(16) Quad {
    uint word[4];
};

$ -- The word of an array `words` whose last bytes are those of word `at`, shifted by a number of bytes.
$ local function word_at(U, at, bytes)
$     return U.align >= 4 and ("words[%s]"):format(at) or ("__funnelshift_r(words[%s], words[%s + 1u], %s %% 4u * 8u)"):format(at, at, bytes)
$ end

// Of a stage, from `first` to before `end`.
struct Bytes {
    uint first;
    uint end;
};

extern __shared__ __align__(128) u8 stages[]; // comes with the launch

$ if only_comes then
const uint COME = 0u; // what a stage's signal is for: its tile has come
const uint SIGNALS = STAGES;
$ else
// What the stages' signals are for: a tile has come, has been summed up, what comes before it is known$(fills and ", and an earlier tile's stage is free" or "").
const uint COME = 0u;
$ if arrays then
const uint ARRAYS = $(arrays)u; // of a tile: each comes by itself
const uint SUMMED = ARRAYS * STAGES;
const uint PRECEDED = SUMMED + STAGES;
$ if fills then
const uint FREED = PRECEDED + STAGES;
const uint SIGNALS = FREED + STAGES;
$ else
const uint SIGNALS = PRECEDED + STAGES;
$ end
$ else
const uint SUMMED = STAGES;
const uint PRECEDED = 2u * STAGES;
const uint SIGNALS = 3u * STAGES;
$ end
$ end
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
        ROLL for (uint s = 0u; s < SIGNALS; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&signals[s])));
        asm volatile("fence.mbarrier_init.release.cluster;"); // and for the copies
    }
    __syncthreads();
}

// One thread calls it: who waits for it sees what it wrote before.
void give_signal(uint signal)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&signals[signal])) : "memory");
}

// Waits until the signal has been given `times` + 1 times.
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

// A bulk copy moves multiples of 16 bytes; this is the distance in bytes from the last 16-byte boundary.
uint stage_shift(u64 address)
{
    return (uint)(address % 16u);
}

$ if arrays then
u64 place_address(uint place)
{
    return (u64)(stages + place);
}

$ if sides then
// x; the compiler does not compute it again for each use.
uint in_register(uint x)
{
    asm("" : "+r"(x));
    return x;
}

$ end
// Starts a copy to a place in the stages, whose coming gives the signal; all are multiples of 16. One thread calls it.
void fill_place(uint place, u64 address, uint bytes, uint signal)
{
    const uint arrival = shared_address(&signals[signal]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrival), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(stages + place)),
                 "l"(__cvta_generic_to_global((const void *)address)), "r"(bytes), "r"(arrival)
                 : "memory");
}

// Fetches a byte.
void complete_place(uint place, u64 address)
{
    stages[place] = *(const u8 *)address;
}

$ if only_comes then
#define stage_words ((uint *)stages)

// The key at index i of those from a place in the stages on.
$(Key) load_from_stage(uint place, uint i)
{
    return ((const $(Key) *)(stages + place))[i];
}

void store_to_stage(uint place, uint i, $(Key) key)
{
    (($(Key) *)(stages + place))[i] = key;
}

$ end
// Starts a copy from a place in the stages; all are multiples of 16. One thread calls it.
void leave_place(uint place, u64 address, uint bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global((void *)address)),
                 "r"(shared_address(stages + place)), "r"(bytes)
                 : "memory");
}

// Copies a multiple of 4 bytes from such a place in the stages to any address. The whole block calls it.
void copy_place(uint place, u64 address, uint bytes)
{
    if (address % 4u == 0u) {
        ROLL for (uint i = thread_id(); i < bytes / 4u; i += BLOCK) ((uint *)address)[i] = ((const uint *)(stages + place))[i];
    } else {
        ROLL for (uint i = thread_id(); i < bytes; i += BLOCK) ((u8 *)address)[i] = stages[place + i];
    }
}

$ else
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
// Moves inputs that begin `shift` bytes after their stage to where it begins, each thread its own from byte `own` on. The whole block calls it.
void align_stage(uint stage, uint shift, uint own, Bytes)
{
    Piece *pieces = (Piece *)(stages + stage * STAGE_BYTES + own);
    uint words[THREAD_WORDS + 4u];
    UNROLL for (uint p = 0u; p < (THREAD_WORDS + 4u) / PIECE_WORDS; p++) {
        const Piece piece = pieces[p];
        UNROLL for (uint k = 0u; k < PIECE_WORDS; k++) words[p * PIECE_WORDS + k] = piece.word[k];
    }
    block_barrier();
    UNROLL for (uint w = 0u; w < 4u; w++) { // registers have no addresses
        if (shift / 4u == w) {
            UNROLL for (uint p = 0u; p < THREAD_WORDS / PIECE_WORDS; p++) {
                Piece piece;
                UNROLL for (uint k = 0u; k < PIECE_WORDS; k++) piece.word[k] = $(word_at(input, "p * PIECE_WORDS + k + w", "shift"));
                pieces[p] = piece;
            }
        }
    }
}

$ end
$ end
// Every thread calls it after it wrote to a stage; a barrier must follow, then leave_stage.
void ready_stage()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

$ if not arrays then
// Starts a copy from a stage; address and bytes are multiples of 16. One thread calls it.
void leave_stage(uint stage, u64 address, uint bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global((void *)address)),
                 "r"(shared_address(stages + stage * STAGE_BYTES)), "r"(bytes)
                 : "memory");
}

// Copies these bytes of a stage, if there are any, whose first byte goes to this address, without starting anything. A subgroup calls it; barriers
// must lie between it and the next use of the stage.
void copy_stage(uint stage, u64 address, Bytes bytes)
{
    const u8 *from = stages + stage * STAGE_BYTES;
    u8 *to = (u8 *)address;
    if (bytes.first >= bytes.end) return;
    const uint first = min(bytes.first + stage_shift(0u - address - bytes.first), bytes.end), quads = (bytes.end - first) / 16u; // whole 16 bytes there
    const uint skipped = first / 4u % 4u; // words of the lower 16 bytes; registers have no addresses, so all move by 2, then by 1
    ROLL for (uint i = lane_id(); i < quads; i += LANES) {
        const Quad *quad = (const Quad *)from + first / 16u + i;
        const Quad low = quad[0], high = first % 16u != 0u ? quad[1] : low;
        uint words[8];
        UNROLL for (uint k = 0u; k < 4u; k++) words[k] = low.word[k];
        UNROLL for (uint k = 0u; k < 4u; k++) words[k + 4u] = high.word[k];
        UNROLL for (uint k = 0u; k < 6u; k++) words[k] = skipped >= 2u ? words[k + 2u] : words[k];
        UNROLL for (uint k = 0u; k < 5u; k++) words[k] = skipped % 2u != 0u ? words[k + 1u] : words[k];
        Quad moved;
        UNROLL for (uint k = 0u; k < 4u; k++) moved.word[k] = $(word_at(output, "k", "first"));
        ((Quad *)(to + first))[i] = moved;
    }
    const uint end = first + quads * 16u, byte = lane_id() < 16u ? bytes.first + lane_id() : end + lane_id() - 16u;
    if (byte < first || (byte >= end && byte < bytes.end)) to[byte] = from[byte];
}

$ end
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
