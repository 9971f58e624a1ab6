$ -- Source: PTX ISA, "prefetch".
// Asks for the line of device memory that an address lies in, so that it is in the L2 cache when it is loaded.
void prefetch(u64 address)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

// The same of a number of bytes from an address on. The whole block calls it.
void prefetch_all(u64 address, u64 bytes)
{
    for (uint line = thread_id() * 128u; line < bytes; line += BLOCK * 128u) prefetch(address + line);
}
