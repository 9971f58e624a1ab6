/* A suite: one spec, one shared object; a run: memory laid out anew, the oracle asked, launches compared. */
#include "trial.h"
#include "offsets.h"

#include "../../runtime/launch.h"
#include "compiled.h"
#include "data.h"

#include <monosweep/monosweep_measure.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LAUNCHES = 3, MAX_TILES = 9, MAX_SORT_TILES = 6 /* many passes */, MAX_KNOBS = 8 };

struct trial {
    const sim_case *description;
    char name[96];
    msw_op_info info;
    uint32_t op;
    int is_exact; /* the bits are promised */
    msw_program *program;
    const msw_plan *plan;
    char *patched;                   /* a text that is ours; NULL: none */
    uint32_t texts[MSW_MAX_KERNELS]; /* its kernels' entries in the shared object */
};

struct sim_suite {
    sim *machine;
    msw_spec *spec;
    uint32_t count, text_count;
    struct trial *trials;
    sim_text *texts;
    sim_compiled *compiled;
    char failure[1 << 14];
    /* the run */
    const struct trial *running;
    uint32_t first_variant; /* of those that may serve */
    uint32_t held_blocks;   /* that run at once */
    uint64_t random, digest;
    const sim_given *given;
};

/* ---- making a suite ---- */

/* A line more in the message. */
static int fail(char *message, size_t message_bytes, const char *what, const char *why)
{
    const size_t used = strlen(message);
    snprintf(message + used, message_bytes - used, "%s: %s\n", what, why);
    return 0;
}

/* "spin=3 lookback=serial" as knobs, how many; `copy` keeps their strings. */
static uint32_t split_knobs(const char *text, char *copy, size_t copy_bytes, msw_knob knobs[MAX_KNOBS])
{
    uint32_t count = 0;
    snprintf(copy, copy_bytes, "%s", text ? text : "");
    for (char *at = copy; *at && count < MAX_KNOBS; count++) {
        knobs[count].name = at;
        at += strcspn(at, "=");
        *at++ = '\0';
        knobs[count].value = at;
        at += strcspn(at, " ");
        if (*at) *at++ = '\0';
    }
    return count;
}

static int plan_trial(sim_suite *suite, struct trial *t, char *message, size_t message_bytes)
{
    const sim_case *c = t->description;
    char block[12], items[12], blocks[12], more[128];
    msw_knob knobs[4 + MAX_KNOBS] = {{"strategy", c->strategy}, {"block", block}, {"items", items}, {"blocks", blocks}};
    const uint32_t knob_count = 4 + split_knobs(c->knobs, more, sizeof more, &knobs[4]);
    const msw_target target = {.struct_size = sizeof target,
                               .backend = MSW_BACKEND_HOST,
                               .subgroup_size = c->subgroup,
                               .max_block_threads = 1024,
                               .shared_bytes = c->shared_bytes ? c->shared_bytes : 1 << 20,
                               .max_blocks = 64,
                               .compute_units = 12,
                               .progress = c->progress,
                               .max_cluster_blocks = c->cluster_blocks ? c->cluster_blocks : 1};
    const msw_program_desc desc = {.struct_size = sizeof desc, .op = t->op, .target = &target, .knobs = knobs, .knob_count = knob_count};
    msw_diag diag = {0};
    snprintf(block, sizeof block, "%u", c->block);
    snprintf(items, sizeof items, "%u", c->items);
    snprintf(blocks, sizeof blocks, "%u", c->blocks);
    if (msw_program_create(suite->spec, &desc, &t->program, &diag)) return fail(message, message_bytes, t->name, diag.message);
    t->plan = msw_program_plan(t->program);
    return 1;
}

/* `text` with every `from` replaced; NULL: there is none, or not enough memory. */
static char *replaced(const char *text, const char *from, const char *to)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, from)); at += strlen(from)) count++;
    char *made = count ? malloc(strlen(text) + count * strlen(to) + 1) : NULL;
    if (!made) return NULL;
    char *end = made;
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
        memcpy(end, text, (size_t)(at - text));
        end += at - text;
        end = strcpy(end, to) + strlen(to);
    }
    strcpy(end, text);
    return made;
}

/* But for comments, which name the operation. */
static int is_same_text(const char *a, const char *b)
{
    while (*a && *a == *b) {
        if (a[0] == '/' && a[1] == '/' && b[1] == '/') a += strcspn(a, "\n"), b += strcspn(b, "\n");
        else a++, b++;
    }
    return *a == *b;
}

