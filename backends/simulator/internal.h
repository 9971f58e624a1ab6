/* internal.h - the simulator's own parts: lanes.c (rendezvous, the launch), schedule.c (who runs next), memory.c (ordinary loads and stores),
 * atomics.c (atomic ones), signals.c (signals, copies that happen by themselves, sends to other blocks of a cluster). */
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include "fiber.h"
#include "simulator.h"

#include "machine.h"

enum {
    SIM_MAX_SUBGROUP = 128,
    SIM_MAX_SHARED = 64, /* arrays of a block */
    SIM_MAX_REGIONS = 4096,
    SIM_GUARD_BYTES = 4096, /* between any two pieces of memory */
    SIM_MEMORY_BYTES = 64 << 20,
    SIM_MAX_LANES = 1 << 12, /* resident at a time */
    SIM_MAX_SIGNALS = 96,
    SIM_COPIERS = SIM_MAX_SIGNALS + 1 /* of a block: one a signal, one for all copies out of its shared memory */
};

typedef enum lane_state { LANE_READY, LANE_AT_BARRIER, LANE_IN_SUBGROUP, LANE_ENDED } lane_state;

typedef enum rendezvous_kind {
    AT_NOTHING,
    AT_SHUFFLE,
    AT_BALLOT,
    AT_SUBGROUP_BARRIER,
    AT_BLOCK_BARRIER,
    AT_ALL_MEMORY_BARRIER,
    AT_BEGIN_SIGNALS,
    AT_BEGIN_CLUSTER,
    AT_CLUSTER_BARRIER
} rendezvous_kind;

/* Lanes that meet: all of a subgroup, of a block's team, or of a block. */
typedef struct rendezvous {
    rendezvous_kind kind;
    int line;
    uint32_t bytes; /* of a shuffled value */
    uint32_t arrived, ended, size;
    uint32_t away;  /* of a subgroup: lanes at a block barrier */
    uint32_t count; /* barriers that have ended: the time by which races are told */
} rendezvous;

typedef struct lane {
    sim_context context;
    char *stack;
    struct block *block;
    ms_place place;
    uint32_t thread;
    uint32_t identity; /* of the launch: block * (threads + copiers) + thread + 1; copiers follow the threads */
    lane_state state;
    int line; /* of what it did last */
    const char *doing;
    /* in a rendezvous */
    const void *value;
    void *other;
    uint32_t source, *words;
    int condition;
    /* what it has seen since the last block barrier that orders device memory (atomics.c) */
    struct sighting *sightings;
    uint32_t sighting_count, sighting_capacity;
    /* signals.c */
    uint32_t clock, *view;    /* what it knows of its block; NULL: what barriers tell */
    int has_met_cluster;      /* it has waited for the other blocks to begin */
    uint32_t readied;         /* its clock when it last readied shared memory for copies: what it stored before is ready for its own */
    uint32_t readied_for_all; /* the same at the last block barrier: and for others' */
} lane;

/* Of lanes that no block barrier tells of. */
static const uint32_t SIM_NEVER = ~0u;

/* What is known of a block: all that it did before its first `barriers` block barriers, and what one lane did up to `at` of them. */
typedef struct knowledge {
    uint32_t barriers, at, by;
} knowledge;

typedef struct block {
    uint32_t id;
    uint32_t index; /* among the resident ones */
    lane *lanes;
    uint32_t *ready; /* threads that can run */
    uint32_t ready_count, turn;
    rendezvous barrier, whole; /* of its team, of all */
    uint32_t ordered;          /* barriers up to the last that ordered device memory */
    rendezvous *subgroups;
    struct signals *signals; /* NULL: none */
    uint32_t begun;          /* of a cluster: the count of barriers when it began; 0: it has not */
    uint32_t met;            /* cluster barriers that all its lanes have come to */
    uint32_t met_at[2];      /* the count of barriers at the last of these, and at the one before, by turns */
    int has_ended;
    void *shared[SIM_MAX_SHARED];
    uint32_t shared_bytes[SIM_MAX_SHARED];
    uint32_t *seen;             /* by location: the oldest message that its lanes may still see */
    uint32_t location_capacity; /* of seen and loaded */
    knowledge *known;           /* by block, by what has been acquired */
    knowledge *heard;           /* by block, by what has been seen in any way */
    uint32_t *loaded;           /* by location: the newest message that a lane of it has been given, + 1 */
    uint32_t idle_loads;        /* that told nothing new, since the progress below */
    uint64_t progress;
    int has_run;
} block;

