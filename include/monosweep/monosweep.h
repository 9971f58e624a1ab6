/* monosweep.h - scan, reduction, radix sort, map, sweep and pipeline kernels from Lua specs: the vendor-free C interface.
 *
 * Conventions, for every function below unless its comment says otherwise
 *   Errors    functions that can fail return msw_result; when `diag` is not NULL it is filled on failure (and
 *             set to code MSW_OK on success). Output handles are set to NULL on failure. No call aborts or prints.
 *             INVALID_ARGUMENT, VERSION (a struct_size) and OUT_OF_MEMORY can come from every one of them.
 *   Threads   a context and everything made from it belong to one thread at a time; so do a spec and its programs. Different contexts, and different
 *             specs, are independent, also with one cache_dir or on one device of the caller's. Several threads may enqueue one kernel, each with
 *             its own scratch, also while the context's thread reserves scratch for another thread. Functions that only read a plan
 *             (msw_scratch_bytes, msw_plan_launch) may be called from any thread.
 *   Enqueues  (msw_vulkan_enqueue, msw_cuda_enqueue and their scratch_init) allocate nothing, neither by the msw_allocator nor by malloc. Of
 *             the driver they call only what records or launches the plan's steps: they compile nothing, wait for nothing, read nothing back
 *             and create nothing. An enqueue that is refused records and launches nothing.
 *   Lifetime  create/destroy pairs; destroy accepts NULL. A context must outlive what was made from it; a kernel and
 *             buffers must outlive the device work that uses them. Strings and structs returned by pointer live as long
 *             as the handle they came from. Memory that the caller passes by pointer is needed during the call only.
 *   Structs   descriptions, and structs that a call fills, begin with struct_size, which the caller sets to the sizeof of it; every other field of a
 *             description may be zero: the default. Later versions add fields at the end. A library accepts every size since version 0.1. A field
 *             that the caller does not have counts as zero. A field that the library does not know must be zero (else VERSION), and is zero in
 *             results. msw_context_device returns a struct of the library's struct_size. Structs without struct_size never change, but for msw_plan,
 *             which has a format.
 *   Units     n and lengths count elements; names that end with `_bytes` count bytes. Addresses are device addresses (device "host": pointers).
 *
 * SPDX-License-Identifier: MIT */
#ifndef MONOSWEEP_H
#define MONOSWEEP_H

#include <monosweep/monosweep_plan.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MSW_API __attribute__((visibility("default")))
#else
#define MSW_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MSW_VERSION_MAJOR 0
#define MSW_VERSION_MINOR 1
#define MSW_VERSION_PATCH 0

/* "0.1.0" */
MSW_API const char *msw_version(void);

/* ---- results and diagnostics ---------------------------------------------------------------------- */

typedef enum msw_result {
    MSW_OK = 0,
    MSW_ERROR_INVALID_ARGUMENT = 1, /* the call's arguments: NULL handle, bad range */
    MSW_ERROR_OUT_OF_MEMORY = 2,    /* host or device memory */
    MSW_ERROR_SPEC = 3,             /* the spec is wrong: diag has file, line, message */
    MSW_ERROR_UNSUPPORTED = 4,      /* the device lacks a feature, or the knobs cannot run */
    MSW_ERROR_DEVICE = 5,           /* no such device, driver failure, device lost */
    MSW_ERROR_COMPILE = 6,          /* a kernel's text did not compile: a bug of ours, or of a `source` body; or a pipeline's are not what it says */
    MSW_ERROR_IO = 7,               /* a file could not be read or written */
    MSW_ERROR_TOO_SMALL = 8,        /* scratch or a buffer is too small */
    MSW_ERROR_VERSION = 9,          /* a plan's format, a struct_size, or a field behind those that are known, of another version */
    MSW_ERROR_NOT_READY = 10        /* an enqueue needs a kernel that is still to be compiled or loaded: msw_kernel_wait */
} msw_result;

/* "spec", "out of memory", .. */
MSW_API const char *msw_result_text(msw_result result);

typedef struct msw_diag {
    msw_result code;
    int line;           /* 0: none */
    char stage[16];     /* "spec", "laws", "oracle", "verify", "plan", "emit", "compile", "device", "launch", "io"; "": none */
    char file[256];     /* "" : none */
    char message[1024]; /* "file:line: where: cause; what to do", one line, no newline at the end */
} msw_diag;

/* The name of a device feature, of msw_feature's lowest bit with index 0: "int8"; NULL: there is no such bit. Any thread. */
MSW_API const char *msw_feature_name(uint32_t index);

/* ---- types ---------------------------------------------------------------------------------------- */

typedef enum msw_scalar {
    MSW_BOOL = 0, /* of conditions; never in memory */
    MSW_U8,
    MSW_I8,
    MSW_U16,
    MSW_I16,
    MSW_U32,
    MSW_I32,
    MSW_U64,
    MSW_I64,
    MSW_F16,
    MSW_F32,
    MSW_F64
} msw_scalar;

/* One scalar of an element, in memory order. A vec contributes one entry per component. */
typedef struct msw_leaf {
    const char *path; /* "" for a scalar element, "a", "lo.x", .. */
    msw_scalar scalar;
    uint32_t offset_bytes;
    uint32_t vec_length; /* components of the vec that it belongs to; 0: of none */
} msw_leaf;

