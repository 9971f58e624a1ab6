/* The search for inputs of small integers that no tree of f32 rounds. A candidate is tried in several trees, also of a device whose functions
 * are as far off as they may be; of those that agree the ones count that show a lost, doubled or swapped element. */
#include "probes.h"

#include <math.h>
#include <string.h>

enum { TRIED = 160, MAX_CANDIDATES = 600, MAX_SCORED = 48, PLANTS = 8, DISTANCE = 24, TREES = 4 };

static const double most_steps = 1.5e8; /* of all evaluations together */

typedef struct search {
    const ms_operation *op;
    const ms_type *type; /* of states */
    ms_eval *combine, *wide, *map;
    const ms_type *given; /* what the map takes */
    int is_mapped;        /* the operation itself has the map: inputs are given to it */
    uint32_t leaves;
    uint64_t random, identity[MS_MAX_ELEMENT_BYTES], start[MS_MAX_ELEMENT_BYTES]; /* start: init, or the identity */
    ms_exact_input neutral;                                                       /* what every candidate begins as */
    uint64_t *elements, *states, *other;                                          /* TRIED rows each */
    double steps;
    int has_failed;
} search;

/* ---- numbers ---- */

static uint64_t draw(uint64_t *state, uint64_t bound)
{
    *state += 0x9e3779b97f4a7c15u;
    return ms_splitmix(*state) % bound;
}

static uint64_t from_integer(msw_scalar scalar, int64_t value)
{
    unsigned char memory[8] = {0};
    if (ms_scalar_is_float(scalar)) return ms_scalar_from_double(scalar, (double)value);
    ms_scalar_store(scalar, memory, (uint64_t)value);
    return ms_scalar_load(scalar, memory);
}

uint64_t ms_random_leaf(msw_scalar scalar, uint64_t *state)
{
    if (!ms_scalar_is_float(scalar)) return from_integer(scalar, 1 + (int64_t)draw(state, 7));
    const double size = ldexp(1 + (double)draw(state, UINT64_C(1) << 52) * 0x1p-52, -(int)draw(state, 2));
    return ms_scalar_from_double(scalar, draw(state, 2) ? size : -size);
}

int ms_is_small(msw_scalar scalar, uint64_t bits, uint64_t identity)
{
    if (!ms_scalar_is_float(scalar) || bits == identity) return 1;
    const double value = ms_scalar_to_double(scalar, bits), most = scalar == MSW_F16 ? 1024 : 2097152;
    return fabs(value) <= most && value * 16 == floor(value * 16);
}

void ms_exact_element(const ms_exact_input *input, uint64_t i, uint64_t *leaves)
{
    const msw_type_info *type = &input->type->info;
    const uint64_t drawn = ms_splitmix(input->seed + i);
    const uint64_t *element = (drawn >> 32) % input->spacing ? input->neutral : input->leaves[drawn % input->count];
    memcpy(leaves, element, type->leaf_count * sizeof *leaves);
    if (input->ramp) leaves[input->ramp - 1] = from_integer(type->leaves[input->ramp - 1].scalar, (int64_t)(i / 16));
}

/* ---- combining ---- */

static void join(search *s, ms_eval *eval, ms_push *push, const uint64_t *a, const uint64_t *b, uint64_t *joined)
{
    const uint64_t *args[2] = {s->op->reverse ? b : a, s->op->reverse ? a : b};
    s->steps += 1 + ms_eval_step_count(eval);
    if (!s->has_failed && ms_eval_run_pushed(eval, push, args, joined)) s->has_failed = 1;
}

static uint64_t *row(const search *s, uint64_t *rows, uint32_t k) { return rows + (size_t)k * s->leaves; }

static void copy(const search *s, uint64_t *to, const uint64_t *from) { memcpy(to, from, s->leaves * sizeof *to); }

int ms_is_neutral(const ms_operation *op, ms_eval *combine, const uint64_t *leaves)
{
    uint64_t identity[MS_MAX_ELEMENT_BYTES], joined[2][MS_MAX_ELEMENT_BYTES];
    const uint64_t *before[2] = {identity, leaves}, *after[2] = {leaves, identity};
    const size_t bytes = op->monoid->type->info.leaf_count * sizeof *leaves;
    ms_leaves_load(op->monoid->type, op->monoid->identity, identity, 0);
    if (ms_eval_run(combine, before, joined[0]) || ms_eval_run(combine, after, joined[1])) return 0;
    return !memcmp(joined[0], leaves, bytes) && !memcmp(joined[1], leaves, bytes);
}

