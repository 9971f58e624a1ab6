/* Atomic accesses under a relaxed memory order: every location remembers its stores, and a load may see any that is not older than what
 * the lane knows of. What a lane has seen binds its whole block after the next block barrier that orders device memory; a release binds those who
 * acquire it.
 * Source: the view-based semantics of release, acquire and relaxed accesses (Kang et al. 2017), without promises. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_LOG2 = 16, TABLE_SIZE = 1 << TABLE_LOG2, MAX_LOCATIONS = TABLE_SIZE / 2 };

/* What a lane saw: message `at` of a location or, with location = ACQUIRED, release `at`. */
static const uint32_t ACQUIRED = ~0u;
struct sighting {
    uint32_t location, at;
};

typedef struct message {
    unsigned char value[16];
    uint32_t release; /* + 1; 0: of a relaxed store */
    uint32_t updater; /* block that made it by an update, + 1; 0: a store */
    knowledge made;   /* what that block had done then */
    touch update;     /* the same of its lane, as signals tell */
    knowledge *heard; /* by block, what came before it; NULL: it is from before the launch */
} message;

typedef struct location {
    uint64_t address;
    uint32_t bytes, count, capacity;
    message *messages; /* in the order of the stores */
    touch *loads;      /* by block, those that must come before stores; NULL: none */
} location;

/* What a lane and its block knew when it released. */
typedef struct release {
    uint32_t seen_count;
    uint32_t *seen;   /* by location */
    knowledge *known; /* by block */
} release;

struct atomics {
    location *locations;
    uint32_t location_count, capacity;
    release *releases;
    uint32_t release_count, release_capacity;
    uint32_t *table; /* location + 1 by hashed address; 0: none */
};

int sim_atomics_create(sim *s)
{
    s->atomics = calloc(1, sizeof *s->atomics);
    if (!s->atomics) return 0;
    s->atomics->table = calloc(TABLE_SIZE, sizeof *s->atomics->table);
    return s->atomics->table != NULL;
}

static void forget(struct atomics *a)
{
    for (uint32_t i = 0; i < a->location_count; i++) {
        for (uint32_t k = 0; k < a->locations[i].count; k++) free(a->locations[i].messages[k].heard);
        free(a->locations[i].messages);
        free(a->locations[i].loads);
    }
    for (uint32_t i = 0; i < a->release_count; i++) {
        free(a->releases[i].seen);
        free(a->releases[i].known);
    }
    if (a->location_count) memset(a->table, 0, TABLE_SIZE * sizeof *a->table);
    a->location_count = a->release_count = 0;
}

void sim_atomics_destroy(sim *s)
{
    if (!s->atomics) return;
    if (s->atomics->table) forget(s->atomics);
    free(s->atomics->locations);
    free(s->atomics->releases);
    free(s->atomics->table);
    free(s->atomics);
}

void sim_atomics_begin_launch(sim *s) { forget(s->atomics); }

/* Room for one more element; fails the launch without memory. */
static void *grown(sim *s, void *array, uint32_t count, uint32_t *capacity, size_t element_bytes)
{
    if (count < *capacity) return array;
    const uint32_t wanted = *capacity ? 2 * *capacity : 8;
    void *larger = realloc(array, wanted * element_bytes);
    if (!larger) sim_fail(s, "the simulator has not enough memory");
    *capacity = wanted;
    return larger;
}

/* ---- what lanes and blocks have seen ---- */