typedef struct msw_type_info {
    const char *name; /* "u32", "vec(f32, 3)", "Affine" */
    uint32_t size_bytes, alignment_bytes;
    uint32_t leaf_count;
    const msw_leaf *leaves;
} msw_type_info;

/* ---- specs (monosweep_gen) ------------------------------------------------------------------------ */

typedef struct msw_spec msw_spec;

typedef struct msw_allocator { /* all NULL: malloc and free. Copied; `user` outlives what was made with it */
    void *user;
    void *(*resize)(void *user, void *block, size_t old_bytes, size_t new_bytes); /* realloc's contract and alignment; new_bytes 0 frees */
} msw_allocator;

typedef struct msw_define {
    const char *name, *value;
} msw_define; /* a Lua global of the spec: a number where it reads as one, else a string */

/* How pipelines are cut into kernels: so that their predicted time is least; or as others do, to compare: operations join the kernels of what they
 * use wherever they may; as few kernels as there can be; each operation is a kernel. Results are equal, where bits are promised to the bit. */
typedef enum msw_cut_method { MSW_CUT_OPTIMUM = 0, MSW_CUT_GREEDY = 1, MSW_CUT_FEWEST = 2, MSW_CUT_UNFUSED = 3 } msw_cut_method;

typedef struct msw_spec_desc {
    uint32_t struct_size;
    uint32_t define_count;
    const char *text;  /* the spec's text; NULL: read `file` */
    size_t text_bytes; /* 0: text is NUL-terminated */
    const char *file;  /* path, and the name in messages; with `text` only the name ("spec" by default) */
    const msw_define *defines;
    const msw_allocator *allocator;
    uint64_t memory_limit_bytes;                       /* 0: 256 MiB; a spec that needs more is wrong: SPEC */
    uint32_t time_limit_ms;                            /* of the calling thread's processor time; 0: 1000 */
    uint32_t skip_laws;                                /* 1: do not check the monoids' laws (they were checked before) */
    void (*warning)(void *user, const msw_diag *diag); /* about laws, and about defines that the text does not name; NULL: no warnings */
    void *warning_user;
    const char *op;    /* the only operation that will be used: monoids that only others use are not tested; NULL: all are tested */
    uint32_t cut;      /* msw_cut_method */
    uint32_t reserved; /* 0 */
} msw_spec_desc;

/* Reads, traces, type-checks a spec and tests its monoids' laws. Errors: SPEC (diag has file:line), IO. */
MSW_API msw_result msw_spec_create(const msw_spec_desc *desc, msw_spec **spec, msw_diag *diag);
MSW_API void msw_spec_destroy(msw_spec *spec);

typedef enum msw_op_kind {
    MSW_OP_SCAN = 0,
    MSW_OP_REDUCE = 1,
    MSW_OP_SORT = 2,    /* buffers: keys (`in` where there is a map), values (optional), keys_out, values_out (with values); no carry */
    MSW_OP_MAP = 3,     /* no carry */
    MSW_OP_SWEEP = 4,   /* a scan with outputs of which what is kept is written: compact, partition, unique; or items, of which an element has any
                        number: append; or a scan or reduction by keys or segments. It has a carry where msw_op_info says so */
    MSW_OP_PIPELINE = 5 /* several of the others, on arrays of each other; no carry */
} msw_op_kind;

typedef struct msw_op_buffer {
    const char *name;
    msw_type_info type;
    uint32_t length; /* msw_length */
    uint32_t role;   /* msw_role */
} msw_op_buffer;

/* The buffer that says how many of these mean something, or -1: all do. */
static inline int msw_counted_by(uint32_t length)
{
    if (length < MSW_LENGTH_COUNTED || length >= MSW_LENGTH_GIVEN) return -1;
    return (int)(length < MSW_LENGTH_REST ? length - MSW_LENGTH_COUNTED : length - MSW_LENGTH_REST);
}

/* How many that are, of n, where that buffer holds `count`. */
static inline uint64_t msw_counted_elements(uint32_t length, uint64_t n, uint64_t count)
{
    const uint64_t least = count < n ? count : n;
    return length < MSW_LENGTH_REST ? least : n - least;
}

typedef struct msw_op_info {
    uint32_t struct_size;
    msw_op_kind kind;
    const char *name;
    const char *doc; /* "" : none */
    uint32_t buffer_count;
    msw_op_buffer buffers[MSW_MAX_BUFFERS];
    msw_type_info carry;   /* the monoid's type: of carry-in and carry-out; a sort's has 0 bytes: it has none */
    uint32_t is_bit_exact; /* 1: every device returns the oracle's bits, but those of a NaN that is negated or chosen by abs, min or max, and those
                              at places of a scattered output to which several elements were sent: timing decides whose are there. 0: results
                              depend on the order of combination (rounding, or a law that fails), or on how the device treats denormals */
    uint32_t is_reverse;   /* 1: a scan, or reduction, that begins at the last element */
    /* A law of its monoid that fails, for large values only, and an example: "affine.lua:3: monoid: .. is not .."; NULL: no failure was found. */
    const char *law_warning;
    /* Which of its functions are a `source`, with one body for the host and one for the kernel: "map", "map and output"; NULL: none. */
    const char *sources;
    /* Of an append: the buffer in which the items lie, one behind the other, and the one that says how many there are, one u64. Those that the first
     * has no room for are not written. item_count 0: it is no append. */
    uint32_t items, item_count;
    uint32_t has_any_order; /* 1: an append with order = "any": the items of an element lie together, but elements come in any order, which timing
                               decides, and is_bit_exact is of each item by itself. The oracle's order is the input's */
    uint32_t stage_count;   /* of a pipeline: its stages, see msw_spec_stage; 0: it is none */
    /* Of a pipeline's output that has room for a number of elements of its own: the output, one u64, that says how many of them were made (zeros lie
     * behind these; more than there is room for are not there), plus 1. 0: all, or as many as the output's length says. */
    uint32_t counters[MSW_MAX_BUFFERS];
    uint32_t most_segments; /* of a pipeline with segments by offsets: how many there may be; 0: it has none */
    uint32_t reserved;      /* 0 */
} msw_op_info;