/* The states of tiles, each of them combined with what is before it; tile 0: of random lengths. */
static void scan_tiled(search *s, ms_push *push, uint32_t tile, uint64_t *states)
{
    uint64_t prefix[MS_MAX_ELEMENT_BYTES], local[MS_MAX_ELEMENT_BYTES], state = tile + 1;
    copy(s, prefix, s->start);
    for (uint32_t k = 0; k < TRIED;) {
        const uint32_t length = tile ? tile : 1 + (uint32_t)draw(&state, 19), end = k + length < TRIED ? k + length : TRIED;
        copy(s, local, s->identity);
        for (; k < end; k++) {
            join(s, s->combine, push, local, row(s, s->elements, k), local);
            join(s, s->combine, push, prefix, local, row(s, states, k));
        }
        join(s, s->combine, push, prefix, local, prefix);
    }
}

/* Pairs of pairs, of which only the whole tiles' last states are compared. */
static void scan_balanced(search *s, ms_push *push, uint64_t *states)
{
    memcpy(states, s->elements, (size_t)TRIED * s->leaves * sizeof *states);
    uint32_t step = 1;
    for (; step < TRIED; step *= 2)
        for (uint32_t i = 2 * step - 1; i < TRIED; i += 2 * step)
            join(s, s->combine, push, row(s, states, i - step), row(s, states, i), row(s, states, i));
    for (; step; step /= 2)
        for (uint32_t i = 3 * step - 1; i < TRIED; i += 2 * step)
            join(s, s->combine, push, row(s, states, i - step), row(s, states, i), row(s, states, i));
    for (uint32_t i = 0; i < TRIED; i++) join(s, s->combine, push, s->start, row(s, states, i), row(s, states, i));
}

int ms_is_same_in_any_order(msw_scalar scalar, uint64_t got, uint64_t expected)
{
    if (ms_is_same_leaf(scalar, got, expected)) return 1;
    return ms_scalar_is_float(scalar) && ms_scalar_to_double(scalar, got) == 0 && ms_scalar_to_double(scalar, expected) == 0;
}

static int is_same(const search *s, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t l = 0; l < s->leaves; l++)
        if (!ms_is_same_in_any_order(s->type->info.leaves[l].scalar, a[l], b[l])) return 0;
    return 1;
}

/* One chain, in f32 and wider: all states are small, and nothing is rounded. */
static int scan_chain(search *s)
{
    uint64_t state[MS_MAX_ELEMENT_BYTES], x[MS_MAX_ELEMENT_BYTES], narrow[MS_MAX_ELEMENT_BYTES];
    ms_push none = {.rule = MS_PUSH_NONE, .is_loose = 1, .random = 1};
    unsigned char memory[MS_MAX_ELEMENT_BYTES];
    copy(s, state, s->start);
    ms_leaves_widen(s->type, state);
    for (uint32_t k = 0; k < TRIED && !s->has_failed; k++) {
        copy(s, x, row(s, s->elements, k));
        ms_leaves_widen(s->type, x);
        join(s, s->wide, &none, state, x, state);
        join(s, s->combine, &none, k ? row(s, s->states, k - 1) : s->start, row(s, s->elements, k), row(s, s->states, k));
        copy(s, narrow, row(s, s->states, k));
        for (uint32_t l = 0; l < s->leaves; l++)
            if (!ms_is_small(s->type->info.leaves[l].scalar, narrow[l], s->identity[l])) return 0;
        ms_leaves_widen(s->type, narrow);
        ms_leaves_store(s->type, memory, state, 1);
        ms_leaves_load(s->type, memory, x, 1);
        for (uint32_t l = 0; l < s->leaves; l++) {
            const msw_scalar held = ms_scalar_is_float(s->type->info.leaves[l].scalar) ? MSW_F64 : s->type->info.leaves[l].scalar;
            if (!ms_is_same_in_any_order(held, state[l], narrow[l]) || !ms_is_same_in_any_order(held, x[l], narrow[l])) return 0;
        }
    }
    return !s->has_failed;
}