static void see(sim *s, lane *l, uint32_t number, uint32_t at)
{
    for (uint32_t i = 0; i < l->sighting_count; i++) {
        struct sighting *known = &l->sightings[i];
        if (known->location != number || (number == ACQUIRED && known->at != at)) continue;
        if (known->at < at) known->at = at;
        return;
    }
    l->sightings = grown(s, l->sightings, l->sighting_count, &l->sighting_capacity, sizeof *l->sightings);
    l->sightings[l->sighting_count++] = (struct sighting){number, at};
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

static uint32_t released(const release *r, uint32_t number) { return number < r->seen_count ? r->seen[number] : 0; }

/* The oldest message that the lane may see. */
static uint32_t oldest(const sim *s, const lane *l, uint32_t number)
{
    uint32_t at = l->block->seen[number];
    for (uint32_t i = 0; i < l->sighting_count; i++) {
        const struct sighting *known = &l->sightings[i];
        if (known->location == number) at = later(at, known->at);
        else if (known->location == ACQUIRED) at = later(at, released(&s->atomics->releases[known->at], number));
    }
    return at;
}

static knowledge joined(knowledge a, knowledge b)
{
    const knowledge *last = a.by && (!b.by || a.at >= b.at) ? &a : &b;
    return (knowledge){later(a.barriers, b.barriers), last->at, last->by};
}

/* Of another block, by what the lane or its block has acquired, or signals have told. */
static knowledge known_of(const sim *s, const lane *l, uint32_t id)
{
    knowledge known = joined(l->block->known[id], (knowledge){.barriers = sim_told_barriers(l, id)});
    for (uint32_t i = 0; i < l->sighting_count; i++) {
        if (l->sightings[i].location == ACQUIRED) known = joined(known, s->atomics->releases[l->sightings[i].at].known[id]);
    }
    return known;
}

static int is_known(knowledge known, uint32_t barrier, uint32_t by)
{
    return barrier < known.barriers || (by && by == known.by && barrier <= known.at);
}

int sim_knows(const sim *s, const lane *l, uint32_t id, uint32_t barrier, uint32_t by) { return is_known(known_of(s, l, id), barrier, by); }

uint32_t sim_known_of(const sim *s, const lane *l, uint32_t id) { return known_of(s, l, id).barriers; }

int sim_heard(const lane *l, uint32_t id, uint32_t barrier, uint32_t by) { return is_known(l->block->heard[id], barrier, by); }

/* What a lane and its block have done. */
static knowledge own(const sim *s, const lane *l)
{
    return (knowledge){sim_ordered_barriers(l), l->thread < s->team_threads ? l->block->barrier.count : SIM_NEVER, l->identity};
}

/* Beside lanes that were not there, each keeps for itself what the others have seen. */
static void share_sightings(sim *s, lane *lanes, uint32_t count)
{
    for (uint32_t t = 1; t < count; t++) {
        for (uint32_t i = 0; i < lanes[t].sighting_count; i++) see(s, &lanes[0], lanes[t].sightings[i].location, lanes[t].sightings[i].at);
    }
    for (uint32_t t = 1; t < count; t++) {
        for (uint32_t i = 0; i < lanes[0].sighting_count; i++) see(s, &lanes[t], lanes[0].sightings[i].location, lanes[0].sightings[i].at);
    }
}

/* After such a barrier all know what one lane has acquired. (A releasing lane's later stores, up to its next barrier, count as known too; to the end,
 * where it is outside the team.) */
void sim_atomics_barrier(sim *s, block *b, uint32_t count)
{
    if (count < s->kernel->block_threads) {
        share_sightings(s, b->lanes, count);
        return;
    }
    for (uint32_t t = 0; t < count; t++) {
        lane *l = &b->lanes[t];
        for (uint32_t i = 0; i < l->sighting_count; i++) {
            const struct sighting *known = &l->sightings[i];
            if (known->location != ACQUIRED) {
                b->seen[known->location] = later(b->seen[known->location], known->at);
                continue;
            }
            const release *r = &s->atomics->releases[known->at];
            for (uint32_t k = 0; k < r->seen_count; k++) b->seen[k] = later(b->seen[k], r->seen[k]);
            for (uint32_t k = 0; k < s->block_count; k++) b->known[k] = joined(b->known[k], r->known[k]);
        }
        l->sighting_count = 0;
    }
}

void sim_atomics_begin_block(sim *s, block *b)
{
    for (uint32_t t = 0; t < s->kernel->block_threads; t++) b->lanes[t].sighting_count = 0;
    if (b->location_capacity) {
        memset(b->seen, 0, b->location_capacity * sizeof *b->seen);
        memset(b->loaded, 0, b->location_capacity * sizeof *b->loaded);
    }
    memset(b->known, 0, s->block_count * sizeof *b->known);
    memset(b->heard, 0, s->block_count * sizeof *b->heard);
}

static uint32_t add_release(sim *s, const lane *l)
{
    struct atomics *a = s->atomics;
    a->releases = grown(s, a->releases, a->release_count, &a->release_capacity, sizeof *a->releases);
    release *r = &a->releases[a->release_count++];
    *r = (release){.seen_count = a->location_count};
    r->seen = malloc((a->location_count + 1) * sizeof *r->seen);
    r->known = malloc(s->block_count * sizeof *r->known);
    if (!r->seen || !r->known) sim_fail(s, "the simulator has not enough memory");
    for (uint32_t k = 0; k < a->location_count; k++) r->seen[k] = oldest(s, l, k);
    for (uint32_t k = 0; k < s->block_count; k++) r->known[k] = known_of(s, l, k);
    r->known[l->block->id] = own(s, l);
    return a->release_count;
}

/* ---- locations ---- */

static void widen_blocks(sim *s)
{
    const uint32_t wanted = s->atomics->capacity;
    for (uint32_t i = 0; i < s->resident_limit; i++) {
        block *b = &s->blocks[i];
        uint32_t *seen = realloc(b->seen, wanted * sizeof *seen);
        if (seen) b->seen = seen;
        uint32_t *loaded = realloc(b->loaded, wanted * sizeof *loaded);
        if (loaded) b->loaded = loaded;
        if (!seen || !loaded) sim_fail(s, "the simulator has not enough memory");
        memset(seen + b->location_capacity, 0, (wanted - b->location_capacity) * sizeof *seen);
        memset(loaded + b->location_capacity, 0, (wanted - b->location_capacity) * sizeof *loaded);
        b->location_capacity = wanted;
    }
}

static message *add_message(sim *s, location *where, const void *value, uint32_t release_number)
{
    where->messages = grown(s, where->messages, where->count, &where->capacity, sizeof *where->messages);
    message *m = &where->messages[where->count++];
    memcpy(m->value, value, where->bytes);
    m->release = release_number;
    m->updater = 0;
    m->heard = NULL;
    return m;
}

static uint32_t find_location(sim *s, uint64_t address, uint32_t bytes)
{
    struct atomics *a = s->atomics;
    uint32_t slot = (uint32_t)((address >> 2) * 0x9e3779b97f4a7c15u >> (64 - TABLE_LOG2));
    for (; a->table[slot]; slot = (slot + 1) % TABLE_SIZE) {
        const uint32_t found = a->table[slot] - 1;
        if (a->locations[found].address != address) continue;
        if (a->locations[found].bytes != bytes)
            sim_fail(s, "an atomic access of %u bytes where there was one of %u in this launch", bytes, a->locations[found].bytes);
        /* an ordinary store since then is newer, and known to all who may look: no race was found */
        const location *where = &a->locations[found];
        if (memcmp(where->messages[where->count - 1].value, (const void *)(uintptr_t)address, bytes))
            add_message(s, &a->locations[found], (const void *)(uintptr_t)address, 0);
        return found;
    }
    if (a->location_count == MAX_LOCATIONS) sim_fail(s, "more than %d locations", MAX_LOCATIONS);
    a->locations = grown(s, a->locations, a->location_count, &a->capacity, sizeof *a->locations);
    const uint32_t made = a->location_count++;
    a->table[slot] = a->location_count;
    a->locations[made] = (location){.address = address, .bytes = bytes};
    widen_blocks(s);
    add_message(s, &a->locations[made], (const void *)(uintptr_t)address, 0);
    return made;
}

/* ---- the machine's functions ---- */

static int acquires(ms_order order) { return order == MS_ACQUIRE || order == MS_ACQUIRE_RELEASE; }
static int releases(ms_order order) { return order == MS_RELEASE || order == MS_ACQUIRE_RELEASE; }

/* Counts looks that told the block nothing new: that is how a waiting block is known. */
void sim_note_idle(sim *s, block *b, int is_new)
{
    if (b->progress != s->progress || is_new) {
        b->progress = s->progress;
        b->idle_loads = 0;
    }
    b->idle_loads += is_new ? 0 : 1;
}

static const message *take(sim *s, uint32_t number, uint32_t at, ms_order order)
{
    const message *m = &s->atomics->locations[number].messages[at];
    see(s, s->running, number, at);
    if (acquires(order) && m->release) see(s, s->running, ACQUIRED, m->release - 1);
    for (uint32_t k = 0; m->heard && k < s->block_count; k++) s->running->block->heard[k] = joined(s->running->block->heard[k], m->heard[k]);
    return m;
}

static void keep_load(sim *s, location *where)
{
    const touch now = sim_touch_of(s, s->running);
    if (!where->loads) where->loads = calloc(s->block_count, sizeof *where->loads);
    if (!where->loads) sim_fail(s, "the simulator has not enough memory");
    touch *loaded = &where->loads[s->running->block->id];
    *loaded = !loaded->launch || sim_is_loaded(s, loaded, s->running) ? now : sim_merged(s, loaded, &now);
}

static void check_loads(sim *s, const location *where)
{
    for (uint32_t b = 0; where->loads && b < s->block_count; b++) {
        const touch *t = &where->loads[b];
        if (t->launch && !sim_is_loaded(s, t, s->running)) sim_fail(s, "a store that nothing orders after a load by block %u", b);
    }
}

void sim_load(int line, uint64_t address, void *value, uint32_t bytes, ms_order order)
{
    sim *s = sim_enter(line, "atomic load");
    if (sim_check_atomic(s, address, bytes, 0)) sim_fail(s, "atomic loads of shared memory are updates");
    const uint32_t number = find_location(s, address, bytes), newest = s->atomics->locations[number].count - 1;
    uint32_t at = newest;
    if (s->options.stale_percent && sim_below(s, 100) < s->options.stale_percent) {
        const uint32_t first = oldest(s, s->running, number);
        at = first + sim_below(s, newest - first + 1);
    }
    uint32_t *loaded = &s->running->block->loaded[number];
    if (order == MS_RELAXED_BEFORE_STORES) keep_load(s, &s->atomics->locations[number]);
    sim_note_idle(s, s->running->block, *loaded < at + 1);
    if (*loaded < at + 1) *loaded = at + 1;
    memcpy(value, take(s, number, at, order)->value, bytes);
}

/* Words of 8 and 16 bytes that are stored, or swapped in, are posts, their tag comes last (backends/simulator/words.tpl): what has been posted in a
 * launch stays, and a greater tag may follow; tags wrap. */
static void check_post(sim *s, const location *where, const unsigned char *value)
{
    const uint32_t payload_bytes = where->bytes - 4;
    const unsigned char *last = where->messages[where->count - 1].value;
    uint32_t tag, last_tag;
    if (where->bytes < 8 || where->count == 1) return;
    memcpy(&tag, value + payload_bytes, sizeof tag);
    memcpy(&last_tag, last + payload_bytes, sizeof last_tag);
    if (tag - last_tag > UINT32_MAX / 2) sim_fail(s, "a lost post: tag 0x%x over tag 0x%x", tag, last_tag);
    if (tag == last_tag && memcmp(value, last, payload_bytes)) sim_fail(s, "two posts with tag 0x%x differ", tag);
}

/* A store over updates of other blocks comes after them only where they are known to have been made: nothing else keeps it from being lost among
 * them, or from hiding one that comes late. */
static void check_updates(sim *s, const location *where)
{
    for (uint32_t at = 1; at < where->count; at++) {
        const message *m = &where->messages[at];
        if (m->updater && m->updater - 1 != s->running->block->id && !sim_is_told(s, s->running, &m->update) &&
            !sim_knows(s, s->running, m->updater - 1, m->made.at, m->made.by))
            sim_fail(s, "a store that nothing orders after an update by block %u", m->updater - 1);
    }
}

static message *put(sim *s, uint32_t number, const void *value, ms_order order, uint32_t inherited)
{
    location *where = &s->atomics->locations[number];
    const lane *l = s->running;
    see(s, s->running, number, where->count);
    message *m = add_message(s, where, value, releases(order) ? add_release(s, l) : inherited);
    m->heard = malloc(s->block_count * sizeof *m->heard);
    if (!m->heard) sim_fail(s, "the simulator has not enough memory");
    memcpy(m->heard, l->block->heard, s->block_count * sizeof *m->heard);
    m->heard[l->block->id] = own(s, l);
    memcpy((void *)(uintptr_t)where->address, value, where->bytes);
    sim_progress(s);
    return m;
}

void sim_store(int line, uint64_t address, const void *value, uint32_t bytes, ms_order order)
{
    sim *s = sim_enter(line, "atomic store");
    if (sim_check_atomic(s, address, bytes, 1)) sim_fail(s, "atomic stores to shared memory are updates");
    const uint32_t number = find_location(s, address, bytes);
    check_post(s, &s->atomics->locations[number], value);
    check_updates(s, &s->atomics->locations[number]);
    check_loads(s, &s->atomics->locations[number]);
    put(s, number, value, order, 0); /* what was there may be seen still, were it garbage */
}

static uint64_t updated(uint64_t old, ms_update how, uint64_t operand, uint64_t compare)
{
    switch (how) {
    case MS_ADD: return old + operand;
    case MS_AND: return old & operand;
    case MS_OR: return old | operand;
    case MS_MIN: return old < operand ? old : operand;
    case MS_MAX: return old > operand ? old : operand;
    case MS_EXCHANGE: return operand;
    default: return old == compare ? operand : old;
    }
}

uint64_t sim_update(int line, uint64_t address, uint32_t bytes, ms_update how, uint64_t operand, uint64_t compare, ms_order order)
{
    sim *s = sim_enter(line, "atomic update");
    uint64_t old = 0;
    sim_check_atomic(s, address, bytes, 0);
    const int is_shared = sim_check_atomic(s, address, bytes, 1);
    const uint32_t number = is_shared ? 0 : find_location(s, address, bytes);
    const message *m = is_shared ? NULL : take(s, number, s->atomics->locations[number].count - 1, order);
    const uint32_t inherited = m ? m->release : 0;
    memcpy(&old, m ? m->value : (const void *)(uintptr_t)address, bytes);
    const uint64_t value = updated(old, how, operand, compare);
    if (is_shared) memcpy((void *)(uintptr_t)address, &value, bytes);
    else if (value != old || how != MS_COMPARE_EXCHANGE) {
        if (how == MS_COMPARE_EXCHANGE) check_post(s, &s->atomics->locations[number], (const unsigned char *)&value);
        message *made = put(s, number, &value, order, inherited);
        if (how != MS_COMPARE_EXCHANGE) { /* which looks at what was there: a post, of which the store knows */
            made->updater = s->running->block->id + 1;
            made->made = own(s, s->running);
            made->update = sim_touch_of(s, s->running);
        }
    }
    return old;
}
