$ -- Blocks that wait for each other's posts, each for a bounded time: no device is promised to make them progress.
// Whether blocks that wait for each other's posts get them: monosweep devices --report.
$ if is_glsl then
#version 460
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model

layout(local_size_x = $(BLOCK)) in;

layout(push_constant, scalar) uniform Parameters {
    uvec2 n; // blocks
    uvec2 unused[4];
    uvec2 posts, state;
} params;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
    uint at[];
};

shared uint shared_ticket;

uint load(Words words, uint i)
{
$   if IS_CPU == 1 then
    return atomicAdd(words.at[i], 0u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed); // lavapipe loads once before a loop
$   else
    return atomicLoad(words.at[i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
$   end
}

void store(Words words, uint i, uint value)
{
    atomicStore(words.at[i], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

uint add(Words words, uint i, uint value)
{
    return atomicAdd(words.at[i], value, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
$ else
typedef unsigned int uint;
typedef unsigned long long u64;

struct Parameters {
    u64 n; // blocks
    u64 unused[4];
    u64 posts, state;
    u64 others[6];
    uint more[4];
};

struct Words {
    uint *at;
};

__device__ uint load(Words words, uint i)
{
    uint value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(words.at + i)));
    return value;
}

__device__ void store(Words words, uint i, uint value)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(words.at + i)), "r"(value));
}

__device__ uint add(Words words, uint i, uint value)
{
    return atomicAdd(words.at + i, value);
}
$ end
$ local device = is_glsl and "" or "__device__ "
$ local const = is_glsl and "const uint" or "constexpr uint"
$ local function by_reference(name) return is_glsl and "inout uint " .. name or "uint &" .. name end

$(const) POLLS = $(POLLS)u; // of a thread, all its waits together: then it gives up
$(const) HOLD = $(HOLD)u; // looks for which a block keeps its post back until a later one has begun

$(const) EARLIER_STARTED = $(EARLIER_STARTED)u, EARLIER = $(EARLIER)u, LATER = $(LATER)u, ALL = $(ALL)u; // for whom a block waits
$(const) ROUNDS = $(ROUNDS)u; // in which all wait for all

// Words of the state.
$(const) PATTERN = $(PATTERN)u, STARTED = $(STARTED)u, ARRIVED = $(ARRIVED)u, GAVE_UP = $(GAVE_UP)u, WAITED = $(WAITED)u;

// Until the word is as large. All who still wait give up once one of them has.
$(device)bool wait_for(Words words, uint i, uint least, Words state, $(by_reference("polls")))
{
    for (; polls < POLLS; polls++) {
        uint seen = load(words, i);
$ for _ = 2, IS_CPU == 1 and LOOKS or 1 do
        seen = max(seen, load(words, i)); // a processor looks for microseconds, as long as its other threads may take to begin
$ end
        if (seen >= least) return true;
        if (load(state, GAVE_UP) != 0u) return false;
    }
    store(state, GAVE_UP, 1u);
    return false;
}

$(device)void wait_for_one(Words posts, Words state, uint self, uint other, uint count)
{
    uint polls = 0u;
    if (other < count && wait_for(posts, other, 1u, state, polls) && polls != 0u) add(state, WAITED, 1u);
    for (uint held = 0u; other != self + 1u && self + 1u < count && held < HOLD && load(state, STARTED) <= self + 1u; held++) {}
    store(posts, self, 1u);
}

$(device)void wait_for_all(Words state, uint count)
{
    uint polls = 0u;
    for (uint r = 1u; r <= ROUNDS; r++) {
        add(state, ARRIVED, 1u);
        if (!wait_for(state, ARRIVED, r * count, state, polls)) return;
    }
    if (polls != 0u) add(state, WAITED, 1u);
}

$ if is_glsl then
void main()
{
    Words posts = Words(params.posts);
    Words state = Words(params.state);
    const uint thread = gl_LocalInvocationIndex, block = gl_WorkGroupID.x, count = gl_NumWorkGroups.x;
$ else
extern "C" __global__ void __launch_bounds__($(BLOCK)) progress(const __grid_constant__ Parameters params)
{
    __shared__ uint shared_ticket;
    const Words posts = {(uint *)params.posts}, state = {(uint *)params.state};
    const uint thread = threadIdx.x, block = blockIdx.x, count = gridDim.x;
$ end
$ local barrier = is_glsl and "barrier();" or "__syncthreads();"
    const uint pattern = load(state, PATTERN);
    if (thread == 0u) shared_ticket = add(state, STARTED, 1u);
    $(barrier)
    const uint self = pattern == EARLIER_STARTED ? shared_ticket : block;
    if (thread == 0u && pattern == ALL) wait_for_all(state, count);
    else if (thread == 0u) wait_for_one(posts, state, self, pattern == LATER ? self + 1u : self - 1u, count);
    $(barrier) // the others keep the block's room
}
