/* The launch: blocks become resident, their lanes run until they communicate, meet, and end. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUIET_STEPS_A_LANE = 8192, REPORTED_BLOCKS = 8 };

sim *sim_running;

/* ---- failures ---- */

static const char *const state_names[] = {"ready", "at a block barrier", "in a subgroup operation", "ended"};

static void append(sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(sim *s, const char *format, ...)
{
    const size_t used = strlen(s->failure);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->failure + used, sizeof s->failure - used, format, arguments);
    va_end(arguments);
}

/* Lanes that stand at the same place, a line each. */
static void report_block(sim *s, const block *b)
{
    const uint32_t threads = s->kernel->block_threads;
    append(s, "  block %u:\n", b->id);
    for (uint32_t t = 0; t < threads; t++) {
        const lane *first = &b->lanes[t];
        uint32_t count = 0;
        int is_first = 1;
        for (uint32_t u = 0; u < threads; u++) {
            const lane *l = &b->lanes[u];
            if (l->state != first->state || l->line != first->line || l->doing != first->doing) continue;
            count++;
            if (u < t) is_first = 0;
        }
        if (is_first) append(s, "    %u from thread %u on %s, last: %s, line %d\n", count, t, state_names[first->state], first->doing, first->line);
    }
}

static void report(sim *s)
{
    append(s, "  kernel %s, block %u, subgroup %u, %u blocks, %u resident, n = %llu; scheduler %s, seed %llu, step %llu\n", s->kernel->name,
           s->kernel->block_threads, s->kernel->subgroup_size, s->block_count, s->resident_count, (unsigned long long)s->params.n,
           sim_scheduler_name(s->options.scheduler), (unsigned long long)s->options.seed, (unsigned long long)s->steps);
    for (uint32_t i = 0; i < s->resident_count && i < REPORTED_BLOCKS; i++) report_block(s, s->resident[i]);
}

void sim_fail(sim *s, const char *format, ...)
{
    if (!s->failure[0]) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(s->failure, sizeof s->failure, format, arguments);
        va_end(arguments);
        if (s->running) {
            const lane *l = s->running;
            append(s, "\n  in block %u, thread %u (lane %u of subgroup %u), after %s, line %d", l->block->id, l->thread, l->place.lane_id,
                   l->place.subgroup_id, l->doing, l->line);
        }
        append(s, "\n");
        report(s);
    }
    if (!s->running) return;
    sim_context never;
    s->running = NULL;
    sim_switch(&never, &s->scheduler);
}

/* ---- giving way ---- */

static void make_ready(lane *l)
{
    l->state = LANE_READY;
    l->block->ready[l->block->ready_count++] = l->thread;
}

static void give_way(sim *s)
{
    lane *l = s->running;
    s->running = NULL;
    sim_switch(&l->context, &s->scheduler);
}

sim *sim_enter(int line, const char *doing)
{
    sim *s = sim_running;
    s->running->line = line;
    s->running->doing = doing;
    make_ready(s->running);
    give_way(s);
    return s;
}

/* ---- meetings ---- */

static rendezvous *subgroup_of(const lane *l) { return &l->block->subgroups[l->place.subgroup_id]; }

static const char *kind_name(rendezvous_kind kind)
{
    static const char *const names[] = {"nothing",
                                        "a shuffle",
                                        "a ballot",
                                        "a subgroup barrier",
                                        "a block barrier",
                                        "a block barrier for all memory",
                                        "the beginning of signals",
                                        "the beginning of a cluster",
                                        "a cluster barrier"};
    return names[kind];
}

/* The running lane joins the others; whether it is the last. */
static int join(sim *s, rendezvous *r, rendezvous_kind kind, int line, uint32_t bytes)
{
    if (r->ended) sim_fail(s, "divergence: %s at line %d, but %u of the %u lanes have ended", kind_name(kind), line, r->ended, r->size);
    if (r->arrived && (r->kind != kind || r->line != line || r->bytes != bytes))
        sim_fail(s, "divergence: %s at line %d, but %u lanes wait at %s at line %d", kind_name(kind), line, r->arrived, kind_name(r->kind), r->line);
    r->kind = kind;
    r->line = line;
    r->bytes = bytes;
    return ++r->arrived == r->size;
}

