/* Signals between lanes of a block, and copies between shared and device memory that happen by themselves.
 *
 * What a lane knows of its block is a list of counts, its view: the team's barriers, each subgroup's barriers, each thread's clock, each copier's.
 * What happened at less than a count is over. A clock counts what its lane gave and readied for copies. A signal takes the giver's view along and
 * adds it to that of who waits; barriers add up the views of all who meet. A copier acts as the lane that set it off, and goes on at a time of its
 * own: until who must has waited for it, what it touches is touched by an unknown. Signals tell nothing of other blocks: what a lane may see there
 * is for itself. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LEAVING = 64, HASTE = 4 /* one copy in 4 is done at once, and one in 4 looks at its signal finds it done */ };

typedef struct copy {
    uint64_t to, from;
    uint32_t bytes, group;
} copy;

typedef struct signal {
    uint32_t given;
    uint32_t copies; /* that give it, begun so far */
    int is_coming;   /* the last of them is not done */
    copy coming;
    uint32_t *view;
} signal;

struct signals {
    uint32_t count, width; /* of a view */
    uint32_t *views;       /* of threads, then of signals */
    signal at[SIM_MAX_SIGNALS];
    /* copies out */
    lane *leaver;
    uint32_t groups, leaving_count; /* groups that have ended; copies that are not known to be done */
    copy leaving[MAX_LEAVING];
};

/* ---- views ---- */

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

static uint32_t subgroup_lanes(const sim *s) { return s->kernel->subgroup_size == 1 ? s->kernel->block_threads : s->kernel->subgroup_size; }

static uint32_t barriers_at(uint32_t subgroup) { return 1 + subgroup; }

/* Of a thread, or a copier behind them. */
static uint32_t clock_at(const sim *s, uint32_t thread) { return 1 + s->kernel->block_threads / subgroup_lanes(s) + thread; }

static uint32_t copier_at(const sim *s, uint32_t copier) { return clock_at(s, s->kernel->block_threads + copier); }

static void add_view(uint32_t *view, const uint32_t *other, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++) view[i] = later(view[i], other[i]);
}

void sim_signals_begin(sim *s, block *b, uint32_t count)
{
    const uint32_t threads = s->kernel->block_threads;
    if (b->signals) sim_fail(s, "signals begin a second time");
    if (count > SIM_MAX_SIGNALS) sim_fail(s, "more than %d signals", SIM_MAX_SIGNALS);
    struct signals *made = b->signals = calloc(1, sizeof *made);
    if (!made) sim_fail(s, "the simulator has not enough memory");
    made->count = count;
    made->width = copier_at(s, count + 1);
    made->views = calloc((size_t)made->width * (threads + count), sizeof *made->views);
    if (!made->views) sim_fail(s, "the simulator has not enough memory");
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t *view = b->lanes[t].view = made->views + (size_t)t * made->width;
        view[0] = b->barrier.count;
        for (uint32_t g = 0; g < threads / subgroup_lanes(s); g++) view[barriers_at(g)] = b->subgroups[g].count;
    }
    for (uint32_t i = 0; i < count; i++) made->at[i].view = made->views + (size_t)(threads + i) * made->width;
}

void sim_signals_end(sim *s, block *b)
{
    struct signals *signals = b->signals;
    if (!signals) return;
    for (uint32_t i = 0; i < signals->count; i++) {
        if (signals->at[i].is_coming) sim_fail(s, "block %u ends while a copy to its shared memory, signal %u, is on its way", b->id, i);
    }
    if (signals->leaving_count) sim_fail(s, "block %u ends while a copy reads its shared memory", b->id);
    free(signals->views);
    free(signals);
    b->signals = NULL;
}

void sim_signals_barrier(block *b, lane *first, uint32_t count)
{
    if (!b->signals) return;
    const uint32_t width = b->signals->width;
    for (uint32_t i = 1; i < count; i++) add_view(first->view, first[i].view, width);
    first->view[0] = later(first->view[0], first == b->lanes && count == b->barrier.size ? b->barrier.count : 0);
    first->view[barriers_at(first->place.subgroup_id)] = b->subgroups[first->place.subgroup_id].count;
    for (uint32_t i = 1; i < count; i++) memcpy(first[i].view, first->view, width * sizeof *first->view);
}

uint32_t sim_known_barriers(const lane *l) { return l->view ? l->view[0] : l->block->barrier.count; }

uint32_t sim_ordered_barriers(const lane *l) { return l->view ? l->view[0] : l->block->ordered; }

int sim_is_told(const sim *s, const lane *l, const touch *t)
{
    const uint32_t thread = sim_thread_of(s, t);
    if (!l->view || t->breadth > 1) return 0;
    if (thread < s->kernel->block_threads && t->subgroup_barrier < l->view[barriers_at(thread / subgroup_lanes(s))]) return 1;
    return t->breadth == 0 && t->clock < l->view[clock_at(s, thread)];
}

/* ---- signals ---- */

static signal *checked_signal(sim *s, uint32_t number)
{
    struct signals *signals = s->running->block->signals;
    if (!signals || number >= signals->count) sim_fail(s, "signal %u, of %u", number, signals ? signals->count : 0);
    return &signals->at[number];
}

/* The lane lets others know what it has done so far. */
static void tell(sim *s, lane *l, signal *told)
{
    l->view[clock_at(s, l->thread)] = ++l->clock;
    memcpy(told->view, l->view, l->block->signals->width * sizeof *l->view);
}