/* The index of a text in the shared object, where equal ones are one. */
static uint32_t add_text(sim_suite *suite, const char *text, const char *entry)
{
    uint32_t index = 0;
    while (index < suite->text_count && (strcmp(suite->texts[index].entry, entry) || !is_same_text(suite->texts[index].text, text))) index++;
    if (index == suite->text_count) suite->texts[suite->text_count++] = (sim_text){text, entry};
    return index;
}

static int add_texts(sim_suite *suite, struct trial *t, char *message, size_t message_bytes)
{
    const sim_patch *patch = t->description->patch;
    for (uint32_t k = 0; k < t->plan->kernel_count; k++) {
        const msw_plan_kernel *kernel = &t->plan->kernels[k];
        const char *text = kernel->text;
        if (patch && !strcmp(patch->kernel, kernel->entry)) {
            text = t->patched = replaced(kernel->text, patch->from, patch->to);
            if (!text) return fail(message, message_bytes, patch->from, "not in the text");
        }
        t->texts[k] = add_text(suite, text, kernel->entry);
    }
    return !patch || t->patched ? 1 : fail(message, message_bytes, patch->kernel, "no such kernel");
}

/* Whether the operation's bits are promised, as its line of the summary says; of floats too, since subnormal numbers are kept here. */
static int is_promised(const msw_spec *spec, uint32_t op)
{
    const char *line = msw_spec_summary(spec);
    if (op >= msw_spec_op_count(spec)) return 0; /* a stage has no line */
    for (uint32_t i = 0; i < op; i++) line = strchr(line, '\n') + 1;
    const char *exactness = strstr(line, ", bit exact");
    return exactness && exactness < strchr(line, '\n');
}

static int make_trial(sim_suite *suite, struct trial *t, const sim_case *c, char *message, size_t message_bytes)
{
    t->description = c;
    snprintf(t->name, sizeof t->name, "%s:%s:%ux%ux%ux%u%s%s%s", c->op, c->strategy, c->subgroup, c->block, c->items, c->blocks,
             c->progress == MSW_PROGRESS_NONE ? ":none" : "", c->knobs ? ":" : "", c->knobs ? c->knobs : "");
    if (c->cluster_blocks) snprintf(t->name + strlen(t->name), sizeof t->name - strlen(t->name), ":cluster%u", c->cluster_blocks);
    for (char *at = t->name; (at = strchr(at, ' '));) *at = ',';
    const int op = msw_spec_find(suite->spec, c->op);
    if (op < 0) return fail(message, message_bytes, t->name, "no such operation");
    t->op = (uint32_t)op;
    t->info.struct_size = sizeof t->info;
    msw_spec_op(suite->spec, t->op, &t->info);
    t->is_exact = t->info.is_bit_exact || is_promised(suite->spec, t->op);
    return plan_trial(suite, t, message, message_bytes) && add_texts(suite, t, message, message_bytes);
}

sim_suite *sim_suite_create(sim *s, const char *spec_file, const sim_case *cases, uint32_t count, char *message, size_t message_bytes)
{
    /* kernels of all that can be one, also where that is predicted to be slow */
    const msw_spec_desc desc = {.struct_size = sizeof desc, .file = spec_file, .cut = MSW_CUT_FEWEST};
    msw_diag diag = {0};
    sim_suite *suite = calloc(1, sizeof *suite);
    message[0] = '\0';
    if (!suite) return NULL;
    suite->machine = s;
    suite->count = count;
    suite->trials = calloc(count, sizeof *suite->trials);
    suite->texts = calloc((size_t)count * MSW_MAX_KERNELS, sizeof *suite->texts);
    int good = suite->trials && suite->texts;
    if (good && msw_spec_create(&desc, &suite->spec, &diag)) good = fail(message, message_bytes, spec_file, diag.message);
    for (uint32_t i = 0; suite->spec && i < count; i++) good &= make_trial(suite, &suite->trials[i], &cases[i], message, message_bytes);
    const int is_quick = count && cases[0].patch; /* what the compiler says of whole kernels, it says elsewhere */
    if (good) suite->compiled = sim_compile(s, suite->texts, suite->text_count, is_quick, message, message_bytes);
    if (suite->compiled) return suite;
    sim_suite_destroy(suite);
    return NULL;
}

