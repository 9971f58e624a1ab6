/* monosweep tune: tries knobs of an operation's strategies on a device, one after the other, and keeps what is right and faster in the user's tuning table. */
#include "cli_lua.h"
#include "cli_subject.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const double default_budget = 60, most_oracle_seconds = 20, most_measure_seconds = 0.5;

/* A candidate is taken when it is so much faster than the best before, twice; a row is written when the best is so much faster than the default. */
static const double least_gain = 1.01, least_row_gain = 1.02;

enum { ROUNDS = 7, LAST_ROUNDS = 21, MAX_VALUES = 10, MAX_KNOBS = 6 };

typedef struct knob_values {
    const char *name, *values[MAX_VALUES];
} knob_values;

/* What is tried: the knobs of a strategy that the planner may choose, those first that matter most. What does not fit, or cannot be compiled, is passed over. */
typedef struct space {
    msw_op_kind kind;
    const char *strategy;
    knob_values knobs[MAX_KNOBS];
} space;

static const space spaces[] = {
    {MSW_OP_SCAN,
     "lookahead",
     {{"thread_bytes", {"48", "64", "80", "96", "112", "144", "176", "224"}},
      {"block", {"192", "256", "320", "384", "512", "640"}},
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
    {MSW_OP_REDUCE,
     NULL,
     {{"items", {"4", "8", "12", "16", "20", "24", "32", "48", "64"}},
      {"block", {"32", "64", "128", "192", "256", "384", "512"}},
      {"blocks", {"8", "16", "64", "256", "512", "1024", "2048"}}}},
    {MSW_OP_SORT,
     "onesweep",
     {{"items", {"4", "8", "12", "16", "20", "24", "28", "32", "40"}},
      {"block", {"32", "64", "128", "256", "384", "512"}},
      {"digit_bits", {"5", "6", "7", "8", "9"}},
      {"lookback", {"1", "2", "3", "4"}},
      {"resident", {"1", "2", "3"}}}},
};

enum { SPACES = sizeof spaces / sizeof *spaces };

/* Knobs of a kernel, the strategy among them. */
typedef struct choice {
    const char *strategy; /* of a row; NULL: none */
    msw_knob knobs[MAX_KNOBS + 1];
    uint32_t count;
} choice;

enum { MEMCPY, DEFAULT, BEST, CANDIDATE }; /* ways of the subject */

typedef struct search {
    const ms_options *options;
    ms_subject *subject;
    choice best;
    double start, deadline, budget_start, budget; /* seconds */
    uint64_t n;
    uint32_t tried, unfit, wrong;
} search;

/* ---- candidates ---- */

static void set_knob(choice *c, const char *name, const char *value)
{
    uint32_t k = 0;
    while (k < c->count && strcmp(c->knobs[k].name, name)) k++;
    c->knobs[k] = (msw_knob){name, value};
    if (k == c->count) c->count++;
}

static double rate(const search *s, double seconds)
{
    const double amount = s->subject->info.kind == MSW_OP_SORT ? (double)s->n : ms_subject_bytes(s->subject, s->n);
    return seconds > 0 ? amount / seconds * 1e-9 : 0;
}

static const char *unit(const search *s) { return s->subject->info.kind == MSW_OP_SORT ? "Gkeys/s" : "GB/s"; }

static void format_knobs(const choice *c, int with_strategy, char *text, size_t bytes)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t k = 0; k < c->count; k++) {
        const int is_strategy = !strcmp(c->knobs[k].name, "strategy");
        if ((is_strategy && !with_strategy) || length >= bytes) continue;
        length += (size_t)snprintf(text + length, bytes - length, "%s%s=%s", length ? " " : "", c->knobs[k].name, c->knobs[k].value);
    }
}

