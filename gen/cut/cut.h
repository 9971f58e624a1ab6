/* cut.h - a pipeline's graph of operations, cut into kernels so that the predicted time is least. It knows neither specs nor backends: operations are
 * what they cost, a device is a row of constants.
 *
 * The method is Heirich's "Optimal automatic multipass shader partitioning by dynamic programming" (2005), with kernels for passes; design.md says
 * how its terms map, and what T, the predicted time of a kernel, is made of.
 *
 * Operations are in topological order: an operation's operands are values of the caller or results of operations before it. A map is computed in
 * every kernel that uses it, unless storing its value is cheaper; every other operation is computed in one kernel. */
#ifndef MS_CUT_H
#define MS_CUT_H

#include "arena.h"
#include "choices.h"

enum {
    MS_CUT_MAX_OPERATIONS = 512,
    MS_CUT_MAX_VALUES = 1024,
};
#define MS_CUT_ARRAY UINT32_MAX   /* a value's operation: it is an array of the caller */
#define MS_CUT_NO_SLOT UINT32_MAX /* a value's slot: it is not in the scratch */

typedef enum ms_cut_kind {
    MS_CUT_MAP,
    MS_CUT_SCAN,
    MS_CUT_REDUCE,
    MS_CUT_OTHER, /* computed once, and a barrier: what is packed or scattered, or a map that no other kernel can compute */
    MS_CUT_SORT,
    MS_CUT_ROWS, /* a scan or reduction of rows, each of which one block reads: its result may be used in the same kernel */
    MS_CUT_KIND_COUNT
} ms_cut_kind;

typedef enum ms_cut_direction { MS_CUT_ANY, MS_CUT_FORWARD, MS_CUT_REVERSE } ms_cut_direction;

/* What is numbered by one index: n elements of the caller's arrays, what a compaction packed, bins, one total. */
typedef struct ms_cut_domain {
    double elements; /* as many as are expected: what times are predicted for */
    double room;     /* as many as there may be: what scratch is reserved for */
    int is_single;   /* one element: functions use it like a uniform, and maps of such values may be computed in kernels of any domain */
} ms_cut_domain;

typedef struct ms_cut_value {
    uint32_t operation; /* whose result it is, or MS_CUT_ARRAY */
    uint32_t domain;
    uint32_t bytes; /* of an element */
    int is_output;  /* the caller wants it: it is always stored */
} ms_cut_value;

typedef struct ms_cut_operand {
    uint32_t value;
    uint32_t reads; /* how many times the operation's launches read it: 1; a sort's keys: 2, by the histogram and the first pass */
    int is_stored;  /* it must be an array: what the operation reads near an element, segments' offsets, .. */
} ms_cut_operand;

typedef struct ms_cut_operation {
    ms_cut_kind kind;
    ms_cut_direction direction;
    uint32_t domain; /* of what it reads; its results may have another */
    const ms_cut_operand *operands;
    uint32_t operand_count;
    uint32_t first_result, result_count; /* values next to each other; a map has one */
    uint32_t launches;                   /* of a kernel that has it: 1; a sort: histogram, scan, passes */
    uint32_t look_backs;                 /* 1: its tiles wait for earlier ones; 0 */
    double own_bytes;    /* an element, read and written beside operands and results: a sort's passes but the first read and last write */
    double instructions; /* an element */
    uint32_t live_words; /* registers that it holds of each of a thread's items; a reduction, or map, once a thread */
    const char *name;    /* for messages and drawings; static or the arena's */
    int is_next_part;    /* 1: a part of what the operation before it is a part of, which was written as one: UNFUSED and GREEDY do not part them */
} ms_cut_operation;

typedef struct ms_cut_graph {
    const ms_cut_domain *domains;
    uint32_t domain_count;
    const ms_cut_value *values;
    uint32_t value_count;
    const ms_cut_operation *operations;
    uint32_t operation_count;
} ms_cut_graph;

enum { MS_CUT_MAX_ITEMS = 8 };

