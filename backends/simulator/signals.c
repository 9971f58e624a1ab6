/* Signals between lanes of a block, copies between shared and device memory that happen by themselves, and sends between blocks of a cluster.
 *
 * What a lane knows of its block is a list of counts, its view: the team's barriers, each subgroup's barriers, each thread's clock, each copier's.
 * What happened at less than a count is over. A clock counts what its lane gave and readied for copies. A signal takes the giver's view along and
 * adds it to that of who waits; barriers add up the views of all who meet. A copier acts as the lane that set it off, and goes on at a time of its
 * own: until who must has waited for it, what it touches is touched by an unknown.
 *
 * In a cluster a view has such counts of every block. Bytes that are sent are touched by the receiving signal's copier, and take the sender's view
 * along: a turn tells what all its senders knew. Else signals tell nothing of other blocks: what a lane may see there is for itself. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_LEAVING = 64,
    HASTE = 4,                 /* one copy in 4 is done at once, and one in 4 looks at its signal finds it done */
    MOST_BYTES = (1 << 20) - 1 /* that an mbarrier counts in a turn */
};

typedef struct copy {
    uint64_t to, from;
    uint32_t bytes, group;
} copy;

typedef struct signal {
    uint32_t given;
    uint32_t copies; /* that give it, begun so far; and turns that sends gave */
    int is_coming;   /* the last of them is not done */
    copy coming;
    uint32_t *view;
    /* by sends */
    int is_expected; /* the turn under way has been told its bytes */
    uint32_t expected_bytes, come_bytes;
    uint32_t sent, waited; /* turns up to the last that sends gave, that a lane waited for */
    uint32_t *turn_view;   /* of the turn under way */
} signal;

struct signals {
    uint32_t count, width; /* of a view of one block */
    uint32_t own, total;   /* of a view of all blocks: where one's own begins; its width */
    uint32_t *views;       /* of threads, then of signals, then of their turns under way */
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

/* Of all blocks. */
static uint32_t *whole_view(const lane *l) { return l->view - l->block->signals->own; }

/* Of one; NULL: no signal tells of it. */
static uint32_t *view_of(const lane *l, uint32_t id)
{
    const struct signals *signals = l->block->signals;
    if (!l->view || id == l->block->id) return l->view;
    return signals->total == signals->width ? NULL : whole_view(l) + (size_t)id * signals->width;
}

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
    made->own = s->kernel->cluster_blocks ? b->id * made->width : 0;
    made->total = s->kernel->cluster_blocks ? s->block_count * made->width : made->width;
    for (uint32_t i = 0; s->kernel->cluster_blocks && i < s->block_count; i++) {
        const struct signals *others = s->blocks[i].signals;
        if (others && others->count != count)
            sim_fail(s, "%u signals begin, and %u in block %u of the cluster", count, others->count, s->blocks[i].id);
    }
    made->views = calloc((size_t)made->total * (threads + 2 * count), sizeof *made->views);
    if (!made->views) sim_fail(s, "the simulator has not enough memory");
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t *view = b->lanes[t].view = made->views + (size_t)t * made->total + made->own;
        view[0] = b->barrier.count;
        for (uint32_t g = 0; g < threads / subgroup_lanes(s); g++) view[barriers_at(g)] = b->subgroups[g].count;
    }
    for (uint32_t i = 0; i < count; i++) {
        made->at[i].view = made->views + (size_t)(threads + i) * made->total;
        made->at[i].turn_view = made->views + (size_t)(threads + count + i) * made->total;
    }
}

void sim_signals_end(sim *s, block *b)
{
    struct signals *signals = b->signals;
    if (!signals) return;
    for (uint32_t i = 0; i < signals->count; i++) {
        const signal *at = &signals->at[i];
        if (at->is_coming) sim_fail(s, "block %u ends while a copy to its shared memory, signal %u, is on its way", b->id, i);
        if (at->is_expected || at->come_bytes)
            sim_fail(s, "block %u has ended in the middle of a turn of signal %u, of which %u bytes have come", b->id, i, at->come_bytes);
        if (at->sent > at->waited) sim_fail(s, "block %u has ended, and nobody has waited for bytes of its signal %u", b->id, i);
    }
    if (signals->leaving_count) sim_fail(s, "block %u ends while a copy reads its shared memory", b->id);
    free(signals->views);
    free(signals);
    b->signals = NULL;
}