static void part(rendezvous *r, int is_barrier)
{
    r->arrived = 0;
    r->kind = AT_NOTHING;
    r->count += is_barrier ? 1 : 0;
}

/* Joins the block's others, or its team's, in r; whether it is the last: nobody of them has gone on yet. */
static int join_block(sim *s, rendezvous *r, const rendezvous *elsewhere, rendezvous_kind kind, int line)
{
    lane *l = s->running;
    rendezvous *subgroup = subgroup_of(l);
    if (kind != AT_BEGIN_SIGNALS && r->size < s->kernel->block_threads && !l->block->signals)
        sim_fail(s, "%s at line %d, of some of a block, before its signals begin", kind_name(kind), line);
    if (subgroup->arrived)
        sim_fail(s, "divergence: %s at line %d, but %u lanes of the subgroup wait at %s at line %d", kind_name(kind), line, subgroup->arrived,
                 kind_name(subgroup->kind), subgroup->line);
    if (elsewhere->arrived)
        sim_fail(s, "divergence: %s at line %d, but %u lanes wait at %s at line %d", kind_name(kind), line, elsewhere->arrived,
                 kind_name(elsewhere->kind), elsewhere->line);
    if (l->thread >= r->size) sim_fail(s, "divergence: %s at line %d, which thread %u does not take part in", kind_name(kind), line, l->thread);
    l->state = LANE_AT_BARRIER;
    subgroup->away++;
    return join(s, r, kind, line, 0);
}

/* The first lanes of a block go on together. */
static void part_block(sim *s, block *b, rendezvous *r, int orders_device)
{
    part(r, 1);
    if (orders_device) {
        b->ordered = b->barrier.count;
        sim_atomics_barrier(s, b, r->size);
    }
    for (uint32_t t = 0; t < r->size; t++) {
        subgroup_of(&b->lanes[t])->away = 0;
        make_ready(&b->lanes[t]);
    }
}

static void meet_block(sim *s, rendezvous_kind kind, int line)
{
    block *b = s->running->block;
    if (join_block(s, &b->barrier, &b->whole, kind, line)) {
        part_block(s, b, &b->barrier, kind == AT_ALL_MEMORY_BARRIER || b->signals);
        sim_signals_barrier(b, b->lanes, b->barrier.size);
        for (uint32_t t = 0; t < b->barrier.size; t++) b->lanes[t].readied_for_all = b->lanes[t].readied;
    }
    give_way(s);
}

static void block_barrier(int line) { meet_block(sim_enter(line, "block barrier"), AT_BLOCK_BARRIER, line); }

static void block_barrier_all_memory(int line) { meet_block(sim_enter(line, "block barrier for all memory"), AT_ALL_MEMORY_BARRIER, line); }

static void begin(sim *s, rendezvous_kind kind, int line, uint32_t count)
{
    block *b = s->running->block;
    if (join_block(s, &b->whole, &b->barrier, kind, line)) {
        b->barrier.count++;
        part_block(s, b, &b->whole, 1);
        for (uint32_t g = 0; g <= b->lanes[b->whole.size - 1].place.subgroup_id; g++) b->subgroups[g].count++;
        sim_signals_begin(s, b, count);
        if (kind == AT_BEGIN_CLUSTER) sim_cluster_begin(s, b);
    }
    give_way(s);
}

static void begin_signals(int line, uint32_t count) { begin(sim_enter(line, "beginning signals"), AT_BEGIN_SIGNALS, line, count); }

static void cluster_barrier(int line)
{
    sim *s = sim_enter(line, "cluster barrier");
    block *b = s->running->block;
    if (join_block(s, &b->whole, &b->barrier, AT_CLUSTER_BARRIER, line)) {
        b->barrier.count++;
        part_block(s, b, &b->whole, 1);
        for (uint32_t g = 0; g <= b->lanes[b->whole.size - 1].place.subgroup_id; g++) b->subgroups[g].count++;
        sim_cluster_meet(s, b);
    }
    give_way(s);
    sim_cluster_part(line);
}

