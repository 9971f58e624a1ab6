/* Compiled with the kernels, not with the tests: the compiler's instrumentation of loads and stores (-fsanitize=thread, alignment and bounds,
 * without their runtimes) handed on to the machine. */
#include "machine.h"

#include <stddef.h>

extern const char __ehdr_start[], _end[]; /* of this shared object, by the linker */
const ms_machine *ms_machine_running;

static void touch(const void *address, uint64_t bytes, int is_write)
{
    const uint64_t own = (uint64_t)(uintptr_t)address - (uint64_t)(uintptr_t)__ehdr_start;
    if (own >= (uint64_t)(_end - __ehdr_start)) ms_machine_running->access(address, bytes, is_write);
}

#define BOTH(bytes)                                                      \
    void __tsan_read##bytes(void *address) { touch(address, bytes, 0); } \
    void __tsan_write##bytes(void *address) { touch(address, bytes, 1); }
#define UNALIGNED(bytes)                                                           \
    void __tsan_unaligned_read##bytes(void *address) { touch(address, bytes, 0); } \
    void __tsan_unaligned_write##bytes(void *address) { touch(address, bytes, 1); }
// clang-format off
BOTH(1) BOTH(2) BOTH(4) BOTH(8) BOTH(16) UNALIGNED(2) UNALIGNED(4) UNALIGNED(8) UNALIGNED(16)

void __tsan_read_range(void *address, size_t bytes) { touch(address, bytes, 0); }
// clang-format on
void __tsan_write_range(void *address, size_t bytes) { touch(address, bytes, 1); }
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

/* What every description of a fault begins with. */
struct source_location {
    const char *file;
    uint32_t line, column;
};

void __ubsan_handle_type_mismatch_v1(const struct source_location *where, void *address)
{
    (void)address;
    ms_machine_running->fault((int)where->line, "an address is not aligned");
}

void __ubsan_handle_out_of_bounds(const struct source_location *where, void *index)
{
    (void)index;
    ms_machine_running->fault((int)where->line, "an index is out of bounds");
}

/* Calls that a compiler makes of whole structs. */
void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    touch(from, bytes, 0);
    touch(to, bytes, 1);
    while (bytes--) *t++ = *f++;
    return to;
}

void *memset(void *to, int byte, size_t bytes)
{
    unsigned char *t = to;
    touch(to, bytes, 1);
    while (bytes--) *t++ = (unsigned char)byte;
    return to;
}