/* A stage of a pipeline: what became of an operation and the maps in its kernel. By itself it is an operation of the spec, too, behind those that
 * msw_spec_op_count counts. */
typedef struct msw_stage_info {
    uint32_t struct_size;
    uint32_t op;                             /* its index there; msw_spec_find knows it as "PIPELINE.STAGE" */
    uint32_t counted_by;                     /* the array, one u64, that says how many elements it has, no more than `length`, plus 1; 0: all */
    uint32_t arrays[MSW_MAX_KERNEL_BUFFERS]; /* of its buffers, as of msw_plan.buffers of the pipeline; MSW_NO_ARRAY: an output that nobody reads */
    uint32_t length;                         /* msw_length of the pipeline: n, or a number of its own */
    const char *operations;                  /* of the pipeline that are computed in it, by name: "map_1 + total" */
} msw_stage_info;

MSW_API uint32_t msw_spec_op_count(const msw_spec *spec);
/* index: of an operation, or of a stage. The caller sets info->struct_size. Errors: VERSION (of that size), INVALID_ARGUMENT (there is none). */
MSW_API msw_result msw_spec_op(const msw_spec *spec, uint32_t index, msw_op_info *info);
/* Of the pipeline `index`; stage < its info's stage_count. The caller sets info->struct_size. Errors: as msw_spec_op. */
MSW_API msw_result msw_spec_stage(const msw_spec *spec, uint32_t index, uint32_t stage, msw_stage_info *info);
/* The index of the operation called `name` (NULL: the only one), or -1. */
MSW_API int msw_spec_find(const msw_spec *spec, const char *name);
/* "affine" of "dir/affine.lua": the name of operations without one, and of files made of the spec. */
MSW_API const char *msw_spec_name(const msw_spec *spec);
/* The checked spec, one line an operation. */
MSW_API const char *msw_spec_summary(const msw_spec *spec);
/* The checked spec as JSON: its operations with their types, keys and monoids' laws, but not their functions. "operations" of a pipeline are its
 * stages. */
MSW_API const char *msw_spec_json(const msw_spec *spec);

/* The oracle: evaluates operation `index` on the host, in memory order, one element at a time.
 * inputs[i], outputs[i]: arrays in the op's buffer order (inputs and outputs counted apart; uniforms are the last inputs), n elements or 1, C
 * layout, of any alignment; an output may be an input of equal elements. outputs, or an outputs[i], may be NULL: not written; inputs may be NULL
 * when n is 0 and there are neither uniforms nor inputs of a length of their own. Scattered outputs (msw_is_scattered) keep what they held where
 * nothing is sent to.
 * carry_in, carry_out: one element each, or NULL; they may be one.
 * Floats are rounded as devices round them, and combined in memory order. A device may combine in another order: to verify it, use
 * msw_verification_create.
 * Errors: UNSUPPORTED (a `source` without host; u32 indices of more than 2^32 elements), INVALID_ARGUMENT (a sort with a carry), SPEC (its host
 * function failed).
 * Threads: one at a time on a spec that has a `source` with a host function, which runs in the spec's Lua state. */
MSW_API msw_result msw_spec_evaluate(const msw_spec *spec, uint32_t index, uint64_t n, const void *const *inputs, void *const *outputs,
                                     const void *carry_in, void *carry_out, msw_diag *diag);

/* ---- verification (monosweep_gen) -------------------------------------------------------------------
 *
 * Whether a device computes an operation as the language says. Results whose bits the language promises are compared with the oracle bit for bit.
 * A float scan or reduction may combine in any tree; it is judged twice:
 *   structure  The kernel first runs on small-integer inputs for which every order is exact, and on single pairs, and must match bit for bit
 *              (msw_verification_probe); pairs within bounds, where a device's own functions combine or identities leave a trace.
 *   bounds     On the user's data the host evaluates it with every rounding pushed up, away from zero, and at random; twice the largest movement is
 *              the bound (msw_verification_expect, _judge). Elements whose bound exceeds 1 % of their scale are undecided: they count as not
 *              verified. */

typedef enum msw_verdict {
    MSW_VERIFIED = 0,
    MSW_NOT_VERIFIED = 1, /* nothing wrong was found, but too little can be said */
    MSW_FAILED = 2
} msw_verdict;

typedef struct msw_verification msw_verification; /* of one operation, for any number of kernels, inputs and outputs */

