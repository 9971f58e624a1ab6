$ -- Source: PTX ISA, "prefetch".
const uint LINE_BYTES = 128u; // of the L2 cache

// Asks for a line of device memory, by an address in it, to come to the L2 cache before it is loaded: a hint.
void prefetch(u64 address)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

// Asks for a number of bytes from an address on, a line for each LINE_BYTES. The whole block calls it.
void prefetch_all(u64 address, u64 bytes)
{
    for (uint from = thread_id() * LINE_BYTES; from < bytes; from += BLOCK * LINE_BYTES) prefetch(address + from);
}
