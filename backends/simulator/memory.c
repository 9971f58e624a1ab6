/* Device and shared memory, and for every byte of it who touched it last: bounds, uninitialised reads, races between ordinary accesses. */
#define _DEFAULT_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 256 };

struct shadow {
    touch write, read;
    uint32_t is_written, is_atomic; /* is_atomic: the write was atomic */
};

static uint64_t place_of(const sim *s, uint64_t address) { return address - (uint64_t)(uintptr_t)s->memory; }

static void *reserve(uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int sim_memory_create(sim *s)
{
    s->memory = reserve(SIM_MEMORY_BYTES);
    s->shadow = reserve(SIM_MEMORY_BYTES * sizeof(struct shadow));
    return s->memory && s->shadow;
}

void sim_memory_destroy(sim *s)
{
    if (s->memory) munmap(s->memory, SIM_MEMORY_BYTES);
    if (s->shadow) munmap(s->shadow, SIM_MEMORY_BYTES * sizeof(struct shadow));
}

/* ---- pieces of memory ---- */

static void fill_with_garbage(sim *s, char *at, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += 8) {
        const uint64_t garbage = sim_random(s);
        memcpy(at + i, &garbage, bytes - i < 8 ? bytes - i : 8);
    }
    memset(&s->shadow[at - s->memory], 0, bytes * sizeof *s->shadow);
}

static char *add_region(sim *s, const char *name, uint64_t bytes, uint32_t shift_bytes, uint32_t owner)
{
    const uint64_t first = (s->memory_used + SIM_GUARD_BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + shift_bytes;
    if (s->region_count == SIM_MAX_REGIONS || first + bytes + SIM_GUARD_BYTES > SIM_MEMORY_BYTES) return NULL;
    s->memory_used = first + bytes;
    s->regions[s->region_count++] = (region){name, s->memory + first, bytes, owner};
    fill_with_garbage(s, s->memory + first, bytes);
    return s->memory + first;
}

uint64_t sim_memory(sim *s, const char *name, uint64_t bytes, uint32_t shift_bytes)
{
    /* a device may take the last word whole */
    const uint64_t whole = (bytes + 3) / 4 * 4;
    char *first = add_region(s, name, whole, shift_bytes, 0);
    for (uint64_t i = bytes; first && i < whole; i++) s->shadow[first - s->memory + (ptrdiff_t)i].is_written = 1;
    return (uint64_t)(uintptr_t)first;
}

void sim_write(sim *s, uint64_t address, const void *data, uint64_t bytes)
{
    struct shadow *shadow = &s->shadow[place_of(s, address)];
    memcpy((void *)(uintptr_t)address, data, bytes);
    for (uint64_t i = 0; i < bytes; i++) shadow[i] = (struct shadow){.is_written = 1};
}

void sim_forget(sim *s, uint64_t address, uint64_t bytes) { fill_with_garbage(s, (char *)(uintptr_t)address, bytes); }

int sim_is_written(const sim *s, uint64_t address, uint64_t bytes, uint64_t *first)
{
    const struct shadow *shadow = &s->shadow[place_of(s, address)];
    for (uint64_t i = 0; i < bytes; i++) {
        if (shadow[i].is_written) continue;
        *first = i;
        return 0;
    }
    return 1;
}

void sim_reset(sim *s, const sim_options *options)
{
    s->options = *options;
    s->random = options->seed;
    s->failure[0] = '\0';
    s->steps = 0;
    s->launch = 0;
    s->memory_used = s->region_count = 0;
}

void sim_memory_begin_launch(sim *s)
{
    s->launch_regions = s->region_count;
    s->launch_memory = s->memory_used;
}

void sim_memory_end_launch(sim *s)
{
    s->region_count = s->launch_regions;
    s->memory_used = s->launch_memory;
}

static void *shared_of(sim *s, block *b, int line, uint32_t index, uint32_t bytes)
{
    if (index >= SIM_MAX_SHARED) sim_fail(s, "line %d: shared array %u of at most %d", line, index, SIM_MAX_SHARED);
    if (!b->shared[index]) {
        b->shared[index] = add_region(s, "shared memory", bytes, 0, b->index + 1);
        b->shared_bytes[index] = bytes;
        if (!b->shared[index]) sim_fail(s, "line %d: the simulator has not enough memory", line);
    }
    if (b->shared_bytes[index] != bytes)
        sim_fail(s, "line %d: shared array %u has %u bytes here and %u elsewhere", line, index, bytes, b->shared_bytes[index]);
    return b->shared[index];
}

void *sim_shared(int line, uint32_t index, uint32_t bytes) { return shared_of(sim_running, sim_running->running->block, line, index, bytes); }

/* The next block that takes the place finds garbage. */
void sim_memory_end_block(sim *s, block *b)
{
    for (uint32_t i = 0; i < SIM_MAX_SHARED; i++) {
        if (b->shared[i]) fill_with_garbage(s, b->shared[i], b->shared_bytes[i]);
    }
}

/* The piece that holds the first byte; NULL: none. They lie in ascending order. */
static const region *find_region(const sim *s, const char *address)
{
    uint32_t low = 0, high = s->region_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (s->regions[middle].first <= address) low = middle + 1;
        else high = middle;
    }
    if (!low || address >= s->regions[low - 1].first + s->regions[low - 1].bytes) return NULL;
    return &s->regions[low - 1];
}