typedef struct msw_verification_desc {
    uint32_t struct_size;
    uint32_t op;                 /* index of the operation */
    uint32_t backend;            /* msw_backend_kind: of which the functions' bounds are; AUTO: the loosest */
    msw_spec *spec;              /* must outlive the verification; both are one thread's at a time */
    const void *const *uniforms; /* an element each, in the op's buffer order, which are copied; NULL: the operation has none */
} msw_verification_desc;

/* Errors: UNSUPPORTED (a `source` without host), INVALID_ARGUMENT (no such operation or backend; a uniform without a value). */
MSW_API msw_result msw_verification_create(const msw_verification_desc *desc, msw_verification **verification, msw_diag *diag);
MSW_API void msw_verification_destroy(msw_verification *verification);

/* 1: bits are promised; probes are not needed. */
MSW_API int msw_verification_is_bitwise(const msw_verification *verification);

/* The spec whose only operation is the given one without its map, output and init. It takes and returns whole elements of the monoid's type, so that
 * probes see everything. Make the kernels for probes from it, with the same knobs. NULL: the operation has none of these three, or its bits are
 * promised. The spec lives as long as the verification. */
MSW_API msw_spec *msw_verification_state_spec(msw_verification *verification);

/* Runs a kernel on host arrays, as msw_kernel_run_host does. A result other than MSW_OK ends the probes. */
typedef msw_result (*msw_verification_run)(void *user, uint64_t n, const void *const *inputs, void *const *outputs, msw_diag *diag);

typedef struct msw_probe_desc {
    uint32_t struct_size;
    uint32_t pair_count;            /* 0: 64 */
    uint64_t n;                     /* of the user's data: the variant that serves it is probed, too */
    const msw_plan *plan;           /* of the kernel that run_state runs: tells its tiles and variants; NULL: tiles of 256 */
    msw_verification_run run;       /* the operation; NULL: its map and output are not probed by themselves */
    msw_verification_run run_state; /* the operation of msw_verification_state_spec; where that is NULL: the operation */
    void *user, *state_user;
} msw_probe_desc;

/* What the probes found. */
typedef struct msw_structure {
    uint32_t struct_size;
    uint32_t verdict;     /* msw_verdict; NOT_VERIFIED: there is no exact input, and no pair; or none of the variant that serves n */
    uint32_t input_count; /* exact inputs that agreed */
    uint32_t pair_count;
    uint32_t is_exact;    /* 1: it agreed to the bit, but for pairs of inexact functions; 0: pairs agreed within bounds only */
    uint32_t short_count; /* runs of the operation itself on 1, 2, 3 and 5 elements that were verified as a user's data are */
    char text[512];       /* "structure exact (3 integer inputs, 64 pairs); map and output: 2 tiled runs exact, 16 short runs within bounds",
                           * ".. (3 integer inputs), 64 pairs within bounds; ..", or what differs */
} msw_structure;

/* Runs the probes of a scan or reduction: 3 inputs of several tiles, `pair_count` small ones, up to 16 of them of the variant that serves n; with the
 * operation's own map and output 16 of at most 5 elements, and up to 2 of several tiles. The caller sets structure->struct_size. Errors: those of the
 * runs. */
MSW_API msw_result msw_verification_probe(msw_verification *verification, const msw_probe_desc *desc, msw_structure *structure, msw_diag *diag);

/* Evaluates the operation of these inputs, arrays as of msw_spec_evaluate, with bounds: the time of some four evaluations, and memory of about twice
 * the output's. Replaces what was expected before. Errors: those of msw_spec_evaluate. */
MSW_API msw_result msw_verification_expect(msw_verification *verification, uint64_t n, const void *const *inputs, msw_diag *diag);

/* One scalar of an output. */
typedef struct msw_verified_field {
    uint32_t buffer, leaf; /* of msw_op_info.buffers, and of its type's leaves; leaf_count: the padding */
    uint32_t verdict;
    uint64_t count, undecided; /* elements; those of which nothing can be said, or too little: a bound above 1 % of the scale */
    double share;              /* the median bound of the latter as a part of their scale; infinite: there is none */
    uint64_t element;          /* the first that is wrong; else the one that is nearest to its bound */
    double error, bound;       /* its; 0: compared bit for bit; bound NaN: a NaN is expected */
    uint64_t nan_count;        /* of the undecided: NaN, as they must be; or made of the bits of NaN, which are each device's own */
} msw_verified_field;

typedef struct msw_verification_report {
    uint32_t struct_size;
    uint32_t verdict;
    uint32_t is_bitwise;
    uint32_t field_count;
    const msw_verified_field *fields; /* until the next call with this verification */
    const char *text;                 /* a line for each field, or for all of them, without an end of line after the last; as long */
    const char *failure;              /* the first of what is wrong, one line; NULL: nothing is; as long */
    uint32_t is_unbounded;            /* 1: sin or cos beyond pi was computed, and the device does not bound it there */
    uint32_t reserved;                /* 0 */
} msw_verification_report;

/* Compares a device's outputs, arrays as of msw_spec_evaluate, with what is expected; none may be NULL. Scattered outputs must have held zeros before
 * the run. structure: of the kernel that made them;
 * NULL: it was not probed. The caller sets report->struct_size. */
MSW_API msw_result msw_verification_judge(msw_verification *verification, const void *const *outputs, const msw_structure *structure,
                                          msw_verification_report *report, msw_diag *diag);

