$ -- Counters in the scratch, which the blocks of a launch share.
uint load_counter(u64 scratch, uint counter)
{
    return ((const volatile uint *)scratch)[counter];
}

// One that does not change during a launch.
uint constant_counter(u64 scratch, uint counter)
{
    return ((const uint *)scratch)[counter];
}

void store_counter(u64 scratch, uint counter, uint value)
{
    ((volatile uint *)scratch)[counter] = value;
}

// Adds 1; returns what was there.
uint add_counter(u64 scratch, uint counter)
{
    return atomicAdd((uint *)scratch + counter, 1u);
}

$ if has_wide then
// Of 8 bytes. Adds; returns what was there.
u64 add_wide_counter(u64 scratch, uint counter, u64 value)
{
    return atomicAdd((u64 *)((uint *)scratch + counter), value);
}

// Of 8 bytes. Returns what was there.
u64 exchange_wide_counter(u64 scratch, uint counter, u64 value)
{
    return atomicExch((u64 *)((uint *)scratch + counter), value);
}

$ end
// Adds `more` after everything that the thread has done; returns what was there.
uint release_counter(u64 scratch, uint counter, uint more)
{
    uint before;
    asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global((uint *)scratch + counter)), "r"(more)
                 : "memory");
    return before;
}

// Call after reading a counter that others released: their earlier writes are then visible.
void acquire_counters()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
$ if waits then

// Waits until it is at least that. What others have done before they released it is visible then.
void wait_for_counter(u64 scratch, uint counter, uint least)
{
    while (load_counter(scratch, counter) < least) {
    }
    acquire_counters();
}
$ end
