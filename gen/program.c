/* The public face of planning and emission: msw_program_*. */
#include "program.h"
#include "emit/emit.h"
#include "c_locale.h"
#include "choices.h"
#include "diag.h"

#include <inttypes.h>
#include <string.h>

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void append_step(ms_text *text, const char *before, const msw_plan *plan, const msw_plan_step *step, uint32_t launches, const char *unit)
{
    const msw_plan_kernel *kernel = &plan->kernels[step->kernel];
    ms_text_append(text, "%s%s: ", before, kernel->entry);
    if (launches > 1) ms_text_append(text, "%u launches, ", launches);
    ms_text_append(text, "tiles of %u %s, %s%u block%s of %u threads, subgroup %u, %u bytes shared\n", step->tile_items, unit,
                   step->max_blocks > 1 && step->least_blocks < step->max_blocks ? "at most " : "", step->max_blocks, plural(step->max_blocks),
                   kernel->block_threads, kernel->subgroup_size, kernel->shared_bytes);
}

/* The least n for which a variant is the first that serves, in place (or in turns, where it is of that kind) or not; more than its n_max: there is
 * none. */
static uint64_t least_n(const msw_plan *plan, uint32_t v, int in_place)
{
    const msw_plan_variant *variant = &plan->variants[v];
    uint64_t least = 0;
    if (in_place && !variant->serves_in_place) return UINT64_MAX;
    for (uint32_t before = 0; before < v; before++) {
        const msw_plan_variant *other = &plan->variants[before];
        if (other->is_ping_pong != variant->is_ping_pong || (in_place && !other->serves_in_place)) continue;
        if (other->n_max >= least) least = other->n_max + 1;
    }
    return least;
}

/* Whether any output may be an input. Else what serves in place is for one place for both carries alone. */
static int has_in_place(const msw_plan *plan)
{
    for (uint32_t v = 0; v < plan->variant_count; v++)
        if (plan->variants[v].serves_in_place == MSW_SERVES_ONE_CARRY) return 0;
    for (uint32_t i = 0; i < plan->buffer_count; i++)
        for (uint32_t o = 0; o < plan->buffer_count; o++) {
            const msw_plan_buffer *in = &plan->buffers[i], *out = &plan->buffers[o];
            if (in->role == MSW_ROLE_IN && out->role == MSW_ROLE_OUT && in->element_bytes == out->element_bytes && in->length == out->length)
                return 1;
        }
    return 0;
}

/* What else must hold for a variant to be taken: nothing, or how outputs lie to inputs. */
static void append_condition(ms_text *text, const msw_plan *plan, uint32_t v)
{
    const msw_plan_variant *variant = &plan->variants[v];
    const uint64_t apart = least_n(plan, v, 0), in_place = least_n(plan, v, 1);
    const char *shared = has_in_place(plan) ? "in place" : "with one place for both carries";
    if (!has_in_place(plan) && !plan->carry_bytes && !variant->is_ping_pong) return;
    if (variant->is_ping_pong) ms_text_append(text, ", ping-pong, the result in the %s", variant->ends_in_inputs ? "inputs" : "outputs");
    else if (apart > variant->n_max) ms_text_append(text, ", %s", shared);
    else if (in_place > variant->n_max) ms_text_append(text, ", not %s", shared);
    else if (apart > in_place) ms_text_append(text, ", %s, or from n = %" PRIu64 " on", shared, apart);
}