/* The nearest piece before, for messages. */
static const region *region_before(const sim *s, const char *address)
{
    const region *before = NULL;
    for (uint32_t i = 0; i < s->region_count && s->regions[i].first <= address; i++) before = &s->regions[i];
    return before;
}

static const region *checked_region(sim *s, uint64_t address, uint64_t bytes, const char *what)
{
    const char *first = (const char *)(uintptr_t)address;
    const region *r = find_region(s, first);
    if (!r || first + bytes > r->first + r->bytes) {
        const region *near = region_before(s, first);
        sim_fail(s, "out of bounds: %s of %llu bytes at %s%+lld, which has %llu bytes", what, (unsigned long long)bytes, near ? near->name : "memory",
                 (long long)(first - (near ? near->first : s->memory)), (unsigned long long)(near ? near->bytes : 0));
    }
    if (r->block && r->block != s->running->block->index + 1) sim_fail(s, "%s of another block's shared memory", what);
    return r;
}

/* ---- races ---- */

touch sim_touch_of(const sim *s, const lane *l)
{
    const block *b = l->block;
    return (touch){.launch = s->launch,
                   .by = l->identity,
                   .barrier = l->thread < s->team_threads || !b->signals ? b->barrier.count : SIM_NEVER,
                   .subgroup_barrier = b->subgroups[l->place.subgroup_id].count,
                   .clock = l->clock};
}

static uint32_t subgroup_of(const sim *s, const touch *t)
{
    const uint32_t size = s->kernel->subgroup_size == 1 ? s->kernel->block_threads : s->kernel->subgroup_size;
    return sim_thread_of(s, t) / size; /* copiers are in none */
}

/* Whether an access to a piece of memory is known to have happened before what the lane does now. Of a load of device memory it is enough that
 * the lane could not have come here before it was done. */
static int is_before(const sim *s, const touch *t, const lane *l, int is_shared, int is_load)
{
    const rendezvous *subgroup = &l->block->subgroups[l->place.subgroup_id];
    const uint32_t by = t->breadth ? 0 : t->by;
    if (t->launch != s->launch) return 1;
    if (t->breadth == 3) return 0;
    if (sim_block_of(s, t) != l->block->id)
        return sim_is_told(s, l, t) || sim_knows(s, l, sim_block_of(s, t), t->barrier, by) ||
               (is_load && sim_heard(l, sim_block_of(s, t), t->barrier, by));
    if (t->barrier < (is_shared ? sim_known_barriers(l) : sim_ordered_barriers(l))) return 1;
    if (t->breadth == 2) return 0;
    if ((t->breadth == 0 && t->by == l->identity) || sim_is_told(s, l, t)) return 1;
    if (subgroup_of(s, t) != l->place.subgroup_id) return 0;
    return is_shared && t->subgroup_barrier < subgroup->count;
}