/* ---- plans and emitted text (monosweep_gen) --------------------------------------------------------- */

typedef enum msw_backend_kind { MSW_BACKEND_AUTO = 0, MSW_BACKEND_HOST = 1, MSW_BACKEND_VULKAN = 2, MSW_BACKEND_CUDA = 3 } msw_backend_kind;

typedef enum msw_progress { MSW_PROGRESS_DEVICE = 0, MSW_PROGRESS_PARALLEL = 1, MSW_PROGRESS_OCCUPANCY = 2, MSW_PROGRESS_NONE = 3 } msw_progress;

/* What the planner needs to know of a device. Zero fields: a common denominator of the backend (Vulkan: subgroup 32,
 * 256 threads in at most 32 subgroups, 32 KiB shared memory, every feature; CUDA: 1024 threads, 48 KiB, 2^31 - 1 blocks; HOST: one
 * thread. With more the text is for the simulator of the library's tests). */
typedef struct msw_target {
    uint32_t struct_size;
    uint32_t backend;       /* msw_backend_kind. VULKAN (and AUTO) emits GLSL, CUDA emits CUDA. HOST emits C, which is not compiled here: a plain loop
                               of one thread, without carries, as `void ENTRY(msw_params)`, for comparisons with devices. It has no arch */
    uint32_t subgroup_size; /* 1: no subgroup operations */
    uint32_t max_block_threads;
    uint32_t max_block_subgroups; /* CUDA: no limit of its own */
    uint32_t shared_bytes;        /* of a block; CUDA: with what a kernel has to ask for */
    uint32_t max_blocks;          /* of one dispatch */
    uint32_t compute_units;       /* multiprocessors or cores; 0: not known */
    uint32_t features;            /* msw_feature bits; used only when has_features is 1 */
    uint32_t has_features;
    uint32_t progress; /* msw_progress */
    uint32_t is_cpu;   /* 1: kernels run on the host's processor, whose caches and few threads want smaller tiles */
    const char *arch;  /* "sm_90", "lavapipe", ..: picks tuning rows; NULL: the backend's default row. CUDA code is made for it:
                                     a cubin for "sm_90", PTX for "compute_90", for compute_75 when NULL */
    char device[64];   /* what messages call the device; "": the target */
    /* Blocks of the largest cluster: blocks that reach each other's shared memory (CUDA: a thread block cluster, from sm_90 on, of up to 16). 1: no
     * clusters; 0: what arch has. Of a context on a part of a device it is what the driver answers; a listed device has 0 where it has clusters. */
    uint32_t max_cluster_blocks;
    uint32_t reserved; /* 0 */
} msw_target;

typedef struct msw_knob {
    const char *name, *value;
} msw_knob; /* "items" = "16", "strategy" = "reduce_then_scan" */

/* What a user can choose of a plan, for lists and help. Strings are static. */
typedef struct msw_choice {
    uint32_t struct_size;
    const char *name;      /* "lookback"; "items" */
    const char *summary;   /* one line */
    const char *words;     /* knobs: words that it can be, with blanks between; NULL: none */
    uint32_t least, most;  /* knobs: of a number; most 0: it is a word always */
    uint32_t is_any_order; /* strategies: 1: of an append with order = "any" alone */
    uint32_t is_tuned;     /* strategies: 1: what `tune` tries, for large n; 0: others that the planner may choose, baselines, and for teaching */
} msw_choice;
/* The strategies of a kind of operation, the best for large n first, and the knobs. The caller sets choice->struct_size. Errors: VERSION (of that
 * size); INVALID_ARGUMENT (there are no more than `index`; choice is NULL). Any thread. */
MSW_API msw_result msw_strategy_get(msw_op_kind kind, uint32_t index, msw_choice *choice);
MSW_API msw_result msw_knob_get(uint32_t index, msw_choice *choice);

typedef struct msw_program msw_program; /* a plan with its kernels' texts */

typedef struct msw_program_desc {
    uint32_t struct_size;
    uint32_t op; /* index of the operation */
    const msw_target *target;
    const msw_knob *knobs; /* win over the spec's `tune`, which wins over the tuning table */
    uint32_t knob_count;
    const char *tuning;      /* the text of a tuning table of the user's (monosweep tune), whose rows come before the shipped ones; NULL: none */
    const char *tuning_name; /* what messages call it; NULL: "tuning table" */
} msw_program_desc;

/* Plans operation `op` for a target and emits its kernels' texts. The program keeps nothing of the spec but its allocator.
 * Errors: UNSUPPORTED (names the feature or the knob and what would work), INVALID_ARGUMENT (also: the tuning table is wrong; names its line). */
MSW_API msw_result msw_program_create(msw_spec *spec, const msw_program_desc *desc, msw_program **program, msw_diag *diag);
MSW_API void msw_program_destroy(msw_program *program);
MSW_API const msw_plan *msw_program_plan(const msw_program *program);
/* The plan for people, and as JSON, of a pipeline with its stages and the arrays between them. */
MSW_API const char *msw_program_summary(const msw_program *program);
MSW_API const char *msw_program_json(const msw_program *program);