static void show(const search *s, const choice *c)
{
    char text[200];
    format_knobs(c, 1, text, sizeof text);
    ms_show_progress(s->options, (ms_now() - s->budget_start) / s->budget, "%s: %u tried, %.4g %s; %s", s->subject->info.name, s->tried,
                     rate(s, s->subject->ways[BEST].median), unit(s), text);
}

/* The candidate's gain over the best, both run by turns; 0: it failed. */
static double measure_gain(search *s, uint32_t rounds)
{
    ms_way *ways = s->subject->ways;
    ms_subject_measure(s->subject, s->n, rounds, most_measure_seconds);
    return ways[CANDIDATE].median > 0 ? ways[BEST].median / ways[CANDIDATE].median : 0;
}

/* Few blocks of small tiles serve fewer elements where loops are short (llvmpipe): no row may take away what the default serves, up to about 2^32. */
static uint64_t served(const ms_way *way)
{
    const msw_plan *plan = msw_kernel_plan(way->kernel);
    const uint64_t n_max = plan->variants[plan->variant_count - 1].n_max;
    return n_max < 4000000000u ? n_max : 4000000000u;
}

/* Makes, verifies and times a kernel; it becomes the best when it is faster. 0: the device does not run it. */
static int try_choice(search *s, const choice *c)
{
    ms_subject *subject = s->subject;
    msw_diag diag;
    show(s, c);
    s->tried++;
    ms_way *way = ms_subject_add_kernel(subject, "candidate", c->knobs, c->count, &diag);
    if (!way) {
        s->unfit++;
        return 0;
    }
    if (served(way) < served(&subject->ways[DEFAULT])) {
        s->unfit++;
    } else {
        ms_way_verify(subject, way, s->n, 1);
        if (strcmp(way->result, "verified") != 0) s->wrong++;
        else if (measure_gain(s, ROUNDS) > least_gain && measure_gain(s, 2 * ROUNDS) > least_gain) {
            ms_way_release(&subject->ways[BEST]);
            subject->ways[BEST] = *way;
            *way = (ms_way){0};
            subject->ways[BEST].name = "best";
            s->best = *c;
        }
    }
    ms_way_release(way);
    subject->way_count--;
    return 1;
}

/* One knob after the other, from the best of this strategy so far; again as long as that helps. */
static void descend(search *s, const space *tried, double deadline)
{
    choice base = {.strategy = tried->strategy};
    if (tried->strategy) set_knob(&base, "strategy", tried->strategy);
    if (tried->strategy && !try_choice(s, &base)) return;
    for (int is_better = 1; is_better && ms_now() < deadline;) {
        is_better = 0;
        for (const knob_values *k = tried->knobs; k < tried->knobs + MAX_KNOBS && k->name; k++)
            for (const char *const *value = k->values; value < k->values + MAX_VALUES && *value && ms_now() < deadline; value++) {
                const choice before = s->best;
                choice c = before.count > 0 && before.strategy == tried->strategy ? before : base;
                set_knob(&c, k->name, *value);
                if (!memcmp(&c, &before, sizeof c)) continue;
                try_choice(s, &c);
                is_better |= memcmp(&s->best, &before, sizeof before) != 0;
            }
    }
}

/* ---- tables ---- */

/* Text of a string literal: what cannot stand there becomes a blank. */
static void append_quoted(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) putc(*text == '"' || *text == '\\' || (unsigned char)*text < 0x20 ? ' ' : *text, file);
    putc('"', file);
}

