/* What `monosweep plan --compare` and `--dot` print: cuts of a pipeline by prediction, for people and for Graphviz. */
#include "c_locale.h"
#include "cuts.h"
#include "diag.h"
#include "target.h"
#include "units.h"

static void append_unit(ms_text *text, double value, const char *unit)
{
    char number[MS_UNIT_BYTES];
    ms_text_append(text, "%s", ms_format_unit(value, unit, number));
}

/* A cut's kernel is called a stage, as in plans: a sort is several kernels, and so are scans that reduce first. */
static void append_stages(ms_text *text, uint32_t count) { ms_text_append(text, "%u stage%s", count, count == 1 ? "" : "s"); }

/* Of n elements where that is a number to compare, else of all. */
static void append_bytes(ms_text *text, double bytes, double n)
{
    if (bytes >= 0.01 * n && bytes < 1e4 * n) ms_text_append(text, "%.4g bytes an element", bytes / n);
    else append_unit(text, bytes, "B");
}

/* What is asked: of which operation, where, and of how many elements. */
typedef struct ms_cut_wish {
    const ms_operation *op;
    const ms_cut_graph *graph;
    ms_cut_place place;
    double n;
} ms_cut_wish;

typedef struct naming {
    const ms_operation *op;
    const ms_cut_graph *graph;
} naming;

static const char *name_of(const naming *names, uint32_t value) { return names->op->pipeline->written->arrays[value].name; }

static void append_values(ms_text *text, const naming *names, const char *verb, const uint32_t *values, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) ms_text_append(text, "%s%s", v ? ", " : verb, name_of(names, values[v]));
}

static void append_kernels(ms_text *text, const naming *names, const ms_cut *cut, double n)
{
    for (uint32_t k = 0; k < cut->kernel_count; k++) {
        const ms_cut_kernel *kernel = &cut->kernels[k];
        ms_text_append(text, "    %u: ", k + 1);
        for (uint32_t o = 0; o < kernel->operation_count; o++)
            ms_text_append(text, "%s%s", o ? " + " : "", names->graph->operations[kernel->operations[o]].name);
        append_values(text, names, "; reads ", kernel->reads, kernel->read_count);
        append_values(text, names, "; writes ", kernel->writes, kernel->write_count);
        ms_text_append(text, "; ");
        append_bytes(text, kernel->bytes, n);
        ms_text_append(text, ", ");
        append_unit(text, kernel->seconds, "s");
        ms_text_append(text, "\n");
    }
}

static void append_cut(ms_text *text, const char *name, const ms_cut *cut, double n)
{
    ms_text_append(text, "  %s: ", name);
    append_stages(text, cut->kernel_count);
    ms_text_append(text, ", ");
    append_bytes(text, cut->bytes, n);
    ms_text_append(text, ", ");
    append_unit(text, cut->seconds, "s");
    if (cut->scratch_bytes > 0)
        ms_text_append(text, ", "), append_unit(text, cut->scratch_bytes, "B"), ms_text_append(text, " of scratch between them");
}

/* launched: by the device's constants; no kernel: it does not fit. */
static void append_compared(ms_text *text, const naming *names, const ms_cut cuts[MS_CUT_METHOD_COUNT], const ms_cut *launched,
                            const ms_cut_wish *wish)
{
    const double n = wish->n;
    ms_text_append(text, "%s, n = %.0f, by prediction:\n", names->op->name, n);
    ms_text_append(text, "  constants of %s\n", wish->place.note ? wish->place.note : "a large GPU; monosweep tune --constants measures a device's");
    if (launched->kernel_count) {
        append_cut(text, "launched", launched, n);
        ms_text_append(text, "\n");
        append_kernels(text, names, launched, n);
    }
    for (uint32_t m = 0; m < MS_CUT_METHOD_COUNT; m++) {
        append_cut(text, ms_cut_method_name(m), &cuts[m], n);
        ms_text_append(text, "%s\n", m != MSW_CUT_OPTIMUM && m != MSW_CUT_FEWEST ? "" : cuts[m].is_proved ? ", proved" : ", not proved");
        if (m == MSW_CUT_OPTIMUM && (!launched->kernel_count || cuts[m].seconds < launched->seconds * (1 - 1e-9)))
            append_kernels(text, names, &cuts[m], n);
    }
}

static void append_brief(ms_text *text, const ms_cut *optimum, const ms_cut *launched, double n)
{
    if (!launched->kernel_count) ms_text_append(text, "  by prediction: the device has no room for what is launched");
    else {
        ms_text_append(text, "  by prediction: ");
        append_unit(text, launched->seconds, "s");
        ms_text_append(text, " for %.0f elements", n);
    }
    if (!launched->kernel_count || optimum->seconds < launched->seconds * (1 - 1e-9)) {
        ms_text_append(text, "; another cut, of ");
        append_stages(text, optimum->kernel_count);
        ms_text_append(text, ", would take ");
        append_unit(text, optimum->seconds, "s");
        ms_text_append(text, " (--compare)");
    } else ms_text_append(text, "; no other cut takes less%s", optimum->is_proved ? "" : " of those that were tried");
    ms_text_append(text, "\n");
}

