#include "tune_search.h"

#include <string.h>

static const double least_gain = 1.01; /* a candidate is taken when it is so much faster than the best before, and not by chance */

enum { MAX_VALUES = 10, MAX_KNOBS = MS_CHOICE_KNOBS - 1 };

typedef struct knob_values {
    const char *name, *values[MAX_VALUES];
} knob_values;

/* What is tried: the knobs of a strategy that the planner may choose, those first that matter most. What does not fit, or cannot be compiled, is
 * passed over. */
typedef struct space {
    msw_op_kind kind;
    const char *strategy;
    knob_values knobs[MAX_KNOBS];
} space;

static const space spaces[] = {
    {MSW_OP_SCAN,
     "lookahead",
     {{"thread_bytes", {"48", "64", "80", "96", "112", "144", "176", "224"}},
      {"block", {"192", "224", "256", "320", "384", "480", "512", "640"}},
      {"ahead", {"1", "2", "3", "4"}},
      {"stages", {"4", "5", "6", "7", "8", "9"}}}},
    {MSW_OP_SCAN,
     "lookback",
     {{"items", {"4", "8", "12", "16", "20", "24", "32", "48"}},
      {"block", {"64", "128", "192", "256", "384", "512"}},
      {"ahead", {"0", "1"}},
      {"lookback", {"serial", "1", "2", "4"}},
      {"resident", {"1", "2", "3", "4"}}}},
    {MSW_OP_SCAN,
     "reduce_then_scan",
     {{"items", {"4", "8", "12", "16", "20", "24", "32", "48"}},
      {"block", {"32", "64", "128", "192", "256", "384", "512"}},
      {"blocks", {"8", "16", "64", "256", "512", "1024", "2048"}}}},
    {MSW_OP_SCAN,
     "scan_then_propagate",
     {{"items", {"4", "8", "12", "16", "20", "24", "32"}},
      {"block", {"64", "128", "256", "512"}},
      {"blocks", {"8", "64", "256", "512", "1024", "2048"}}}},
    {MSW_OP_REDUCE,
     NULL,
     {{"items", {"4", "8", "12", "16", "20", "24", "32", "48", "64"}},
      {"block", {"32", "64", "128", "192", "256", "384", "512"}},
      {"blocks", {"8", "16", "64", "256", "512", "1024", "2048"}}}},
    {MSW_OP_SWEEP,
     "lookahead",
     {{"thread_bytes", {"36", "48", "64", "80", "96", "112", "144", "168", "176", "224"}},
      {"block", {"192", "224", "256", "320", "384", "480", "512"}},
      {"resident", {"1", "2"}},
      {"stages", {"3", "4", "5", "6", "7", "8", "9"}},
      {"ahead", {"1", "2", "3", "4"}}}},
    {MSW_OP_SWEEP,
     "lookback",
     {{"items", {"4", "8", "12", "16", "20", "24", "32", "48"}},
      {"block", {"64", "128", "192", "256", "384", "512"}},
      {"ahead", {"0", "1"}},
      {"vector", {"1", "2", "4", "8", "16"}},
      {"lookback", {"serial", "1", "2", "4"}},
      {"resident", {"1", "2", "3", "4"}}}},
    {MSW_OP_SWEEP,
     "reduce_then_scan",
     {{"items", {"4", "8", "12", "16", "20", "24", "32", "48"}},
      {"block", {"32", "64", "128", "192", "256", "384", "512"}},
      {"vector", {"1", "2", "4", "8", "16"}},
      {"blocks", {"8", "16", "64", "256", "512", "1024", "2048"}}}},
    {MSW_OP_SWEEP,
     "scan_then_propagate",
     {{"items", {"4", "8", "12", "16", "20", "24", "32"}},
      {"block", {"64", "128", "256", "512"}},
      {"vector", {"1", "2", "4", "8", "16"}},
      {"blocks", {"8", "64", "256", "512", "1024", "2048"}}}},
    {MSW_OP_MAP,
     "elementwise",
     {{"items", {"1", "2", "4", "8", "16", "32"}}, {"block", {"64", "128", "256", "512"}}, {"vector", {"1", "2", "4", "8", "16"}}}},
    {MSW_OP_SORT,
     "onesweep",
     {{"items", {"4", "8", "12", "16", "20", "24", "28", "32", "40"}},
      {"block", {"32", "64", "128", "256", "384", "512"}},
      {"digit_bits", {"5", "6", "7", "8", "9"}},
      {"lookback", {"1", "2", "3", "4"}},
      {"resident", {"1", "2", "3"}}}},
};