void sim_suite_destroy(sim_suite *suite)
{
    if (!suite) return;
    sim_compiled_destroy(suite->compiled);
    for (uint32_t i = 0; suite->trials && i < suite->count; i++) {
        msw_program_destroy(suite->trials[i].program);
        free(suite->trials[i].patched);
    }
    msw_spec_destroy(suite->spec);
    free(suite->trials);
    free(suite->texts);
    free(suite);
}

const char *sim_suite_failure(const sim_suite *suite) { return suite->failure; }

uint64_t sim_suite_digest(const sim_suite *suite) { return suite->digest; }

const char *sim_suite_name(sim_suite *suite, uint32_t index) { return suite->trials[index].name; }

/* ---- a run ---- */

static uint64_t below(sim_suite *suite, uint64_t bound) { return sim_next_below(&suite->random, bound); }

/* Tells of the run that failed, and returns 1. */
static int tell(sim_suite *suite, const sim_options *options, const char *what)
{
    snprintf(suite->failure, sizeof suite->failure, "%s\n  again: MSW_SIM_CASE=%s MSW_SIM_SCHEDULER=%s MSW_SIM_SEED=%" PRIu64 "\n", what,
             suite->running->name, sim_scheduler_name(options->scheduler), options->seed);
    return 1;
}

static int dispatch(void *user, uint32_t kernel, uint32_t blocks, const msw_params *params)
{
    sim_suite *suite = user;
    const struct trial *t = suite->running;
    const msw_plan_kernel *planned = &t->plan->kernels[kernel];
    const sim_kernel ours = {.name = planned->entry,
                             .run = sim_compiled_entry(suite->compiled, t->texts[kernel]),
                             .block_threads = planned->block_threads,
                             .subgroup_size = planned->subgroup_size,
                             .team_threads = t->description->block,
                             .is_cooperative = (int)planned->is_cooperative,
                             .cluster_blocks = planned->cluster_blocks};
    if (planned->is_cooperative && blocks > suite->held_blocks) blocks = suite->held_blocks;
    return sim_dispatch(suite->machine, &ours, blocks, params);
}

static void no_barrier(void *user) { (void)user; }

/* The variant for n, NULL: none. Each is right for less than it is meant for, so the run begins to look where it likes. */
static const msw_plan_variant *choose_variant(const sim_suite *suite, uint64_t n, int in_place)
{
    const msw_plan *plan = suite->running->plan;
    for (uint32_t v = suite->first_variant; v < plan->variant_count; v++) {
        if (n <= plan->variants[v].n_max && msw_launch_serves(&plan->variants[v], in_place)) return &plan->variants[v];
    }
    return msw_launch_variant(plan, n, in_place, 0);
}

/* Of all variants. */
static uint64_t scratch_bytes(const msw_plan *plan, uint64_t n)
{
    uint64_t most = plan->stage_count ? msw_launch_scratch(plan, n, 0) : 0;
    for (uint32_t v = 0; v < plan->variant_count; v++) {
        const msw_plan_variant *variant = &plan->variants[v];
        const uint64_t bytes = msw_launch_variant_scratch(plan, variant, n < variant->n_max ? n : variant->n_max);
        if (bytes > most) most = bytes;
    }
    return most;
}

/* Whether it sorts, or may: a pipeline. */
static int has_keys(const struct trial *t)
{
    msw_kind_info kind = {.struct_size = sizeof kind};
    return t->plan->stage_count || (!msw_kind_get((uint32_t)t->info.kind, &kind) && kind.has_keys);
}

static uint64_t max_tiles(const struct trial *t) { return has_keys(t) ? MAX_SORT_TILES : MAX_TILES; }

/* A size: none, few, about a tile, about a whole number of tiles, any. */
static uint64_t choose_n(sim_suite *suite)
{
    const struct trial *t = suite->running;
    const uint64_t tile = (uint64_t)t->description->block * t->description->items, most = max_tiles(t);
    const uint64_t about = tile * (1 + below(suite, most - 1));
    switch (below(suite, 8)) {
    case 0: return below(suite, 3);
    case 1: return below(suite, tile);
    case 2: return about - 1;
    case 3: return about + 1;
    case 4: return about;
    default: return tile + below(suite, tile * (most - 1));
    }
}

/* The memory of a run: on the device, and what the oracle makes of it. */
enum { MOST_GIVEN = 200 }; /* of which several chunks of empty segments come (gen/plan/scan.c) */

struct arrays {
    uint64_t n, capacity, scratch_bytes;
    int in_place, one_carry, has_carry_in, has_carry_out, has_address;
    msw_params params;
    uint64_t given, most_given;           /* what a uniform is that says how long arrays are, and the most that it is */
    unsigned char *host[MSW_MAX_BUFFERS]; /* of an output what is expected */
    unsigned char carry_in[128], carry_out[128];
};