void sim_signals_barrier(block *b, lane *first, uint32_t count)
{
    if (!b->signals) return;
    const uint32_t total = b->signals->total;
    for (uint32_t i = 1; i < count; i++) add_view(whole_view(first), whole_view(&first[i]), total);
    first->view[0] = later(first->view[0], first == b->lanes && count == b->barrier.size ? b->barrier.count : 0);
    first->view[barriers_at(first->place.subgroup_id)] = b->subgroups[first->place.subgroup_id].count;
    for (uint32_t i = 1; i < count; i++) memcpy(whole_view(&first[i]), whole_view(first), total * sizeof *first->view);
}

uint32_t sim_known_barriers(const lane *l) { return l->view ? l->view[0] : l->block->barrier.count; }

uint32_t sim_ordered_barriers(const lane *l) { return l->view ? l->view[0] : l->block->ordered; }

uint32_t sim_told_barriers(const lane *l, uint32_t id)
{
    const uint32_t *view = view_of(l, id);
    return view ? view[0] : 0;
}

int sim_is_told(const sim *s, const lane *l, const touch *t)
{
    const uint32_t thread = sim_thread_of(s, t), *view = view_of(l, sim_block_of(s, t));
    if (!view || t->breadth == 3) return 0;
    if (t->barrier < view[0]) return 1;
    if (t->breadth == 2) return 0;
    if (thread < s->kernel->block_threads && t->subgroup_barrier < view[barriers_at(thread / subgroup_lanes(s))]) return 1;
    return t->breadth == 0 && t->clock < view[clock_at(s, thread)];
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
    memcpy(told->view, whole_view(l), l->block->signals->total * sizeof *l->view);
}

