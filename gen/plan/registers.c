#include "registers.h"
#include "expr/live.h"

#include <string.h>

/* What NVRTC 13.0 makes of kernels for sm_90, fitted to the corpus and to products of matrices (bench/registers.lua): registers in quarters, of any
 * kernel of the template, for each word that lives in functions, and for each that is held. Tiles are unrolled, so that functions of several items
 * are under way at once; a look-back holds a tile more, but for what it parks; look-ahead has its tiles in shared memory. */
static const struct {
    const char *template_name;
    int parks, base, live, held;
} costs[] = {{"scan/lookback", 0, 180, 16, 7}, {"scan/lookback", 1, 0, 12, 14}, {"scan/lookahead", 0, 260, 4, 2},
             {"scan/reduce", 0, 56, 4, 5},     {"map/map", 0, 100, 8, 3},       {NULL, 0, 32, 11, 10}};

/* Of the function that needs most, parameters in registers from the start. */
static int find_live_words(ms_arena *arena, const ms_operation *op, uint32_t *words)
{
    const ms_function *functions[MS_MAX_FUNCTIONS];
    const uint32_t count = ms_operation_functions(op, functions);
    *words = 0;
    for (uint32_t f = 0; f < count; f++) {
        ms_live live;
        if (!ms_function_live(functions[f], UINT32_MAX, arena, &live)) return 0;
        if (live.words > *words) *words = live.words;
    }
    return 1;
}

static int begins(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }

/* A reduction in order holds what a thread's part of each row adds up to (templates/scan/dealt_rows.tpl), other kernels hold items. */
static uint32_t held_values(const ms_kernel_shape *shape)
{
    const int deals = !strcmp(shape->template_name, "scan/reduce") && !shape->op->monoid->commutative && !ms_operation_is_balanced(shape->op);
    return deals ? shape->geometry.items / shape->geometry.vector : shape->geometry.items;
}

static uint32_t registers_of(const char *template_name, int parks, const ms_registers *words)
{
    int t = 0;
    while (costs[t].template_name && (strcmp(costs[t].template_name, template_name) || costs[t].parks != parks)) t++;
    return (uint32_t)(costs[t].base + costs[t].live * (int)words->live_words + costs[t].held * (int)words->held_words) / 4;
}

int ms_estimate_registers(ms_arena *arena, const ms_kernel_shape *shapes, uint32_t count, ms_registers *estimates)
{
    for (uint32_t k = 0; k < count; k++) {
        const ms_operation *op = shapes[k].op;
        ms_registers *estimate = &estimates[k];
        *estimate = (ms_registers){0};
        if (begins(shapes[k].template_name, "scratch/") || begins(shapes[k].template_name, "sort/")) continue;
        if (k && shapes[k - 1].op == op) estimate->live_words = estimates[k - 1].live_words;
        if (!estimate->live_words && !find_live_words(arena, op, &estimate->live_words)) return 0;
        if (!shapes[k].reads || strcmp(shapes[k].reads, "aggregates") != 0) /* of which a thread has one at a time */
            estimate->held_words = held_values(&shapes[k]) * ms_register_words(ms_held_type(op));
        estimate->registers = registers_of(shapes[k].template_name, (int)shapes[k].geometry.parks, estimate);
    }
    return 1;
}

int ms_estimate_lookback(ms_arena *arena, const ms_operation *op, const ms_geometry *g, uint32_t *registers)
{
    ms_registers words = {.held_words = g->items * ms_register_words(ms_held_type(op))};
    if (!find_live_words(arena, op, &words.live_words)) return 0;
    *registers = registers_of("scan/lookback", (int)g->parks, &words);
    return 1;
}