/* Strategies of many elements, and the one that each stands beside, whose best knobs it has: what is searched is from how many on it is faster. */
static const struct {
    msw_op_kind kind;
    const char *strategy, *beside;
} large[] = {{MSW_OP_SORT, "msd_hybrid", "onesweep"}, {MSW_OP_SORT, "counting", "onesweep"}};

enum { SPACES = sizeof spaces / sizeof *spaces, LARGE = sizeof large / sizeof *large };

/* ---- candidates ---- */

static void set_knob(ms_choice *c, const char *name, const char *value)
{
    uint32_t k = 0;
    while (k < c->count && strcmp(c->knobs[k].name, name)) k++;
    c->knobs[k] = (msw_knob){name, value};
    if (k == c->count) c->count++;
}

double ms_search_rate(const ms_search *s, double seconds)
{
    const double amount = ms_kind_of(&s->workload->info).has_keys ? (double)s->n : ms_workload_bytes(s->workload, s->n);
    return seconds > 0 ? amount / seconds * 1e-9 : 0;
}

const char *ms_search_unit(const ms_search *s) { return ms_kind_of(&s->workload->info).has_keys ? "Gkeys/s" : "GB/s"; }

const char *ms_search_format(const ms_search *s, double seconds, char text[MS_UNIT_BYTES])
{
    return ms_format_unit(1e9 * ms_search_rate(s, seconds), ms_search_unit(s) + 1, text);
}

void ms_choice_format(const ms_choice *c, int with_strategy, char *text, size_t bytes)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t k = 0; k < c->count; k++) {
        const int is_strategy = !strcmp(c->knobs[k].name, "strategy");
        if ((is_strategy && !with_strategy) || length >= bytes) continue;
        length += (size_t)snprintf(text + length, bytes - length, "%s%s=%s", length ? " " : "", c->knobs[k].name, c->knobs[k].value);
    }
}

static void show(const ms_search *s, const ms_choice *c)
{
    char text[200], best[MS_UNIT_BYTES];
    ms_choice_format(c, 1, text, sizeof text);
    ms_show_progress(s->options->quiet, (ms_now() - s->budget_start) / s->budget, "%s: %u tried, %s; %s", s->workload->info.name, s->tried,
                     ms_search_format(s, s->workload->ways[MS_BEST].median, best), text);
}

/* Whether the candidate is faster than the best: what a few rounds say, more are asked for. */
static int is_better(ms_search *s)
{
    const ms_way *ways = s->workload->ways;
    ms_workload_measure(s->workload, s->n, MS_SEARCH_ROUNDS, ms_most_measure_seconds);
    if (ms_way_gain(&ways[MS_BEST], &ways[MS_CANDIDATE]).median < least_gain) return 0;
    ms_workload_measure(s->workload, s->n, 2 * MS_SEARCH_ROUNDS, ms_most_measure_seconds);
    const ms_gain gain = ms_way_gain(&ways[MS_BEST], &ways[MS_CANDIDATE]);
    return ms_gain_is_sure(&gain, least_gain);
}

