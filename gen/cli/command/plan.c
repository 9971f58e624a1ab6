#include "commands.h"
#include "cli/session.h"
#include "cli/measure/measure.h"

#include <string.h>

/* The device's target, or the one that the options describe. */
static ms_exit choose_target(const ms_options *options, msw_context **context, msw_target *target)
{
    *target = ms_options_target(options);
    if (!options->device) return MS_EXIT_DONE;
    const ms_exit code = ms_open_context(options, NULL, context);
    if (!code) *target = msw_context_device(*context)->target;
    return code;
}

enum { CUT_N = 1 << 24 }; /* that pipelines' cuts are judged for, where no n is given */

/* Of an operation, for msw_spec_cuts. */
static msw_program_desc cut_desc(const ms_options *options, uint32_t op, const msw_target *target)
{
    return (msw_program_desc){
        .struct_size = sizeof(msw_program_desc), .op = op, .target = target, .tuning = options->tuning_text, .tuning_name = options->tuning_path};
}

/* Of a pipeline, how good its cut is. */
static void print_cut(const ms_options *options, msw_spec *spec, const char *name, const msw_target *target)
{
    const char *text;
    msw_diag diag;
    const int op = msw_spec_find(spec, name);
    msw_op_info info = {.struct_size = sizeof info};
    if (op < 0 || msw_spec_op(spec, (uint32_t)op, &info) || !info.stage_count) return;
    const msw_program_desc desc = cut_desc(options, (uint32_t)op, target);
    if (msw_spec_cuts(spec, &desc, CUT_N, MSW_CUT_BRIEF, &text, &diag)) ms_complain_diag(&diag);
    else ms_print_text(stdout, text);
}

static void print_plans(const ms_options *options, msw_spec *spec, const msw_target *target, const ms_programs *programs)
{
    if (options->json) printf("[");
    for (uint32_t i = 0; i < programs->count; i++) {
        const msw_program *program = programs->items[i];
        if (!options->json) ms_print_text(stdout, msw_program_summary(program)), print_cut(options, spec, msw_program_plan(program)->name, target);
        else printf("%s%s", i ? ",\n" : "", msw_program_json(program));
    }
    if (options->json) printf("]\n");
}

/* ---- what one n runs ---- */

/* How outputs lie to inputs, and what they call it. */
static const struct mode {
    uint32_t flags;
    const char *name, *text;
} modes[] = {{0, "apart", ""}, {MSW_IN_PLACE, "in_place", ", in place"}, {MSW_PING_PONG, "ping_pong", ", ping-pong"}};
enum { MODES = sizeof modes / sizeof *modes };

/* One n in one mode. */
typedef struct launch {
    const msw_plan *plan;
    const struct mode *mode;
    uint64_t n;
    msw_launch_info info;
    const msw_plan_step *steps;
    uint32_t step_count;
} launch;

