/* measure.h - sizes, medians, and rows of the CSV that bench pages are made of. Needs no other header: the developers' benches share it. */
#ifndef MS_CLI_MEASURE_H
#define MS_CLI_MEASURE_H

#include <stdint.h>
#include <stdio.h>

enum { MS_MAX_ROUNDS = 101, MS_MAX_SIZES = 256 };

/* "2^16", "2^10..2^28" (powers of two), "2^10..2^20:2^0.25" (the factor from one to the next), or several of these with commas between. Ascending
 * numbers without
 * repetitions, at most 2^40; how many. 0: not of that form, or more than MS_MAX_SIZES. */
uint32_t ms_parse_sizes(const char *text, uint64_t sizes[MS_MAX_SIZES]);

/* Seconds since some time. */
double ms_now(void);
/* Sorts them. */
double ms_median(double *seconds, uint32_t count);
/* The middle half of sorted times, as a share of their median: what a clock that changes or a busy machine does to them. 0: fewer than 4. */
double ms_spread(const double *sorted, uint32_t count);
/* Times of which the middle half spreads over more than this share are not steady. */
static const double ms_most_spread = 0.1;

/* Whose turn is the i-th of a round: odd rounds go backwards, so that nobody always comes after the same one. */
static inline uint32_t ms_turn(uint32_t round, uint32_t i, uint32_t count) { return round % 2 ? count - 1 - i : i; }

/* ---- warming up: an idle device has slow clocks ---- */

enum { MS_WARMING_PASSES = 64 };

/* What is known of times so far; begins as zeros. */
typedef struct ms_warming {
    double window_start, reference, quiet_seconds; /* reference: the median that later ones are held against */
    double passes[MS_WARMING_PASSES];
    uint32_t pass_count, windows;
    int is_begun;
} ms_warming;

/* A pass over everything that is measured took `seconds` of the device and has ended at `now` (ms_now). 1: times have stopped falling, or rising, for
 * long enough. Begin with seconds = 0 before the first pass. */
int ms_warming_add(ms_warming *warming, double now, double seconds);
/* Passes until times are steady, for about most_seconds at most; run returns the device's seconds of one pass, 0 when there is nothing to run. 1:
 * they are steady. */
int ms_warm_up(double (*run)(void *user), void *user, double most_seconds);

/* ---- comparing two ways that ran by turns ---- */

/* How many times as fast b is as a: the median of the rounds' ratios, and its 99 % confidence interval, by ranks: it asks for no distribution. Fewer
 * than 8 rounds are too few for that: 0 .. HUGE_VAL. */
typedef struct ms_gain {
    double median, low, high;
} ms_gain;

ms_gain ms_gain_of(const double *a, const double *b, uint32_t rounds);
/* 1: the median is `least` or more, and the interval leaves no doubt that there is a gain. */
static inline int ms_gain_is_sure(const ms_gain *gain, double least) { return gain->median >= least && gain->low > 1; }

/* What a variant of a case took for n elements. Times in seconds; 0: not known. */
typedef struct ms_row {
    const char *device, *kind, *name, *variant, *result; /* kind: "scan", "reduce", "sort"; result: "verified", .. */
    uint64_t n;
    uint32_t rounds;
    int is_unsteady;                                 /* 1: the clock may not have settled, or times differ too much */
    double seconds, bytes;                           /* the median; bytes that it reads and writes at the least */
    double memcpy_rate, cub_seconds, create_seconds; /* memcpy_rate: bytes a second that the fastest copy reads and writes */
    double predicted_seconds;                        /* by the model of pipelines' cuts */
    double least_seconds;                            /* of the rounds */
} ms_row;

/* A field, quoted where it must be (RFC 4180). */
void ms_write_csv_text(FILE *file, const char *text);
void ms_write_csv_head(FILE *file);
void ms_write_csv_row(FILE *file, const ms_row *row);

#endif