static void append_variant(ms_text *text, const struct msw_program *program, uint32_t v)
{
    const msw_plan *plan = &program->plan;
    const msw_plan_variant *variant = &plan->variants[v];
    const msw_plan_step *steps = &plan->steps[variant->first_step];
    const ms_kernel_shape *last = &program->shapes[steps[variant->step_count - 1].kernel];
    const uint64_t apart = least_n(plan, v, 0), in_place = least_n(plan, v, 1), least = in_place < apart ? in_place : apart;
    if (least > variant->n_max) return; /* it serves no n that another does not */
    if (least) ms_text_append(text, "  %" PRIu64 " <= n <= %" PRIu64 ": %s", least, variant->n_max, variant->strategy);
    else ms_text_append(text, "  n <= %" PRIu64 ": %s", variant->n_max, variant->strategy);
    append_condition(text, plan, v);
    if ((last->count == MSW_U64 && ms_strategy_has(variant->strategy, MS_LOOKS_BACK)) || last->op->is_wide)
        ms_text_append(text, ", counts of 64 bits");
    if (ms_strategy_has(variant->strategy, MS_LOOKS_BACK | MS_LOOKS_AHEAD) && ms_tallies(last->op, &last->geometry))
        ms_text_append(text, ", counts of a tile two to a word");
    const int has_scratch = variant->scratch_base_bytes || variant->scratch_per_block_bytes || variant->scratch_per_tile_bytes;
    if (has_scratch) ms_text_append(text, ", scratch %" PRIu64 " bytes", variant->scratch_base_bytes);
    if (variant->scratch_per_block_bytes) ms_text_append(text, " + %" PRIu64 " a block", variant->scratch_per_block_bytes);
    if (variant->scratch_per_tile_bytes) ms_text_append(text, " + %" PRIu64 " a tile", variant->scratch_per_tile_bytes);
    if (!has_scratch && !plan->stage_count) ms_text_append(text, ", no scratch");
    if (variant->read_bytes_per_item != plan->bytes_read_per_item || variant->written_bytes_per_item != plan->bytes_written_per_item)
        ms_text_append(text, ", %" PRIu64 " byte%s read and %" PRIu64 " written an item", variant->read_bytes_per_item,
                       plural(variant->read_bytes_per_item), variant->written_bytes_per_item);
    if (variant->read_bytes || variant->written_bytes)
        ms_text_append(text, ", and whatever n is %" PRIu64 " byte%s read and %" PRIu64 " written", variant->read_bytes, plural(variant->read_bytes),
                       variant->written_bytes);
    ms_text_append(text, "\n");
    for (uint32_t s = 0, first = 0; s < variant->step_count; s++) {
        if (s > first + steps[first].joined) first = s;
        append_step(text, "    ", plan, &steps[s], 1 + steps[first].repeats, "items");
    }
}

/* The least of all variants. */
static void append_moves(ms_text *text, const msw_plan *plan)
{
    int is_least = 0;
    for (uint32_t v = 0; v < plan->variant_count; v++)
        is_least |= plan->variants[v].read_bytes_per_item > plan->bytes_read_per_item ||
                    plan->variants[v].written_bytes_per_item > plan->bytes_written_per_item;
    ms_text_append(text, "%s: %u kernel%s, %s%" PRIu64 " byte%s read and %" PRIu64 " written an item\n", plan->name, plan->kernel_count,
                   plural(plan->kernel_count), is_least ? "at least " : "", plan->bytes_read_per_item, plural(plan->bytes_read_per_item),
                   plan->bytes_written_per_item);
}

/* Row r of 2 * part_count. */
static const ms_tuning_row *tuning_row(const struct msw_program *program, uint32_t r)
{
    return r % 2 ? &program->tunings[r / 2].lookahead : &program->tunings[r / 2].general;
}

/* What a pipeline has in its scratch. */
static void append_stages(ms_text *text, const msw_plan *plan)
{
    for (uint32_t s = 0; s < plan->stage_count; s++) {
        const msw_plan_stage *stage = &plan->stages[s];
        ms_text_append(text, "  stage %s", stage->name);
        if (stage->length != MSW_LENGTH_N && !stage->counted_by) ms_text_append(text, " of %" PRIu64 " elements", msw_elements(stage->length, 0));
        if (stage->counted_by) ms_text_append(text, " of as many elements as %s says", plan->buffers[stage->counted_by - 1].name);
        if (stage->length != MSW_LENGTH_N && stage->counted_by) ms_text_append(text, ", at most %" PRIu64, msw_elements(stage->length, 0));
        ms_text_append(text, ": scratch %" PRIu64 " bytes", stage->scratch_base_bytes);
        if (stage->scratch_per_tile_bytes)
            ms_text_append(text, " + %" PRIu64 " for %u items", stage->scratch_per_tile_bytes, stage->scratch_tile_items);
        ms_text_append(text, "\n");
    }
    for (uint32_t b = plan->buffer_count; b < plan->buffer_count + plan->between_count; b++) {
        const msw_plan_buffer *array = &plan->buffers[b];
        ms_text_append(text, "  between stages: %s, ", array->name);
        if (array->length == MSW_LENGTH_ONE) ms_text_append(text, "one element");
        else if (array->length == MSW_LENGTH_N) ms_text_append(text, "n elements");
        else ms_text_append(text, "%" PRIu64 " elements", msw_elements(array->length, 0));
        ms_text_append(text, " of %u byte%s", array->element_bytes, plural(array->element_bytes));
        if (array->place_of != b) ms_text_append(text, ", in the place of %s", plan->buffers[array->place_of].name);
        ms_text_append(text, "\n");
    }
}