/* Dispatches of a step, which may be repeated with those before it. */
static uint32_t dispatches(const launch *l, uint32_t step)
{
    uint32_t first = 0;
    while (first + l->steps[first].joined < step) first += 1 + l->steps[first].joined;
    return 1 + l->steps[first].repeats;
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void print_step(const msw_plan *plan, const msw_plan_step *step, uint32_t launches, uint64_t tiles, uint32_t blocks, const char *unit)
{
    const msw_plan_kernel *kernel = &plan->kernels[step->kernel];
    printf("%s: ", kernel->entry);
    if (launches > 1) printf("%u launches, ", launches);
    if (step->tile_items > 1) printf("%llu tile%s of %u %s in ", (unsigned long long)tiles, plural(tiles), step->tile_items, unit);
    printf("%u block%s of %u threads, subgroup %u, %u bytes shared\n", blocks, plural(blocks), kernel->block_threads, kernel->subgroup_size,
           kernel->shared_bytes);
}

/* Bytes that an operation moves of each segment, where offsets describe these: it is not known here how many there are. 0: none. */
static uint32_t segment_bytes(const msw_plan *plan, uint32_t role)
{
    int count = -1;
    uint32_t bytes = 0;
    for (uint32_t b = 0; b < plan->buffer_count; b++)
        if (plan->buffers[b].role == MSW_ROLE_IN && msw_given_by(plan->buffers[b].length) >= 0) count = msw_given_by(plan->buffers[b].length);
    for (uint32_t b = 0; count >= 0 && b < plan->buffer_count; b++)
        if (plan->buffers[b].role == role && msw_given_by(plan->buffers[b].length) == count) bytes += plan->buffers[b].element_bytes;
    return bytes;
}

static const char *segment_text(const msw_plan *plan, uint32_t role, char text[40])
{
    const uint32_t bytes = segment_bytes(plan, role);
    snprintf(text, bytes ? 40 : 1, " + %u a segment", bytes);
    return text;
}

/* Whether two modes of one n launch the same. */
static int is_equal_launch(const launch *a, const launch *b)
{
    if (a->info.variant == b->info.variant) return 1;
    if (strcmp(a->plan->variants[a->info.variant].strategy, b->plan->variants[b->info.variant].strategy) || a->step_count != b->step_count ||
        a->info.bytes_read != b->info.bytes_read || a->info.bytes_written != b->info.bytes_written)
        return 0;
    for (uint32_t s = 0; s < a->step_count; s++)
        if (a->steps[s].kernel != b->steps[s].kernel || dispatches(a, s) != dispatches(b, s) || a->steps[s].tile_items != b->steps[s].tile_items ||
            a->info.blocks[s] != b->info.blocks[s])
            return 0;
    return 1;
}

/* What is zeroed once of a stage's scratch. */
static uint64_t kept_bytes(const msw_plan_stage *stage, uint64_t n)
{
    const uint64_t elements = msw_elements(stage->length, n), tile = stage->scratch_tile_items;
    return stage->scratch_base_bytes + stage->scratch_per_tile_bytes * (elements / tile + (elements % tile != 0));
}

/* stage: what keeps so many bytes; NULL: the whole scratch is. */
static void print_zeroing(const msw_plan *plan, const char *stage, uint64_t bytes)
{
    for (uint32_t s = plan->step_count - plan->init_step_count; bytes && s < plan->step_count; s++) {
        const msw_plan_step *step = &plan->steps[s];
        const uint64_t tiles = (bytes + step->tile_items - 1) / step->tile_items;
        printf("  once, before the scratch is used%s%s: ", stage ? ", for " : "", stage ? stage : "");
        print_step(plan, step, 1, tiles, tiles < step->max_blocks ? (uint32_t)tiles : step->max_blocks, "bytes");
    }
}

/* first: the n's other mode that was printed before, or NULL. */
static void print_launch(const launch *l, const launch *first)
{
    char read[40], written[40];
    const msw_plan *plan = l->plan;
    const msw_plan_variant *variant = &plan->variants[l->info.variant];
    printf("%s, n = %llu%s: %s, %u launch%s, scratch %llu bytes; reads %llu bytes%s and writes %llu%s", plan->name, (unsigned long long)l->n,
           l->mode->text, variant->strategy, l->info.launch_count, l->info.launch_count == 1 ? "" : "es", (unsigned long long)l->info.scratch_bytes,
           (unsigned long long)l->info.bytes_read, segment_text(plan, MSW_ROLE_IN, read), (unsigned long long)l->info.bytes_written,
           segment_text(plan, MSW_ROLE_OUT, written));
    printf(variant->is_ping_pong ? "; the result is in the %s\n" : "\n", variant->ends_in_inputs ? "inputs" : "outputs");
    if (first && is_equal_launch(l, first)) printf("  launches as above\n");
    for (uint32_t s = 0; s < l->step_count && !(first && is_equal_launch(l, first)); s++) {
        printf("  ");
        print_step(plan, &l->steps[s], dispatches(l, s), l->info.tiles[s], l->info.blocks[s], "items");
    }
    if (!plan->stage_count) print_zeroing(plan, NULL, l->info.scratch_bytes);
    for (uint32_t s = 0; s < plan->stage_count; s++) print_zeroing(plan, plan->stages[s].name, kept_bytes(&plan->stages[s], l->n));
}

static void print_launch_json(const launch *l)
{
    const msw_plan *plan = l->plan;
    printf("{\"operation\": \"%s\", \"n\": %llu, \"mode\": \"%s\", \"strategy\": \"%s\", \"variant\": %u, \"launches\": %u, ", plan->name,
           (unsigned long long)l->n, l->mode->name, plan->variants[l->info.variant].strategy, l->info.variant, l->info.launch_count);
    printf("\"scratch_bytes\": %llu, \"bytes_read\": %llu, \"bytes_written\": %llu, ", (unsigned long long)l->info.scratch_bytes,
           (unsigned long long)l->info.bytes_read, (unsigned long long)l->info.bytes_written);
    if (segment_bytes(plan, MSW_ROLE_IN))
        printf("\"bytes_read_per_segment\": %u, \"bytes_written_per_segment\": %u, ", segment_bytes(plan, MSW_ROLE_IN),
               segment_bytes(plan, MSW_ROLE_OUT));
    printf("\"steps\": [");
    for (uint32_t s = 0; s < l->step_count; s++) {
        const msw_plan_step *step = &l->steps[s];
        const msw_plan_kernel *kernel = &plan->kernels[step->kernel];
        printf("%s{\"kernel\": \"%s\", \"launches\": %u, \"tiles\": %llu, \"tile_items\": %u, \"blocks\": %u, ", s ? ", " : "", kernel->entry,
               dispatches(l, s), (unsigned long long)l->info.tiles[s], step->tile_items, l->info.blocks[s]);
        printf("\"block_threads\": %u, \"subgroup_size\": %u, \"shared_bytes\": %u}", kernel->block_threads, kernel->subgroup_size,
               kernel->shared_bytes);
    }
    printf("]}");
}

/* In place and in turns are shown where something else runs then, in JSON in any case. device: NULL, or whose memory is to do. count: of what was
 * printed. */
static ms_exit print_launches(const ms_options *options, const msw_plan *plan, const msw_device_info *device, uint64_t n, uint32_t *count)
{
    uint32_t shown = MSW_MAX_VARIANTS;
    launch first = {.plan = NULL};
    msw_diag diag;
    if (msw_plan_serves(plan, device, n, &diag)) {
        fflush(stdout);
        return ms_complain_diag(&diag);
    }
    for (uint32_t m = 0; m < MODES; m++) {
        launch l = {.plan = plan, .mode = &modes[m], .n = n, .info = {.struct_size = sizeof l.info}};
        if (msw_plan_launch(plan, n, modes[m].flags, &l.info, &diag) || l.info.variant == shown) continue;
        shown = l.info.variant;
        l.steps = &plan->steps[plan->variants[shown].first_step];
        l.step_count = plan->variants[shown].step_count;
        if (options->json) printf("%s", (*count)++ ? ",\n " : "");
        if (options->json) print_launch_json(&l);
        else if (!first.plan || l.info.scratch_bytes != first.info.scratch_bytes || plan->variants[shown].is_ping_pong ||
                 !is_equal_launch(&l, &first))
            print_launch(&l, first.plan ? &first : NULL);
        if (!first.plan) first = l;
    }
    return MS_EXIT_DONE;
}

/* What is not served is told, and the others are answered all the same. */
static ms_exit answer_sizes(const ms_options *options, const ms_programs *programs, const msw_device_info *device)
{
    uint64_t sizes[MS_MAX_SIZES];
    uint32_t count = 0;
    ms_exit code = MS_EXIT_DONE;
    const uint32_t size_count = ms_parse_sizes(options->sizes, sizes);
    if (options->json) printf("[");
    for (uint32_t p = 0; p < programs->count; p++)
        for (uint32_t s = 0; s < size_count; s++) {
            const ms_exit answered = print_launches(options, msw_program_plan(programs->items[p]), device, sizes[s], &count);
            if (answered) code = answered;
        }
    if (options->json) printf("]\n");
    return code;
}

/* Whether --compare and --dot say something of the operations: first .. end - 1, of these sizes. */
static ms_exit check_cuts(const ms_options *options, const msw_spec *spec, uint32_t first, const uint64_t *sizes, uint32_t size_count)
{
    const char *flag = options->dot ? "--dot" : "--compare";
    if (first >= msw_spec_op_count(spec))
        return ms_complain(MS_EXIT_USAGE, "%s is about a whole pipeline, and '%s' is a part of one; write --op %.*s", flag, options->op,
                           (int)strcspn(options->op, "."), options->op);
    for (uint32_t s = 0; s < size_count; s++)
        if (!sizes[s]) return ms_complain(MS_EXIT_USAGE, "%s predicts the time of one element and more; leave 0 out of --n", flag);
    return MS_EXIT_DONE;
}

/* Of each pipeline among the operations, or of the one operation that is named, for one n or several. */
static ms_exit print_cuts(const ms_options *options, msw_spec *spec, const msw_target *target)
{
    uint64_t sizes[MS_MAX_SIZES] = {CUT_N};
    uint32_t first, end;
    msw_diag diag;
    const uint32_t size_count = options->sizes ? ms_parse_sizes(options->sizes, sizes) : 1;
    uint32_t printed = 0;
    ms_exit code = ms_find_operations(options, spec, &first, &end);
    if (!code) code = check_cuts(options, spec, first, sizes, size_count);
    if (code) return code;
    for (uint32_t op = first; op < end; op++) {
        msw_op_info info = {.struct_size = sizeof info};
        if (end > first + 1 && !msw_spec_op(spec, op, &info) && !info.stage_count) continue;
        for (uint32_t s = 0; s < size_count; s++, printed++) {
            const char *text;
            const msw_program_desc desc = cut_desc(options, op, target);
            if (msw_spec_cuts(spec, &desc, sizes[s], options->dot ? MSW_CUT_DOT : MSW_CUT_COMPARED, &text, &diag)) return ms_complain_diag(&diag);
            ms_print_text(stdout, text);
        }
    }
    return printed ? MS_EXIT_DONE : ms_complain(MS_EXIT_FAILED, "%s has no pipeline, so there is nothing to cut", options->spec);
}

ms_exit ms_plan_command(const ms_options *options)
{
    msw_spec *spec = NULL;
    msw_context *context = NULL;
    msw_target target;
    ms_programs programs = {0};
    ms_exit code = ms_open_spec(options, &spec);
    if (!code) code = choose_target(options, &context, &target);
    if (!code && (options->compare || options->dot)) code = print_cuts(options, spec, &target);
    else if (!code) code = ms_make_programs(options, spec, &target, &programs);
    if (code || options->compare || options->dot) goto done;
    if (options->dump) code = ms_dump(options->dump, spec, &programs);
    else if (options->sizes) code = answer_sizes(options, &programs, msw_context_device(context));
    else print_plans(options, spec, &target, &programs);
done:
    ms_programs_release(&programs);
    msw_context_destroy(context);
    msw_spec_destroy(spec);
    return code;
}
