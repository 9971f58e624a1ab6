/* Which group lies where is found by trying: the longest first that begins alike, and back where nothing fits. */
#include "groups.h"

#include <string.h>

enum { KEY_ITEMS = 4 /* of a group's first items its key is made */, STEPS_AN_ITEM = 64 /* comparisons before we give up */ };

typedef struct group {
    uint64_t element, length, key;
    uint64_t before, next; /* of a list, by number; 0: its end */
} group;

typedef struct matching {
    const ms_operation *op;
    const ms_type *type; /* of an item */
    uint32_t first_leaf;
    ms_eval *length, *make_item;
    const void *input;
    uint64_t n;
    const unsigned char *items;
    uint64_t end, count; /* items that are there; that there would be */
    group *groups;       /* from number 1 on */
    uint64_t group_count;
    uint64_t *lists, mask; /* groups by key, the longest first */
    uint64_t *chosen, steps;
    int has_failed;
} matching;

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- keys ---- */

static uint64_t key_with(uint64_t key, const unsigned char *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) key = (key ^ bytes[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    return key;
}

static uint64_t key_of_count(uint64_t count) { return UINT64_C(0xcbf29ce484222325) + count; }

static uint64_t *list_of(const matching *m, uint64_t key) { return &m->lists[(key ^ key >> 29) & m->mask]; }

/* ---- items ---- */

/* Item k of the element that was loaded. */
static void make(matching *m, const ms_item *element, uint64_t k, unsigned char item[MS_MAX_ELEMENT_BYTES])
{
    const uint64_t *const args[3] = {element->x, &element->i, &k};
    uint64_t made[MS_MAX_ELEMENT_BYTES];
    memset(item, 0, m->type->info.size_bytes);
    if (ms_eval_run(m->make_item, args, made)) m->has_failed = 1;
    else ms_leaves_store(m->type, item, made + m->first_leaf, 0);
}

/* Whether the group lies at item `at`, or its beginning does, where the array ends. */
static int lies_at(matching *m, const group *g, uint64_t at)
{
    const uint64_t bytes = m->type->info.size_bytes, length = least(g->length, m->end - at);
    unsigned char item[MS_MAX_ELEMENT_BYTES];
    ms_item element;
    ms_operation_take(m->op, m->input, g->element, m->n, 0, &element);
    for (uint64_t k = 0; k < length; k++) {
        if (!m->steps) return 0;
        m->steps--;
        make(m, &element, k, item);
        if (m->has_failed || memcmp(item, m->items + (at + k) * bytes, bytes)) return 0;
    }
    return 1;
}

/* ---- groups ---- */

static int add_group(matching *m, uint64_t i)
{
    unsigned char item[MS_MAX_ELEMENT_BYTES];
    ms_item element;
    group g = {.element = i};
    const uint64_t *const args[3] = {element.x, &element.i, element.near};
    ms_operation_take(m->op, m->input, i, m->n, 0, &element);
    if (ms_eval_run(m->length, args, &g.length)) return -1;
    if (!g.length) return 0;
    g.key = key_of_count(least(g.length, KEY_ITEMS));
    for (uint64_t k = 0; k < least(g.length, KEY_ITEMS); k++) {
        make(m, &element, k, item);
        g.key = key_with(g.key, item, m->type->info.size_bytes);
    }
    m->groups[++m->group_count] = g;
    return m->has_failed ? -1 : 0;
}

static void set_next(matching *m, const group *g, uint64_t next) { (g->before ? &m->groups[g->before].next : list_of(m, g->key))[0] = next; }

static void take_out(matching *m, uint64_t number)
{
    const group *g = &m->groups[number];
    set_next(m, g, g->next);
    if (g->next) m->groups[g->next].before = g->before;
}

/* Groups come back in the opposite order of that in which they were taken out, each to where it was. */
static void put_back(matching *m, uint64_t number)
{
    const group *g = &m->groups[number];
    set_next(m, g, number);
    if (g->next) m->groups[g->next].before = number;
}

/* By length, and of equal ones by element: the last is put in front. Sorted by their lengths' bytes, the lowest first. */
static int list_all(matching *m, ms_arena *arena)
{
    uint64_t *from = ms_arena_alloc(arena, (m->group_count + 1) * sizeof *from), *to = ms_arena_alloc(arena, (m->group_count + 1) * sizeof *to);
    if (!from || !to) return 0;
    for (uint64_t g = 0; g < m->group_count; g++) from[g] = m->group_count - g;
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint64_t starts[257] = {0};
        for (uint64_t g = 0; g < m->group_count; g++) starts[(m->groups[from[g]].length >> shift & 255) + 1]++;
        for (uint32_t b = 0; b < 256; b++) starts[b + 1] += starts[b];
        for (uint64_t g = 0; g < m->group_count; g++) to[starts[m->groups[from[g]].length >> shift & 255]++] = from[g];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    for (uint64_t g = 0; g < m->group_count; g++) {
        group *added = &m->groups[from[g]];
        added->next = *list_of(m, added->key);
        put_back(m, from[g]);
    }
    return 1;
}

/* ---- the search ---- */

/* A group that is left, lies at item `at` and is shorter than `below`; 0: none is. */
static uint64_t find(matching *m, uint64_t at, uint64_t below)
{
    const uint64_t bytes = m->type->info.size_bytes, left = m->end - at;
    for (uint64_t g = 1; left < KEY_ITEMS && m->count > m->end && g <= m->group_count; g++) { /* what ends the array, and may go on */
        const group *candidate = &m->groups[g];
        const int is_left = (candidate->before ? m->groups[candidate->before].next : *list_of(m, candidate->key)) == g;
        if (is_left && candidate->length > left && lies_at(m, candidate, at)) return g;
    }
    for (uint64_t count = least(left, KEY_ITEMS); count; count--) {
        const uint64_t key = key_with(key_of_count(count), m->items + at * bytes, count * bytes);
        for (uint64_t g = *list_of(m, key); g; g = m->groups[g].next) {
            const group *candidate = &m->groups[g];
            if (candidate->key == key && least(candidate->length, KEY_ITEMS) == count && candidate->length < below && lies_at(m, candidate, at))
                return g;
        }
    }
    return 0;
}

/* Those that lie at one place and are equally long are equal: of each length one is tried. */
static ms_groups_verdict search(matching *m, uint64_t *wrong)
{
    uint64_t at = 0, below = UINT64_MAX, depth = 0;
    *wrong = 0;
    while (at < m->end) {
        const uint64_t found = find(m, at, below);
        if (m->has_failed) return MS_GROUPS_NO_ITEMS;
        if (!m->steps) return MS_GROUPS_UNDECIDED;
        if (found) {
            take_out(m, found);
            m->chosen[depth++] = found;
            at += least(m->groups[found].length, m->end - at);
            below = UINT64_MAX;
            if (at > *wrong) *wrong = at;
        } else if (depth) {
            const uint64_t last = m->chosen[--depth];
            put_back(m, last);
            below = m->groups[last].length;
            at -= below;
        } else {
            return MS_GROUPS_WRONG;
        }
    }
    return MS_GROUPS_RIGHT;
}

ms_groups_verdict ms_groups_judge(const ms_operation *op, ms_arena *arena, uint64_t n, const void *input, const void *items, uint64_t count,
                                  uint64_t *wrong)
{
    matching m = {.op = op,
                  .type = op->buffer_types[op->info.items],
                  .first_leaf = op->first_leaves[op->info.items],
                  .length = ms_eval_create(arena, op->map, 0),
                  .make_item = ms_eval_create(arena, op->item, 0),
                  .input = input,
                  .n = n,
                  .items = items,
                  .end = least(count, ms_operation_room(op, n)),
                  .count = count,
                  .mask = 1};
    while (m.mask < n) m.mask = 2 * m.mask + 1;
    m.steps = STEPS_AN_ITEM * (m.end + n + 64);
    m.groups = ms_arena_alloc(arena, (n + 1) * sizeof *m.groups);
    m.lists = ms_arena_alloc(arena, (m.mask + 1) * sizeof *m.lists);
    m.chosen = ms_arena_alloc(arena, (n + 1) * sizeof *m.chosen);
    if (!m.length || !m.make_item || !m.groups || !m.lists || !m.chosen) return MS_GROUPS_NO_MEMORY;
    for (uint64_t i = 0; i < n; i++)
        if (add_group(&m, i)) return MS_GROUPS_NO_ITEMS;
    return list_all(&m, arena) ? search(&m, wrong) : MS_GROUPS_NO_MEMORY;
}