/* Elements of a buffer when there are n. */
/* The input that an output takes the place of; -1: none. */
static int choose_input(sim_suite *suite, const struct arrays *a, uint32_t output)
{
    const msw_op_info *info = &suite->running->info;
    const uint32_t b = (uint32_t)below(suite, info->buffer_count);
    const int fits = info->buffers[b].role == MSW_ROLE_IN && info->buffers[b].length == info->buffers[output].length &&
                     info->buffers[b].type.size_bytes == info->buffers[output].type.size_bytes;
    for (uint32_t taken = 0; fits && taken < output; taken++) {
        if (taken != b && a->params.buffer[taken] == a->params.buffer[b]) return -1;
    }
    return fits ? (int)b : -1;
}

/* Off 16 bytes, where the plan allows it. */
static uint32_t choose_shift(sim_suite *suite, uint32_t buffer)
{
    const uint32_t alignment = suite->running->plan->buffers[buffer].alignment_bytes;
    return alignment >= 16 || below(suite, 4) ? 0 : alignment * (1 + (uint32_t)below(suite, 16 / alignment - 1));
}

/* Elements of a buffer that there is memory for. */
static uint64_t capacity_of(const struct arrays *a, const msw_op_buffer *buffer)
{
    return msw_elements_given(buffer->length, a->capacity, a->most_given);
}

/* Those that it has. */
static uint64_t elements_of(const struct arrays *a, const msw_op_buffer *buffer) { return msw_elements_given(buffer->length, a->n, a->given); }

static void lay_out_buffers(sim_suite *suite, struct arrays *a)
{
    const struct trial *t = suite->running;
    const int may_alias = below(suite, 3) == 0 && msw_launch_variant(t->plan, a->capacity, 1, 0);
    for (uint32_t b = 0; b < t->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &t->info.buffers[b];
        const int input = may_alias && buffer->role == MSW_ROLE_OUT ? choose_input(suite, a, b) : -1;
        a->in_place |= input >= 0;
        if (input >= 0) {
            a->params.buffer[b] = a->params.buffer[input];
        } else if (buffer->role != MSW_ROLE_OUT || below(suite, 6) || t->plan->buffers[b].is_read) { /* else it is not given */
            a->params.buffer[b] = sim_memory(suite->machine, buffer->name, capacity_of(a, buffer) * buffer->type.size_bytes, choose_shift(suite, b));
        }
    }
}

static void lay_out(sim_suite *suite, struct arrays *a)
{
    const struct trial *t = suite->running;
    const uint32_t carry_bytes = t->info.carry.size_bytes;
    sim *s = suite->machine;
    suite->first_variant = (uint32_t)below(suite, t->plan->variant_count);
    a->has_carry_in = carry_bytes && below(suite, 3) == 0;
    a->has_carry_out = carry_bytes && below(suite, 3) == 0;
    a->one_carry = a->has_carry_in && a->has_carry_out && below(suite, 2) == 0 && msw_launch_variant(t->plan, a->capacity, 1, 0);
    a->has_address = below(suite, 4) == 0;
    a->scratch_bytes = scratch_bytes(t->plan, a->capacity) + 16 * below(suite, 2) * below(suite, 64);
    a->params = (msw_params){.scratch = sim_memory(s, "scratch", a->scratch_bytes, 0)};
    lay_out_buffers(suite, a);
    if (a->has_carry_in) a->params.carry_in = sim_memory(s, "carry-in", carry_bytes, 0);
    if (a->has_carry_out) a->params.carry_out = a->one_carry ? a->params.carry_in : sim_memory(s, "carry-out", carry_bytes, 0);
    if (a->has_address) a->params.n_address = sim_memory(s, "n", 8, 0);
}

/* What the oracle makes of the inputs; of outputs only those in `outputs`, by buffer. */
static int evaluate(sim_suite *suite, struct arrays *a, unsigned char *const outputs[MSW_MAX_BUFFERS])
{
    const struct trial *t = suite->running;
    const void *in[MSW_MAX_BUFFERS];
    void *out[MSW_MAX_BUFFERS];
    uint32_t ins = 0, outs = 0;
    msw_diag diag;
    for (uint32_t b = 0; b < t->info.buffer_count; b++) {
        if (t->info.buffers[b].role == MSW_ROLE_OUT) out[outs++] = outputs[b];
        else in[ins++] = a->host[b];
    }
    return msw_spec_evaluate(suite->spec, t->op, a->n, in, out, a->has_carry_in ? a->carry_in : NULL, a->has_carry_out ? a->carry_out : NULL,
                             &diag) == MSW_OK;
}