static void begin_cluster(int line, uint32_t count) { begin(sim_enter(line, "beginning a cluster"), AT_BEGIN_CLUSTER, line, count); }

static void finish_shuffle(sim *s, const rendezvous *r, lane *lanes)
{
    for (uint32_t i = 0; i < r->size; i++) {
        unsigned char *other = lanes[i].other;
        if (lanes[i].source < r->size) {
            memcpy(other, lanes[lanes[i].source].value, r->bytes);
        } else {
            for (uint32_t k = 0; k < r->bytes; k++) other[k] = (unsigned char)sim_random(s);
        }
    }
}

static void finish_ballot(const rendezvous *r, lane *lanes)
{
    uint32_t words[SIM_MAX_SUBGROUP / 32] = {0};
    for (uint32_t i = 0; i < r->size; i++) words[i / 32] |= (lanes[i].condition ? 1u : 0u) << i % 32;
    for (uint32_t i = 0; i < r->size; i++) memcpy(lanes[i].words, words, sizeof words);
}

static void meet_subgroup(sim *s, rendezvous_kind kind, int line, uint32_t bytes)
{
    lane *l = s->running;
    rendezvous *r = subgroup_of(l);
    lane *lanes = l - l->place.lane_id;
    if (r->away)
        sim_fail(s, "divergence: %s at line %d, but %u lanes of the subgroup wait at the block barrier at line %d", kind_name(kind), line, r->away,
                 l->block->barrier.line);
    l->state = LANE_IN_SUBGROUP;
    if (join(s, r, kind, line, bytes)) {
        if (kind == AT_SHUFFLE) finish_shuffle(s, r, lanes);
        if (kind == AT_BALLOT) finish_ballot(r, lanes);
        part(r, kind == AT_SUBGROUP_BARRIER);
        if (kind == AT_SUBGROUP_BARRIER) sim_signals_barrier(l->block, lanes, r->size);
        for (uint32_t i = 0; i < r->size; i++) make_ready(&lanes[i]);
    }
    give_way(s);
}

static void subgroup_barrier(int line) { meet_subgroup(sim_enter(line, "subgroup barrier"), AT_SUBGROUP_BARRIER, line, 0); }

static void shuffle(int line, const void *value, void *other, uint32_t bytes, uint32_t source)
{
    sim *s = sim_enter(line, "shuffle");
    s->running->value = value;
    s->running->other = other;
    s->running->source = source;
    meet_subgroup(s, AT_SHUFFLE, line, bytes);
}

static void ballot(int line, int condition, uint32_t words[4])
{
    sim *s = sim_enter(line, "ballot");
    s->running->condition = condition;
    s->running->words = words;
    meet_subgroup(s, AT_BALLOT, line, 0);
}

static void fault(int line, const char *what) { sim_fail(sim_running, "line %d: %s", line, what); }

static void pause_lane(int line) { sim_enter(line, "pause"); }

/* ---- the launch ---- */

static void run_lane(void)
{
    sim *s = sim_running;
    s->kernel->run(s->params);
    lane *l = s->running;
    rendezvous *meetings[] = {subgroup_of(l), &l->block->barrier, &l->block->whole};
    for (size_t m = 0; m < sizeof meetings / sizeof *meetings; m++) {
        rendezvous *r = meetings[m];
        if (r == &l->block->barrier && l->thread >= r->size) continue;
        if (r->arrived) sim_fail(s, "divergence: a lane ends, but %u lanes wait at %s at line %d", r->arrived, kind_name(r->kind), r->line);
        r->ended++;
    }
    l->state = LANE_ENDED;
    sim_progress(s);
    give_way(s);
}

