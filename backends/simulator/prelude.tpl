$ -- The vocabulary of the templates in C11: for a simulated machine, or of a loop of one thread for this one.
// $(title)
// $(provenance)
//
$ if strategy == "loop" then
// C11, of one thread.
#define MS_KERNEL extern
$ else
// C11 for a machine that runs every lane as a thread of its own (machine.h).
#include "machine.h"
$ end

#include <math.h>
$ if strategy ~= "loop" then
#include <stdalign.h>
$ end
#include <stdbool.h>
$ if strategy ~= "loop" then

#define UNROLL
#define ROLL
$ end

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int uint;
typedef unsigned long long u64;
typedef long long i64;
typedef unsigned short f16; // its bits: arithmetic is done in float
#define uint(value) ((uint)(value))
#define u64(value) ((u64)(value))
#define u16(value) ((u16)(value))

// Addresses are 0 where something is not given.
struct Parameters {
    u64 n; // elements; with n_address a bound of them
    u64 n_address; // of the number of elements, a u64
    u64 scratch; // 16-byte aligned, as are the next two
    u64 carry_in; // $(carry and carry .. ": what comes before all elements" or "not used")
    u64 carry_out; // $(carry and carry .. ": what all add up to" or "not used")
    u64 buffers[8]; // $(buffers_text)
    uint argument;
$ if has_temporary then
    uint reserved;
    u64 temporary; // 16-byte aligned: what nobody needs from launch to launch
$ else
    uint reserved[3];
$ end
};

u64 min(u64 a, u64 b)
{
    return a < b ? a : b;
}

u64 max(u64 a, u64 b)
{
    return a < b ? b : a;
}

bool is_given(u64 address)
{
    return address != 0u;
}

bool is_vector_aligned(u64 address)
{
    return address % 16u == 0u;
}

// Bytes from the last multiple of 128, the size of a line of memory, to an address.
uint place_in_line(u64 address)
{
    return uint(address % 128u);
}

u64 address_at(u64 address, u64 offset_bytes)
{
    return address + offset_bytes;
}

u64 address_after(u64 address, u64 count, u64 bytes)
{
    return address + count * bytes;
}

uint chunks_of_65536(u64 n)
{
    return (uint)(n >> 16);
}

u64 element_count(u64 n, u64 n_address)
{
    return is_given(n_address) ? min(*(const u64 *)n_address, n) : n;
}

$ if strategy ~= "loop" then
$ include "machine"
$ end
$ if helpers ~= "" then

$(helpers)
$ end