static void map_element(search *s, const uint64_t *x, uint64_t i, uint64_t *mapped)
{
    const uint64_t *args[2] = {x, &i};
    s->steps += 1 + ms_eval_step_count(s->map);
    if (!s->has_failed && ms_eval_run(s->map, args, mapped)) s->has_failed = 1;
}

/* Kernels join the identity to what is before or behind it. The states that monoids are made for stay as they are; others may not. */
static int keep_beside_identity(search *s)
{
    ms_push none = {.rule = MS_PUSH_NONE, .is_loose = 1, .random = 1};
    uint64_t before[MS_MAX_ELEMENT_BYTES], behind[MS_MAX_ELEMENT_BYTES];
    for (uint32_t k = 0; k < TRIED; k++) {
        const uint64_t *state = row(s, s->states, k);
        join(s, s->combine, &none, s->identity, state, behind);
        join(s, s->combine, &none, state, s->identity, before);
        if (s->has_failed || !is_same(s, before, state) || !is_same(s, behind, state)) return 0;
    }
    return 1;
}

static int is_exact(search *s, const ms_exact_input *input)
{
    uint64_t x[MS_MAX_ELEMENT_BYTES];
    for (uint32_t k = 0; k < TRIED; k++) {
        ms_exact_element(input, k, s->is_mapped ? x : row(s, s->elements, k));
        if (s->is_mapped) map_element(s, x, k, row(s, s->elements, k));
    }
    if (!scan_chain(s)) return 0;
    for (int tree = 0; tree < TREES; tree++) {
        ms_push push = {.rule = tree < 2 ? MS_PUSH_NONE : MS_PUSH_PART, .is_loose = 1, .random = 77 + (uint64_t)tree};
        if (tree == 1 || tree == 2) scan_balanced(s, &push, s->other);
        else scan_tiled(s, &push, tree ? 0 : 7, s->other);
        for (uint32_t k = 0; k < TRIED; k++)
            if (s->has_failed || !is_same(s, row(s, s->other, k), row(s, s->states, k))) return 0;
    }
    return keep_beside_identity(s);
}

/* ---- what a candidate shows ---- */

typedef enum plant { LOST, DOUBLED, SWAPPED, PLANT_KINDS } plant;

/* Whether the state a tile further on, or of a reduction the last one, tells the difference. */
static int is_shown(search *s, plant kind, uint32_t at)
{
    uint64_t state[MS_MAX_ELEMENT_BYTES];
    ms_push none = {.rule = MS_PUSH_NONE, .is_loose = 1, .random = 1};
    const uint32_t end = ms_operation_is_per_element(s->op) ? at + DISTANCE : TRIED - 1;
    copy(s, state, row(s, s->states, at - 1));
    for (uint32_t k = at; k <= end; k++) {
        const uint32_t from = kind == SWAPPED && k <= at + 1 ? 2 * at + 1 - k : k;
        const int times = k == at && kind == LOST ? 0 : k == at && kind == DOUBLED ? 2 : 1;
        for (int t = 0; t < times; t++) join(s, s->combine, &none, state, row(s, s->elements, from), state);
    }
    return !is_same(s, state, row(s, s->states, end));
}

static double varied_share(const search *s)
{
    uint32_t varied = 0;
    for (uint32_t l = 0; l < s->leaves; l++)
        for (uint32_t k = 1; k < TRIED; k++)
            if (row(s, s->states, k)[l] != s->states[l]) {
                varied++;
                break;
            }
    return (double)varied / s->leaves;
}

static double score(search *s)
{
    const int kinds = s->op->monoid->commutative ? SWAPPED : PLANT_KINDS;
    int shown = 0;
    for (int kind = 0; kind < kinds; kind++)
        for (uint32_t p = 0; p < PLANTS; p++) shown += is_shown(s, (plant)kind, 2 + p * (TRIED - DISTANCE - 4) / PLANTS + (p & 1));
    return shown ? (double)shown / (kinds * PLANTS) + varied_share(s) : 0;
}

/* ---- candidates ---- */