/* Few blocks of small tiles serve fewer elements where loops are short (llvmpipe): no row may take away what the default serves, up to about 2^32. */
static uint64_t served(const ms_way *way)
{
    const msw_plan *plan = msw_kernel_plan(way->kernel);
    const uint64_t n_max = plan->variants[plan->variant_count - 1].n_max;
    return n_max < 4000000000u ? n_max : 4000000000u;
}

static int is_same_choice(const ms_choice *a, const ms_choice *b)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++) same += !strcmp(a->knobs[i].name, b->knobs[k].name) && !strcmp(a->knobs[i].value, b->knobs[k].value);
    return a->count == b->count && same == a->count;
}

static int is_wrong(const ms_way *way) { return !strcmp(way->result, "wrong") || !strcmp(way->result, "failed"); }

/* Makes, verifies and times a kernel; it becomes the best when it is faster. 0: the device does not run it. */
static int try_choice(ms_search *s, const ms_choice *c)
{
    ms_workload *workload = s->workload;
    msw_diag diag;
    show(s, c);
    s->tried++;
    ms_way *way = ms_workload_add_kernel(workload, "candidate", c->knobs, c->count, &diag);
    if (!way) {
        s->unfit++;
        return 0;
    }
    if (!c->beside && served(way) < served(&workload->ways[MS_DEFAULT])) {
        s->unfit++;
    } else {
        ms_way_verify(workload, way, s->n, 1);
        const int is_faster = !is_wrong(way) && is_better(s);
        if (is_faster) ms_workload_probe(workload, way, c->knobs, c->count, 1); /* another kernel to compile: of those alone that are taken */
        if (is_wrong(way)) s->wrong++;                                          /* also what the probe found, or that it cannot run */
        else if (is_faster) {
            ms_way_release(&workload->ways[MS_BEST]);
            workload->ways[MS_BEST] = *way;
            *way = (ms_way){0};
            workload->ways[MS_BEST].name = "best";
            s->best = *c;
            s->taken++;
        }
    }
    ms_way_release(way);
    workload->way_count--;
    return 1;
}

/* One knob after the other, from the best of this strategy so far; again as long as that helps. */
static void descend(ms_search *s, const space *tried, double deadline)
{
    ms_choice base = {.strategy = tried->strategy};
    if (tried->strategy) set_knob(&base, "strategy", tried->strategy);
    if (tried->strategy && !try_choice(s, &base)) return;
    for (int goes_on = 1; goes_on && ms_now() < deadline;) {
        goes_on = 0;
        for (const knob_values *k = tried->knobs; k < tried->knobs + MAX_KNOBS && k->name; k++)
            for (const char *const *value = k->values; value < k->values + MAX_VALUES && *value && ms_now() < deadline; value++) {
                const uint32_t taken = s->taken;
                ms_choice c = s->best.count > 0 && s->best.strategy == tried->strategy ? s->best : base;
                set_knob(&c, k->name, *value);
                if (is_same_choice(&c, &s->best)) continue;
                try_choice(s, &c);
                goes_on |= s->taken != taken;
            }
    }
}

/* Whether one launch, of one block or cluster, has all of the default's n elements. */
static int is_one_launch(const ms_search *s, uint64_t n)
{
    const msw_plan *plan = msw_kernel_plan(s->workload->ways[MS_DEFAULT].kernel);
    uint32_t v = 0;
    while (v + 1 < plan->variant_count && plan->variants[v].n_max < n) v++;
    return !strcmp(plan->variants[v].strategy, "single_block") || !strcmp(plan->variants[v].strategy, "single_cluster");
}