/* How a pipeline could be cut into kernels, by predicted time for n elements on the target: the cut that plans launch and its stages, beside the
 * best there, greedy, fewest kernels and unfused ones; or the one that is launched as a graph for Graphviz, stages as clusters. Of desc op, target
 * and tuning count, whose rows of class "device" say what the device can do. *text lives as long as the spec.
 * Errors: UNSUPPORTED where the operation is no pipeline, the target is the host, or it has no room for one of its operations; INVALID_ARGUMENT
 * (also: target is NULL, or has a backend or progress that there is not; n is 0; there is no such form; the tuning table is wrong). */
typedef enum msw_cut_form {
    MSW_CUT_COMPARED = 0,
    MSW_CUT_DOT = 1,
    MSW_CUT_BRIEF = 2 /* one line: the time of the cut that is launched, and whether another would take less */
} msw_cut_form;
MSW_API msw_result msw_spec_cuts(msw_spec *spec, const msw_program_desc *desc, uint64_t n, msw_cut_form form, const char **text, msw_diag *diag);

/* What a vendored header is made of: the programs of one spec and one backend, for one operation after the other; several for one operation are
 * variants, of which the header takes at run time one that the device runs. Those of Vulkan are compiled; those of CUDA may be, all or none:
 * the header serves nvcc by their text and the driver's interface by their code. */
typedef enum msw_header_form {
    MSW_HEADER_VENDORED = 0,
    MSW_HEADER_PLANS = 1, /* not the launcher: SPEC_plans.h, which declares the plans of operation NAME as NAME_plans, for msw_kernel_load_any; .. */
    MSW_HEADER_PLANS_SOURCE = 2 /* .. and SPEC_plans.c, which has them and their code. Programs may be of both backends, all compiled */
} msw_header_form;

typedef struct msw_header_desc {
    uint32_t struct_size;
    uint32_t form; /* msw_header_form */
    uint32_t program_count;
    msw_program *const *programs;
    const char *spdx;    /* the SPDX licence expression of the header, which is the user's to choose; NULL: it names none */
    const char *command; /* what makes it again, for its comment; NULL: none */
} msw_header_desc;

/* The text of a header that needs <vulkan/vulkan_core.h>, or <cuda.h>, alone. *text lives as long as the first program.
 * Errors: UNSUPPORTED (says what such programs cannot be), OUT_OF_MEMORY. */
MSW_API msw_result msw_header_text(const msw_spec *spec, const msw_header_desc *desc, const char **text, msw_diag *diag);

/* ---- contexts, devices, memory (monosweep_runtime) -------------------------------------------------- */

typedef struct msw_context msw_context;

typedef struct msw_device_info {
    uint32_t struct_size;
    uint32_t backend;   /* msw_backend_kind */
    uint32_t index;     /* N of "vulkan:N" */
    char id[32];        /* "vulkan:0" */
    char name[256];     /* the driver's name of the device */
    char driver[256];   /* driver name and version */
    uint32_t is_usable; /* 0: `why` says what is missing */
    char why[256];
    uint64_t memory_bytes, max_allocation_bytes;
    msw_target target; /* stays the last field in every version, because it grows */
} msw_device_info;

typedef struct msw_context_desc {
    uint32_t struct_size;
    const char *device; /* "auto" (NULL), "host", "vulkan", "vulkan:1", "cuda", .. */
    const msw_allocator *allocator;
    /* A directory for compiled kernels, made if missing; several processes may use one. NULL: none. It must be the user's own, and nobody else
     * may be allowed to write to it. A fault of the directory is one line in the log; it costs time, never a result. NULL: the library writes
     * nothing. NVRTC never does: its own cache is always turned off. Drivers may keep caches of their own. */
    const char *cache_dir;
    uint64_t cache_limit_bytes; /* of all its files; those used longest ago are deleted first; 0: 256 MiB */
    /* Called until the context is destroyed, from the threads that use it; by a validation layer also from threads in which such a call makes
     * pipelines, one line at a time. */
    void (*log)(void *user, const char *line);
    void *log_user;
    uint32_t progress;          /* msw_progress: overrides the device's. More than it is known to promise: a line in the log, since results may be
                                   wrong; of a Vulkan driver on the CPU INVALID_ARGUMENT, since they are */
    uint32_t enable_validation; /* Vulkan, without `vendor`: load the Khronos validation layer if present; its messages go to log */
    const void *vendor;         /* msw_vulkan_device (device "vulkan") or msw_cuda_device (device "cuda"): use the caller's objects */
} msw_context_desc;

/* Opens a device. "auto" prefers CUDA, then a Vulkan GPU, then a Vulkan CPU driver, then the host oracle.
 * desc may be NULL. Errors: DEVICE (no such device, or its driver fails), UNSUPPORTED (says what the device lacks), INVALID_ARGUMENT. */
MSW_API msw_result msw_context_create(const msw_context_desc *desc, msw_context **context, msw_diag *diag);
MSW_API void msw_context_destroy(msw_context *context);
MSW_API const msw_device_info *msw_context_device(const msw_context *context);

/* Lists up to `capacity` devices of all backends in "auto" order; *count receives how many there are. The caller sets struct_size in devices[0]; all
 * elements have that size. A backend whose driver cannot be opened contributes none; msw_backend_check says why. */
MSW_API msw_result msw_devices(const msw_context_desc *desc, msw_device_info *devices, uint32_t capacity, uint32_t *count, msw_diag *diag);