/* Of kernels that evaluate functions of the spec. */
static void append_registers(ms_text *text, const struct msw_program *program)
{
    uint32_t count = 0, live_words = 0;
    for (uint32_t k = 0; k < program->plan.kernel_count; k++) {
        const ms_registers *estimate = &program->registers[k];
        if (!estimate->registers) continue;
        if (estimate->live_words > live_words) live_words = estimate->live_words;
        ms_text_append(text, "%s%s %u%s", count++ ? ", " : "  registers of a thread, by estimate: ", program->plan.kernels[k].entry,
                       estimate->registers, estimate->registers > MS_MOST_REGISTERS ? " (it will spill)" : "");
    }
    if (count) ms_text_append(text, "; %u words live in functions\n", live_words);
}

static void append_summary(ms_text *text, const struct msw_program *program)
{
    const msw_plan *plan = &program->plan;
    const ms_operation *op = program->shapes[0].op;
    append_moves(text, plan);
    for (uint32_t b = 0; b < plan->buffer_count; b++) {
        const int given = msw_given_by(plan->buffers[b].length);
        if (!msw_is_scattered(plan->buffers[b].length) && given < 0) continue;
        ms_text_append(text, "  %s: ", plan->buffers[b].name);
        if (plan->stage_count) { /* all are written */
            ms_text_append(text, "%" PRIu64 " elements\n", msw_elements(plan->buffers[b].length, 0));
            continue;
        }
        if (op && op->item && b == op->info.items) {
            if (plan->buffers[b].length == MSW_LENGTH_SCATTERED) ms_text_append(text, "room for n items\n");
            else ms_text_append(text, "room for %" PRIu64 " items\n", msw_elements(plan->buffers[b].length, 0));
            continue;
        }
        if (plan->buffers[b].length == MSW_LENGTH_SCATTERED) ms_text_append(text, "n elements, scattered\n");
        else if (given >= 0)
            ms_text_append(text, "%s%s elements of %u bytes, %s\n", plan->buffers[given].name,
                           msw_is_scattered(plan->buffers[b].length) ? "" : " + 1", plan->buffers[b].element_bytes,
                           msw_is_scattered(plan->buffers[b].length) ? "scattered" : "ascending from 0 to n");
        else
            ms_text_append(text, "%" PRIu64 " element%s, scattered\n", msw_elements(plan->buffers[b].length, 0),
                           plural(msw_elements(plan->buffers[b].length, 0)));
    }
    append_stages(text, plan);
    for (uint32_t v = 0; v < plan->variant_count; v++) append_variant(text, program, v);
    for (uint32_t s = plan->step_count - plan->init_step_count; s < plan->step_count; s++)
        append_step(text, "  once, before the scratch is used: ", plan, &plan->steps[s], 1, "bytes");
    if (plan->backend == MSW_BACKEND_CUDA) append_registers(text, program);
    for (uint32_t r = 0; r < 2 * program->part_count; r++) {
        const ms_tuning_row *row = tuning_row(program, r);
        if (row->is_used) ms_text_append(text, "  tuned by %s\n", row->note);
        if (row->is_used && row->changes[0]) ms_text_append(text, "    of which not all fits; now %s\n", row->changes);
        if (row->is_left_out && !row->is_used) ms_text_append(text, "  does not fit, and is left out: %s\n", row->note);
    }
    if (program->fixed[0]) ms_text_append(text, "  fixed by the spec itself: %s\n", program->fixed);
}

static void append_json_string(ms_text *text, const char *string)
{
    ms_text_append(text, "\"");
    for (; *string; string++) {
        const unsigned char c = (unsigned char)*string;
        ms_text_append(text, c < 0x20 || c == '"' || c == '\\' ? "\\u%04x" : "%c", c);
    }
    ms_text_append(text, "\"");
}