/* A sort's inputs; sometimes in order already, or in the opposite one. 0: the oracle failed. */
static int fill_inputs(sim_suite *suite, struct arrays *a)
{
    const msw_op_info *info = &suite->running->info;
    const int is_sort = has_keys(suite->running), order = is_sort ? (int)below(suite, 6) : 0;
    for (uint32_t b = 0; b < info->buffer_count; b++) {
        if (info->buffers[b].role == MSW_ROLE_OUT) continue;
        if (info->buffers[b].length >= MSW_LENGTH_OFFSETS && msw_given_by(info->buffers[b].length) >= 0) {
            offsets_fill(below(suite, UINT32_MAX), a->n, a->given, (void *)a->host[b]);
            continue;
        }
        (!is_sort ? sim_fill_small
         : b      ? sim_fill_any
                  : sim_fill_keys)(&suite->random, &info->buffers[b].type, a->host[b], elements_of(a, &info->buffers[b]));
    }
    for (uint32_t b = 0; b < info->buffer_count; b++) {
        const int by = msw_given_by(info->buffers[b].length);
        if (by >= 0) memcpy(a->host[by], &a->given, sizeof a->given);
    }
    if (suite->given && suite->given->fill) {
        void *inputs[MSW_MAX_BUFFERS];
        for (uint32_t b = 0; b < info->buffer_count; b++) inputs[b] = a->host[b]; /* come first */
        suite->given->fill(suite->given->user, a->n, inputs);
    }
    if (order < 4 || strcmp(info->buffers[0].name, "keys")) return 1;
    unsigned char *outputs[MSW_MAX_BUFFERS] = {0};
    for (uint32_t b = 0; b < info->buffer_count; b++) {
        if (!strcmp(info->buffers[b].name, "keys_out")) outputs[b] = a->host[0];
    }
    if (!evaluate(suite, a, outputs)) return 0;
    if (order == 5) sim_reverse(&info->buffers[0].type, a->host[0], a->n);
    return 1;
}

static int has_offsets(const msw_op_info *info)
{
    for (uint32_t b = 0; b < info->buffer_count; b++)
        if (info->buffers[b].role != MSW_ROLE_OUT && msw_given_by(info->buffers[b].length) >= 0) return 1;
    return 0;
}

/* n by number, or at an address below a bound; more than the bound counts as the bound. */
static void choose_size(sim_suite *suite, struct arrays *a)
{
    const uint64_t n = suite->given ? suite->given->n : choose_n(suite), more = a->has_address ? below(suite, a->capacity) : 0;
    a->n = n <= a->capacity ? n : below(suite, a->capacity + 1); /* one block serves little */
    a->params.n = more % 4 && a->n + more <= a->capacity ? a->n + more : a->n;
    a->given = a->most_given && below(suite, 8) ? below(suite, a->most_given) + 1 : 0;
    if (has_offsets(&suite->running->info) && a->n && !a->given) a->given = 1;
    const uint64_t there = a->params.n == a->n ? a->n + more : a->n;
    if (a->has_address) sim_write(suite->machine, a->params.n_address, &there, 8);
}

/* New data, and what should become of it. 0: the oracle failed. */
static int prepare(sim_suite *suite, struct arrays *a)
{
    const struct trial *t = suite->running;
    choose_size(suite, a);
    if (!fill_inputs(suite, a)) return 0;
    sim_fill_small(&suite->random, &t->info.carry, a->carry_in, t->info.carry.size_bytes != 0);
    for (uint32_t b = 0; b < t->info.buffer_count; b++) {
        const msw_op_buffer *buffer = &t->info.buffers[b];
        if (a->params.buffer[b]) sim_forget(suite->machine, a->params.buffer[b], capacity_of(a, buffer) * buffer->type.size_bytes);
    }
    for (uint32_t b = 0; b < t->info.buffer_count; b++) {
        const uint32_t length = t->info.buffers[b].length;
        const uint64_t elements = elements_of(a, &t->info.buffers[b]);
        if (msw_is_scattered(length)) sim_fill_small(&suite->random, &t->info.buffers[b].type, a->host[b], elements); /* what it holds before */
        if ((t->info.buffers[b].role != MSW_ROLE_OUT || msw_is_scattered(length)) && a->params.buffer[b])
            sim_write(suite->machine, a->params.buffer[b], a->host[b], elements * t->info.buffers[b].type.size_bytes);
    }
    if (a->has_carry_in) sim_write(suite->machine, a->params.carry_in, a->carry_in, t->info.carry.size_bytes);
    return evaluate(suite, a, a->host);
}

