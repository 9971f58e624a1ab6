$ -- Source: PTX ISA, "cp.async" (sm_80).
// Starts a copy of a word from an address to shared memory.
void fetch_word(uint *to, u64 address)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((uint)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global((const void *)address))
                 : "memory");
}

// What this thread has fetched is there then; a barrier must follow.
void wait_for_fetches()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}
