$ -- The vocabulary of the templates in GLSL 4.60 for Vulkan: geometry, threads, barriers, shuffles, parameters.
// $(title)
// $(provenance)
#version 460
$ for _, name in ipairs(extensions) do
#extension $(name) : require
$ end
#pragma use_vulkan_memory_model
#define UNROLL [[unroll]]
#define ROLL [[dont_unroll]]

layout(local_size_x = $(BLOCK)) in;

const uint BLOCK = $(BLOCK)u; // threads of a block
$ if SUBGROUP == 1 then
const uint LANES = BLOCK; // no subgroup operations: the block is one subgroup, its shuffles go through shared memory
$ else
const uint LANES = $(LANES)u; // of a subgroup
$ end
const uint VECTOR = $(VECTOR)u; // consecutive items of a lane
$ if ROWS then
const uint ROWS = $(ROWS)u; // of a tile, for each subgroup
const uint TILE = $(BLOCK * ITEMS)u; // items of a tile
$ end
$ if earlier_tile then
const uint EARLIER_TILE = $(earlier_tile)u; // items of a tile, and blocks at most, of the launch before
const uint EARLIER_BLOCKS = $(earlier_blocks)u;
$ end

// 120 bytes of push constants. Addresses are device addresses, 0 where something is not given.
layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // elements; with n_address a bound of them
    uvec2 n_address; // of the number of elements, a u64
    uvec2 scratch; // 16-byte aligned, as are the next two
    uvec2 carry_in; // $(carry and carry .. ": what comes before all elements" or "not used")
    uvec2 carry_out; // $(carry and carry .. ": what all add up to" or "not used")
    uvec2 buffers[8]; // $(buffers_text)
    uint argument;
$ if has_temporary then
    uint reserved;
    uvec2 temporary; // 16-byte aligned: what nobody needs from launch to launch
$ end
} params;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Count {
    uvec2 value;
};

bool is_given(uvec2 address)
{
    return address != uvec2(0u);
}

bool is_vector_aligned(uvec2 address)
{
    return (address.x & 15u) == 0u;
}

// Bytes from the last multiple of 128, the size of a line of memory, to an address.
uint place_in_line(uvec2 address)
{
    return address.x & 127u;
}

uvec2 address_at(uvec2 address, uint offset_bytes)
{
    const uint low = address.x + offset_bytes;
    return uvec2(low, address.y + uint(low < offset_bytes));
}

// `count` things of `bytes` bytes each after an address, beyond 4 GiB too.
uvec2 address_after(uvec2 address, uint count, uint bytes)
{
    uint high, low;
    umulExtended(count, bytes, high, low);
    const uvec2 end = address_at(address, low);
    return uvec2(end.x, end.y + high);
}

uint chunks_of_65536(uvec2 n)
{
    return n.y << 16u | n.x >> 16u;
}

uint element_count(uvec2 n, uvec2 n_address)
{
    if (!is_given(n_address)) return n.x;
    const uvec2 count = Count(n_address).value;
    return count.y == 0u ? min(count.x, n.x) : n.x;
}

uint block_id()
{
    return gl_WorkGroupID.x;
}

uint block_count()
{
    return gl_NumWorkGroups.x;
}

// Orders what the threads of the block do in shared memory alone.
void block_barrier()
{
    barrier();
}

// A block_barrier that orders what they do in buffers, too.
void block_barrier_all_memory()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
}

// Orders what the lanes of a subgroup do in shared memory. All of them call it.
void subgroup_barrier()
{
$ if SUBGROUP == 1 then
    barrier();
$ else
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
$ end
}

$ if SUBGROUP == 1 then
uint lane_id()
{
    return gl_LocalInvocationIndex;
}

uint subgroup_id()
{
    return 0u;
}
$ else
uint lane_id()
{
    return gl_SubgroupInvocationID;
}

uint subgroup_id()
{
    return gl_SubgroupID;
}
$ end

uint thread_id()
{
    return subgroup_id() * LANES + lane_id();
}
$ if helpers ~= "" then

$(helpers)
$ end
