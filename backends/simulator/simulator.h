/* simulator.h - kernels in the C dialect, run lane by lane on a simulated device whose schedulers and memory are as unkind as they may be.
 *
 * Every lane is a cooperative thread that gives way wherever it communicates. The first thing that goes wrong ends the launch and is described. */
#ifndef SIM_SIMULATOR_H
#define SIM_SIMULATOR_H

#include <monosweep/monosweep_plan.h>
#include <stddef.h>
#include <stdint.h>

/* Who runs next. */
typedef enum sim_scheduler {
    SIM_FAIR,   /* blocks in turn */
    SIM_RANDOM, /* any lane of any block */
    SIM_LIFO,   /* the youngest block that is not waiting for others */
    SIM_STARVE, /* one block, chosen by the seed, only when all others wait or have ended */
    /* without progress between blocks: */
    SIM_ABANDON, /* one block stops somewhere and goes on when all others have ended */
    SIM_NESTED,  /* a block stops somewhere, and goes on when all that began after it have ended */
    SIM_SCHEDULER_COUNT
} sim_scheduler;

static inline int sim_scheduler_is_fair(sim_scheduler scheduler) { return scheduler < SIM_ABANDON; }
const char *sim_scheduler_name(sim_scheduler scheduler);

/* trial.c: n of every launch of a run, and its inputs, arrays of n elements in the operation's order. */
typedef struct sim_given {
    uint64_t n;
    void (*fill)(const void *user, uint64_t n, void *const inputs[]);
    const void *user;
} sim_given;

typedef struct sim_options {
    sim_scheduler scheduler;
    uint64_t seed;            /* of every choice */
    uint64_t data_seed;       /* trial.c: of sizes and data; 0: the seed's and the scheduler's own */
    const sim_given *given;   /* trial.c: NULL: those of the seed */
    uint32_t resident_blocks; /* at most at a time; 0: all */
    uint32_t stale_percent;   /* of the relaxed loads that see an older value while they may */
    uint64_t step_limit;      /* of one launch; 0: 50 million */
} sim_options;

typedef void (*sim_entry)(msw_params params); /* the C dialect's Parameters have this layout */

typedef struct sim_kernel {
    const char *name;
    sim_entry run;
    uint32_t block_threads, subgroup_size; /* 1: no subgroup operations */
    uint32_t team_threads;                 /* the first of a block, whole subgroups, which meet at block barriers; 0: all */
    int is_cooperative;                    /* all its blocks must run at once */
    uint32_t cluster_blocks;               /* of a launch, which run at once and reach each other's shared memory; they have progress under every
                                              scheduler; 0: no cluster */
} sim_kernel;

typedef struct sim sim;

sim *sim_create(void);
void sim_destroy(sim *s);

/* Device memory between guard zones, until sim_reset; not initialised: garbage of the seed. `shift_bytes` moves it off its 256-byte
 * alignment. 0: no room. */
uint64_t sim_memory(sim *s, const char *name, uint64_t bytes, uint32_t shift_bytes);
void sim_write(sim *s, uint64_t address, const void *data, uint64_t bytes); /* from outside: initialised then */
void sim_forget(sim *s, uint64_t address, uint64_t bytes);                  /* garbage again */
/* Whether every byte has been written; if not, *first is the first that was not. */
int sim_is_written(const sim *s, uint64_t address, uint64_t bytes, uint64_t *first);
void sim_reset(sim *s, const sim_options *options); /* forgets all memory, the failure and the step count */

/* Runs a kernel to its end. 0: done; else sim_failure says what went wrong. */
int sim_dispatch(sim *s, const sim_kernel *kernel, uint32_t blocks, const msw_params *params);
const char *sim_failure(const sim *s); /* "" : none; several lines */
uint64_t sim_steps(const sim *s);      /* switches so far */

/* The compiled text must know the machine before its first launch. */
const void *sim_machine(sim *s);

#endif
