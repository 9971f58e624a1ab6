$ -- Counters in the scratch, which the blocks of a launch share.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Counters {
    uint at[];
};

uint load_counter(uvec2 scratch, uint counter)
{
    return atomicLoad(Counters(scratch).at[counter], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// One that does not change during a launch.
uint constant_counter(uvec2 scratch, uint counter)
{
    return Counters(scratch).at[counter];
}

void store_counter(uvec2 scratch, uint counter, uint value)
{
    atomicStore(Counters(scratch).at[counter], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Adds 1; returns what was there.
uint add_counter(uvec2 scratch, uint counter)
{
    return atomicAdd(Counters(scratch).at[counter], 1u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

$ if has_wide then
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer WideCounters {
    uint64_t at[];
};

// Of 8 bytes. Adds; returns what was there.
uint64_t add_wide_counter(uvec2 scratch, uint counter, uint64_t value)
{
    return atomicAdd(WideCounters(scratch).at[counter / 2u], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// Of 8 bytes. Returns what was there.
uint64_t exchange_wide_counter(uvec2 scratch, uint counter, uint64_t value)
{
    return atomicExchange(WideCounters(scratch).at[counter / 2u], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

$ end
$ -- llvmpipe takes memory barriers for execution barriers, and loses threads where only some meet one; all its updates are in one order.
$ local order = has_long_loops and "gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable" or "gl_StorageSemanticsNone, gl_SemanticsRelaxed"
$ if has_long_loops then
// Adds `more` after everything that the thread has done; returns what was there.
$ else
// Adds `more`; returns what was there. This driver does all atomics in one order.
$ end
uint release_counter(uvec2 scratch, uint counter, uint more)
{
    return atomicAdd(Counters(scratch).at[counter], more, gl_ScopeDevice, $(order));
}

$ if has_long_loops then
// Call after reading a counter that others released: their earlier writes are then visible.
void acquire_counters()
{
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
}
$ else
// Others' writes before their atomics are visible.
void acquire_counters()
{
}
$ end
$ if waits then

// Waits until it is at least that. What others have done before they released it is visible then.
void wait_for_counter(uvec2 scratch, uint counter, uint least)
{
    while (load_counter(scratch, counter) < least) {
    }
    acquire_counters();
}
$ end
