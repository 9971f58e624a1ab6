$ -- Counters in the scratch, which the blocks of a launch share.
// The launch's stores to it must come later.
uint load_counter(u64 scratch, uint counter)
{
    uint value;
    ms_machine_running->load(__LINE__, scratch + 4u * counter, &value, 4u, MS_RELAXED_BEFORE_STORES);
    return value;
}

// One that does not change during a launch.
uint constant_counter(u64 scratch, uint counter)
{
    return ((const uint *)scratch)[counter];
}

void store_counter(u64 scratch, uint counter, uint value)
{
    ms_machine_running->store(__LINE__, scratch + 4u * counter, &value, 4u, MS_RELAXED);
}

// Adds 1; returns what was there.
uint add_counter(u64 scratch, uint counter)
{
    return (uint)ms_machine_running->update(__LINE__, scratch + 4u * counter, 4u, MS_ADD, 1u, 0u, MS_RELAXED);
}

$ if has_wide then
// Of 8 bytes. Adds; returns what was there.
u64 add_wide_counter(u64 scratch, uint counter, u64 value)
{
    return ms_machine_running->update(__LINE__, scratch + 4u * counter, 8u, MS_ADD, value, 0u, MS_RELAXED);
}

// Of 8 bytes. Returns what was there.
u64 exchange_wide_counter(u64 scratch, uint counter, u64 value)
{
    return ms_machine_running->update(__LINE__, scratch + 4u * counter, 8u, MS_EXCHANGE, value, 0u, MS_RELAXED);
}

$ end
// Adds `more` after everything that the thread has done; returns what was there. It acquires as well: the machine has no fence for acquire_counters.
uint release_counter(u64 scratch, uint counter, uint more)
{
    return (uint)ms_machine_running->update(__LINE__, scratch + 4u * counter, 4u, MS_ADD, more, 0u, MS_ACQUIRE_RELEASE);
}

void acquire_counters(void)
{
}
$ if waits then

// Waits until it is at least that. What others have done before they released it is visible then.
void wait_for_counter(u64 scratch, uint counter, uint least)
{
    uint value = 0u;
    while (value < least) ms_machine_running->load(__LINE__, scratch + 4u * counter, &value, sizeof value, MS_ACQUIRE);
}
$ end