touch sim_merged(const sim *s, const touch *a, const touch *b)
{
    touch t = *b;
    const int in_team = a->barrier != SIM_NEVER && b->barrier != SIM_NEVER;
    if (a->breadth == 3 || sim_block_of(s, a) != sim_block_of(s, b)) t.breadth = 3;
    else if (a->breadth == 2 || subgroup_of(s, a) != subgroup_of(s, b)) t.breadth = in_team ? 2 : 3;
    else if (a->breadth == 1 || a->by != b->by) t.breadth = 1;
    return t;
}

int sim_is_loaded(const sim *s, const touch *t, const lane *l) { return is_before(s, t, l, 0, 1); }

static long long place_in(const region *r, uint64_t address) { return (long long)((const char *)(uintptr_t)address - r->first); }

static void report_race(sim *s, const region *r, uint64_t address, const touch *t, const char *earlier, const char *now)
{
    const uint32_t thread = sim_thread_of(s, t);
    if (thread >= s->kernel->block_threads)
        sim_fail(s, "race: %s of %s+%lld, unordered after %s by a copy of block %u%s", now, r->name, place_in(r, address), earlier,
                 sim_block_of(s, t), s->kernel->cluster_blocks ? " or a send to it" : "");
    sim_fail(s, "race: %s of %s+%lld, unordered after %s by block %u, thread %u%s", now, r->name, place_in(r, address), earlier, sim_block_of(s, t),
             thread, t->breadth ? " and others" : "");
}

static const char *kind_of_store(const struct shadow *shadow) { return shadow->is_atomic ? "an atomic store" : "a store"; }

static void read_byte(sim *s, const region *r, uint64_t address, const touch *now)
{
    struct shadow *shadow = &s->shadow[place_of(s, address)];
    const lane *l = s->running;
    if (!is_before(s, &shadow->write, l, r->block != 0, 0)) report_race(s, r, address, &shadow->write, kind_of_store(shadow), "a load");
    shadow->read = is_before(s, &shadow->read, l, r->block != 0, 1) ? *now : sim_merged(s, &shadow->read, now);
}

static void write_byte(sim *s, const region *r, uint64_t address, const touch *now)
{
    struct shadow *shadow = &s->shadow[place_of(s, address)];
    const lane *l = s->running;
    if (!is_before(s, &shadow->write, l, r->block != 0, 0)) report_race(s, r, address, &shadow->write, kind_of_store(shadow), "a store");
    if (!is_before(s, &shadow->read, l, r->block != 0, 1)) report_race(s, r, address, &shadow->read, "a load", "a store");
    *shadow = (struct shadow){.write = *now, .is_written = 1};
}

void sim_access(const void *address, uint64_t bytes, int is_write)
{
    sim *s = sim_running;
    const uint64_t first = (uint64_t)(uintptr_t)address;
    if (place_of(s, first) >= SIM_MEMORY_BYTES) {
        const uint64_t on_stack = first - (uint64_t)(uintptr_t)s->running->stack, in_machine = first - (uint64_t)(uintptr_t)&s->machine;
        if (on_stack >= SIM_STACK_BYTES && in_machine >= sizeof s->machine) sim_fail(s, "out of bounds: an address far from all memory");
        return;
    }
    const region *r = checked_region(s, first, bytes, is_write ? "a store" : "a load");
    if (is_write && !r->block) sim_progress(s);
    /* the first byte decides: what is read as a whole may have padding in it */
    if (!is_write && !s->shadow[place_of(s, first)].is_written)
        sim_fail(s, "uninitialised: a load of %s+%lld, which nothing has written", r->name, place_in(r, first));
    const touch now = sim_touch_of(s, s->running);
    for (uint64_t i = 0; i < bytes; i++) {
        if (is_write) write_byte(s, r, first + i, &now);
        else read_byte(s, r, first + i, &now);
    }
}