/* Whether a backend (msw_backend_kind, not AUTO) lists devices: its driver is found, new enough, starts and knows one. desc: as of msw_devices, or
 * NULL. Errors: DEVICE, UNSUPPORTED, OUT_OF_MEMORY; the message says what is missing. */
MSW_API msw_result msw_backend_check(const msw_context_desc *desc, uint32_t backend, msw_diag *diag);

typedef struct msw_buffer msw_buffer; /* device memory, 256-byte aligned */

/* Contents are undefined. size_bytes 0 is fine. Errors: OUT_OF_MEMORY (also: more than one allocation may have), DEVICE. */
MSW_API msw_result msw_buffer_create(msw_context *context, uint64_t size_bytes, msw_buffer **buffer, msw_diag *diag);
MSW_API void msw_buffer_destroy(msw_buffer *buffer);
MSW_API uint64_t msw_buffer_address(const msw_buffer *buffer); /* device address; host: the pointer */
/* Blocking copies between host memory and [offset_bytes, offset_bytes + size_bytes) of the buffer, after the context's earlier
 * blocking calls. Work that the caller enqueued must be done, and on Vulkan visible to the host. Errors: DEVICE. */
MSW_API msw_result msw_buffer_write(msw_buffer *buffer, uint64_t offset_bytes, const void *data, uint64_t size_bytes, msw_diag *diag);
MSW_API msw_result msw_buffer_read(msw_buffer *buffer, uint64_t offset_bytes, void *data, uint64_t size_bytes, msw_diag *diag);

/* ---- kernels ---------------------------------------------------------------------------------------- */

typedef struct msw_kernel msw_kernel; /* a plan loaded on a context's device */

/* Loads a plan whose kernels have code for this device (ahead-of-time use; monosweep_runtime).
 * Errors: VERSION (the plan's format), UNSUPPORTED (made for another backend, or a larger device), DEVICE. */
MSW_API msw_result msw_kernel_load(msw_context *context, const msw_plan *plan, msw_kernel **kernel, msw_diag *diag);

/* Loads the first plan that this device runs, of a list that ends with NULL: one operation's, for several backends, subgroup sizes and
 * architectures; those for the device's usual subgroups come before the others. Errors: UNSUPPORTED (it runs none of them; the message says why not
 * the last one for its backend); else the error of msw_kernel_load for the first plan that has one. */
MSW_API msw_result msw_kernel_load_any(msw_context *context, const msw_plan *const *plans, msw_kernel **kernel, msw_diag *diag);

/* What becomes of the kernels that msw_kernel_desc.first_n does not need. */
typedef enum msw_rest {
    MSW_REST_BESIDE = 0,    /* threads of the kernel's own compile them while the caller goes on */
    MSW_REST_WHEN_ASKED = 1 /* msw_kernel_wait, or a msw_kernel_run that needs them, compiles them */
} msw_rest;

typedef struct msw_kernel_desc {
    uint32_t struct_size;
    const char *spec_text; /* a spec as text; or */
    const char *spec_file; /* its path; or */
    msw_spec *spec;        /* a spec read before (only used during the call; a host kernel keeps using it: it must outlive the kernel) */
    const char *op;        /* NULL: the only one */
    const msw_knob *knobs;
    uint32_t knob_count;
    uint32_t subgroup_size;           /* 0: the tuning table's choice for the device */
    const char *tuning, *tuning_name; /* as of msw_program_desc */
    const msw_plan *plan; /* instead of a spec and its options: a plan for Vulkan or CUDA. Its kernels have code, or texts that take msw_params, for
                           * example the caller's own; code is used before text. Needed during the call only. */
    /* The n that runs first, or its bound where it comes from the device, and the flags of that enqueue: 0, MSW_IN_PLACE or MSW_PING_PONG. A plan has
     * kernels for small n and for large, for wide counts, in place: when the call returns, those that this enqueue launches are there, which takes as
     * long as the slowest of them. The others come later (msw_rest), and msw_kernel_wait waits for them. 0: the call waits for all. */
    uint64_t first_n;
    uint32_t first_flags, rest;
} msw_kernel_desc;

/* JIT: spec -> plan -> text -> code -> kernel, for the context's device (library monosweep); a plan that is given needs the last two steps only. With
 * a cache_dir what was made before is loaded instead: then neither generator nor compiler runs, and the spec's text is not looked at again.
 * Errors: those of msw_spec_create, msw_program_create, COMPILE, msw_kernel_load, and msw_kernel_wait for first_n. */
MSW_API msw_result msw_kernel_create(msw_context *context, const msw_kernel_desc *desc, msw_kernel **kernel, msw_diag *diag);
/* Waits for compilations that threads have begun: a compiler cannot be interrupted. */
MSW_API void msw_kernel_destroy(msw_kernel *kernel);

/* Waits until all kernels that an enqueue of n elements with these flags launches are on the device; of those that no thread has begun it compiles
 * some itself. n may be an upper bound; UINT64_MAX: all kernels of the plan. flags: MSW_IN_PLACE (outputs in place, or one place for both carries),
 * MSW_PING_PONG or 0. Before it an enqueue that needs a kernel which msw_kernel_desc.first_n did not is refused: NOT_READY. Kernels made without
 * first_n, loaded from plans, or on the host, have everything. (CUDA: a stream with a part of the device may need others than those for n: wait for
 * all.)
 * Threads: the context's; others may meanwhile enqueue what is ready. Errors: INVALID_ARGUMENT (flags that are not known or exclude each
 * other), UNSUPPORTED (n, or the flags), COMPILE, those of msw_kernel_load; what was ready stays so. */