/* Leaf by leaf: the neutral element's, one value for all elements, zeros and units of either sign, or small integers. */
static void draw_fields(search *s, ms_exact_input *c)
{
    const int64_t range = draw(&s->random, 2) ? 2 : 8;
    for (uint32_t l = 0; l < c->type->info.leaf_count; l++) {
        const msw_scalar scalar = c->type->info.leaves[l].scalar;
        const int is_signed = ms_scalar_is_float(scalar) || ms_scalar_is_signed(scalar);
        const int64_t shared = (int64_t)draw(&s->random, 5) - (is_signed ? 2 : 0);
        const uint64_t mode = draw(&s->random, 6);
        for (uint32_t e = 0; e < c->count; e++) {
            const int64_t unit = (int64_t)draw(&s->random, 4) - 1, any = (int64_t)draw(&s->random, (uint64_t)(2 * range + 1)) - range;
            if (mode == 0) c->leaves[e][l] = c->neutral[l];
            else if (mode == 1) c->leaves[e][l] = from_integer(scalar, shared);
            else if (mode == 2) c->leaves[e][l] = from_integer(scalar, is_signed ? (unit ? unit % 2 ? unit : 1 : -1) : unit > 0);
            else c->leaves[e][l] = from_integer(scalar, is_signed ? any : any & 7);
        }
    }
}

/* The identity with its fields, or the components of its vecs, in another order, and with other signs; where it has zeros, sometimes integers. */
static void draw_permutations(search *s, ms_exact_input *c)
{
    const int has_integers = draw(&s->random, 2) != 0;
    const uint32_t width =
        s->type->info.leaves[0].vec_length && s->leaves % s->type->info.leaves[0].vec_length == 0 ? s->type->info.leaves[0].vec_length : 1;
    for (uint32_t e = 0; e < c->count; e++) {
        uint32_t order[MS_MAX_ELEMENT_BYTES];
        const uint32_t fields = s->leaves / width;
        for (uint32_t f = 0; f < fields; f++) order[f] = f;
        for (uint32_t f = fields; f > 1 && draw(&s->random, 4); f--) {
            const uint32_t other = (uint32_t)draw(&s->random, f), kept = order[f - 1];
            order[f - 1] = order[other], order[other] = kept;
        }
        for (uint32_t l = 0; l < s->leaves; l++) {
            const msw_scalar scalar = s->type->info.leaves[l].scalar;
            const uint32_t from = order[l / width] * width + l % width;
            uint64_t bits = s->type->info.leaves[from].scalar == scalar ? s->identity[from] : s->identity[l];
            if (ms_scalar_is_float(scalar) && draw(&s->random, 2)) bits = ms_scalar_from_double(scalar, -ms_scalar_to_double(scalar, bits));
            if (has_integers && ms_scalar_is_float(scalar) && ms_scalar_to_double(scalar, bits) == 0 && !draw(&s->random, 3))
                bits = from_integer(scalar, (int64_t)draw(&s->random, 5) - 2);
            c->leaves[e][l] = bits;
        }
    }
}

static void draw_given(search *s, uint64_t *x)
{
    const msw_type_info *info = &s->given->info;
    const uint64_t range = draw(&s->random, 2) ? 256 : 4;
    for (uint32_t l = 0; l < info->leaf_count; l++)
        x[l] = from_integer(info->leaves[l].scalar, (int64_t)draw(&s->random, range) - (int64_t)draw(&s->random, 2));
}

/* Small numbers for the operation's map; or what the user's own makes of them. */
static void draw_mapped(search *s, ms_exact_input *c)
{
    for (uint32_t e = 0; e < c->count && !s->has_failed; e++) {
        uint64_t x[MS_MAX_ELEMENT_BYTES];
        draw_given(s, s->is_mapped ? c->leaves[e] : x);
        if (!s->is_mapped) map_element(s, x, draw(&s->random, 1000), c->leaves[e]);
    }
}

