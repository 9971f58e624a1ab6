/* monosweep_plan.h - the kernel plan, plain data that says how one operation runs, and what one enqueue of it is given.
 *
 * A plan is made by the generator, at run time in memory or ahead of time as `static const` data in a
 * vendored header, and is executed by one interpreter only. It has no vendor type in it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MONOSWEEP_PLAN_H
#define MONOSWEEP_PLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a field below changes its meaning; the runtime refuses any other number. */
#define MSW_PLAN_FORMAT 15u

enum {
    MSW_MAX_BUFFERS = 32,       /* buffers of one operation; of a pipeline with the arrays between its stages */
    MSW_MAX_ARRAYS = 16,        /* of a pipeline: inputs, outputs and uniforms; and as many arrays between its stages. Lengths name no others */
    MSW_MAX_KERNEL_BUFFERS = 8, /* of them those of one kernel, and of an operation that is no pipeline */
    MSW_MAX_STAGES = 16,        /* of a pipeline; also operations before its cut. MSW_MAX_KERNELS may allow fewer: 4 sorts of u64 have 61 on sm_90 */
    MSW_MAX_PLACES = 32,        /* of a pipeline's scratch, for the arrays between its stages and what stages hold while they run */
    MSW_MAX_KERNELS = 64,       /* kernels of one plan */
    MSW_MAX_STEPS = 256,        /* steps of one plan, all variants together */
    MSW_MAX_VARIANTS = 24,      /* n-ranges of one plan */
    MSW_MAX_CLUSTER_BLOCKS = 16 /* blocks of a cluster */
};

/* What a kernel's text needs from a device. Subgroup operations are needed whenever subgroup_size > 1. */
typedef enum msw_feature {
    MSW_FEATURE_INT8 = 1 << 0,       /* 8-bit integers in arithmetic and in storage */
    MSW_FEATURE_INT16 = 1 << 1,      /* 16-bit integers in arithmetic and in storage */
    MSW_FEATURE_INT64 = 1 << 2,      /* 64-bit integers */
    MSW_FEATURE_FLOAT16 = 1 << 3,    /* 16-bit floats in arithmetic and in storage */
    MSW_FEATURE_FLOAT64 = 1 << 4,    /* 64-bit floats */
    MSW_FEATURE_ATOMIC64 = 1 << 5,   /* 64-bit atomics on buffers */
    MSW_FEATURE_SUBGROUP = 1 << 6,   /* subgroup basic, vote, ballot, shuffle and relative shuffle */
    MSW_FEATURE_LONG_LOOPS = 1 << 7, /* loops of any length, memory barriers in branches that some threads leave out, sums and products with a
                                        constant zero as IEEE has them: all but lavapipe */
    MSW_FEATURE_UNIFORM_CONTROL_FLOW = 1 << 8 /* threads of a subgroup that part in a branch are together again behind it, which kernels then declare
                                                 (VK_KHR_shader_subgroup_uniform_control_flow); it is not taken for granted of devices at large */
} msw_feature;

/* How many elements a buffer of an operation over n elements has: n, 1, a number of its own, as many as a uniform says, or n of which the first ones
 * mean something. Of those that are scattered only elements are written that one of the operation's was sent to; the others stay as they are. */
typedef enum msw_length {
    MSW_LENGTH_N = 0,
    MSW_LENGTH_ONE = 1,
    MSW_LENGTH_SCATTERED = 2,     /* n, scattered */
    MSW_LENGTH_COUNTED = 16,      /* to 31: as many mean something as buffer (length - MSW_LENGTH_COUNTED), one u64, says */
    MSW_LENGTH_REST = 32,         /* to 47: n less what buffer (length - MSW_LENGTH_REST) says */
    MSW_LENGTH_GIVEN = 64,        /* to 79: as many as buffer (length - MSW_LENGTH_GIVEN), a uniform of u64, says; scattered */
    MSW_LENGTH_OFFSETS = 80,      /* to 95: one more than buffer (length - MSW_LENGTH_OFFSETS) says, ascending from 0 to n */
    MSW_LENGTH_FIXED = 0x40000000 /* and above: length - MSW_LENGTH_FIXED, whatever n is; scattered, but of a pipeline, which writes all */
} msw_length;

/* The buffer, a uniform, that says how many elements one of this length has, or -1: none does. */
static inline int msw_given_by(uint32_t length)
{
    if (length < (uint32_t)MSW_LENGTH_GIVEN || length >= (uint32_t)MSW_LENGTH_OFFSETS + MSW_MAX_ARRAYS) return -1;
    return (int)(length < (uint32_t)MSW_LENGTH_OFFSETS ? length - (uint32_t)MSW_LENGTH_GIVEN : length - (uint32_t)MSW_LENGTH_OFFSETS);
}

