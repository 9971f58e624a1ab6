/* trial.h - operations of a spec, planned for the simulated device in some geometry, launched under some scheduler with data of the seed, and
 * compared with the oracle. */
#ifndef SIM_TRIAL_H
#define SIM_TRIAL_H

#include "simulator.h"

#include <monosweep/monosweep.h>

typedef struct sim_patch {
    const char *kernel, *from, *to;
} sim_patch; /* of a kernel's text, wherever it stands; kernel: an entry's name */

typedef struct sim_case {
    const char *op, *strategy;
    uint32_t subgroup, block, items, blocks; /* at most `blocks` of them in a launch */
    uint32_t progress;                       /* msw_progress */
    uint32_t shared_bytes;                   /* of a block, at most; 0: 1 MiB */
    const char *knobs;                       /* more: "spin=3 lookback=serial", or NULL */
    const sim_patch *patch;                  /* NULL: none */
    uint32_t cluster_blocks;                 /* at most in a cluster; 0: there are none */
} sim_case;

typedef struct sim_suite sim_suite;

/* Reads the spec, plans and compiles all cases together. NULL: message says why. */
sim_suite *sim_suite_create(sim *s, const char *spec_file, const sim_case *cases, uint32_t count, char *message, size_t message_bytes);
void sim_suite_destroy(sim_suite *suite);

/* Launches a case, several times over one scratch, with sizes, data, addresses and carries of the seed. 0: right; else
 * sim_suite_failure says what went wrong and how to see it again. */
int sim_suite_run(sim_suite *suite, uint32_t index, const sim_options *options);
/* What a seed stands for, all over the tests. */
sim_options sim_suite_options(sim_scheduler scheduler, uint64_t seed);
/* Of all that the last run computed. */
uint64_t sim_suite_digest(const sim_suite *suite);
const char *sim_suite_failure(const sim_suite *suite);
/* The case as a word: "affine:lookback:4x16x2". */
const char *sim_suite_name(sim_suite *suite, uint32_t index);

#endif