/* What the map makes the identity of, anywhere: zeros, numbers of which a function is 0, small ones. */
static void find_neutral(search *s)
{
    static const int64_t tried[] = {0, 1, -1, 1000, -1000};
    static const uint64_t places[] = {0, 1, 1000};
    enum { NUMBERS = sizeof tried / sizeof *tried, DRAWN = 32 };
    ms_exact_input *c = &s->neutral;
    for (int t = 0; t < NUMBERS + DRAWN && !c->has_neutral && !s->has_failed; t++) {
        uint64_t mapped[MS_MAX_ELEMENT_BYTES];
        for (uint32_t l = 0; t < NUMBERS && l < c->type->info.leaf_count; l++) c->neutral[l] = from_integer(c->type->info.leaves[l].scalar, tried[t]);
        if (t >= NUMBERS) draw_given(s, c->neutral);
        c->has_neutral = 1;
        for (int i = 0; i < 3; i++) {
            map_element(s, c->neutral, places[i], mapped);
            if (!is_same(s, mapped, s->identity)) c->has_neutral = 0;
        }
    }
}

static void draw_candidate(search *s, ms_exact_input *c)
{
    static const uint32_t spacings[] = {1, 1, 1, 4, 16};
    const uint64_t family = draw(&s->random, s->map ? 5 : 4);
    *c = s->neutral;
    c->seed = ms_splitmix(s->random);
    c->count = 2 + (uint32_t)draw(&s->random, MS_EXACT_ELEMENTS - 1);
    c->spacing = spacings[c->has_neutral ? draw(&s->random, 5) : 0];
    c->ramp = draw(&s->random, 6) ? 0 : 1 + (uint32_t)draw(&s->random, c->type->info.leaf_count);
    c->score = 0;
    if (family < 2) draw_fields(s, c);
    else if (family < 4 && !s->is_mapped) draw_permutations(s, c);
    else draw_mapped(s, c);
}

static void keep(ms_exact_input *inputs, uint32_t *count, const ms_exact_input *candidate)
{
    uint32_t at = *count < MS_EXACT_KEPT ? (*count)++ : MS_EXACT_KEPT - 1;
    if (at == MS_EXACT_KEPT - 1 && *count == MS_EXACT_KEPT && inputs[at].score >= candidate->score) return;
    for (; at && inputs[at - 1].score < candidate->score; at--) inputs[at] = inputs[at - 1];
    inputs[at] = *candidate;
}

static int open(search *s, ms_arena *arena)
{
    const size_t bytes = (size_t)TRIED * s->leaves * sizeof(uint64_t);
    s->combine = ms_eval_create(arena, s->op->monoid->combine, 0);
    s->wide = ms_eval_create(arena, s->op->monoid->combine, 1);
    s->elements = ms_arena_alloc(arena, bytes);
    s->states = ms_arena_alloc(arena, bytes);
    s->other = ms_arena_alloc(arena, bytes);
    return s->combine && s->wide && s->elements && s->states && s->other;
}

uint32_t ms_exact_search(const ms_operation *op, ms_arena *arena, const ms_operation *user, ms_exact_input *inputs)
{
    search s = {.op = op, .type = op->monoid->type, .given = user->input, .leaves = op->monoid->type->info.leaf_count, .random = 1};
    ms_exact_input *candidate = ms_arena_alloc(arena, sizeof *candidate);
    uint32_t count = 0, scored = 0;
    if (!candidate || !open(&s, arena)) return 0;
    s.map = user->map && !user->near && !user->segments ? ms_eval_create(arena, user->map, 0) : NULL; /* one element alone has nothing near it */
    s.is_mapped = op->map != NULL;
    if (s.is_mapped && !s.map) return 0;
    ms_leaves_load(s.type, op->monoid->identity, s.identity, 0);
    ms_leaves_load(s.type, op->init ? op->init : op->monoid->identity, s.start, 0);
    s.neutral = (ms_exact_input){.type = op->input, .spacing = 1, .has_neutral = !s.is_mapped};
    if (s.is_mapped) find_neutral(&s);
    else copy(&s, s.neutral.neutral, s.identity);
    for (int c = 0; c < MAX_CANDIDATES && scored < MAX_SCORED && s.steps < most_steps && !s.has_failed; c++) {
        draw_candidate(&s, candidate);
        if (s.has_failed || !is_exact(&s, candidate)) continue;
        scored++;
        candidate->score = score(&s);
        if (candidate->score > 0 && !s.has_failed) keep(inputs, &count, candidate);
    }
    return count;
}