/* How far sums of f32 of one sign may differ by their order: a multiple of the largest; devices may take what is below the least normal number for
 * 0. */
static double find_tolerance(const msw_type_info *type, uint64_t n, const unsigned char *expected, uint32_t leaf)
{
    double largest = 0;
    for (uint64_t i = 0; i < n; i++) {
        float value;
        memcpy(&value, expected + i * type->size_bytes + type->leaves[leaf].offset_bytes, sizeof value);
        largest = fmax(largest, fabs((double)value));
    }
    return fmax(0x1p-24 * (32 + 4 * log2((double)n + 1)) * largest, 0x1p-126);
}

/* The first byte of an array that is not what was expected. The array's end: none. */
static uint64_t first_difference(const msw_type_info *type, uint64_t n, const unsigned char *got, const unsigned char *expected, int is_exact)
{
    uint64_t at = 0, first = n * type->size_bytes;
    for (uint32_t l = 0; l < type->leaf_count; l++) is_exact |= type->leaves[l].scalar != MSW_F32; /* keys and numbers are not rounded */
    while (is_exact && at < first && got[at] == expected[at]) at++;
    if (is_exact) return at;
    for (uint32_t l = 0; l < type->leaf_count; l++) {
        const double tolerance = find_tolerance(type, n, expected, l);
        for (uint64_t i = 0; i < n; i++) {
            float a, b; /* elements that are not exact have leaves of f32 alone here */
            at = i * type->size_bytes + type->leaves[l].offset_bytes;
            memcpy(&a, got + at, sizeof a);
            memcpy(&b, expected + at, sizeof b);
            if (!(fabs((double)a - (double)b) <= tolerance) && at < first) first = at;
        }
    }
    return first;
}

/* 1: what the device has is not what was expected. */
static int compare(sim_suite *suite, const sim_options *options, const char *name, uint64_t address, const unsigned char *expected, uint64_t n,
                   const msw_type_info *type, int is_exact)
{
    char what[400];
    uint64_t first = 0;
    const uint64_t bytes = n * type->size_bytes;
    const unsigned char *got = (const unsigned char *)(uintptr_t)address;
    if (!sim_is_written(suite->machine, address, bytes, &first)) {
        snprintf(what, sizeof what, "wrong: byte %" PRIu64 " of %s, %" PRIu64 " elements, was not written", first, name, n);
        return tell(suite, options, what);
    }
    for (uint64_t i = 0; i < bytes; i++) suite->digest = (suite->digest ^ got[i]) * 0x100000001b3u;
    first = first_difference(type, n, got, expected, is_exact);
    if (first == bytes) return 0;
    uint32_t g = 0, w = 0;
    const uint64_t word = first / 4 * 4, width = bytes - word < 4 ? bytes - word : 4;
    memcpy(&g, got + word, width);
    memcpy(&w, expected + word, width);
    snprintf(what, sizeof what, "wrong: %s, %" PRIu64 " elements: element %" PRIu64 ", byte %" PRIu64 ": the word there is 0x%x, expected 0x%x", name,
             n, first / type->size_bytes, first % type->size_bytes, g, w);
    return tell(suite, options, what);
}

/* The scratch as before the first launch or, often enough, as before the tags begin anew. */
static int initialise(sim_suite *suite, const struct arrays *a, const sim_options *options)
{
    const msw_plan *plan = suite->running->plan;
    const msw_launch_ops ops = {suite, dispatch, no_barrier, 0};
    const uint32_t launches = INT32_MAX - 1 - (uint32_t)below(suite, 3); /* the tag begins anew after INT32_MAX (templates/parts/counters.tpl) */
    msw_launch_layout layout = {.bytes = 0};
    if (msw_launch_init(plan, a->params.scratch, a->scratch_bytes, &ops)) return tell(suite, options, sim_failure(suite->machine));
    if (plan->stage_count) msw_launch_layout_of(plan, a->scratch_bytes, &layout);
    if (below(suite, 3)) return 0;
    for (uint32_t s = 0; s == 0 || s < plan->stage_count; s++)
        if (!plan->stage_count || plan->stages[s].scratch_base_bytes)
            sim_write(suite->machine, a->params.scratch + layout.stages[s], &launches, sizeof launches);
    return 0;
}

