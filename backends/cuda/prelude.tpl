$ -- The vocabulary of the templates in CUDA C++: geometry, threads, barriers, parameters.
// $(title)
// $(provenance)
//
// CUDA C++ for NVRTC and nvcc; it needs no header.
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int uint;
typedef unsigned long long u64;
typedef long long i64;
typedef unsigned short f16; // its bits: arithmetic is done in float

constexpr uint BLOCK = $(BLOCK)u; // threads of a block
$ if SUBGROUP == 1 then
constexpr uint LANES = BLOCK; // no subgroup operations: the block is one subgroup, its shuffles go through shared memory
$ else
constexpr uint LANES = $(LANES)u; // of a subgroup, that is a warp
constexpr uint ALL_LANES = 0xffffffffu;
$ end
constexpr uint VECTOR = $(VECTOR)u; // consecutive items of a lane
$ if ROWS then
constexpr uint ROWS = $(ROWS)u; // of a tile, for each subgroup
constexpr uint TILE = $(BLOCK * ITEMS)u; // items of a tile
$ end
$ if earlier_tile then
constexpr uint EARLIER_TILE = $(earlier_tile)u; // items of a tile, and blocks at most, of the launch before
constexpr uint EARLIER_BLOCKS = $(earlier_blocks)u;
$ end

// Addresses are device addresses, 0 where something is not given.
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

$ if begins_early then
// From here on the next launch may begin. Without it that begins when this one's blocks have ended.
void let_next_launch_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Launches before this one may not have ended yet when it begins; from here on they have.
void wait_for_earlier_launches()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

$ end
uint block_id()
{
    return blockIdx.x;
}

uint block_count()
{
    return gridDim.x;
}

$ if stages then
// Of the first BLOCK threads.
void block_barrier()
{
    asm volatile("bar.sync 1, %0;" ::"n"(BLOCK) : "memory");
}
$ else
void block_barrier()
{
    __syncthreads();
}

// A barrier of the block orders what its threads do in device memory, too.
void block_barrier_all_memory()
{
    __syncthreads();
}
$ end

// Orders what the lanes of a subgroup do in shared memory. All of them call it.
void subgroup_barrier()
{
$ if SUBGROUP == 1 then
    __syncthreads();
$ else
    __syncwarp();
$ end
}

uint lane_id()
{
    return threadIdx.x % LANES;
}

uint subgroup_id()
{
    return threadIdx.x / LANES;
}

uint thread_id()
{
    return threadIdx.x;
}
$ if helpers ~= "" then

$(helpers)
$ end