/* Elements in a buffer of an operation over n elements, or of its plan; 0 where a uniform says it. length: msw_length. */
static inline uint64_t msw_elements(uint32_t length, uint64_t n)
{
    if (msw_given_by(length) >= 0) return 0;
    return length >= (uint32_t)MSW_LENGTH_FIXED ? length - (uint32_t)MSW_LENGTH_FIXED : length == (uint32_t)MSW_LENGTH_ONE ? 1 : n;
}

/* The same where the uniform is `given`; any number will do where none says it. */
static inline uint64_t msw_elements_given(uint32_t length, uint64_t n, uint64_t given)
{
    if (msw_given_by(length) < 0) return msw_elements(length, n);
    return length < (uint32_t)MSW_LENGTH_OFFSETS || given == UINT64_MAX ? given : given + 1;
}

/* 1: what no element was sent to stays as it is. */
static inline int msw_is_scattered(uint32_t length)
{
    return length == (uint32_t)MSW_LENGTH_SCATTERED || (length >= (uint32_t)MSW_LENGTH_GIVEN && length < (uint32_t)MSW_LENGTH_OFFSETS) ||
           length >= (uint32_t)MSW_LENGTH_FIXED;
}

/* What a buffer is to its operation: read, or written; or one value for the whole run, which is read (MSW_LENGTH_ONE; behind all other buffers). */
typedef enum msw_role { MSW_ROLE_IN = 0, MSW_ROLE_OUT = 1, MSW_ROLE_UNIFORM = 2 } msw_role;

typedef struct msw_plan_buffer {
    const char *name;         /* "in", "out", "keys", "values", .. */
    uint32_t element_bytes;   /* size of one element, C's natural layout */
    uint32_t alignment_bytes; /* of the address that is bound: a power of two */
    uint32_t length;          /* msw_length */
    uint32_t role;            /* msw_role */
    uint32_t place;           /* of an array between stages: where in the scratch it lies, below MSW_MAX_PLACES. Others of that place are not read any
                                 more, or not written yet, while it is: the place is as large as the largest. Else 0 */
    uint32_t is_read;         /* 1: an output of a pipeline that its later operations read, or whose number they go by: it must have an address */
} msw_plan_buffer;

typedef struct msw_plan_kernel {
    const char *entry; /* name of the kernel's entry point in reports; SPIR-V's own is "main" */
    const char *text;  /* source text, or NULL in a plan with binaries only */
    const void *code;  /* SPIR-V words, cubin or PTX; NULL before compilation */
    size_t code_bytes;
    uint32_t block_threads;        /* threads of a block (workgroup) */
    uint32_t subgroup_size;        /* the size that the text was made for; 1: no subgroup operation in it */
    uint32_t shared_bytes;         /* shared memory of a block */
    uint32_t dynamic_shared_bytes; /* of it, given at launch (CUDA, where a block has more than 48 KiB) */
    uint32_t features;             /* msw_feature bits */
    uint32_t is_cooperative;       /* 1: its blocks wait for each other, so all must run at once (CUDA: a cooperative launch, of no more blocks than
                                the stream's multiprocessors hold) */
    uint32_t begins_early;         /* 1: a launch may begin before those before it in the same enqueue have ended, and waits for them itself (CUDA:
                                      programmatic stream serialization; a launch that knows nothing of it serves as well) */
    uint32_t cluster_blocks;       /* 0, or the exact number of blocks of each launch, which reach each other's shared memory (CUDA: one thread block
                                      cluster, which the text asks for; of more than 8 it is "non-portable"). Where there is no room for it, a later
                                      variant serves: the last one in each mode has no such kernel */
} msw_plan_kernel;

/* One dispatch: blocks = clamp(ceil(n / tile_items), least_blocks, max_blocks), where n is that of the step's stage in a pipeline. Steps of a variant
 * run in order, each seeing what the ones before wrote. */
typedef struct msw_plan_step {
    uint32_t kernel;       /* index into kernels */
    uint32_t tile_items;   /* > 0 */
    uint32_t max_blocks;   /* > 0 */
    uint32_t argument;     /* handed to the kernel in msw_params.argument */
    uint32_t repeats;      /* further dispatches, with argument + 1, argument + 2, ..; at most 4096 */
    uint32_t joined;       /* number of steps after this one that are repeated with it: all in order, then all again */
    uint32_t least_blocks; /* at most max_blocks; 0 counts as 1. More: of work that does not end with n */
    uint32_t stage;        /* of a pipeline: the stage that it belongs to; else 0 */
} msw_plan_step;

#define MSW_NO_ARRAY UINT32_MAX