static void give(sim *s, signal *given)
{
    given->given++;
    sim_progress(s);
}

static void move(const copy *c) { memcpy((void *)(uintptr_t)c->to, (const void *)(uintptr_t)c->from, c->bytes); }

static void come(sim *s, signal *coming)
{
    move(&coming->coming);
    coming->is_coming = 0;
    give(s, coming);
}

void sim_give(int line, uint32_t number)
{
    sim *s = sim_enter(line, "giving a signal");
    signal *given = checked_signal(s, number);
    if (given->is_coming) sim_fail(s, "signal %u is given while a copy that gives it is on its way", number);
    tell(s, s->running, given);
    give(s, given);
}

void sim_wait(int line, uint32_t number, uint32_t times)
{
    for (;;) {
        sim *s = sim_enter(line, "waiting for a signal");
        lane *l = s->running;
        signal *awaited = checked_signal(s, number);
        if (awaited->is_coming && !sim_below(s, HASTE)) come(s, awaited);
        if (awaited->given < times || awaited->given > times + 1)
            sim_fail(s, "signal %u has been given %u times where one waits for it after %u", number, awaited->given, times);
        sim_note_idle(s, l->block, awaited->given > times);
        if (awaited->given == times) continue;
        add_view(l->view, awaited->view, l->block->signals->width);
        return;
    }
}

/* ---- copies ---- */

static touch touch_by(const sim *s, const block *b, uint32_t copier, uint32_t clock)
{
    return (touch){.launch = s->launch,
                   .by = sim_identity(s, b, s->kernel->block_threads + copier),
                   .barrier = SIM_NEVER,
                   .subgroup_barrier = SIM_NEVER,
                   .clock = clock};
}

void sim_copy_in(int line, void *to, uint64_t from, uint32_t bytes, uint32_t number)
{
    sim *s = sim_enter(line, "a copy to shared memory");
    lane *l = s->running;
    signal *coming = checked_signal(s, number);
    const uint64_t address = (uint64_t)(uintptr_t)to;
    const touch by = touch_by(s, l->block, number, coming->copies);
    if ((address - from) % 16) sim_fail(s, "a copy of %u bytes between other places in 16 bytes", bytes);
    sim_check_reach(s, from / 16 * 16, (from + bytes + 15) / 16 * 16, 1);
    sim_check_reach(s, address / 16 * 16, (address + bytes + 15) / 16 * 16, 0);
    if (coming->is_coming) sim_fail(s, "a copy gives signal %u while another that gives it is on its way", number);
    sim_access_copy(s, address, from, bytes, &by, &by);
    tell(s, l, coming);
    coming->view[copier_at(s, number)] = ++coming->copies;
    coming->coming = (copy){address, from, bytes, 0};
    coming->is_coming = 1;
    if (!sim_below(s, HASTE)) come(s, coming);
}

void sim_ready_copies(int line)
{
    lane *l = sim_enter(line, "readying shared memory")->running;
    l->readied = ++l->clock;
}

int sim_is_ready(const sim *s, const lane *l, const touch *t)
{
    const uint32_t thread = sim_thread_of(s, t);
    if (t->launch != s->launch || thread >= s->kernel->block_threads) return 1;
    return t->clock < (t->by == l->identity ? l->readied : l->block->lanes[thread].readied_for_all);
}

static struct signals *checked_leaver(sim *s)
{
    lane *l = s->running;
    struct signals *signals = l->block->signals;
    if (!signals) sim_fail(s, "a copy from shared memory before signals begin");
    if (!signals->leaver) signals->leaver = l;
    if (signals->leaver != l) sim_fail(s, "two lanes copy from shared memory");
    return signals;
}

void sim_copy_out(int line, uint64_t to, const void *from, uint32_t bytes)
{
    sim *s = sim_enter(line, "a copy from shared memory");
    struct signals *signals = checked_leaver(s);
    const uint64_t address = (uint64_t)(uintptr_t)from;
    const touch reads = touch_by(s, s->running->block, signals->count, signals->groups);
    touch writes = reads;
    writes.breadth = 3; /* nothing in the launch tells that it has been written */
    if ((to | address | bytes) % 16) sim_fail(s, "a copy of %u bytes, or an address of it, is no multiple of 16", bytes);
    if (signals->leaving_count == MAX_LEAVING) sim_fail(s, "%d copies from shared memory are on their way", MAX_LEAVING);
    sim_access_copy(s, to, address, bytes, &reads, &writes);
    const copy leaving = {to, address, bytes, signals->groups};
    if (sim_below(s, HASTE)) signals->leaving[signals->leaving_count] = leaving;
    else move(&leaving), signals->leaving[signals->leaving_count] = (copy){to, to, 0, signals->groups};
    signals->leaving_count++;
}

void sim_end_copies(int line) { checked_leaver(sim_enter(line, "ending a group of copies"))->groups++; }

void sim_wait_for_copies(int line, uint32_t groups)
{
    sim *s = sim_enter(line, "waiting for copies");
    struct signals *signals = checked_leaver(s);
    const uint32_t done = signals->groups > groups ? signals->groups - groups : 0;
    uint32_t *known = &s->running->view[copier_at(s, signals->count)], left = 0;
    for (uint32_t i = 0; i < signals->leaving_count; i++) {
        if (signals->leaving[i].group < done) move(&signals->leaving[i]);
        else signals->leaving[left++] = signals->leaving[i];
    }
    signals->leaving_count = left;
    *known = later(*known, done);
}