typedef struct ms_cut_device {
    double bandwidth;       /* bytes a second, read and written */
    double block_bandwidth; /* what one block moves alone; 0: nothing bounds it */
    double issue_rate;      /* instructions of threads a second, of the whole device */
    double launch_seconds, tile_seconds, look_back_seconds;
    double next_look_back_seconds;                 /* a look-back that waits for another of its kernel: each but the first */
    double item_instructions[MS_CUT_KIND_COUNT];   /* that an element takes beside its functions; a sort's: in each pass */
    uint32_t is_serial;                            /* 1: moving bytes and issuing instructions take their times one after the other */
    uint32_t reads_twice;                          /* 1: its scans reduce first, and read their input again */
    uint32_t multiprocessors, max_resident_blocks; /* of a multiprocessor */
    uint32_t registers;                            /* of a multiprocessor; 0: nothing bounds them */
    uint32_t base_registers, max_registers;        /* of a thread: what a kernel needs in any case; what it may have (0: no bound) */
    uint32_t block_threads;
    uint32_t items[MS_CUT_MAX_ITEMS]; /* a thread: those to choose from; zeros behind them */
    uint32_t max_buffers;             /* that a kernel reads and writes; 0: no bound. So below. Of specs' kernels the caller's rule bounds them */
    uint32_t max_operations;          /* of a kernel: tests bound them, as those of how the search grows */
    uint32_t max_depth;               /* look-backs in a row in a kernel: 2 where a scan feeds a scan */
} ms_cut_device;

/* One kernel, or the few launches of a sort. All lists ascend, and are the arena's. */
typedef struct ms_cut_kernel {
    const uint32_t *operations;
    uint32_t operation_count;
    const uint32_t *reads, *writes; /* values in memory */
    uint32_t read_count, write_count;
    uint32_t domain;
    ms_cut_direction direction;
    uint32_t items, registers, resident_blocks, depth, launches;
    double bytes, seconds; /* predicted */
} ms_cut_kernel;

enum { MS_CUT_METHOD_COUNT = MSW_CUT_UNFUSED + 1 };

typedef struct ms_cut {
    const ms_cut_kernel *kernels; /* in the order of their launches */
    uint32_t kernel_count;
    double bytes, seconds;
    int is_proved;         /* of OPTIMUM and FEWEST: no cut is better by the model */
    const uint32_t *slots; /* of each value: the part of the scratch that it has, or MS_CUT_NO_SLOT; values whose lifetimes do not meet share one */
    const double *slot_bytes;
    uint32_t slot_count;
    double scratch_bytes;         /* of all slots */
    uint64_t states, transitions; /* that the search looked at */
} ms_cut;

/* What the caller knows of kernels that are emitted. The kernel's lists ascend. */
typedef struct ms_cut_rule {
    int (*allows)(void *user, const ms_cut_graph *graph, const ms_cut_kernel *kernel); /* 1: these operations may be one kernel */
    void *user;
    /* How many times the kernel reads each of its arrays, on a device whose scans read twice; 0: as its operations say. NULL: they always do. */
    uint32_t (*reads)(void *user, const ms_cut_graph *graph, const ms_cut_kernel *kernel);
} ms_cut_rule;

/* "optimum", "greedy", "fewest", "unfused". */
const char *ms_cut_method_name(msw_cut_method method);

/* rule: NULL: there is none. It must allow each operation alone; GREEDY, which merges pairs, finds no kernel whose parts it refuses.
 * Errors: OUT_OF_MEMORY; UNSUPPORTED where an operation alone is too much for the device (max_buffers, max_depth), whose index is then in
 * *operation. */
msw_result ms_cut_find(ms_arena *arena, const ms_cut_graph *graph, const ms_cut_device *device, const ms_cut_rule *rule, msw_cut_method method,
                       ms_cut *cut, uint32_t *operation);

/* 1: the kernel has one operation alone, or all parts of one: that is no matter of choice. Where registers do not suffice it spills. (kernel.c) */
int ms_cut_is_one_operation(const ms_cut_graph *graph, const ms_cut_kernel *kernel);

/* Predicts anew, for a device and an n, kernels that were found for others, in their order. Errors: OUT_OF_MEMORY; UNSUPPORTED where one of them does
 * not fit the device. */
msw_result ms_cut_judge(ms_arena *arena, const ms_cut_graph *graph, const ms_cut_device *device, const ms_cut_rule *rule,
                        const ms_cut_kernel *kernels, uint32_t kernel_count, ms_cut *cut);

/* A large GPU, whose constants bench/NOTES.md has. (device.c, as the next) */
ms_cut_device ms_cut_large_gpu(void);

/* Sets a constant that tuning rows have (ms_device_constants of choices.h, by its index) to a value that it can be. */
void ms_cut_set_constant(ms_cut_device *device, uint32_t constant, double value);

/* Also of any other scratch: values that are never needed at the same time share a slot. */
typedef struct ms_lifetime {
    uint32_t value, first, last; /* kernels: the one that stores it, and the last that reads it. Both count: it reads one while it stores another */
    double bytes;                /* of the room that it needs */
} ms_lifetime;

/* Sets slots[value] of each lifetime's value, and returns how many slots there are. Sorts lifetimes, the largest first, so that a slot's first is its
 * largest. (scratch.c) */
uint32_t ms_share_slots(ms_lifetime *lifetimes, uint32_t count, uint32_t *slots);

#endif