static void write_row(FILE *file, const search *s, const msw_tuning_class *class_)
{
    const ms_way *ways = s->subject->ways;
    const time_t now = time(NULL);
    struct tm utc;
    char date[16] = "", figure[512];
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%d", &utc);
    snprintf(figure, sizeof figure, "%.4g %s, n = %llu, %s; without it %.4g, memcpy %.4g GB/s", rate(s, ways[BEST].median), unit(s),
             (unsigned long long)s->n, msw_context_device(s->subject->context)->name, rate(s, ways[DEFAULT].median),
             ms_subject_bytes(s->subject, s->n) / ways[MEMCPY].median * 1e-9);
    fprintf(file, "row { backend = \"%s\", ", class_->backend);
    if (class_->arch) fprintf(file, "arch = \"%s\", ", class_->arch);
    fprintf(file, "class = \"%s\", bytes = %u, ", class_->name, class_->bytes);
    if (s->best.strategy) fprintf(file, "strategy = \"%s\", ", s->best.strategy);
    fprintf(file, "knobs = {");
    for (uint32_t k = 0, count = 0; k < s->best.count; k++) {
        const msw_knob *knob = &s->best.knobs[k];
        const int is_word = knob->value[strspn(knob->value, "0123456789")] != '\0';
        if (!strcmp(knob->name, "strategy")) continue;
        fprintf(file, is_word ? "%s%s = \"%s\"" : "%s%s = %s", count++ ? ", " : " ", knob->name, knob->value);
    }
    fprintf(file, " }, date = \"%s\", figure = ", date);
    append_quoted(file, figure);
    fprintf(file, " }\n");
}