void sim_check_reach(sim *s, uint64_t first, uint64_t end, int has_content)
{
    const region *r = checked_region(s, first, end - first, "a copy");
    for (uint64_t at = first; has_content && at < end; at++) {
        if (!s->shadow[place_of(s, at)].is_written) sim_fail(s, "uninitialised: a copy reaches %s+%lld", r->name, place_in(r, at));
    }
}

void sim_access_copy(sim *s, uint64_t to, uint64_t from, uint64_t bytes, const touch *by_load, const touch *by_store)
{
    const region *source = checked_region(s, from, bytes, "a copy"), *target = checked_region(s, to, bytes, "a copy");
    if (!source->block == !target->block) sim_fail(s, "a copy is not between device and shared memory");
    for (uint64_t i = 0; i < bytes; i++) {
        const struct shadow *shadow = &s->shadow[place_of(s, from + i)];
        read_byte(s, source, from + i, by_load);
        if (source->block && !sim_is_ready(s, s->running, &shadow->write))
            sim_fail(s, "a copy of %s+%lld, which thread %u wrote and did not ready", source->name, place_in(source, from + i),
                     sim_thread_of(s, &shadow->write));
        write_byte(s, target, to + i, by_store);
        s->shadow[place_of(s, to + i)].is_written = shadow->is_written;
    }
    sim_progress(s);
}

void sim_access_send(sim *s, block *to, const void *place, const void *value, uint32_t bytes, const touch *by)
{
    const block *own = s->running->block;
    const uint64_t here = (uint64_t)(uintptr_t)place;
    uint32_t index = 0;
    if (bytes != 4 && bytes != 8 && bytes != 16) sim_fail(s, "a send of %u bytes, not of 4, 8 or 16", bytes);
    const region *r = checked_region(s, here, bytes, "a send");
    if (!r->block) sim_fail(s, "a send whose place is not in shared memory: %s+%lld", r->name, place_in(r, here));
    if (here % bytes) sim_fail(s, "a send of %u bytes is not aligned: %s+%lld", bytes, r->name, place_in(r, here));
    while (own->shared[index] != r->first) index++;
    const uint64_t offset = (uint64_t)place_in(r, here);
    char *array = shared_of(s, to, s->running->line, index, own->shared_bytes[index]);
    const region *there = find_region(s, array);
    for (uint32_t i = 0; i < bytes; i++) write_byte(s, there, (uint64_t)(uintptr_t)array + offset + i, by);
    memcpy(array + offset, value, bytes);
}

int sim_check_atomic(sim *s, uint64_t address, uint32_t bytes, int is_write)
{
    const region *r = checked_region(s, address, bytes, is_write ? "an atomic store" : "an atomic load");
    if (address % bytes) sim_fail(s, "an atomic access of %u bytes is not aligned: %s+%lld", bytes, r->name, place_in(r, address));
    for (uint32_t i = 0; i < bytes; i++) {
        struct shadow *shadow = &s->shadow[place_of(s, address + i)];
        if (!is_write && !shadow->is_written) sim_fail(s, "uninitialised: an atomic load of %s+%lld", r->name, place_in(r, address));
        if (!shadow->is_atomic && !is_before(s, &shadow->write, s->running, r->block != 0, 0))
            report_race(s, r, address, &shadow->write, "an ordinary store", "an atomic access");
        if (!is_write) continue;
        if (!is_before(s, &shadow->read, s->running, r->block != 0, 1))
            report_race(s, r, address, &shadow->read, "an ordinary load", "an atomic store");
        shadow->write = sim_touch_of(s, s->running);
        shadow->is_written = shadow->is_atomic = 1;
    }
    return r->block != 0;
}