/* Of a pipeline's scratch nobody needs what lies in its places from launch to launch. */
static void forget_places(sim_suite *suite, const struct arrays *a)
{
    msw_launch_layout layout;
    if (!suite->running->plan->stage_count) return;
    msw_launch_layout_of(suite->running->plan, a->scratch_bytes, &layout);
    sim_forget(suite->machine, a->params.scratch + layout.stages_end, a->scratch_bytes - layout.stages_end);
}

/* A variant's first steps, so many. 0: they have run. */
static int run_steps(sim_suite *suite, const struct arrays *a, const msw_plan_variant *variant, uint32_t steps)
{
    const msw_plan *plan = suite->running->plan;
    const msw_launch_ops ops = {suite, dispatch, no_barrier, 0};
    if (!plan->stage_count) return msw_launch_steps(&plan->steps[variant->first_step], steps, &a->params, &ops);
    msw_enqueue_desc desc = {.n = a->params.n, .n_address = a->params.n_address, .scratch = a->params.scratch, .scratch_bytes = a->scratch_bytes};
    msw_plan_variant part = *variant;
    memcpy(desc.buffers, a->params.buffer, sizeof a->params.buffer);
    part.step_count = steps;
    forget_places(suite, a);
    return msw_launch_stages(plan, &desc, &part, &ops);
}

/* A launch whose first steps alone are run, as where a driver fails in the middle of an enqueue. */
static int launch_in_part(sim_suite *suite, struct arrays *a, const sim_options *options)
{
    if (!prepare(suite, a)) return tell(suite, options, "the oracle failed");
    const msw_plan_variant *variant = choose_variant(suite, a->params.n, a->in_place || a->one_carry);
    const uint32_t steps = (uint32_t)below(suite, variant->step_count);
    if (!run_steps(suite, a, variant, steps)) return 0;
    return tell(suite, options, sim_failure(suite->machine));
}

/* 1: something was written behind the last element. */
static int check_end(sim_suite *suite, const sim_options *options, const msw_op_buffer *buffer, uint64_t address, uint64_t n, uint64_t capacity)
{
    char what[64];
    for (uint64_t byte = n * buffer->type.size_bytes; byte < capacity * buffer->type.size_bytes; byte++) {
        uint64_t first;
        if (!sim_is_written(suite->machine, address + byte, 1, &first)) continue;
        snprintf(what, sizeof what, "wrong: %s was written behind its end", buffer->name);
        return tell(suite, options, what);
    }
    return 0;
}

/* Of what the oracle made: those that are counted as many as it says. */
static uint64_t expected_elements(const sim_suite *suite, const struct arrays *a, uint32_t b)
{
    const uint32_t length = suite->running->info.buffers[b].length;
    const int by = msw_counted_by(length);
    uint64_t count;
    if (by < 0) return elements_of(a, &suite->running->info.buffers[b]);
    memcpy(&count, a->host[by], sizeof count);
    return msw_counted_elements(length, a->n, count);
}

/* Of an append in any order: 1: the items are not those of all elements, each's together. */
static int compare_groups(sim_suite *suite, const struct arrays *a, const sim_options *options)
{
    const struct trial *t = suite->running;
    const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = suite->spec, .op = t->op, .backend = MSW_BACKEND_HOST};
    const void *inputs[MSW_MAX_BUFFERS], *outputs[MSW_MAX_BUFFERS];
    msw_verification *verification = NULL;
    msw_verification_report report = {.struct_size = sizeof report, .verdict = MSW_FAILED};
    msw_diag diag = {0};
    uint32_t ins = 0, outs = 0;
    for (uint32_t b = 0; b < t->info.buffer_count; b++) {
        if (t->info.buffers[b].role == MSW_ROLE_OUT) outputs[outs++] = b == t->info.items ? (const void *)(uintptr_t)a->params.buffer[b] : a->host[b];
        else inputs[ins++] = a->host[b];
    }
    if (!msw_verification_create(&desc, &verification, &diag) && !msw_verification_expect(verification, a->n, inputs, &diag))
        msw_verification_judge(verification, outputs, NULL, &report, &diag);
    const int has_failed = report.verdict == MSW_FAILED && tell(suite, options, report.failure ? report.failure : diag.message);
    msw_verification_destroy(verification);
    return has_failed;
}