static ms_exit make_directories(const char *path)
{
    char part[sizeof((ms_options *)0)->tuning_path];
    for (size_t i = 1; path[i] && i < sizeof part; i++) {
        if (path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        mkdir(part, 0777); /* what is missing shows when the file is written */
    }
    return MS_EXIT_DONE;
}

/* The table with the row in the place of those for the same class. */
static ms_exit update_table(const char *path, const char *row)
{
    ms_bytes old = {0};
    ms_stage stage = {0};
    struct stat status;
    char *text = NULL;
    size_t bytes = 0;
    const int exists = !stat(path, &status);
    ms_exit code = exists ? ms_file_read(path, &old) : make_directories(path);
    char *before = code ? NULL : calloc(old.count + 1, 1);
    if (!code && !before) code = ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    if (!code && old.count) memcpy(before, old.data, old.count);
    if (!code)
        code = ms_lua_make("gen/cli_tuning.lua", "replace", (const char *const[]){path, "row"},
                           (const char *const[]){before, row}, 2, MS_EXIT_USAGE, &text, &bytes);
    if (!code) code = ms_stage_add(&stage, path, NULL, 0, text, bytes);
    if (!code) code = ms_stage_commit(&stage);
    ms_stage_release(&stage);
    free(text);
    free(before);
    free(old.data);
    return code;
}

/* ---- one operation ---- */

static ms_exit find_class(const search *s, msw_tuning_class *class_, msw_program **program)
{
    msw_diag diag;
    const msw_program_desc desc = {.struct_size = sizeof desc, .op = s->subject->op, .target = &msw_context_device(s->subject->context)->target};
    if (msw_program_create(s->subject->spec, &desc, program, &diag) || msw_program_tuning_class(*program, class_, &diag))
        return ms_complain_diag(&diag);
    return MS_EXIT_DONE;
}

static void print_result(const search *s, const msw_tuning_class *class_, int is_kept, const char *path)
{
    const ms_way *ways = s->subject->ways;
    const double best = rate(s, ways[BEST].median), without = rate(s, ways[DEFAULT].median);
    char knobs[200];
    format_knobs(&s->best, 1, knobs, sizeof knobs);
    if (s->options->json) {
        printf(
            "{\"operation\": \"%s\", \"backend\": \"%s\", \"arch\": \"%s\", \"class\": \"%s\", \"bytes\": %u, \"n\": %llu, \"knobs\": \"%s\", \"rate\": %.6g, \"default_rate\": %.6g, "
            "\"unit\": \"%s\", \"tried\": %u, \"unfit\": %u, \"wrong\": %u, \"written\": %s}\n",
            s->subject->info.name, class_->backend, class_->arch ? class_->arch : "", class_->name, class_->bytes, (unsigned long long)s->n,
            is_kept ? knobs : "", best, without, unit(s), s->tried, s->unfit, s->wrong, is_kept ? "true" : "false");
        return;
    }
    printf("%s, %s of %u bytes%s%s, n = %llu: ", s->subject->info.name, class_->name, class_->bytes, class_->arch ? " on " : "",
           class_->arch ? class_->arch : "", (unsigned long long)s->n);
    if (is_kept) printf("%s: %.4g %s, %.1f %% faster than without (%.4g); in %s\n", knobs, best, unit(s), 100 * (best / without - 1), without, path);
    else printf("nothing better than the default was found, %.4g %s; no row is written\n", without, unit(s));
    printf("  %u candidates in %.0f s: %u do not fit the device, %u were wrong\n", s->tried, ms_now() - s->start, s->unfit, s->wrong);
    fflush(stdout);
}

static ms_exit write_result(const search *s)
{
    msw_tuning_class class_;
    msw_program *program = NULL;
    char *row = NULL;
    size_t bytes = 0;
    const ms_way *ways = s->subject->ways;
    const int is_kept = s->best.count && ways[BEST].median > 0 && ways[DEFAULT].median > ways[BEST].median * least_row_gain;
    ms_exit code = find_class(s, &class_, &program);
    FILE *file = code ? NULL : open_memstream(&row, &bytes);
    if (!code && !file) code = ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    if (!code) write_row(file, s, &class_);
    if (file && fclose(file) && !code) code = ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    if (!code && is_kept) code = update_table(s->options->tuning_path, row);
    if (!code) print_result(s, &class_, is_kept, s->options->tuning_path);
    free(row);
    msw_program_destroy(program);
    return code;
}

/* memcpy, the default and the best, which is the default at first: a kernel of its own. */
static ms_exit add_ways(search *s)
{
    msw_diag diag;
    ms_subject_add(s->subject, "memcpy", MS_WAY_MEMCPY);
    for (int w = DEFAULT; w <= BEST; w++) {
        ms_way *way = ms_subject_add_kernel(s->subject, w == DEFAULT ? "default" : "best", NULL, 0, &diag);
        if (!way) return ms_complain_diag(&diag);
        ms_way_verify(s->subject, way, s->n, 0);
        if (strcmp(way->result, "verified") != 0)
            return ms_complain(MS_EXIT_FAILED, "%s: the default is not right; nothing can be compared with it", s->subject->info.name);
    }
    return MS_EXIT_DONE;
}

static ms_exit tune_operation(search *s)
{
    ms_exit code = ms_subject_open(s->subject, s->n);
    if (!code) code = ms_subject_expect(s->subject, s->n, most_oracle_seconds);
    if (!code) code = add_ways(s);
    if (code) return code;
    for (int w = MEMCPY; w <= DEFAULT; w++) s->subject->ways[w].is_out = 1;
    size_t left = 0;
    for (size_t i = 0; i < SPACES; i++) left += spaces[i].kind == s->subject->info.kind;
    for (size_t i = 0; i < SPACES; i++)
        if (spaces[i].kind == s->subject->info.kind) descend(s, &spaces[i], ms_now() + (s->deadline - ms_now()) / (double)left--);
    for (int w = MEMCPY; w <= DEFAULT; w++) s->subject->ways[w].is_out = 0;
    ms_clear_progress(s->options);
    for (int w = DEFAULT; w <= BEST; w++) {
        ms_way_verify(s->subject, &s->subject->ways[w], s->n, 0);
        if (strcmp(s->subject->ways[w].result, "verified") != 0)
            return ms_complain(
                MS_EXIT_FAILED,
                "%s: after %u candidates the device does not give right results any more, so none is believed; try again, with --op and less --budget "
                "to find which one it was",
                s->subject->info.name, s->tried);
    }
    ms_subject_measure(s->subject, s->n, LAST_ROUNDS, 4 * most_measure_seconds);
    return write_result(s);
}

/* ---- the command ---- */

/* Enough that memory decides, not the launch; sorts on a CPU take long. */
static uint64_t choose_n(const ms_options *options, const ms_subject *subject)
{
    const int is_cpu = (int)msw_context_device(subject->context)->is_cpu;
    const double bytes = !is_cpu ? 536870912.0 : subject->info.kind == MSW_OP_SORT ? 262144.0 : 4194304.0;
    uint64_t sizes[MS_MAX_SIZES], n = 1024;
    if (options->sizes) return sizes[ms_parse_sizes(options->sizes, sizes) - 1];
    while (2 * ms_subject_bytes(subject, n) <= bytes) n *= 2;
    while (n > 1 && !ms_subject_fits(subject, n)) n /= 2;
    return n;
}

static ms_exit tune_operations(const ms_options *options, msw_context *context, msw_spec *spec)
{
    uint32_t first, end;
    ms_exit code = ms_find_operations(options, spec, &first, &end);
    ms_subject *subject = calloc(1, sizeof *subject);
    if (!subject) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    const double start = ms_now(), budget = options->budget > 0 ? options->budget : default_budget;
    for (uint32_t op = first; !code && op < end; op++) {
        search s = {.options = options,
                    .subject = subject,
                    .start = ms_now(),
                    .deadline = start + budget * (op - first + 1) / (end - first),
                    .budget_start = start,
                    .budget = budget};
        *subject = (ms_subject){
            .options = options, .context = context, .spec = spec, .op = op, .entropy = options->entropy ? options->entropy : ms_entropies};
        if (msw_spec_op(spec, op, &subject->info)) code = ms_complain(MS_EXIT_FAILED, "operation %u cannot be read; please report it", op);
        if (!code) s.n = choose_n(options, subject);
        if (!code && !ms_subject_fits(subject, s.n))
            code = ms_complain(MS_EXIT_USAGE, "--n %s: more than there is memory for; choose fewer", options->sizes);
        if (!code) code = tune_operation(&s);
        ms_subject_release(subject);
    }
    ms_clear_progress(options);
    free(subject);
    return code;
}

/* The table is checked before anything is measured. */
static ms_exit check_table(ms_options *options)
{
    struct stat status;
    ms_bytes old = {0};
    char *text = NULL;
    size_t bytes = 0;
    if (!ms_find_tuning(options))
        return ms_complain(MS_EXIT_USAGE, "there is no directory for the table: neither XDG_CONFIG_HOME nor HOME is set; name a file with --tuning");
    if (stat(options->tuning_path, &status)) return MS_EXIT_DONE;
    ms_exit code = ms_file_read(options->tuning_path, &old);
    char *before = code ? NULL : calloc(old.count + 1, 1);
    if (!code && !before) code = ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    if (!code && old.count) memcpy(before, old.data, old.count);
    if (!code)
        code = ms_lua_make("gen/cli_tuning.lua", "check", (const char *const[]){options->tuning_path}, (const char *const[]){before}, 1,
                           MS_EXIT_USAGE, &text, &bytes);
    free(text);
    free(before);
    free(old.data);
    return code;
}

ms_exit ms_tune_command(const ms_options *options)
{
    char path[4096];
    msw_spec *spec = NULL;
    msw_context *context = NULL;
    ms_options *own = malloc(sizeof *own);
    if (!own) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    *own = *options;
    ms_exit code = check_table(own);
    if (!code) code = ms_open_spec(own, &spec);
    if (!code) code = ms_open_context(own, ms_cache_dir(own, path, sizeof path), &context);
    if (!code && msw_context_device(context)->backend == MSW_BACKEND_HOST)
        code = ms_complain(MS_EXIT_USAGE, "tune: the host oracle has no knobs; choose another device");
    if (!code) code = tune_operations(own, context, spec);
    msw_context_destroy(context);
    msw_spec_destroy(spec);
    free(own);
    return code;
}