/* An ordinary access to a byte, or several as one: by a lane, by lanes of a subgroup, of a block, or of several blocks. */
typedef struct touch {
    uint32_t launch;                           /* 0: none */
    uint32_t by;                               /* identity, or of one of the lanes */
    uint32_t barrier, subgroup_barrier, clock; /* counted then; barrier: SIM_NEVER outside the team */
    uint32_t breadth;                          /* 0: one lane, 1: one subgroup, 2: one team, 3: several */
} touch;

typedef struct region {
    const char *name;
    char *first;
    uint64_t bytes;
    uint32_t block; /* shared memory of this resident block + 1; 0: device memory */
} region;

struct sim {
    ms_machine machine; /* first: what the compiled text sees */
    sim_options options;
    uint64_t random, steps;
    char failure[8192];
    /* the launch */
    const sim_kernel *kernel;
    msw_params params;
    uint32_t launch, block_count, resident_limit, team_threads;
    uint32_t *order;  /* in which blocks become resident */
    uint32_t started; /* of order */
    block *blocks;    /* resident_limit of them */
    block **resident; /* those that run, the oldest first */
    uint32_t resident_count;
    uint64_t progress;    /* counts what another lane could have waited for */
    uint64_t quiet_steps; /* since that changed */
    uint64_t launch_steps;
    /* schedule.c */
    uint32_t turn, victim;
    uint64_t victim_steps; /* until it is abandoned */
    uint32_t *nest;        /* ids of the blocks that have begun, the latest last */
    uint32_t nest_count;
    sim_context scheduler;
    lane *running;
    sim_stacks *stacks;
    /* memory.c */
    char *memory;
    uint64_t memory_used;
    struct shadow *shadow;
    region regions[SIM_MAX_REGIONS];
    uint32_t region_count, launch_regions; /* those from launch_regions on are the launch's */
    uint64_t launch_memory;
    /* atomics.c */
    struct atomics *atomics;
};