static void start_block(sim *s, block *b)
{
    const uint32_t threads = s->kernel->block_threads, subgroup = s->kernel->subgroup_size == 1 ? threads : s->kernel->subgroup_size;
    b->id = s->order[s->started++];
    b->ready_count = 0;
    b->has_run = 0;
    b->progress = b->idle_loads = 0;
    b->barrier = (rendezvous){.size = s->team_threads};
    b->ordered = b->begun = b->met = 0;
    b->has_ended = 0;
    b->whole = (rendezvous){.size = threads};
    for (uint32_t g = 0; g < threads / subgroup; g++) b->subgroups[g] = (rendezvous){.size = subgroup};
    for (uint32_t t = 0; t < threads; t++) {
        lane *l = &b->lanes[t];
        l->place = (ms_place){b->id, s->block_count, t / subgroup, t % subgroup};
        l->thread = t;
        l->identity = sim_identity(s, b, t);
        l->line = 0;
        l->view = NULL;
        l->has_met_cluster = 0;
        l->clock = l->readied = l->readied_for_all = 0;
        l->doing = "its start";
        l->context = sim_fiber(l->stack, run_lane);
        make_ready(l);
    }
    sim_atomics_begin_block(s, b);
    s->resident[s->resident_count++] = b;
    sim_progress(s);
}

/* Blocks whose lanes have all ended give their place to others. */
static void retire(sim *s, block *b)
{
    uint32_t at = 0;
    b->has_ended = 1;
    sim_signals_end(s, b);
    sim_memory_end_block(s, b);
    while (s->resident[at] != b) at++;
    memmove(&s->resident[at], &s->resident[at + 1], (s->resident_count - at - 1) * sizeof *s->resident);
    s->resident_count--;
    if (s->started < s->block_count) start_block(s, b);
}

static void check_budgets(sim *s)
{
    const uint64_t limit = s->options.step_limit ? s->options.step_limit : 50000000u;
    if (++s->quiet_steps > (uint64_t)QUIET_STEPS_A_LANE * s->resident_count * s->kernel->block_threads)
        sim_fail(s, "dead-lock: nothing has happened for %llu steps", (unsigned long long)s->quiet_steps);
    else if (++s->launch_steps > limit) sim_fail(s, "no end: the launch has taken %llu steps", (unsigned long long)s->launch_steps);
}

static void run_blocks(sim *s)
{
    while (s->started < s->block_count && s->started < s->resident_limit) start_block(s, &s->blocks[s->started]);
    while (s->resident_count && !s->failure[0]) {
        lane *l = sim_pick(s);
        block *b = l->block;
        s->steps++;
        s->running = l;
        s->machine.place = l->place;
        sim_switch(&s->scheduler, &l->context);
        if (s->failure[0]) return;
        if (b->whole.ended == b->whole.size) retire(s, b);
        else check_budgets(s);
    }
}

static void free_launch(sim *s)
{
    for (uint32_t i = 0; s->blocks && i < s->resident_limit; i++) {
        block *b = &s->blocks[i];
        sim_signals_end(s, b);
        for (uint32_t t = 0; b->lanes && t < s->kernel->block_threads; t++) free(b->lanes[t].sightings);
        free(b->lanes);
        free(b->ready);
        free(b->subgroups);
        free(b->seen);
        free(b->loaded);
        free(b->known);
        free(b->heard);
    }
    free(s->blocks);
    free(s->resident);
    free(s->order);
    free(s->nest);
    s->blocks = NULL;
    s->resident = NULL;
    s->order = s->nest = NULL;
}

/* 0: not enough memory. */
static int make_launch(sim *s)
{
    const uint32_t threads = s->kernel->block_threads;
    s->order = calloc(s->block_count, sizeof *s->order);
    s->nest = calloc(s->block_count, sizeof *s->nest);
    s->resident = calloc(s->resident_limit, sizeof *s->resident);
    s->blocks = calloc(s->resident_limit, sizeof *s->blocks);
    if (!s->order || !s->nest || !s->resident || !s->blocks) return 0;
    for (uint32_t i = 0; i < s->resident_limit; i++) {
        block *b = &s->blocks[i];
        b->index = i;
        b->lanes = calloc(threads, sizeof *b->lanes);
        b->ready = calloc(threads, sizeof *b->ready);
        b->subgroups = calloc(threads, sizeof *b->subgroups);
        b->known = calloc(s->block_count, sizeof *b->known);
        b->heard = calloc(s->block_count, sizeof *b->heard);
        if (!b->lanes || !b->ready || !b->subgroups || !b->known || !b->heard) return 0;
        for (uint32_t t = 0; t < threads; t++) {
            b->lanes[t].block = b;
            b->lanes[t].stack = sim_stack(s->stacks, (size_t)i * threads + t);
        }
    }
    return 1;
}