MSW_API msw_result msw_kernel_wait(msw_kernel *kernel, uint64_t n, uint32_t flags, msw_diag *diag);
/* 1: msw_kernel_wait would compile nothing and wait for no compilation. It may still have to load kernels: until it has, enqueues that need them are
 * refused. Threads: the context's. */
MSW_API int msw_kernel_is_ready(msw_kernel *kernel, uint64_t n, uint32_t flags);

MSW_API const msw_plan *msw_kernel_plan(const msw_kernel *kernel);

/* Compiles every kernel text of a program to code (SPIR-V, cubin), validated and optimised, several kernels in threads
 * of the call's own; afterwards msw_program_plan's kernels have code (library monosweep). Errors: COMPILE, OUT_OF_MEMORY. */
MSW_API msw_result msw_program_compile(msw_program *program, msw_diag *diag);

/* Whether kernels' texts for a backend can be compiled here: NVRTC, which CUDA's need, is opened at run time; Vulkan's compiler is linked, the host
 * needs none (library monosweep). Errors: UNSUPPORTED (says what to install), INVALID_ARGUMENT. */
MSW_API msw_result msw_compiler_check(uint32_t backend, msw_diag *diag);

/* Scratch for any n <= n_bound, in bytes. 0: none is needed, or there is no plan, or it is broken. A larger n_bound than the plan serves counts as
 * the largest n that it serves. */
MSW_API uint64_t msw_scratch_bytes(const msw_plan *plan, uint64_t n_bound);

/* Sorts with MSW_PING_PONG: bytes of scratch for any n <= n_bound. */
MSW_API uint64_t msw_scratch_bytes_ping_pong(const msw_plan *plan, uint64_t n_bound);

/* Where the result of such a launch of n elements is (with n_address: of one with that bound): 1 in the inputs, 0 in the outputs, -1: the plan has no
 * such form for this n (scans, reductions, sorts with a map or of indices), or is broken. Few keys may end where many do not: ask for each launch. */
MSW_API int msw_ends_in_inputs(const msw_plan *plan, uint64_t n);

/* Whether the plan serves n elements, and the device has what they take: for each buffer and for the scratch one allocation, and memory for all of
 * them. Does not call the driver and allocates nothing. It does not know how much memory others use, so a run may still find too little.
 * device NULL: only the plan is checked. Errors: UNSUPPORTED (n: more than the plan serves), OUT_OF_MEMORY; the message names the limit. */
MSW_API msw_result msw_plan_serves(const msw_plan *plan, const msw_device_info *device, uint64_t n, msw_diag *diag);

/* What an enqueue of n elements launches. Clusters of any size are taken to be launched: a device without room for one takes a later variant. */
typedef struct msw_launch_info {
    uint32_t struct_size;
    uint32_t variant;                   /* index into the plan's variants */
    uint32_t launch_count;              /* dispatches, repetitions included; the scratch's initialisation is not among them */
    uint32_t blocks[MSW_MAX_STEPS];     /* of a dispatch of each of the variant's steps, in their order */
    uint64_t tiles[MSW_MAX_STEPS];      /* that these blocks share */
    uint64_t scratch_bytes;             /* as of msw_scratch_bytes, or msw_scratch_bytes_ping_pong */
    uint64_t bytes_read, bytes_written; /* of arrays, by all launches; sorts: no pass is skipped; of counted elements as many as there is room for */
} msw_launch_info;

/* flags: MSW_IN_PLACE, MSW_PING_PONG or 0, as of the enqueue; MSW_SCRATCH_DIRTY changes nothing. The caller sets info->struct_size.
 * Errors: INVALID_ARGUMENT (flags that are not known, or both modes), UNSUPPORTED (n, or in place, or in turns: what the plan does not serve; in
 * place also where no output has an input of its element size). */
MSW_API msw_result msw_plan_launch(const msw_plan *plan, uint64_t n, uint32_t flags, msw_launch_info *info, msw_diag *diag);

/* What one enqueue runs: msw_enqueue_desc in monosweep_plan.h. */

/* Blocking convenience: runs a kernel on the context's own queue, after the earlier work there, and waits. `seconds`: device time
 * where it can be had, else the host's; or NULL. scratch 0: one that the context keeps for the kernel, grown as needed. Kernels that are still to be
 * compiled (msw_kernel_desc.first_n) are waited for.
 * Errors: TOO_SMALL (scratch), UNSUPPORTED (n, or in place: more than the plan serves), DEVICE. */
MSW_API msw_result msw_kernel_run(msw_kernel *kernel, const msw_enqueue_desc *desc, double *seconds, msw_diag *diag);

/* Blocking convenience on host arrays: uploads inputs, runs, downloads outputs. inputs and outputs as in msw_spec_evaluate. Errors: UNSUPPORTED (n)
 * and OUT_OF_MEMORY, before anything is uploaded where msw_plan_serves can tell; DEVICE. */
MSW_API msw_result msw_kernel_run_host(msw_kernel *kernel, uint64_t n, const void *const *inputs, void *const *outputs, double *seconds,
                                       msw_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
