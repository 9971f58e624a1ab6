#include "report_abilities.h"

#include "cli/session.h"
#include "units.h"

#include <string.h>

#define FORMS "scan_u32" /* the operation by which everything but types is measured */

/* For each feature of msw_feature_name: an operation that uses it, by a strategy (NULL: the planner's), and what is done without it. A test finds one
 * that is missing here. */
typedef struct feature_note {
    const char *name, *way, *operation, *strategy, *without;
} feature_note;
#define FEATURE(name, operation, strategy, without)           \
    {                                                         \
#name, "without " #name, operation, strategy, without \
    }
static const feature_note feature_notes[] = {
    FEATURE(int8, "scan_u8", NULL, "8-bit integers are parts of 32-bit words"),
    FEATURE(int16, "scan_u16", NULL, "16-bit integers are parts of 32-bit words"),
    FEATURE(int64, "scan_u64", NULL, "64-bit integers are pairs of 32-bit words"),
    FEATURE(float16, "scan_f16", NULL, "f16 is moved as bits and computed in f32"),
    FEATURE(float64, "scan_f64", NULL, "f64 is moved and compared as bits; its arithmetic is refused"),
    FEATURE(atomic64, FORMS, "lookback", "posts are 32-bit words with a flag; append with order = \"any\" is refused"),
    FEATURE(subgroup, FORMS, NULL, "a block is one subgroup, whose shuffles go through shared memory"),
    FEATURE(long_loops, FORMS, "lookback", "threads take few rounds, and all reach every barrier"),
    FEATURE(uniform_control_flow, FORMS, NULL, "kernels do not declare that threads are together again behind a branch"),
};
static const feature_note no_note = {"", "without a feature", FORMS, NULL, ""};

static const feature_note *note_of(const char *feature)
{
    for (size_t f = 0; f < sizeof feature_notes / sizeof *feature_notes; f++)
        if (!strcmp(feature_notes[f].name, feature)) return &feature_notes[f];
    return &no_note;
}

static const struct subgroup_size {
    const char *value, *way, *name;
} subgroup_sizes[] = {
    {"1", "subgroup 1", "no subgroup operations"}, {"2", "subgroup 2", "subgroups of 2"},       {"4", "subgroup 4", "subgroups of 4"},
    {"8", "subgroup 8", "subgroups of 8"},         {"16", "subgroup 16", "subgroups of 16"},    {"32", "subgroup 32", "subgroups of 32"},
    {"64", "subgroup 64", "subgroups of 64"},      {"128", "subgroup 128", "subgroups of 128"},
};
enum { SUBGROUP_SIZES = sizeof subgroup_sizes / sizeof *subgroup_sizes };

static const char with_fallback[] = "lookback, fallback", words[] = "vector 1";

