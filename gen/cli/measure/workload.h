/* workload.h - an operation with made-up data on a device, and ways to run it: what bench and tune measure. */
#ifndef MS_CLI_WORKLOAD_H
#define MS_CLI_WORKLOAD_H

#include "data.h"
#include "cli/options.h"
#include "baseline_loop.h"
#include "measure.h"
#include "uniforms.h"
#include "verify.h"

typedef enum ms_way_kind { MS_WAY_MEMCPY, MS_WAY_ORACLE, MS_WAY_LOOP, MS_WAY_KERNEL } ms_way_kind;

typedef struct ms_way {
    const char *name;
    ms_way_kind kind;
    msw_kernel *kernel; /* of memcpy: its kernel, or NULL: the driver's copy */
    msw_buffer *scratch;
    ms_loop *loop;
    double create_seconds;
    double seconds[MS_MAX_ROUNDS]; /* in the order of the rounds */
    uint32_t rounds;
    double median, least;
    int is_unsteady;         /* 1: the clock had not settled before, or the times differ too much to trust the median */
    msw_structure structure; /* of a kernel or loop */
    /* "verified" by the oracle, or "verified in part": with fewer elements, or its structure alone; "agrees" with another way; "unchecked": none has
     * agreed; "not verified": nothing is known against it; "wrong", "failed"; "-": is not checked */
    const char *result;
    int is_out;    /* 1: left out from here on */
    char why[256]; /* of one that could not be made, and is left out; "": it could, or the caller was told */
} ms_way;

enum { MS_MAX_WAYS = 32 };

typedef struct ms_workload {
    const ms_options *options;
    msw_context *context;
    msw_spec *spec;
    uint32_t op;
    msw_op_info info;
    const ms_entropy *entropy;
    uint64_t n_max;                                           /* of the buffers */
    ms_array inputs[MSW_MAX_BUFFERS];                         /* by buffer; outputs have none */
    ms_array expected[MSW_MAX_BUFFERS], got[MSW_MAX_BUFFERS]; /* of the current n; expected: a way's, where the oracle's are not known */
    msw_buffer *buffers[MSW_MAX_BUFFERS], *copies[2];
    ms_way ways[MS_MAX_WAYS];
    uint32_t way_count;
    msw_verification *verification, *of_loop;     /* of_loop: of few elements, for the loop */
    uint64_t counted_n, counted[MSW_MAX_BUFFERS]; /* the elements that were read and written, once a run of n has told */
    uint64_t items;                               /* then: of an append, also those for which there was no room */
    uint64_t verified_n;                          /* the n that it was asked for last */
    double oracle_seconds, expect_seconds;        /* one evaluation took there, and all that verification evaluates */
    int is_beyond;                                /* 1: the current n is larger */
    double predicted_seconds;                     /* of the current n, by the model of pipelines' cuts; 0: nothing is predicted */
    int is_probed_late;                           /* 1: new kernels' structure is left alone until ms_workload_probe */
} ms_workload;

/* Bytes that the operation reads and writes at the least. */
double ms_workload_bytes(const ms_workload *workload, uint64_t n);
/* Whether device and host have the memory for n, without scratch. */
int ms_workload_fits(const ms_workload *workload, uint64_t n);
/* How many of these n, which ascend, the plan that the options make for the device serves; `diag` says why not the next. */
uint32_t ms_workload_served(const ms_workload *workload, const uint64_t *sizes, uint32_t count, msw_diag *diag);
/* Makes and fills the arrays; options to release are set before. DONE, or a code after a message. */
ms_exit ms_workload_open(ms_workload *workload, uint64_t n_max);
void ms_workload_release(ms_workload *workload);

/* Adds a way; NULL: there is no room. A loop or kernel: `diag` says why it cannot be made, or has no memory for its scratch. */
ms_way *ms_workload_add(ms_workload *workload, const char *name, ms_way_kind kind);
ms_way *ms_workload_add_kernel(ms_workload *workload, const char *name, const msw_knob *knobs, uint32_t knob_count, msw_diag *diag);
/* Of a kernel that is planned for another target than the context's device, which must run it, too: with fewer features, say. */
ms_way *ms_workload_add_planned(ms_workload *workload, const char *name, const msw_target *target, const msw_knob *knobs, uint32_t knob_count,
                                msw_diag *diag);
ms_way *ms_workload_add_loop(ms_workload *workload, const char *name, msw_diag *diag);
/* Adds what could not be made: it is left out, and says why. */
void ms_workload_add_missing(ms_workload *workload, const char *name, const char *why);
/* Probes the structure of a kernel that was made of these knobs; its result becomes "wrong" where that is. A message unless is_quiet. */
void ms_workload_probe(ms_workload *workload, ms_way *way, const msw_knob *knobs, uint32_t knob_count, int is_quiet);
/* The first ways: "memcpy", the driver's copy, and where ms_copy_create has one "copy kernel", unless `diag` says why it cannot be made. */
msw_result ms_workload_add_copies(ms_workload *workload, msw_diag *diag);
void ms_way_release(ms_way *way);

/* Makes known what n elements come to, and of a pipeline what time the model predicts for them; the oracle is left out where it would take longer
 * than this. */
ms_exit ms_workload_expect(ms_workload *workload, uint64_t n, double most_seconds);
/* The way of that name, or NULL. */
const ms_way *ms_way_find(const ms_workload *workload, const char *name);
/* Seconds, or less than 0: it failed, `diag` says why. is_first: of this way. */
double ms_way_run(ms_workload *workload, ms_way *way, uint64_t n, int is_first, msw_diag *diag);
/* Runs a kernel or loop and compares what it wrote; sets its result. A difference is shown on stderr unless is_quiet. A loop adds up one element
 * after the other: where floats round so, it is compared over few elements, with the oracle alone. */
void ms_way_verify(ms_workload *workload, ms_way *way, uint64_t n, int is_quiet);
/* Times the ways that are not left out, by turns, for about this long at most, once warming up has made them steady, which takes as long at most;
 * loops afterwards. */
void ms_workload_measure(ms_workload *workload, uint64_t n, uint32_t rounds, double most_seconds);
/* Seconds that each kernel of a way's plan takes of n elements, the least of a few runs; by the plan's kernels. Less than 0: it failed. */
int ms_way_profile(ms_workload *workload, const ms_way *way, uint64_t n, double seconds[MSW_MAX_KERNELS], msw_diag *diag);
/* How many times as fast the second way was as the first, round by round, when they were timed together. */
ms_gain ms_way_gain(const ms_way *a, const ms_way *b);
/* The median of the fastest copy, which shares of memcpy are taken of; 0: none was timed. */
double ms_workload_copy_seconds(const ms_workload *workload);

#endif