/* A stage of a pipeline: what became of an operation and the maps in its kernel. Its kernels have buffers of their own, which are arrays of the
 * pipeline: buffers of the caller, and behind them the arrays between stages, which lie in the scratch. Each stage has a part of the scratch for
 * itself, what it keeps from launch to launch: scratch_base_bytes + scratch_per_tile_bytes * ceil(msw_elements(length, n) / scratch_tile_items).
 * What it holds only while it runs, as a sort the keys and values on their way, is as many bytes by temporary_.. and lies in one of the places that
 * the arrays between stages have: what else lies there is not needed then. A stage that keeps nothing has all of its scratch there. */
typedef struct msw_plan_stage {
    const char *name;
    uint32_t length;     /* msw_length: its elements, or the room for them: N, or from FIXED on */
    uint32_t counted_by; /* the array, one u64, that says how many elements it has, where they are no more, plus 1; 0: all */
    uint32_t scratch_tile_items, temporary_tile_items; /* > 0 */
    uint32_t place;                                    /* below MSW_MAX_PLACES; 0 where it holds nothing */
    uint64_t scratch_base_bytes, scratch_per_tile_bytes, temporary_base_bytes, temporary_per_tile_bytes;
    uint32_t arrays[MSW_MAX_KERNEL_BUFFERS]; /* indices of msw_plan.buffers; MSW_NO_ARRAY: an output that nobody reads */
} msw_plan_stage;

/* What a variant serves beside outputs apart from inputs. */
enum {
    MSW_SERVES_IN_PLACE = 1, /* an output may be an input, and carry_out carry_in */
    MSW_SERVES_ONE_CARRY = 2 /* carry_out may be carry_in */
};

/* A way to run the operation for every n <= n_max (n_max does not fall from variant to variant; each is
 * correct for any smaller n too, so an upper bound of a device-side n picks one: the first that serves).
 * scratch = base + per_block * blocks of the widest step + per_tile * tiles of the first step, in bytes; of a pipeline what its stages and arrays
 * between them take. */
typedef struct msw_plan_variant {
    uint64_t n_max;
    uint32_t first_step;
    uint32_t step_count;
    uint64_t scratch_base_bytes;
    uint64_t scratch_per_block_bytes;
    uint64_t scratch_per_tile_bytes;
    uint64_t temporary_per_tile_bytes;                    /* of them: nobody needs what is there from launch to launch */
    uint64_t read_bytes_per_item, written_bytes_per_item; /* of arrays, by all launches; sorts: no pass is skipped */
    uint64_t read_bytes, written_bytes;                   /* besides, whatever n is: of a pipeline's stages that have a length of their own */
    uint32_t serves_in_place;                             /* 0, MSW_SERVES_IN_PLACE or MSW_SERVES_ONE_CARRY */
    uint32_t is_ping_pong;                                /* 1: it uses the inputs as space too, and serves nobody who does not ask for that */
    uint32_t ends_in_inputs;                              /* of a ping-pong variant, 1: the result is where the inputs were, 0: in the outputs */
    /* "single_block"; "reduce_then_scan", "scan_then_propagate" (Merrill & Grimshaw 2010); "lookback" (Merrill & Garland 2016; its fallback:
     * Smith, Levien & Owens 2025); "chained_scan" (Yan, Long & Zhang 2013); "lookahead" (a block sums up tiles ahead of its scans);
     * "block_atomic", "atomic_bump" (an append in any order takes places by atomic additions, of blocks or of elements); "onesweep" (Adinets &
     * Merrill 2022); "msd_hybrid" (partitions, then sorts in blocks; Stehle & Jacobsen 2017); "counting" (no key is moved; Seward 1954);
     * "single_cluster" (one launch, whose blocks send keys to each other's shared memory); "upsweep_downsweep" (Merrill & Grimshaw 2011); "split",
     * the same by one bit a pass (Blelloch 1990); "elementwise" (a map); "stages" (a pipeline: its stages one after another, each by its own);
     * "oracle" (one element after another, on the host) */
    const char *strategy;
} msw_plan_variant;

typedef struct msw_plan {
    uint32_t format;  /* MSW_PLAN_FORMAT */
    uint32_t backend; /* msw_backend_kind of monosweep.h */
    const char *name; /* the operation's name */
    uint32_t buffer_count, kernel_count, step_count, variant_count;
    uint32_t init_step_count; /* the last steps: they zero a scratch before its first launch; tile_items are bytes there. 0: it needs none */
    uint32_t carry_bytes;     /* size of a carry-in or carry-out element (the monoid's type) */
    uint32_t scratch_alignment_bytes;
    uint64_t bytes_read_per_item, bytes_written_per_item; /* the least traffic, for reports */
    uint32_t stage_count;                                 /* of a pipeline; 0: it is none */
    uint32_t between_count;                               /* arrays between stages: buffers[buffer_count] and those after it */
    msw_plan_buffer buffers[MSW_MAX_BUFFERS];
    msw_plan_kernel kernels[MSW_MAX_KERNELS];
    msw_plan_step steps[MSW_MAX_STEPS];
    msw_plan_variant variants[MSW_MAX_VARIANTS];
    msw_plan_stage stages[MSW_MAX_STAGES];
} msw_plan;