int sim_dispatch(sim *s, const sim_kernel *kernel, uint32_t blocks, const msw_params *params)
{
    if (s->failure[0]) return 1;
    s->kernel = kernel;
    s->params = *params;
    s->block_count = blocks;
    s->team_threads = kernel->team_threads ? kernel->team_threads : kernel->block_threads;
    s->resident_limit = SIM_MAX_LANES / kernel->block_threads;
    if (s->options.resident_blocks && s->options.resident_blocks < s->resident_limit) s->resident_limit = s->options.resident_blocks;
    if (kernel->is_cooperative || kernel->cluster_blocks) s->resident_limit = SIM_MAX_LANES / kernel->block_threads;
    if (blocks < s->resident_limit) s->resident_limit = blocks;
    s->started = s->resident_count = 0;
    s->launch++;
    s->launch_steps = s->quiet_steps = 0;
    sim_running = s;
    if (!make_launch(s)) {
        sim_fail(s, "the simulator has not enough memory");
    } else if (kernel->is_cooperative && s->resident_limit < blocks) {
        sim_fail(s, "a cooperative launch of %u blocks, of which %u run at once", blocks, s->resident_limit);
    } else if (kernel->cluster_blocks && blocks != kernel->cluster_blocks) {
        sim_fail(s, "a launch of %u blocks of a kernel for one cluster of %u", blocks, kernel->cluster_blocks);
    } else if (kernel->cluster_blocks && s->resident_limit < blocks) {
        sim_fail(s, "a cluster of %u blocks, of which %u run at once", blocks, s->resident_limit);
    } else {
        sim_schedule_begin_launch(s);
        sim_memory_begin_launch(s);
        sim_atomics_begin_launch(s);
        run_blocks(s);
        sim_memory_end_launch(s);
    }
    free_launch(s);
    return s->failure[0] != 0;
}

const char *sim_failure(const sim *s) { return s->failure; }

uint64_t sim_steps(const sim *s) { return s->steps; }

const void *sim_machine(sim *s) { return &s->machine; }

sim *sim_create(void)
{
    sim *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->stacks = sim_stacks_create(SIM_MAX_LANES);
    if (!s->stacks || !sim_memory_create(s) || !sim_atomics_create(s)) {
        sim_destroy(s);
        return NULL;
    }
    s->machine = (ms_machine){.block_barrier = block_barrier,
                              .block_barrier_all_memory = block_barrier_all_memory,
                              .subgroup_barrier = subgroup_barrier,
                              .shuffle = shuffle,
                              .ballot = ballot,
                              .shared = sim_shared,
                              .load = sim_load,
                              .store = sim_store,
                              .update = sim_update,
                              .begin_signals = begin_signals,
                              .give = sim_give,
                              .wait = sim_wait,
                              .copy_in = sim_copy_in,
                              .ready_copies = sim_ready_copies,
                              .copy_out = sim_copy_out,
                              .end_copies = sim_end_copies,
                              .wait_for_copies = sim_wait_for_copies,
                              .begin_cluster = begin_cluster,
                              .wait_for_cluster = sim_wait_for_cluster,
                              .cluster_barrier = cluster_barrier,
                              .expect = sim_expect,
                              .send = sim_send,
                              .pause = pause_lane,
                              .access = sim_access,
                              .fault = fault};
    return s;
}

void sim_destroy(sim *s)
{
    if (!s) return;
    sim_atomics_destroy(s);
    sim_memory_destroy(s);
    sim_stacks_destroy(s->stacks);
    free(s);
}