/* A stage is a cluster; an operation that is computed again is in several. */
static void append_cluster(ms_text *text, const naming *names, const ms_cut_kernel *kernel, uint32_t k)
{
    ms_text_append(text, "  subgraph cluster_%u {\n    label = \"stage %u: ", k, k + 1);
    append_unit(text, kernel->seconds, "s");
    ms_text_append(text, "\";\n");
    for (uint32_t o = 0; o < kernel->operation_count; o++)
        ms_text_append(text, "    k%u_%u [label = \"%s\"];\n", k, kernel->operations[o], names->graph->operations[kernel->operations[o]].name);
    ms_text_append(text, "  }\n");
}

static int computes(const ms_cut_kernel *kernel, uint32_t operation)
{
    for (uint32_t o = 0; o < kernel->operation_count; o++)
        if (kernel->operations[o] == operation) return 1;
    return 0;
}

static void append_edges(ms_text *text, const naming *names, const ms_cut_kernel *kernel, uint32_t k)
{
    const ms_cut_graph *graph = names->graph;
    for (uint32_t i = 0; i < kernel->operation_count; i++) {
        const uint32_t o = kernel->operations[i];
        for (uint32_t p = 0; p < graph->operations[o].operand_count; p++) {
            const uint32_t value = graph->operations[o].operands[p].value, producer = graph->values[value].operation;
            if (producer != MS_CUT_ARRAY && computes(kernel, producer)) ms_text_append(text, "  k%u_%u -> k%u_%u;\n", k, producer, k, o);
            else ms_text_append(text, "  v%u -> k%u_%u;\n", value, k, o);
        }
    }
    for (uint32_t w = 0; w < kernel->write_count; w++)
        ms_text_append(text, "  k%u_%u -> v%u;\n", k, graph->values[kernel->writes[w]].operation, kernel->writes[w]);
}

static int is_in_memory(const ms_cut *cut, const ms_cut_graph *graph, uint32_t value)
{
    const ms_cut_value *v = &graph->values[value];
    return v->operation == MS_CUT_ARRAY || v->is_output || cut->slots[value] != MS_CUT_NO_SLOT;
}

/* What is the caller's has a whole line around it, what lies in the scratch a dashed one. */
static void append_array(ms_text *text, const naming *names, uint32_t v)
{
    const ms_cut_value *value = &names->graph->values[v];
    const char *what = value->operation == MS_CUT_ARRAY ? "input" : value->is_output ? "output" : "scratch";
    ms_text_append(text, "  v%u [shape = box, style = %s, label = \"%s %s, %u byte%s\"];\n", v, *what == 's' ? "dashed" : "bold", what,
                   name_of(names, v), value->bytes, value->bytes == 1 ? "" : "s");
}

static void append_dot(ms_text *text, const naming *names, const ms_cut *cut)
{
    ms_text_append(text, "digraph \"%s\" {\n  node [shape = ellipse];\n", names->op->name);
    for (uint32_t v = 0; v < names->graph->value_count; v++)
        if (is_in_memory(cut, names->graph, v)) append_array(text, names, v);
    for (uint32_t k = 0; k < cut->kernel_count; k++) append_cluster(text, names, &cut->kernels[k], k);
    for (uint32_t k = 0; k < cut->kernel_count; k++) append_edges(text, names, &cut->kernels[k], k);
    ms_text_append(text, "}\n");
}

static msw_result no_memory(msw_diag *diag) { return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory"); }

/* By each method, and the one that is launched. */
static msw_result find_cuts(ms_arena *arena, const naming *names, const ms_cut_device *device, ms_cut cuts[MS_CUT_METHOD_COUNT], ms_cut *launched,
                            msw_diag *diag)
{
    const ms_written *written = names->op->pipeline->written;
    const ms_cut_rule rule = ms_written_rule(written);
    for (uint32_t m = 0; m < MS_CUT_METHOD_COUNT; m++) {
        uint32_t operation;
        const msw_result result = ms_cut_find(arena, names->graph, device, &rule, m, &cuts[m], &operation);
        if (result == MSW_ERROR_OUT_OF_MEMORY) return no_memory(diag);
        if (result)
            return ms_diag(diag, result, "plan", names->op->file, names->op->line,
                           "%s: by estimate the device has no room for a kernel of '%s' alone", names->op->name,
                           names->graph->operations[operation].name);
    }
    const msw_result result = ms_cut_judge(arena, names->graph, device, &rule, written->cut.kernels, written->cut.kernel_count, launched);
    return result == MSW_ERROR_OUT_OF_MEMORY ? no_memory(diag) : MSW_OK;
}

/* The text, in the spec's arena; what it is made of is in `arena`. */
static msw_result write_cuts(ms_arena *arena, msw_spec *spec, const ms_cut_wish *wish, msw_cut_form form, const char **text, msw_diag *diag)
{
    ms_cut cuts[MS_CUT_METHOD_COUNT], launched;
    ms_text made = {.arena = arena};
    naming names = {wish->op, wish->graph};
    const msw_result result = find_cuts(arena, &names, &wish->place.device, cuts, &launched, diag);
    if (result) return result;
    if (form == MSW_CUT_DOT) append_dot(&made, &names, launched.kernel_count ? &launched : &cuts[MSW_CUT_OPTIMUM]);
    else if (form == MSW_CUT_BRIEF) append_brief(&made, &cuts[MSW_CUT_OPTIMUM], &launched, wish->n);
    else append_compared(&made, &names, cuts, &launched, wish);
    *text = made.failed ? NULL : ms_arena_strdup(&spec->arena, made.data);
    ms_text_free(&made);
    return *text ? ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "") : no_memory(diag);
}