static void append_json_note(ms_text *text, const ms_tuning_row *row)
{
    ms_text note = {.arena = text->arena};
    ms_text_append(&note, "%s", row->note);
    if (row->is_used && row->changes[0]) ms_text_append(&note, "; of which not all fits; now %s", row->changes);
    if (note.failed) text->failed = 1;
    else append_json_string(text, note.data);
    ms_text_free(&note);
}

static void append_json_steps(ms_text *text, const msw_plan *plan, uint32_t first, uint32_t count)
{
    for (uint32_t s = 0; s < count; s++) {
        const msw_plan_step *step = &plan->steps[first + s];
        ms_text_append(text, "%s{\"kernel\": %u, \"tile_items\": %u, \"max_blocks\": %u, \"least_blocks\": %u, \"dispatches\": %u, \"joined\": %u}",
                       s ? ", " : "", step->kernel, step->tile_items, step->max_blocks, step->least_blocks ? step->least_blocks : 1,
                       step->repeats + 1, step->joined);
    }
}

/* null: a variant is taken for no n. */
static void append_json_least(ms_text *text, const char *name, uint64_t least, uint64_t n_max)
{
    if (least <= n_max) ms_text_append(text, ", \"%s\": %" PRIu64, name, least);
    else ms_text_append(text, ", \"%s\": null", name);
}

static void append_json(ms_text *text, const struct msw_program *program)
{
    const msw_plan *plan = &program->plan;
    ms_text_append(text, "{\"format\": %u, \"name\": \"%s\", \"buffers\": [", plan->format, plan->name);
    for (uint32_t i = 0; i < plan->buffer_count; i++) {
        const msw_plan_buffer *b = &plan->buffers[i];
        const int by = msw_counted_by(b->length);
        ms_text_append(text, "%s{\"name\": \"%s\", \"element_bytes\": %u, \"alignment_bytes\": %u, \"length\": \"", i ? ", " : "", b->name,
                       b->element_bytes, b->alignment_bytes);
        if (by >= 0) ms_text_append(text, "%s%s", b->length >= MSW_LENGTH_REST ? "n - " : "", plan->buffers[by].name);
        else if (msw_given_by(b->length) >= 0)
            ms_text_append(text, "%s%s", plan->buffers[msw_given_by(b->length)].name, b->length < MSW_LENGTH_OFFSETS ? "" : " + 1");
        else if (b->length == MSW_LENGTH_N || b->length == MSW_LENGTH_SCATTERED) ms_text_append(text, "n");
        else ms_text_append(text, "%" PRIu64, msw_elements(b->length, 0));
        ms_text_append(text, "\"%s, \"output\": %s%s}", msw_is_scattered(b->length) && !plan->stage_count ? ", \"scattered\": true" : "",
                       b->role == MSW_ROLE_OUT ? "true" : "false", b->role == MSW_ROLE_UNIFORM ? ", \"uniform\": true" : "");
    }
    ms_text_append(text, "], \"kernels\": [");
    for (uint32_t i = 0; i < plan->kernel_count; i++) {
        const msw_plan_kernel *k = &plan->kernels[i];
        ms_text_append(
            text,
            "%s{\"entry\": \"%s\", \"block_threads\": %u, \"subgroup_size\": %u, \"shared_bytes\": %u, \"dynamic_shared_bytes\": %u, \"features\": "
            "%u, \"cooperative\": %s, \"begins_early\": %s, \"live_words\": %u, \"held_words\": %u, \"registers\": %u}",
            i ? ", " : "", k->entry, k->block_threads, k->subgroup_size, k->shared_bytes, k->dynamic_shared_bytes, k->features,
            k->is_cooperative ? "true" : "false", k->begins_early ? "true" : "false", program->registers[i].live_words,
            program->registers[i].held_words, program->registers[i].registers);
    }
    ms_text_append(text, "], \"variants\": [");
    for (uint32_t v = 0; v < plan->variant_count; v++) {
        const msw_plan_variant *variant = &plan->variants[v];
        ms_text_append(text,
                       "%s{\"strategy\": \"%s\", \"n_max\": %" PRIu64 ", \"scratch_bytes\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "], \"steps\": [",
                       v ? ", " : "", variant->strategy, variant->n_max, variant->scratch_base_bytes, variant->scratch_per_block_bytes,
                       variant->scratch_per_tile_bytes);
        append_json_steps(text, plan, variant->first_step, variant->step_count);
        ms_text_append(text,
                       "], \"read_bytes_per_item\": %" PRIu64 ", \"written_bytes_per_item\": %" PRIu64 ", \"read_bytes\": %" PRIu64
                       ", \"written_bytes\": %" PRIu64,
                       variant->read_bytes_per_item, variant->written_bytes_per_item, variant->read_bytes, variant->written_bytes);
        ms_text_append(text, ", \"ping_pong\": %s, \"ends_in_inputs\": %s", variant->is_ping_pong ? "true" : "false",
                       variant->ends_in_inputs ? "true" : "false");
        append_json_least(text, "n_min", least_n(plan, v, 0), variant->n_max);
        append_json_least(text, "n_min_in_place", has_in_place(plan) ? least_n(plan, v, 1) : UINT64_MAX, variant->n_max);
        ms_text_append(text, "}");
    }
    ms_text_append(text, "], \"init_steps\": [");
    append_json_steps(text, plan, plan->step_count - plan->init_step_count, plan->init_step_count);
    ms_text_append(text, "], \"carry_bytes\": %u, \"tuned_by\": [", plan->carry_bytes);
    for (uint32_t r = 0, count = 0; r < 2 * program->part_count; r++) {
        if (!tuning_row(program, r)->is_used) continue;
        if (count++) ms_text_append(text, ", ");
        append_json_note(text, tuning_row(program, r));
    }
    ms_text_append(text, "], \"left_out\": [");
    for (uint32_t r = 0, count = 0; r < 2 * program->part_count; r++) {
        if (tuning_row(program, r)->is_used || !tuning_row(program, r)->is_left_out) continue;
        if (count++) ms_text_append(text, ", ");
        append_json_note(text, tuning_row(program, r));
    }
    ms_text_append(text, "], \"fixed\": ");
    append_json_string(text, program->fixed);
    ms_text_append(text, "}");
}

