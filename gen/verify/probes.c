/* Probes of an operation's structure: exact inputs of several tiles, whose results no tree changes; and what all probes tell. */
#include "prober.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT_TILE = 256, LONGEST_EXACT = 1 << 23 };

static msw_result probe_exact(prober *p)
{
    const ms_exact_inputs *found = &p->v->exact;
    msw_result result = ms_prober_search(p, &p->v->exact);
    p->what = "integer input";
    for (uint32_t e = 0; !result && e < found->count && p->structure->input_count < MS_EXACT_INPUTS; e++) {
        ms_exact_input input = found->inputs[e];
        int is_exact = 0, has_failed = 0;
        const uint64_t n = p->sizes[p->structure->input_count];
        if (!ms_prober_reserve(p, n)) return ms_prober_no_memory(p);
        for (int s = 0; s < MS_SPREAD_STEPS && !is_exact && !has_failed; s++) {
            is_exact = ms_prober_write_exact(p, &input, n, &has_failed);
            if (!is_exact) input.spacing *= 8;
        }
        if (has_failed) return ms_prober_host_failed(p);
        if (!is_exact) continue;
        result = ms_prober_run(p, n);
        if (result || !ms_prober_compare(p, p->op, n, ms_is_same_in_any_order)) return result;
        p->structure->input_count++;
        p->own_inputs += (uint32_t)ms_prober_serves(p, n);
    }
    return result;
}

static void find_serving(prober *p)
{
    const msw_plan *plan = p->desc->plan;
    uint64_t tile = 0;
    uint32_t w = 0;
    p->tile = DEFAULT_TILE;
    if (!plan || !plan->variant_count) return;
    while (w + 1 < plan->variant_count && p->desc->n > plan->variants[w].n_max) w++;
    p->serving = &plan->variants[w];
    p->before = w ? plan->variants[w - 1].n_max : 0;
    for (uint32_t s = p->serving->first_step; s < p->serving->first_step + p->serving->step_count; s++)
        if (plan->steps[s].tile_items > tile) tile = plan->steps[s].tile_items;
    if (tile > 1) p->tile = tile;
}

/* Several tiles and a part of one; and at the least as many as the variant serves that the user's data take. */
static void choose_sizes(prober *p)
{
    find_serving(p);
    const uint64_t most = p->serving ? p->serving->n_max : UINT64_MAX, tiles = 4 * p->tile + p->tile / 2 + 3;
    const uint64_t few = p->op->monoid->combine->leaves ? 0 : 2 * p->tile; /* fewer where a Lua function combines, which takes long */
    p->own = p->before >= LONGEST_EXACT ? 0 : p->before + tiles < most ? p->before + tiles : most;
    const uint64_t wanted[MS_EXACT_INPUTS] = {few ? few + 3 : p->own ? p->own : tiles, 3 * p->tile + 1 - few / 2, 6 * p->tile - 1 - 2 * few};
    for (int s = 0; s < MS_EXACT_INPUTS; s++) p->sizes[s] = wanted[s] < most ? wanted[s] : most;
}

static int open(prober *p)
{
    ms_arena_init(&p->arena, &p->v->allocator, 0);
    choose_sizes(p);
    p->combine = ms_eval_create(&p->arena, p->op->monoid->combine, 0);
    p->wide = ms_eval_create(&p->arena, p->op->monoid->combine, 1);
    const ms_function *map = p->v->op->near || p->v->op->segments ? NULL : p->v->op->map; /* elements by themselves have nothing near them */
    p->map = map ? ms_eval_create(&p->arena, map, 0) : NULL;
    ms_leaves_load(p->op->monoid->type, p->op->monoid->identity, p->identity, 0);
    return p->combine && p->wide && (p->map || !map) && ms_prober_reserve(p, p->sizes[0]);
}

static msw_result probe(prober *p)
{
    const int is_promised = ms_function_is_promised(p->op->monoid->combine);
    if (!open(p)) return ms_prober_no_memory(p);
    msw_result result = probe_exact(p);
    if (!result && p->structure->verdict != MSW_FAILED && is_promised) result = ms_probe_pairs(p, 1);
    if (!result && p->structure->verdict != MSW_FAILED && !p->structure->pair_count) result = ms_probe_pairs(p, 0);
    const ms_operation *op = p->v->op;
    const int is_all_promised =
        is_promised && (!op->map || ms_function_is_promised(op->map)) && (!op->output_map || ms_function_is_promised(op->output_map));
    if (!result && p->structure->verdict != MSW_FAILED && p->desc->run) result = ms_probe_operation(p, is_all_promised);
    return result;
}

