/* bench.h - what the benches share: options; variants (kernels of ours, peers) over the same arrays, run by turns, verified, medians as CSV. */
#ifndef BENCH_H
#define BENCH_H

#include "cli/measure/baseline_copy.h"
#include "cli/measure/measure.h"
#include "peers.h"

enum { BENCH_MAX_VARIANTS = 60, BENCH_MAX_KNOBS = 12, BENCH_MAX_SETS = 30, BENCH_MOST_DIGIT_BITS = 11 };

/* Knobs of one more variant. */
typedef struct bench_set {
    char name[80]; /* "items=8 block=256" */
    msw_knob knobs[BENCH_MAX_KNOBS];
    uint32_t count, digit_bits; /* digit_bits: by --digits; 0: none */
} bench_set;

typedef struct bench_options {
    const char *device, *only, *entropy, *deterministic;
    uint64_t n[MS_MAX_SIZES]; /* ascending */
    uint32_t n_count, rounds;
    FILE *csv;                                  /* standard output, or the file of --csv */
    uint32_t in_offset, out_offset;             /* bytes between 256-byte alignment and the arrays */
    uint32_t least_digit_bits, most_digit_bits; /* of --digits; 0: not given */
    bench_set sets[BENCH_MAX_SETS];
    int set_count;
} bench_options;

/* One row of the comparison. */
typedef struct bench_variant {
    const char *name;
    msw_kernel *kernel; /* of a copy: its kernel, or NULL: the driver's */
    msw_buffer *scratch;
    const bench_peer *peer;
    double (*run)(void *user, const bench_arrays *arrays); /* the bench's own, on the host: seconds, or less than 0: failed; NULL: none */
    uint32_t most_rounds;                                  /* of `run` */
    double create_seconds;                                 /* from spec to loaded kernels, cold; 0: a peer */
    int is_copy, is_in_place, is_out;                      /* is_out: a peer that cannot take this number of items */
    uint32_t digit_bits;                                   /* of its set */
    int is_model;                                          /* nothing runs: it has what is predicted alone */
    double seconds[MS_MAX_ROUNDS];
    uint32_t rounds;
    const char *verdict;
} bench_variant;

/* A case. */
typedef struct bench {
    msw_context *context;
    const bench_options *options;
    const char *name, *kind; /* kind: "scan", "reduce", "sort", "sweep" */
    int which;
    uint64_t element_bytes; /* read and written once, of all arrays: what GB/s count */
    uint64_t moved_bytes;   /* of the current n, where they depend on the data; 0: element_bytes each */
    uint64_t memcpy_bytes;  /* what memcpy reads and writes for an element */
    bench_variant variants[BENCH_MAX_VARIANTS];
    int count, is_warm; /* is_warm: times were steady when measuring began */
    /* Spoils the outputs, then says what a variant made of them: "verified", or what is wrong. */
    void (*clear)(void *user);
    const char *(*verify)(void *user, const bench_variant *variant);
    /* Seconds that a variant should take, where memcpy reads and writes so many bytes a second; 0: nobody knows. NULL: so of all. */
    double (*predict)(void *user, const bench_variant *variant, double memcpy_rate);
    /* Copies inputs to outputs by ms_copy: its seconds. */
    double (*copy)(void *user, msw_kernel *kernel);
    void *user;
} bench;

void bench_die(const char *what);
void bench_check(msw_result result, const msw_diag *diag);
void *bench_memory(uint64_t bytes);

/* "--device D --n SIZES --csv FILE --rounds R --case NAME --entropy E --deterministic everywhere --in-offset BYTES --out-offset BYTES
 * --digits 1..11 (sorts) --set KNOB=VALUE[,KNOB=VALUE ..]"; each --set is one more variant, or, with --digits, one for each number of bits of a
 * digit. SIZES: 10,20,28 are powers of two, else as `monosweep bench` takes them:
 * 2^10..2^20:2^0.25. default_n: as --n. */
bench_options bench_parse(int argc, char **argv, const char *default_n);
int bench_is_wanted(const bench_options *options, const char *name);

/* The device that the options name; says so and prints the CSV's head, after lines "# WHAT: .." that name device, driver and the peers' versions. */
msw_context *bench_open(const bench_options *options);

/* Variants: peers where they can run, else memcpy, on Vulkan by a kernel, too; a spec's kernel with knobs, and with each of the options' sets. */
void bench_add_peers(bench *b);
/* .. one of the bench's own, which is not verified. */
void bench_add_own(bench *b, const char *name, uint32_t most_rounds, double (*run)(void *user, const bench_arrays *arrays));
void bench_add(bench *b, const char *spec, const char *name, const msw_knob *knobs, uint32_t knob_count);
/* .. of which nothing runs: what b->predict says of it is shown beside the others. */
void bench_add_model(bench *b, const char *name, uint32_t digit_bits);
/* The same kernel over one array. */
void bench_add_in_place(bench *b, const char *spec);
void bench_add_sets(bench *b, const char *spec);

/* Warms up, verifies and times all variants and prints a line for each. Whether all was right. */
int bench_run(bench *b, const bench_arrays *arrays);
void bench_free(bench *b);

#endif