static const char *written(struct msw_program *program, void (*append)(ms_text *, const struct msw_program *))
{
    ms_text text = {.arena = &program->arena};
    append(&text, program);
    const char *copy = text.failed || !text.data ? NULL : ms_arena_strdup(&program->arena, text.data);
    ms_text_free(&text);
    return copy;
}

/* "items=4 block=64"; NULL: out of memory. */
static const char *list_knobs(ms_arena *arena, const msw_knob *knobs, uint32_t count)
{
    ms_text text = {.arena = arena};
    ms_text_append(&text, "%s", "");
    for (uint32_t k = 0; k < count; k++) ms_text_append(&text, "%s%s=%s", k ? " " : "", knobs[k].name, knobs[k].value);
    const char *copy = text.failed || !text.data ? NULL : ms_arena_strdup(arena, text.data);
    ms_text_free(&text);
    return copy;
}

/* Opaque functions need a text for the backend. */
static msw_result check_sources(const ms_operation *op, const msw_target *target, msw_diag *diag)
{
    const ms_function *functions[MS_MAX_FUNCTIONS];
    for (uint32_t p = 0; op->pipeline && p < ms_operation_part_count(op); p++)
        if (check_sources(ms_operation_part_of(op, p), target, diag)) return MSW_ERROR_UNSUPPORTED;
    const uint32_t count = ms_operation_functions(op, functions);
    const int is_cuda = target->backend == MSW_BACKEND_CUDA, is_host = target->backend == MSW_BACKEND_HOST;
    for (uint32_t i = 0; i < count; i++) {
        const ms_function *f = functions[i];
        if (!f->leaves && is_host)
            return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line, "%s: %s is a source, which has no text in C", op->name, f->name);
        if (f->leaves || (is_cuda ? f->source_cuda : f->source_glsl)) continue;
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line, "%s: %s is a source without a text for %s; add %s = [[..]]", op->name,
                       f->name, is_cuda ? "CUDA" : "Vulkan", is_cuda ? "cuda" : "glsl");
    }
    return MSW_OK;
}