/* "3 integer inputs"; "" where there is none. */
static const char *format_count(char text[40], uint32_t count, const char *what)
{
    snprintf(text, count ? 40 : 1, "%u %s%s", count, what, count == 1 ? "" : "s");
    return text;
}

/* Of a plan with several variants: what the one has run that serves the user's n. */
static void tell_serving(const prober *p)
{
    msw_structure *s = p->structure;
    const size_t length = strlen(s->text), bytes = sizeof s->text - length;
    const char *strategy = p->serving ? p->serving->strategy : NULL;
    char inputs[40], pairs[40];
    if (!p->before || s->verdict == MSW_NOT_VERIFIED) return;
    format_count(inputs, p->own_inputs, "integer input");
    format_count(pairs, p->own_pairs, "pair");
    if (p->own_inputs || p->own_pairs) {
        snprintf(s->text + length, bytes, "; of these %s%s%s of %s, which serves n = %llu", inputs, inputs[0] && pairs[0] ? " and " : "", pairs,
                 strategy, (unsigned long long)p->desc->n);
        return;
    }
    s->verdict = MSW_NOT_VERIFIED;
    snprintf(s->text + length, bytes, "; not probed: %s, which serves n = %llu, from %llu elements on", strategy, (unsigned long long)p->desc->n,
             (unsigned long long)p->before + 1);
}

/* What was done, and nothing that was not. */
static void tell(const prober *p)
{
    msw_structure *s = p->structure;
    const uint32_t exact_count = p->are_pairs_inexact ? 0 : s->pair_count, near_count = s->pair_count - exact_count;
    const size_t bytes = sizeof s->text;
    char inputs[40], exact[40], near[40], runs[40], whole[40];
    if (s->verdict == MSW_FAILED) return;
    format_count(inputs, s->input_count, "integer input");
    format_count(exact, exact_count, "pair");
    format_count(near, near_count, "pair");
    format_count(runs, s->short_count, "short run");
    format_count(whole, p->whole_count, "tiled run");
    s->verdict = s->input_count || s->pair_count ? MSW_VERIFIED : MSW_NOT_VERIFIED;
    s->is_exact = s->input_count || exact_count;
    if (s->verdict == MSW_NOT_VERIFIED) snprintf(s->text, bytes, "structure not tested: no small integers are exact in every order");
    else if (!s->is_exact) snprintf(s->text, bytes, "structure within bounds (%s)", near);
    else
        snprintf(s->text, bytes, "structure exact (%s%s%s)%s%s%s", inputs, s->input_count && exact_count ? ", " : "", exact, near_count ? ", " : "",
                 near, near_count ? " within bounds" : "");
    tell_serving(p);
    const size_t length = strlen(s->text);
    if (p->whole_count || s->short_count)
        snprintf(s->text + length, bytes - length, "; map and output: %s%s%s%s%s", whole,
                 p->whole_count ? p->is_whole_exact ? " exact" : " within bounds" : "", p->whole_count && s->short_count ? ", " : "", runs,
                 s->short_count ? " within bounds" : "");
}

static msw_result probe_all(msw_verification *v, const msw_probe_desc *desc, msw_structure *structure, msw_diag *diag)
{
    if (v->is_bitwise || !v->op->monoid || v->op->item)
        return snprintf(structure->text, sizeof structure->text, v->is_bitwise ? "bits are compared" : "nothing is combined"),
               ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
    if (v->state_spec ? !desc->run_state : !desc->run)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_probe_desc: %s is NULL; give a function that runs the kernel",
                       v->state_spec ? "run_state" : "run");
    prober p = {.v = v, .desc = desc, .structure = structure, .op = v->state, .random = 1, .diag = diag, .locale = ms_c_locale_enter()};
    const msw_result result = probe(&p);
    ms_c_locale_leave(p.locale);
    ms_arena_free(&p.arena);
    if (result) return result;
    tell(&p);
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

msw_result msw_verification_probe(msw_verification *v, const msw_probe_desc *desc, msw_structure *structure, msw_diag *diag)
{
    msw_structure found = {.verdict = MSW_VERIFIED};
    msw_probe_desc read;
    if (!v || !desc || !structure)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "verify", NULL, 0, "msw_verification_probe: %s is NULL",
                       !v      ? "verification"
                       : !desc ? "desc"
                               : "structure");
    msw_result result = MS_SIZED_READ(msw_probe_desc, desc, &read, "verify", diag);
    if (!result) result = MS_SIZED_CHECK(msw_structure, structure, "verify", diag);
    if (result) return result;
    result = probe_all(v, &read, &found, diag);
    ms_sized_write(structure, &found, sizeof found);
    return result;
}
