$ -- Tiles on their way through shared memory: copies in and out, which one thread starts and no thread waits in between, and the signals of who
$ -- does what with them (machine.h).
const uint STAGES = $(stages)u;
const uint STAGE_BYTES = $(stage_bytes)u; // of one tile, with room for 16 bytes more
$ if stays_unaligned then
const uint THREAD_WORDS = $(ITEMS * input.size // 4)u; // of inputs
$ end

$(shared("u8", "stages", arrays and beyond_bytes > 0 and ("STAGES * STAGE_BYTES + %du"):format(beyond_bytes) or "STAGES * STAGE_BYTES"))

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

// Of a stage, from `first` to before `end`.
struct Bytes {
    uint first;
    uint end;
};

u64 stage_address(uint stage)
{
    return (u64)(stages + stage * STAGE_BYTES);
}

// The whole block calls it, once.
#define begin_stages() ms_machine_running->begin_signals(__LINE__, SIGNALS)

// One thread calls it: who waits for it sees what it wrote before.
#define give_signal(signal) ms_machine_running->give(__LINE__, signal)

// Waits until the signal has been given `times` + 1 times.
#define wait_for_signal(signal, times) ms_machine_running->wait(__LINE__, signal, times)

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
    return x;
}

$ end
// Starts a copy to a place in the stages, whose coming gives the signal; all are multiples of 16. One thread calls it.
void fill_place(uint place, u64 address, uint bytes, uint signal)
{
    ms_machine_running->copy_in(__LINE__, stages + place, address, bytes, signal);
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
    ms_machine_running->copy_out(__LINE__, address, stages + place, bytes);
}

// Copies from a place in the stages to any address. The whole block calls it.
void copy_place(uint place, u64 address, uint bytes)
{
    for (uint i = thread_id(); i < bytes; i += BLOCK) ((u8 *)address)[i] = stages[place + i];
}

$ else
// Starts a copy of the whole 16 bytes among these to the stage of a tile that begins at this address; its coming gives a signal. One thread calls
// it. Of what is copied, the tile's bytes matter.
void fill_stage(uint stage, u64 address, Bytes bytes)
{
    const uint shift = stage_shift(address), tile_end = shift + $(BLOCK * ITEMS * input.size)u;
    uint first = (bytes.first + 15u) / 16u * 16u, end = bytes.end / 16u * 16u;
    if (first < shift) first = shift;
    if (end > tile_end) end = tile_end;
    if (first >= end) give_signal(COME + stage);
    else ms_machine_running->copy_in(__LINE__, stages + stage * STAGE_BYTES + first, address - shift + first, end - first, COME + stage);
}

// Fetches the others of them. The whole block calls it.
void complete_stage(uint stage, u64 address, Bytes bytes)
{
    const uint shift = stage_shift(address), tile_end = shift + $(BLOCK * ITEMS * input.size)u;
    const uint first = (bytes.first + 15u) / 16u * 16u, end = bytes.end / 16u * 16u;
    address -= shift;
    for (uint byte = bytes.first + thread_id(); byte < bytes.end && byte < tile_end; byte += BLOCK) {
        if (byte >= shift && (byte < first || byte >= end)) (stages + stage * STAGE_BYTES)[byte] = ((const u8 *)address)[byte];
    }
    block_barrier();
}

$ if stays_unaligned then
// Moves inputs that begin `shift` bytes after their stage to where it begins, each thread its own from byte `own` on; of the stage there are these
// bytes. The whole block calls it.
void align_stage(uint stage, uint shift, uint own, Bytes there)
{
    u8 *bytes = stages + stage * STAGE_BYTES;
    u8 moved[4u * THREAD_WORDS];
    for (uint i = 0u; i < 4u * THREAD_WORDS; i++) {
        const uint from = own + i + shift;
        if (from >= there.first && from < there.end) moved[i] = bytes[from];
    }
    block_barrier();
    for (uint i = 0u; i < 4u * THREAD_WORDS; i++) {
        const uint from = own + i + shift;
        if (from >= there.first && from < there.end) bytes[from - shift] = moved[i];
    }
}

$ end
$ end
// Every thread calls it after it wrote to a stage; a barrier must follow, then leave_stage.
#define ready_stage() ms_machine_running->ready_copies(__LINE__)

$ if not arrays then
// Starts a copy from a stage; address and bytes are multiples of 16. One thread calls it.
void leave_stage(uint stage, u64 address, uint bytes)
{
    ms_machine_running->copy_out(__LINE__, address, stages + stage * STAGE_BYTES, bytes);
}

// Copies these bytes of a stage, if there are any, whose first byte goes to this address, without starting anything. A subgroup calls it; barriers
// must lie between it and the next use of the stage.
void copy_stage(uint stage, u64 address, Bytes bytes)
{
    for (uint i = bytes.first + lane_id(); i < bytes.end; i += LANES) ((u8 *)address)[i] = (stages + stage * STAGE_BYTES)[i];
}

$ end
// The thread that calls leave_stage calls it once a round, and later in the round one of the next two: all copies of rounds but this one, or all,
// have read their stages.
#define end_leaves() ms_machine_running->end_copies(__LINE__)
#define wait_for_earlier_leaves() ms_machine_running->wait_for_copies(__LINE__, 1u)
#define wait_for_leaves() ms_machine_running->wait_for_copies(__LINE__, 0u)