const char *ms_ability_operation(uint32_t index)
{
    static const char *const names[] = {"scan_u8", "scan_u16", "scan_u64", "scan_f16", "scan_f64", FORMS};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

int ms_claims_progress(const msw_target *target) { return target->progress == MSW_PROGRESS_PARALLEL || target->progress == MSW_PROGRESS_OCCUPANCY; }

/* ---- forms beside each other ---- */

static void add_form(ms_workload *s, const char *name, const msw_target *target, const char *knob, const char *value)
{
    const msw_knob knobs[] = {{knob, value}};
    const uint32_t count = value ? 1 : 0;
    msw_diag diag = {.message = "there are too many forms"};
    const ms_way *way = target ? ms_workload_add_planned(s, name, target, knobs, count, &diag) : ms_workload_add_kernel(s, name, knobs, count, &diag);
    const size_t name_bytes = strlen(s->info.name); /* which messages may begin with */
    const int is_named = !strncmp(diag.message, s->info.name, name_bytes) && !strncmp(diag.message + name_bytes, ": ", 2);
    if (!way) ms_workload_add_missing(s, name, diag.message + (is_named ? name_bytes + 2 : 0));
}

/* CUDA's features come with the architecture: there is no device without one. */
static void add_without_features(const ms_sheet *sheet, ms_workload *s)
{
    const msw_target *target = ms_target_of(sheet->context);
    const char *name;
    for (uint32_t f = 0; target->backend == MSW_BACKEND_VULKAN && (name = msw_feature_name(f)) != NULL; f++) {
        const feature_note *note = note_of(name);
        msw_target reduced = *target;
        reduced.features &= ~(1u << f);
        if (strcmp(note->operation, s->info.name) || reduced.features == target->features) continue;
        if (!strcmp(name, "subgroup")) reduced.subgroup_size = 1;
        add_form(s, note->way, &reduced, "strategy", note->strategy);
    }
}

/* On Vulkan subgroups are a feature, which is there or not. */
static int first_size(const ms_sheet *sheet) { return ms_target_of(sheet->context)->backend == MSW_BACKEND_VULKAN; }

static void add_subgroups(const ms_sheet *sheet, ms_workload *s)
{
    char own[16];
    snprintf(own, sizeof own, "%u", ms_target_of(sheet->context)->subgroup_size);
    for (int i = first_size(sheet); i < SUBGROUP_SIZES; i++)
        if (strcmp(subgroup_sizes[i].value, own)) add_form(s, subgroup_sizes[i].way, NULL, "subgroup", subgroup_sizes[i].value);
}

ms_exit ms_ability_add_ways(ms_sheet *sheet, ms_workload *s)
{
    const msw_target *target = ms_target_of(sheet->context);
    msw_diag diag = {0};
    if (ms_workload_add_copies(s, &diag)) ms_sheet_left_out(sheet, s, "a copy kernel", diag.message);
    ms_show_progress(sheet->options->quiet, 0, "%s: compiling", s->info.name);
    add_form(s, "default", NULL, NULL, NULL);
    add_without_features(sheet, s);
    if (strcmp(s->info.name, FORMS)) return MS_EXIT_DONE;
    add_form(s, "lookback", NULL, "strategy", "lookback");
    add_form(s, "lookahead", NULL, "strategy", "lookahead");
    add_form(s, words, NULL, "vector", "1");
    add_subgroups(sheet, s);
    if (ms_claims_progress(target)) {
        msw_target careful = *target;
        careful.progress = MSW_PROGRESS_NONE;
        add_form(s, with_fallback, &careful, "strategy", "lookback");
    }
    return MS_EXIT_DONE;
}

/* ---- what they tell ---- */

/* Seconds of a way whose results are right; 0: there is none. */
static double seconds_of(const ms_workload *s, const char *name)
{
    const ms_way *way = ms_way_find(s, name);
    const int is_right = way && !way->is_out && strcmp(way->result, "wrong") && strcmp(way->result, "failed");
    return is_right ? way->median : 0;
}

/* Whether a form of it runs; "?": nobody tried. */
static const char *state_of(const ms_workload *s, const char *way) { return seconds_of(s, way) > 0 ? "yes" : ms_way_find(s, way) ? "no" : "?"; }

static void number_text(double seconds, char us[32], char shown[MS_UNIT_BYTES])
{
    us[0] = '\0';
    strcpy(shown, "-");
    if (seconds <= 0) return;
    snprintf(us, 32, "%.2f", 1e6 * seconds);
    ms_format_unit(seconds, "s", shown);
}

/* Why neither of them could be made, or not the other; "": they could, or nobody tried. */
static const char *why_of(const ms_workload *s, const char *name)
{
    const ms_way *way = name ? ms_way_find(s, name) : NULL;
    return way ? way->why : "";
}

/* One way beside another, which costs more or is not there; beside the copy where there is no other. The page has the reasons, too. */
static void describe(const ms_sheet *sheet, const ms_workload *s, const char *name, const char *state, const char *way, const char *other,
                     const char *note)
{
    char n[32] = "", us[32], other_us[32], shown[MS_UNIT_BYTES], other_shown[MS_UNIT_BYTES], whole[640];
    const double seconds = seconds_of(s, way), copy = ms_workload_copy_seconds(s);
    double beside = seconds > 0 && other ? seconds_of(s, other) : 0;
    const char *why = why_of(s, way)[0] ? why_of(s, way) : why_of(s, other);
    if (seconds > 0 && beside <= 0 && copy > 0) beside = copy, other = "copy";
    if (seconds > 0) snprintf(n, sizeof n, "%llu", (unsigned long long)s->n_max);
    number_text(seconds, us, shown);
    number_text(beside, other_us, other_shown);
    snprintf(whole, sizeof whole, "%s%s%s", note, note[0] && why[0] ? "; " : "", why);
    const char *const fields[] = {name, state, s->info.name, n, us, beside > 0 ? other : "", other_us, whole};
    ms_sheet_found(sheet, "report.ability", fields, sizeof fields / sizeof *fields);
    if (!ms_sheet_prints(sheet->options)) return;
    printf("  %-24s %-4s %8s  ", name, state, shown);
    printf("%-28s %8s  %s\n", beside > 0 ? other : "", beside > 0 ? other_shown : "", note);
}

static void describe_features(const ms_sheet *sheet, const ms_workload *s)
{
    const msw_target *target = ms_target_of(sheet->context);
    const char *name;
    for (uint32_t f = 0; (name = msw_feature_name(f)) != NULL; f++) {
        const feature_note *note = note_of(name);
        char text[200];
        const int has = (target->features >> f & 1u) != 0;
        if (strcmp(note->operation, s->info.name)) continue;
        snprintf(text, sizeof text, "%s%s", has ? "without it: " : "", note->without);
        describe(sheet, s, name, has ? "yes" : "no", note->strategy ? note->strategy : "default", has ? note->way : NULL, text);
    }
}

static void describe_subgroups(const ms_sheet *sheet, const ms_workload *s)
{
    char own[16];
    snprintf(own, sizeof own, "%u", ms_target_of(sheet->context)->subgroup_size);
    for (int i = first_size(sheet); i < SUBGROUP_SIZES; i++) {
        const int is_own = !strcmp(subgroup_sizes[i].value, own);
        const char *way = is_own ? "default" : subgroup_sizes[i].way;
        describe(sheet, s, subgroup_sizes[i].name, state_of(s, way), way, is_own ? NULL : "default", is_own ? "the device's usual size" : "");
    }
}

void ms_ability_describe(const ms_sheet *sheet, ms_workload *s, const char *progress)
{
    const msw_target *target = ms_target_of(sheet->context);
    if (ms_sheet_prints(sheet->options) && s->n_max) printf("  %s, n = %llu:\n", s->info.name, (unsigned long long)s->n_max);
    describe_features(sheet, s);
    if (strcmp(s->info.name, FORMS)) return;
    describe_subgroups(sheet, s);
    describe(sheet, s, "16-byte accesses", state_of(s, "default"), "default", words, "beside them 4 bytes at a time");
    describe(sheet, s, "bulk copies", state_of(s, "lookahead"), "lookahead", "lookback",
             "to shared memory, which look-ahead takes: CUDA, from sm_90 on");
    describe(sheet, s, "look-back, no fallback", ms_claims_progress(target) ? "yes" : "no", "lookback",
             ms_claims_progress(target) ? with_fallback : NULL, progress);
    if (target->backend == MSW_BACKEND_VULKAN)
        describe(sheet, s, "needed of Vulkan 1.3", "yes", "", NULL,
                 "buffer device addresses, scalar layouts, the memory model at device scope, control of subgroup sizes: without one of them a device "
                 "is not usable");
}