static void check_no_bytes(sim *s, const signal *given, uint32_t number)
{
    if (given->is_expected || given->come_bytes) sim_fail(s, "signal %u is given in another way in a turn for which bytes come", number);
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
    check_no_bytes(s, given, number);
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
        add_view(whole_view(l), awaited->view, l->block->signals->total);
        awaited->waited = later(awaited->waited, awaited->given);
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
    check_no_bytes(s, coming, number);
    sim_access_copy(s, address, from, bytes, &by, &by);
    tell(s, l, coming);
    coming->view[l->block->signals->own + copier_at(s, number)] = ++coming->copies;
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

/* ---- sends ---- */

void sim_cluster_begin(sim *s, block *b)
{
    if (!s->kernel->cluster_blocks) sim_fail(s, "a cluster begins in a launch that is none");
    b->begun = b->barrier.count;
    sim_progress(s);
}

static int has_cluster_begun(const sim *s)
{
    for (uint32_t i = 0; i < s->block_count; i++) {
        if (!s->blocks[i].begun) return 0;
    }
    return 1;
}

void sim_wait_for_cluster(int line)
{
    sim *s = sim_enter(line, "waiting for the cluster");
    lane *l = s->running;
    if (!l->block->begun) sim_fail(s, "a lane waits for the cluster before its block begins");
    if (l->has_met_cluster) sim_fail(s, "a lane waits for the cluster a second time");
    l->has_met_cluster = 1;
    for (int all = has_cluster_begun(s);; all = has_cluster_begun(s)) {
        sim_note_idle(s, l->block, all);
        if (all) break;
        sim_enter(line, "waiting for the cluster");
    }
    for (uint32_t i = 0; i < s->block_count; i++) {
        uint32_t *known = view_of(l, s->blocks[i].id);
        known[0] = later(known[0], s->blocks[i].begun);
    }
}

void sim_cluster_meet(sim *s, block *b)
{
    if (!b->begun) sim_fail(s, "a cluster barrier before the block begins");
    for (uint32_t t = 0; t < b->whole.size; t++) b->lanes[t].view[0] = b->barrier.count;
    b->met_at[b->met++ % 2] = b->barrier.count;
    sim_progress(s);
}

static int has_cluster_met(const sim *s, uint32_t times)
{
    for (uint32_t i = 0; i < s->block_count; i++) {
        if (s->blocks[i].met < times) return 0;
    }
    return 1;
}

void sim_cluster_part(int line)
{
    sim *s = sim_running;
    lane *l = s->running;
    const uint32_t times = l->block->met;
    for (int all = has_cluster_met(s, times);; all = has_cluster_met(s, times)) {
        sim_note_idle(s, l->block, all);
        if (all) break;
        sim_enter(line, "waiting at a cluster barrier");
    }
    for (uint32_t i = 0; i < s->block_count; i++) {
        uint32_t *known = view_of(l, s->blocks[i].id);
        known[0] = later(known[0], s->blocks[i].met_at[(times - 1) % 2]);
    }
}

/* The running lane knows of all turns of the signal that have been given by copies or sends: what it does is for the next one, whoever is quick. */
static void check_turn(sim *s, const block *b, uint32_t number, const char *what)
{
    const signal *at = &b->signals->at[number];
    if (at->is_coming) sim_fail(s, "%s for signal %u while a copy that gives it is on its way", what, number);
    if (view_of(s->running, b->id)[copier_at(s, number)] < at->copies)
        sim_fail(s, "%s for signal %u of block %u, of whose last turn the lane does not know that it is over", what, number, b->id);
}

/* The lane lets those know what it has done so far, and what it knows of others, who wait for the turn under way; which may be complete now. */
static void add_to_turn(sim *s, block *b, uint32_t number)
{
    signal *at = &b->signals->at[number];
    lane *l = s->running;
    l->view[clock_at(s, l->thread)] = ++l->clock;
    for (uint32_t id = 0; s->kernel->cluster_blocks && id < s->block_count; id++) {
        if (id != l->block->id) view_of(l, id)[0] = sim_known_of(s, l, id);
    }
    add_view(at->turn_view, whole_view(l), b->signals->total);
    sim_progress(s);
    if (at->come_bytes > MOST_BYTES || (at->is_expected && at->come_bytes > at->expected_bytes))
        sim_fail(s, "%u bytes have come in a turn of signal %u of block %u, which expects %u", at->come_bytes, number, b->id,
                 at->is_expected ? at->expected_bytes : MOST_BYTES);
    if (!at->is_expected || at->come_bytes != at->expected_bytes) return;
    at->turn_view[b->signals->own + copier_at(s, number)] = ++at->copies;
    memcpy(at->view, at->turn_view, b->signals->total * sizeof *at->view);
    memset(at->turn_view, 0, b->signals->total * sizeof *at->turn_view);
    at->is_expected = 0;
    at->come_bytes = 0;
    give(s, at);
    at->sent = at->given;
}

void sim_expect(int line, uint32_t number, uint32_t bytes)
{
    sim *s = sim_enter(line, "expecting bytes");
    signal *at = checked_signal(s, number);
    if (bytes > MOST_BYTES) sim_fail(s, "signal %u expects %u bytes, more than %d", number, bytes, MOST_BYTES);
    if (at->is_expected) sim_fail(s, "signal %u expects bytes a second time in one turn", number);
    check_turn(s, s->running->block, number, "bytes are expected");
    at->is_expected = 1;
    at->expected_bytes = bytes;
    add_to_turn(s, s->running->block, number);
}

/* The block, if the running lane may send to it. */
static block *checked_receiver(sim *s, uint32_t id, uint32_t number)
{
    const lane *l = s->running;
    block *to = NULL;
    for (uint32_t i = 0; s->kernel->cluster_blocks && i < s->block_count; i++) {
        if (s->blocks[i].id == id) to = &s->blocks[i];
    }
    if (!to) sim_fail(s, "a send to block %u of a cluster of %u", id, s->kernel->cluster_blocks);
    if (!l->block->begun || !to->begun || view_of(l, id)[0] < to->begun)
        sim_fail(s, "a send to block %u, which the lane does not know to have begun", id);
    if (to->has_ended) sim_fail(s, "a send to block %u, which has ended", id);
    if (number >= to->signals->count) sim_fail(s, "signal %u, of %u", number, to->signals->count);
    return to;
}

void sim_send(int line, uint32_t id, const void *place, const void *value, uint32_t bytes, uint32_t number)
{
    sim *s = sim_enter(line, "a send");
    block *to = checked_receiver(s, id, number);
    signal *at = &to->signals->at[number];
    check_turn(s, to, number, "a send");
    const touch by = touch_by(s, to, number, at->copies);
    sim_access_send(s, to, place, value, bytes, &by);
    at->come_bytes += bytes;
    add_to_turn(s, to, number);
}