enum {
    MSW_SCRATCH_DIRTY = 1 << 0, /* initialise the scratch first, as scratch_init does: for arena users */
    MSW_IN_PLACE = 1 << 1,      /* declares that an output may be an input: one address, elements of one size */
    MSW_PING_PONG = 1 << 2      /* sorts: inputs and outputs take turns, so that the scratch need not hold keys and values on their way. What was in
                                   the inputs is lost, and the variant's ends_in_inputs says where the result is */
};

/* What one enqueue runs. Addresses are device addresses, offsets included, aligned as the plan's buffers say.
 *   Range     a buffer has msw_elements(length, n) elements, or msw_elements_given where a uniform says how many. Where its address
 *             must be 4-byte aligned, whole words of 4 bytes may be reached: the last one must lie in the memory; its bytes beyond
 *             the array stay as they are.
 *   Aliasing  what is written shares memory with nothing, but for outputs declared MSW_IN_PLACE and for carry_out, which may be
 *             carry_in. Refused where the description shows it (with n_address the buffers' lengths are not known). Both need a
 *             variant that serves in place: plans made without a strategy knob have one, but that what reads beside an element (near), or
 *             writes elsewhere (packed and scattered outputs), serves one place for both carries alone.
 *   n         0 .. the last variant's n_max. With n = 0 a scan writes nothing, a reduction its init or identity; inputs may be 0,
 *             but for uniforms and arrays whose length a uniform says.
 *   Carries   carry_in takes the place of the operation's init; carry_out receives what all elements come to, carry_in or init
 *             included. A scan in parts equals the whole when each part takes the carry-out of the one before (reverse: behind) it.
 * Scratch   zeroed once (msw_vulkan_scratch_init, msw_cuda_scratch_init, NAME_scratch_init of a vendored header); from then on one plan's, for any n
 *             and mode (in place, ping-pong) that it is large enough for, one enqueue in flight at a time. MSW_SCRATCH_DIRTY makes an enqueue zero it
 *             first. All scratch_bytes are zeroed, but of a pipeline's.
 *             Zeros of another origin will not do: it is noted how much was zeroed, and work that needs more writes nothing. An enqueue that
 *             fails midway (CUDA) leaves the scratch ready for the next, unless it was to zero it.
 *             A pipeline's is always given with the number of bytes that it was zeroed with: they say where its parts lie. Of these only what stages
 *             keep from launch to launch is zeroed; in the rest anything may lie.
 * Pipelines   behind its own buffers a pipeline has the arrays between its stages. They lie in the scratch, unless they are given an address here,
 *             where they can be read afterwards. It serves neither MSW_IN_PLACE nor carries. */
typedef struct msw_enqueue_desc {
    uint32_t struct_size;
    uint32_t flags;
    uint64_t n;         /* elements; with n_address an upper bound */
    uint64_t n_address; /* of a u64 that holds n when the work runs, 8-byte aligned; more than the bound counts as the bound. 0: n is the number */
    uint64_t buffers[MSW_MAX_BUFFERS]; /* in plan order; an output that is 0 is not written, and none is 0 that has is_read */
    uint64_t carry_in, carry_out;      /* device addresses of one element (plan->carry_bytes), 16-byte aligned; 0: none */
    uint64_t scratch; /* device address, plan->scratch_alignment_bytes; 0 when msw_scratch_bytes is 0, or some is reserved for the stream */
    uint64_t scratch_bytes;
} msw_enqueue_desc;

/* The one parameter block of every kernel (Vulkan push constants, CUDA kernel parameter): 120 bytes, little endian.
 * A kernel takes n from n_address when that is not 0; n is then an upper bound. */
typedef struct msw_params {
    uint64_t n;
    uint64_t n_address; /* of a u64, 8-byte aligned; 0: none */
    uint64_t scratch;
    uint64_t carry_in;                       /* address of one element of the monoid's type, or 0 */
    uint64_t carry_out;                      /* likewise, written; may be carry_in */
    uint64_t buffer[MSW_MAX_KERNEL_BUFFERS]; /* device addresses, offsets included; 0: not given */
    uint32_t argument;
    uint32_t reserved;  /* 0, for later versions */
    uint64_t temporary; /* of a pipeline's stage: what it holds only while it runs, 16-byte aligned; else 0: it is in the scratch */
} msw_params;

#ifdef __cplusplus
}
#endif
#endif
