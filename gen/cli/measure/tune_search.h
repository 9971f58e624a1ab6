/* tune_search.h - the search of tune: knobs of an operation's strategies, tried one after the other. */
#ifndef MS_TUNE_SEARCH_H
#define MS_TUNE_SEARCH_H

#include "workload.h"
#include "units.h"

#include <monosweep/monosweep_measure.h>

enum { MS_CHOICE_KNOBS = 7, MS_SEARCH_ROUNDS = 7 };

static const double ms_most_measure_seconds = 0.5;

/* Knobs of a kernel, the strategy among them. */
typedef struct ms_choice {
    const char *strategy; /* of a row; NULL: none */
    const char *beside;   /* of the strategy that a row keeps for fewer elements, by the same knobs; NULL: none */
    msw_knob knobs[MS_CHOICE_KNOBS];
    uint32_t count;
} ms_choice;

enum { MS_MEMCPY, MS_DEFAULT, MS_BEST, MS_CANDIDATE }; /* ways of the workload */

typedef struct ms_search {
    const ms_options *options;
    ms_workload *workload; /* has the ways before MS_CANDIDATE */
    msw_tuning_class class_;
    ms_choice best;                               /* no knobs: the default */
    double start, deadline, budget_start, budget; /* seconds */
    uint64_t n, from_bytes;                       /* from_bytes: read and written, from which on the best is faster than what stands beside it */
    uint32_t tried, unfit, wrong, taken;          /* candidates; taken: that became the best */
    uint64_t worse_n;                             /* where the best is slower than the default; 0: nowhere */
    ms_gain lower_gain;                           /* of the best over the default, when that was judged; of two measurements the less certain one */
    int is_unsteady;                              /* 1: times were not, when the best was judged */
    int is_written;                               /* 1: its row is in the table */
} ms_search;

/* Tries until the deadline: the best way and its choice. */
void ms_search_run(ms_search *search);

/* The rate of a run of this n that takes `seconds`, in .. */
double ms_search_rate(const ms_search *search, double seconds);
/* "GB/s"; a sort's "Gkeys/s". */
const char *ms_search_unit(const ms_search *search);
/* The same for people: "12.3 GB/s". Returns text. */
const char *ms_search_format(const ms_search *search, double seconds, char text[MS_UNIT_BYTES]);
/* "items=8 block=64" */
void ms_choice_format(const ms_choice *choice, int with_strategy, char *text, size_t bytes);

#endif