/* Behind the last item the array is as it was. */
static int compare_rest(sim_suite *suite, const struct arrays *a, const sim_options *options)
{
    const struct trial *t = suite->running;
    const msw_op_buffer *buffer = &t->info.buffers[t->info.items];
    const uint64_t room = elements_of(a, buffer), bytes = buffer->type.size_bytes;
    uint64_t count;
    memcpy(&count, a->host[t->info.item_count], sizeof count);
    if (count > room) count = room;
    return compare(suite, options, buffer->name, a->params.buffer[t->info.items] + count * bytes, a->host[t->info.items] + count * bytes,
                   room - count, &buffer->type, 1);
}

/* Outputs are what they should be, inputs that are no outputs what they were. */
static int compare_buffer(sim_suite *suite, const struct arrays *a, const sim_options *options, uint32_t b)
{
    const struct trial *t = suite->running;
    const msw_op_buffer *buffer = &t->info.buffers[b];
    const uint64_t address = a->params.buffer[b], n = expected_elements(suite, a, b);
    if (!address) return 0;
    for (uint32_t other = b + 1; buffer->role != MSW_ROLE_OUT && other < t->info.buffer_count; other++) {
        if (a->params.buffer[other] == address) return 0;
    }
    if (t->info.has_any_order && b == t->info.items)
        return compare_groups(suite, a, options) || compare_rest(suite, a, options) ||
               check_end(suite, options, buffer, address, n, capacity_of(a, buffer));
    return compare(suite, options, buffer->name, address, a->host[b], n, &buffer->type, t->is_exact) ||
           check_end(suite, options, buffer, address, n, capacity_of(a, buffer));
}

static int launch_and_compare(sim_suite *suite, struct arrays *a, const sim_options *options)
{
    const struct trial *t = suite->running;
    if (!prepare(suite, a)) return tell(suite, options, "the oracle failed");
    const msw_plan_variant *variant = choose_variant(suite, a->params.n, a->in_place || a->one_carry);
    if (run_steps(suite, a, variant, variant->step_count)) return tell(suite, options, sim_failure(suite->machine));
    for (uint32_t b = 0; b < t->info.buffer_count; b++) {
        if (compare_buffer(suite, a, options, b)) return 1;
    }
    return a->has_carry_out && compare(suite, options, "carry-out", a->params.carry_out, a->carry_out, 1, &t->info.carry, t->is_exact);
}

sim_options sim_suite_options(sim_scheduler scheduler, uint64_t seed)
{
    return (sim_options){.scheduler = scheduler,
                         .seed = seed,
                         .resident_blocks = (uint32_t)(seed % 3 ? 0 : 1 + seed / 3 % 3),
                         .stale_percent = (uint32_t)(seed * 37 % 100)};
}

int sim_suite_run(sim_suite *suite, uint32_t index, const sim_options *options)
{
    const struct trial *t = &suite->trials[index];
    const uint64_t most = t->plan->variants[t->plan->variant_count - 1].n_max,
                   about = max_tiles(t) * t->description->block * t->description->items + 1;
    struct arrays a = {.capacity = most < about ? most : about, .most_given = MOST_GIVEN};
    int failed = 0;
    suite->running = t;
    suite->held_blocks = options->resident_blocks ? options->resident_blocks : UINT32_MAX;
    suite->random = options->data_seed ? options->data_seed : options->seed * SIM_SCHEDULER_COUNT + options->scheduler;
    suite->random = suite->random * 0x2545f4914f6cdd1du + index;
    suite->digest = 0;
    suite->given = options->given;
    suite->failure[0] = '\0';
    for (uint32_t b = 0; !failed && b < t->info.buffer_count; b++) {
        const uint64_t elements = capacity_of(&a, &t->info.buffers[b]) + 1;
        a.host[b] = malloc((elements > a.capacity ? elements : a.capacity) * t->info.buffers[b].type.size_bytes);
        if (!a.host[b]) failed = tell(suite, options, "not enough memory");
    }
    if (!failed) {
        sim_reset(suite->machine, options);
        lay_out(suite, &a);
        if (t->plan->init_step_count) failed = initialise(suite, &a, options);
        for (uint64_t launches = 1 + below(suite, MAX_LAUNCHES); !failed && launches; launches--) {
            if (below(suite, 4) == 0) failed = launch_in_part(suite, &a, options);
            if (!failed) failed = launch_and_compare(suite, &a, options);
        }
    }
    for (uint32_t b = 0; b < t->info.buffer_count; b++) free(a.host[b]);
    return failed;
}