/* From which n on the best is faster than what stands beside it, by halves. */
static void find_from(ms_search *s, const ms_choice *c)
{
    ms_workload *workload = s->workload;
    ms_choice other = *c;
    uint64_t n = s->n;
    set_knob(&other, "strategy", c->beside);
    const msw_plan *plan = msw_kernel_plan(workload->ways[MS_BEST].kernel);
    ms_way *way = ms_workload_add_kernel(workload, "candidate", other.knobs, other.count, NULL);
    if (way) {
        ms_way_verify(workload, way, s->n, 1); /* which makes its scratch ready */
        for (int is_faster = !is_wrong(way); is_faster && n / 2 && !is_one_launch(s, n / 2); n /= is_faster ? 2 : 1) {
            ms_workload_measure(workload, n / 2, MS_SEARCH_ROUNDS, ms_most_measure_seconds);
            is_faster = ms_way_gain(&workload->ways[MS_CANDIDATE], &workload->ways[MS_BEST]).median >= least_gain;
        }
        ms_way_release(way);
        workload->way_count--;
    }
    s->from_bytes = n * (plan->bytes_read_per_item + plan->bytes_written_per_item);
}

/* Once, as each strategy is tried whatever the time. Plans stay with one where digits have another number of bits than the planner gives them. */
static void try_large(ms_search *s, const char *strategy, const char *beside)
{
    ms_choice c = s->best;
    if (is_one_launch(s, s->n)) return;
    for (uint32_t k = 0; k < c.count; k++)
        if (!strcmp(c.knobs[k].name, "digit_bits")) return;
    c.strategy = strategy;
    c.beside = beside;
    set_knob(&c, "strategy", strategy);
    const uint32_t taken = s->taken;
    try_choice(s, &c);
    if (s->taken != taken) find_from(s, &c);
}

/* Bytes of an element that the launches of a strategy read and write, for large n; 0: there is no such plan. */
static uint64_t moved_bytes(const ms_search *s, const char *strategy)
{
    const ms_workload *workload = s->workload;
    const msw_knob knob = {"strategy", strategy};
    const msw_program_desc desc = {
        .struct_size = sizeof desc, .op = workload->op, .target = &msw_context_device(workload->context)->target, .knobs = &knob, .knob_count = 1};
    msw_program *program;
    if (msw_program_create(workload->spec, &desc, &program, NULL)) return 0;
    const msw_plan *plan = msw_program_plan(program);
    const msw_plan_variant *last = &plan->variants[plan->variant_count - 1];
    const uint64_t bytes = last->read_bytes_per_item + last->written_bytes_per_item;
    msw_program_destroy(program);
    return bytes;
}

/* States are written and read again: that is worth trying where inputs are wider, or computed, so that their functions are called once. */
static int is_sensible(const ms_search *s, const space *tried)
{
    uint32_t inputs = 0;
    if (tried->kind != s->workload->info.kind) return 0;
    if (!tried->strategy || strcmp(tried->strategy, "scan_then_propagate")) return 1;
    for (uint32_t b = 0; b < s->workload->info.buffer_count; b++) inputs += s->workload->info.buffers[b].role == MSW_ROLE_IN;
    const uint64_t bytes = moved_bytes(s, tried->strategy);
    return bytes && (!inputs || bytes < moved_bytes(s, "reduce_then_scan"));
}

void ms_search_run(ms_search *s)
{
    size_t left = 0;
    int is_tried[SPACES];
    for (int w = MS_MEMCPY; w <= MS_DEFAULT; w++) s->workload->ways[w].is_out = 1;
    s->workload->is_probed_late = 1;
    for (size_t i = 0; i < SPACES; i++) left += (size_t)(is_tried[i] = is_sensible(s, &spaces[i]));
    for (size_t i = 0; i < LARGE; i++) left += large[i].kind == s->workload->info.kind;
    for (size_t i = 0; i < SPACES; i++)
        if (is_tried[i]) descend(s, &spaces[i], ms_now() + (s->deadline - ms_now()) / (double)left--);
    for (size_t i = 0; i < LARGE; i++)
        if (large[i].kind == s->workload->info.kind) try_large(s, large[i].strategy, large[i].beside);
    s->workload->is_probed_late = 0;
    for (int w = MS_MEMCPY; w <= MS_DEFAULT; w++) s->workload->ways[w].is_out = 0;
}
