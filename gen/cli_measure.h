/* cli_measure.h - sizes, medians, and rows of the CSV that bench pages are made of. Needs no other header: the developers' benches share it. */
#ifndef MS_CLI_MEASURE_H
#define MS_CLI_MEASURE_H

#include <stdint.h>
#include <stdio.h>

enum { MS_MAX_ROUNDS = 101, MS_MAX_SIZES = 256 };

/* "2^16", "2^10..2^28" (powers of two), "2^10..2^20:2^0.25" (the factor from one to the next), or several of these with commas between. Ascending numbers without
 * repetitions, at most 2^40; how many. 0: not of that form, or more than MS_MAX_SIZES. */
uint32_t ms_parse_sizes(const char *text, uint64_t sizes[MS_MAX_SIZES]);

/* Seconds since some time. */
double ms_now(void);
/* Sorts them. */
double ms_median(double *seconds, uint32_t count);

/* What a variant of a case took for n elements. Times in seconds; 0: not known. */
typedef struct ms_row {
    const char *device, *kind, *name, *variant, *result; /* kind: "scan", "reduce", "sort"; result: "verified", .. */
    uint64_t n;
    uint32_t rounds;
    double seconds, bytes;                           /* the median; bytes that it reads and writes at the least */
    double memcpy_rate, cub_seconds, create_seconds; /* memcpy_rate: bytes a second that the fastest copy reads and writes */
} ms_row;

void ms_write_csv_head(FILE *file);
void ms_write_csv_row(FILE *file, const ms_row *row);

#endif