static msw_result build(struct msw_program *program, const msw_spec *spec, const msw_program_desc *desc, const ms_program_watcher *watcher,
                        msw_diag *diag)
{
    const ms_operation *op = &spec->operations[desc->op];
    const msw_target *target = desc->target;
    ms_kernel_shape *shapes = ms_arena_alloc(&program->arena, (op->pipeline ? MSW_MAX_KERNELS : MS_MAX_PART_KERNELS) * sizeof *shapes);
    const ms_target_mode mode = ms_target_mode_of(target);
    if (mode == MS_TARGET_NONE)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0, "kernels are made for Vulkan and CUDA; choose one of them");
    if (target->arch) program->arch = ms_arena_strdup(&program->arena, target->arch);
    program->op = desc->op;
    program->tuning_class = ms_plan_class(ms_operation_part_of(op, 0), target, mode);
    program->tuning_class.arch = program->arch;
    program->shapes = shapes;
    program->part_count = ms_operation_part_count(op);
    program->tunings = ms_arena_alloc(&program->arena, program->part_count * sizeof *program->tunings);
    program->fixed = list_knobs(&program->arena, op->tune, op->tune_count);
    if (!program->tunings || !shapes || !program->fixed || (target->arch && !program->arch))
        return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    msw_result result = check_sources(op, target, diag);
    const ms_plan_wish wish = {target, mode, desc->knobs, desc->knob_count, desc->tuning_name, desc->tuning};
    if (!result) result = ms_plan_parts(&program->arena, op, &wish, program->tunings, &program->plan, shapes, diag);
    if (!result) result = ms_emit(program, op, target, shapes, watcher, diag);
    if (result) return result;
    if (!ms_estimate_registers(&program->arena, shapes, program->plan.kernel_count, program->registers))
        return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    program->summary = written(program, append_summary);
    program->json = written(program, append_json);
    if (!program->summary || !program->json) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

static msw_result read_desc(const msw_spec *spec, const msw_program_desc *given, msw_program_desc *desc, msw_target *target, msw_diag *diag)
{
    if (!spec || !given) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_program_create: %s is NULL", spec ? "desc" : "spec");
    msw_result result = MS_SIZED_READ(msw_program_desc, given, desc, "plan", diag);
    if (!result) result = ms_target_read(desc->target, target, diag);
    if (result) return result;
    desc->target = target;
    if (!ms_spec_has(spec, desc->op))
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_program_create: the spec has no operation %u; it has %u", desc->op,
                       spec->operation_count);
    result = ms_operation_check(&spec->operations[desc->op], diag);
    return result ? result : ms_knobs_check(desc->knobs, desc->knob_count, diag);
}

msw_result ms_program_create(msw_spec *spec, const msw_program_desc *given, const ms_program_watcher *watcher, msw_program **program, msw_diag *diag)
{
    msw_program_desc desc;
    msw_target target;
    if (!program) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_program_create: program is NULL");
    *program = NULL;
    msw_result result = read_desc(spec, given, &desc, &target, diag);
    if (result) return result;
    ms_arena arena;
    ms_arena_init(&arena, &spec->arena.allocator, 0);
    struct msw_program *made = ms_arena_alloc(&arena, sizeof *made);
    if (!made) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    made->arena = arena;
    const ms_c_locale locale = ms_c_locale_enter();
    result = build(made, spec, &desc, watcher, diag);
    ms_c_locale_leave(locale);
    if (result) msw_program_destroy(made);
    else *program = made;
    return result;
}

msw_result msw_program_create(msw_spec *spec, const msw_program_desc *given, msw_program **program, msw_diag *diag)
{
    return ms_program_create(spec, given, NULL, program, diag);
}

void msw_program_destroy(msw_program *program)
{
    if (!program) return;
    ms_arena arena = program->arena; /* the program lies in its own arena */
    ms_arena_free(&arena);
}

const msw_plan *msw_program_plan(const msw_program *program) { return program ? &program->plan : NULL; }

double msw_program_compile_seconds(const msw_program *program, uint32_t index)
{
    return program && index < program->plan.kernel_count ? program->compile_seconds[index] : 0;
}

const char *msw_program_summary(const msw_program *program) { return program ? program->summary : ""; }

const char *msw_program_json(const msw_program *program) { return program ? program->json : ""; }

msw_result msw_program_tuning_class(const msw_program *program, msw_tuning_class *class_, msw_diag *diag)
{
    if (!program || !class_)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_program_tuning_class: %s is NULL", program ? "class" : "program");
    const msw_result result = MS_SIZED_CHECK(msw_tuning_class, class_, "plan", diag);
    if (result) return result;
    const ms_tuning_class *own = &program->tuning_class;
    const msw_tuning_class found = {.bytes = own->bytes, .backend = own->backend, .arch = own->arch, .name = own->name, .fixed = program->fixed};
    ms_sized_write(class_, &found, sizeof found);
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}