/* "file:line"-less; ends the launch. From a lane it does not return. */
void sim_fail(sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

uint64_t sim_random(sim *s);
uint32_t sim_below(sim *s, uint32_t bound);

/* Threads of a block, then its copiers, from 1 on. */
static inline uint32_t sim_identity(const sim *s, const block *b, uint32_t thread)
{
    return b->id * (s->kernel->block_threads + SIM_COPIERS) + thread + 1;
}
static inline uint32_t sim_block_of(const sim *s, const touch *t) { return (t->by - 1) / (s->kernel->block_threads + SIM_COPIERS); }
static inline uint32_t sim_thread_of(const sim *s, const touch *t) { return (t->by - 1) % (s->kernel->block_threads + SIM_COPIERS); }

/* lanes.c */
extern sim *sim_running;                     /* the machine's functions are called without one */
sim *sim_enter(int line, const char *doing); /* of every function of the machine: the running lane gives way and stays ready */
static inline void sim_progress(sim *s)      /* something happened that another lane may have waited for */
{
    s->progress++;
    s->quiet_steps = 0;
}

/* schedule.c */
void sim_schedule_begin_launch(sim *s); /* fills order */
lane *sim_pick(sim *s);                 /* some block is resident */

/* memory.c */
int sim_memory_create(sim *s);
void sim_memory_destroy(sim *s);
void sim_memory_begin_launch(sim *s);
void sim_memory_end_launch(sim *s);
void *sim_shared(int line, uint32_t index, uint32_t bytes);
void sim_memory_end_block(sim *s, block *b);
void sim_access(const void *address, uint64_t bytes, int is_write);
/* The running lane may reach all of it; has_content: and something is there, whoever writes it. */
void sim_check_reach(sim *s, uint64_t first, uint64_t end, int has_content);
/* What `by` copies in the running lane's name counts as its loads and stores; what had not been written is not written there either. */
void sim_access_copy(sim *s, uint64_t to, uint64_t from, uint64_t bytes, const touch *by_load, const touch *by_store);
/* A store of the value to the shared memory of `to`, where `place` lies in the running lane's own; `by` counts as the one who stores. */
void sim_access_send(sim *s, block *to, const void *place, const void *value, uint32_t bytes, const touch *by);
/* Checks an atomic access, marks a store's place written; whether it is to shared memory. */
int sim_check_atomic(sim *s, uint64_t address, uint32_t bytes, int is_write);
touch sim_touch_of(const sim *s, const lane *l); /* what it does now */
/* One touch that stands for both: it happened before something only if both did. */
touch sim_merged(const sim *s, const touch *a, const touch *b);
int sim_is_loaded(const sim *s, const touch *t, const lane *l); /* a load of device memory happened before what the lane does now */
/* atomics.c */
int sim_atomics_create(sim *s);
void sim_atomics_destroy(sim *s);
void sim_atomics_begin_launch(sim *s);
void sim_atomics_begin_block(sim *s, block *b);
void sim_atomics_barrier(sim *s, block *b, uint32_t count); /* its first `count` lanes have met, device memory is ordered */
/* Whether the lane knows, by what it or its block acquired, what another block had done after `barrier` block barriers; by: the lane that did
 * it, or 0: several. */
int sim_knows(const sim *s, const lane *l, uint32_t id, uint32_t barrier, uint32_t by);
/* Block barriers of another block before which the lane knows, by what was acquired or told, of all that was done. */
uint32_t sim_known_of(const sim *s, const lane *l, uint32_t id);
/* The same as sim_knows, by any message that a lane of the block has seen, relaxed ones too: enough for a store after a load, since nothing can
 * come of a load before it is done. */
int sim_heard(const lane *l, uint32_t id, uint32_t barrier, uint32_t by);
void sim_note_idle(sim *s, block *b, int is_new); /* a lane looked for what others do, and saw something new or nothing */
void sim_load(int line, uint64_t address, void *value, uint32_t bytes, ms_order order);
void sim_store(int line, uint64_t address, const void *value, uint32_t bytes, ms_order order);
uint64_t sim_update(int line, uint64_t address, uint32_t bytes, ms_update how, uint64_t operand, uint64_t compare, ms_order order);

/* signals.c */
void sim_signals_begin(sim *s, block *b, uint32_t count);        /* all its lanes have met */
void sim_cluster_begin(sim *s, block *b);                        /* the same: others may send to it */
void sim_signals_end(sim *s, block *b);                          /* they have ended, or the launch has */
void sim_signals_barrier(block *b, lane *first, uint32_t count); /* `count` lanes have met, at a barrier of their subgroup or team */
/* Barriers of its team before which all has been done that the team did in shared memory, in device memory. */
uint32_t sim_known_barriers(const lane *l);
uint32_t sim_ordered_barriers(const lane *l);
/* The same of any block of the cluster, as signals tell. */
uint32_t sim_told_barriers(const lane *l, uint32_t id);
/* Whether signals, or barriers of the subgroup of others, tell the lane of a touch by a thread or a copier of its block or its cluster. */
int sim_is_told(const sim *s, const lane *l, const touch *t);
/* Whether what was written by the touch may be copied out in the lane's name. */
int sim_is_ready(const sim *s, const lane *l, const touch *t);
void sim_give(int line, uint32_t number);
void sim_wait(int line, uint32_t number, uint32_t times);
void sim_copy_in(int line, void *to, uint64_t from, uint32_t bytes, uint32_t number);
void sim_ready_copies(int line);
void sim_copy_out(int line, uint64_t to, const void *from, uint32_t bytes);
void sim_end_copies(int line);
void sim_wait_for_copies(int line, uint32_t groups);
void sim_wait_for_cluster(int line);
void sim_cluster_meet(sim *s, block *b); /* all its lanes are at a cluster barrier */
void sim_cluster_part(int line);         /* of a lane: waits until those of all blocks are, and knows what they did */
void sim_expect(int line, uint32_t number, uint32_t bytes);
void sim_send(int line, uint32_t id, const void *place, const void *value, uint32_t bytes, uint32_t number);

#endif