/* The seconds of the cut that is launched. */
static msw_result predict(ms_arena *arena, const ms_cut_wish *wish, double *seconds, msw_diag *diag)
{
    const ms_written *written = wish->op->pipeline->written;
    const ms_cut_rule rule = ms_written_rule(written);
    ms_cut launched;
    const msw_result result =
        ms_cut_judge(arena, wish->graph, &wish->place.device, &rule, written->cut.kernels, written->cut.kernel_count, &launched);
    if (result == MSW_ERROR_OUT_OF_MEMORY) return no_memory(diag);
    if (result || !launched.kernel_count)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", wish->op->file, wish->op->line,
                       "%s: by estimate the device has no room for what is launched", wish->op->name);
    *seconds = launched.seconds;
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

/* ---- the doors ---- */

/* What they have in common, and what they return: a text or seconds. */
typedef struct asking {
    msw_spec *spec;
    const msw_program_desc *desc;
    uint64_t n;
    msw_cut_form form;
    const char **text; /* NULL: seconds are wanted */
    double *seconds;
} asking;

static msw_result find_graph(ms_arena *arena, ms_cut_wish *wish, msw_diag *diag)
{
    const msw_result result = ms_cuts_find_device(arena, &wish->place, diag);
    if (result) return result;
    wish->graph = ms_written_graph(arena, wish->op->pipeline->written, wish->n, &wish->place.device);
    return wish->graph ? MSW_OK : no_memory(diag);
}

static msw_result ask(const asking *a, msw_diag *diag)
{
    msw_target target;
    msw_program_desc desc;
    msw_result result = MS_SIZED_READ(msw_program_desc, a->desc, &desc, "plan", diag);
    if (!result && (desc.op >= a->spec->operation_count || !desc.target))
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0,
                       "msw_program_desc: a target is needed, and an operation of the spec that is no stage");
    if (!result) result = ms_target_read(desc.target, &target, diag);
    if (!result && target.backend == MSW_BACKEND_HOST)
        result = ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0, "kernels are made for Vulkan and CUDA; choose one of them");
    if (result) return result;
    ms_cut_wish wish = {
        .op = &a->spec->operations[desc.op], .place = {.target = &target, .tuning = desc.tuning, .tuning_name = desc.tuning_name}, .n = (double)a->n};
    if (!wish.op->pipeline)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", wish.op->file, wish.op->line, "%s is no pipeline, so there is nothing to cut",
                       wish.op->name);
    ms_arena arena; /* the search's, which the spec does not keep */
    ms_arena_init(&arena, &a->spec->arena.allocator, 0);
    const ms_c_locale locale = ms_c_locale_enter();
    result = find_graph(&arena, &wish, diag);
    if (!result) result = a->text ? write_cuts(&arena, a->spec, &wish, a->form, a->text, diag) : predict(&arena, &wish, a->seconds, diag);
    ms_c_locale_leave(locale);
    ms_arena_free(&arena);
    return result;
}

msw_result msw_spec_cuts(msw_spec *spec, const msw_program_desc *desc, uint64_t n, msw_cut_form form, const char **text, msw_diag *diag)
{
    if (text) *text = NULL;
    if (!spec || !desc || !text || !n)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_spec_cuts: a spec, a desc, an n that is not 0 and text are needed");
    if ((uint32_t)form > MSW_CUT_BRIEF)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_spec_cuts: form is %u, no msw_cut_form", (uint32_t)form);
    const asking a = {.spec = spec, .desc = desc, .n = n, .form = form, .text = text};
    return ask(&a, diag);
}

msw_result msw_spec_predict(msw_spec *spec, const msw_program_desc *desc, uint64_t n, double *seconds, msw_diag *diag)
{
    if (seconds) *seconds = 0;
    if (!spec || !desc || !seconds || !n)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0,
                       "msw_spec_predict: a spec, a desc, an n that is not 0 and seconds are needed");
    const asking a = {.spec = spec, .desc = desc, .n = n, .seconds = seconds};
    return ask(&a, diag);
}
