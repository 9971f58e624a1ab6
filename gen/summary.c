/* A plan in words, for people, and in JSON. */
#include "summary.h"
#include "choices.h"

#include <inttypes.h>
#include <string.h>

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void append_step(ms_text *text, const char *before, const struct msw_program *program, const msw_plan_step *step, uint32_t launches,
                        const char *unit)
{
    const msw_plan_kernel *kernel = &program->plan.kernels[step->kernel];
    const ms_geometry *g = &program->shapes[step->kernel].geometry;
    const uint32_t own_tile = g->block * g->items; /* larger where blocks come for less than they take at once */
    ms_text_append(text, "%s%s: ", before, kernel->entry);
    if (launches > 1) ms_text_append(text, "%u launches, ", launches);
    if (step->tile_items > 1)
        ms_text_append(text, "tiles of %s%u %s, ", own_tile > step->tile_items ? "up to " : "",
                       own_tile > step->tile_items ? own_tile : step->tile_items, unit);
    ms_text_append(text, "%s%u block%s of %u threads, subgroup %u, %u bytes shared\n",
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

/* The least n for which a variant serves, in place or not; more than its n_max: it serves none that another does not. */
static uint64_t serves_from(const msw_plan *plan, uint32_t v)
{
    const uint64_t apart = least_n(plan, v, 0), in_place = has_in_place(plan) || plan->carry_bytes ? least_n(plan, v, 1) : UINT64_MAX;
    return in_place < apart ? in_place : apart;
}

static int is_shown(const msw_plan *plan, uint32_t v) { return serves_from(plan, v) <= plan->variants[v].n_max; }

static int has_equal_scratch(const msw_plan_variant *a, const msw_plan_variant *b)
{
    return a->scratch_base_bytes == b->scratch_base_bytes && a->scratch_per_block_bytes == b->scratch_per_block_bytes &&
           a->scratch_per_tile_bytes == b->scratch_per_tile_bytes;
}

static int is_equal_geometry(const msw_plan_step *a, const msw_plan_step *b)
{
    return a->kernel == b->kernel && a->tile_items == b->tile_items && a->max_blocks == b->max_blocks && a->least_blocks == b->least_blocks;
}

/* Whether two variants launch the same up to the same n: they differ in the scratch, and in how outputs lie to inputs. */
static int is_equal_work(const msw_plan *plan, uint32_t v, uint32_t w)
{
    const msw_plan_variant *a = &plan->variants[v], *b = &plan->variants[w];
    if (a->n_max != b->n_max || a->step_count != b->step_count || strcmp(a->strategy, b->strategy) ||
        a->read_bytes_per_item != b->read_bytes_per_item || a->written_bytes_per_item != b->written_bytes_per_item ||
        a->read_bytes != b->read_bytes || a->written_bytes != b->written_bytes)
        return 0;
    for (uint32_t s = 0; s < a->step_count; s++) {
        const msw_plan_step *x = &plan->steps[a->first_step + s], *y = &plan->steps[b->first_step + s];
        if (!is_equal_geometry(x, y) || x->repeats != y->repeats || x->joined != y->joined) return 0;
    }
    return 1;
}

/* The variant whose line comes first of those with equal work: the others are told below it. */
static uint32_t head_of(const msw_plan *plan, uint32_t v)
{
    for (uint32_t u = 0; u < v; u++)
        if (is_shown(plan, u) && is_equal_work(plan, u, v)) return u;
    return v;
}

/* Whether a variant does in place what the one above it, its head, does not in place. */
static int is_in_place_as(const msw_plan *plan, uint32_t v, uint32_t head)
{
    return v != head && head_of(plan, v) == head && is_shown(plan, v) && plan->variants[v].is_ping_pong == plan->variants[head].is_ping_pong &&
           serves_from(plan, v) == serves_from(plan, head);
}

static int has_in_place_below(const msw_plan *plan, uint32_t head)
{
    for (uint32_t v = head + 1; v < plan->variant_count; v++)
        if (is_in_place_as(plan, v, head)) return 1;
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
    else if (has_in_place_below(plan, v)) return;
    else if (apart > variant->n_max) ms_text_append(text, ", %s", shared);
    else if (in_place > variant->n_max) ms_text_append(text, ", not %s", shared);
    else if (apart > in_place) ms_text_append(text, ", %s, or from n = %" PRIu64 " on", shared, apart);
}

static void append_scratch(ms_text *text, const msw_plan *plan, const msw_plan_variant *variant)
{
    const int has_scratch = variant->scratch_base_bytes || variant->scratch_per_block_bytes || variant->scratch_per_tile_bytes;
    if (has_scratch) ms_text_append(text, ", scratch %" PRIu64 " bytes", variant->scratch_base_bytes);
    if (variant->scratch_per_block_bytes) ms_text_append(text, " + %" PRIu64 " a block", variant->scratch_per_block_bytes);
    if (variant->scratch_per_tile_bytes) ms_text_append(text, " + %" PRIu64 " a tile", variant->scratch_per_tile_bytes);
    if (!has_scratch && !plan->stage_count) ms_text_append(text, ", no scratch");
}

/* Of a variant whose work its head does, too: what differs. */
static void append_difference(ms_text *text, const msw_plan *plan, uint32_t v, uint32_t head)
{
    const msw_plan_variant *variant = &plan->variants[v];
    const int differs = !has_equal_scratch(variant, &plan->variants[head]);
    const uint64_t least = serves_from(plan, v);
    if (is_in_place_as(plan, v, head) && !differs) return;
    if (variant->is_ping_pong) ms_text_append(text, "    ping-pong");
    else ms_text_append(text, "    %s", has_in_place(plan) ? "in place" : "with one place for both carries");
    if (least != serves_from(plan, head) && least) ms_text_append(text, ", from n = %" PRIu64 " on", least);
    else if (least != serves_from(plan, head)) ms_text_append(text, ", n <= %" PRIu64, variant->n_max);
    if (variant->is_ping_pong) ms_text_append(text, ", the result in the %s", variant->ends_in_inputs ? "inputs" : "outputs");
    if (differs) append_scratch(text, plan, variant);
    ms_text_append(text, "\n");
}

/* Whether a variant whose steps come before those of v launches a kernel in the same way. */
static int is_told(const msw_plan *plan, uint32_t v, const msw_plan_step *step)
{
    for (uint32_t u = 0; u < v; u++)
        for (uint32_t s = 0; is_shown(plan, u) && s < plan->variants[u].step_count; s++)
            if (is_equal_geometry(&plan->steps[plan->variants[u].first_step + s], step)) return 1;
    return 0;
}

/* A kernel's geometry is told where it comes first. */
static void append_steps(ms_text *text, const struct msw_program *program, uint32_t v)
{
    const msw_plan *plan = &program->plan;
    const msw_plan_variant *variant = &plan->variants[v];
    const msw_plan_step *steps = &plan->steps[variant->first_step];
    int is_listing = 0;
    for (uint32_t s = 0, first = 0; s < variant->step_count; s++) {
        if (s > first + steps[first].joined) first = s;
        const uint32_t launches = 1 + steps[first].repeats;
        if (is_told(plan, v, &steps[s])) {
            ms_text_append(text, "%s%s", is_listing ? ", " : "    as above: ", plan->kernels[steps[s].kernel].entry);
            if (launches > 1) ms_text_append(text, " (%u launches)", launches);
            is_listing = 1;
            continue;
        }
        if (is_listing) ms_text_append(text, "\n");
        is_listing = 0;
        append_step(text, "    ", program, &steps[s], launches, "items");
    }
    if (is_listing) ms_text_append(text, "\n");
}

static void append_variant(ms_text *text, const struct msw_program *program, uint32_t v)
{
    const msw_plan *plan = &program->plan;
    const msw_plan_variant *variant = &plan->variants[v];
    const ms_kernel_shape *last = &program->shapes[plan->steps[variant->first_step + variant->step_count - 1].kernel];
    const uint64_t least = serves_from(plan, v);
    if (least) ms_text_append(text, "  %" PRIu64 " <= n <= %" PRIu64 ": %s", least, variant->n_max, variant->strategy);
    else ms_text_append(text, "  n <= %" PRIu64 ": %s", variant->n_max, variant->strategy);
    append_condition(text, plan, v);
    if ((last->count == MSW_U64 && ms_strategy_has(variant->strategy, MS_LOOKS_BACK)) || last->op->is_wide)
        ms_text_append(text, ", counts of 64 bits");
    if (ms_strategy_has(variant->strategy, MS_LOOKS_BACK | MS_LOOKS_AHEAD) && ms_tallies(last->op, &last->geometry))
        ms_text_append(text, ", counts of a tile two to a word");
    append_scratch(text, plan, variant);
    if (variant->read_bytes_per_item != plan->bytes_read_per_item || variant->written_bytes_per_item != plan->bytes_written_per_item)
        ms_text_append(text, ", %" PRIu64 " byte%s read and %" PRIu64 " written an item", variant->read_bytes_per_item,
                       plural(variant->read_bytes_per_item), variant->written_bytes_per_item);
    if (variant->read_bytes || variant->written_bytes)
        ms_text_append(text, ", and whatever n is %" PRIu64 " byte%s read and %" PRIu64 " written", variant->read_bytes, plural(variant->read_bytes),
                       variant->written_bytes);
    ms_text_append(text, "\n");
    for (uint32_t w = v + 1; w < plan->variant_count; w++)
        if (is_shown(plan, w) && head_of(plan, w) == v) append_difference(text, plan, w, v);
    append_steps(text, program, v);
}

/* Variants with equal work are told together. */
static void append_variants(ms_text *text, const struct msw_program *program)
{
    const msw_plan *plan = &program->plan;
    int takes_turns = 0;
    for (uint32_t v = 0; v < plan->variant_count; v++) takes_turns = takes_turns || plan->variants[v].is_ping_pong;
    if (takes_turns)
        ms_text_append(text, "  each line serves in place (MSW_IN_PLACE), too, unless it says otherwise; "
                             "ping-pong (MSW_PING_PONG): inputs and outputs take turns\n");
    for (uint32_t v = 0; v < plan->variant_count; v++)
        if (is_shown(plan, v) && head_of(plan, v) == v) append_variant(text, program, v);
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

static void append_sum(ms_text *text, uint64_t base_bytes, uint64_t per_tile_bytes, uint32_t tile_items)
{
    ms_text_append(text, "%" PRIu64 " bytes", base_bytes);
    if (per_tile_bytes) ms_text_append(text, " + %" PRIu64 " for %u items", per_tile_bytes, tile_items);
}

/* What a pipeline has in its scratch. Arrays, and what stages hold while they run, share places where they are not needed at the same time. */
static void append_stages(ms_text *text, const msw_plan *plan)
{
    for (uint32_t s = 0; s < plan->stage_count; s++) {
        const msw_plan_stage *stage = &plan->stages[s];
        ms_text_append(text, "  stage %s", stage->name);
        if (stage->length != MSW_LENGTH_N && !stage->counted_by) ms_text_append(text, " of %" PRIu64 " elements", msw_elements(stage->length, 0));
        if (stage->counted_by) ms_text_append(text, " of as many elements as %s says", plan->buffers[stage->counted_by - 1].name);
        if (stage->length != MSW_LENGTH_N && stage->counted_by) ms_text_append(text, ", at most %" PRIu64, msw_elements(stage->length, 0));
        ms_text_append(text, ": scratch ");
        append_sum(text, stage->scratch_base_bytes, stage->scratch_per_tile_bytes, stage->scratch_tile_items);
        if (stage->temporary_base_bytes || stage->temporary_per_tile_bytes) {
            ms_text_append(text, "; while it runs ");
            append_sum(text, stage->temporary_base_bytes, stage->temporary_per_tile_bytes, stage->temporary_tile_items);
            ms_text_append(text, " in place %u", stage->place);
        }
        ms_text_append(text, "\n");
    }
    for (uint32_t b = plan->buffer_count; b < plan->buffer_count + plan->between_count; b++) {
        const msw_plan_buffer *array = &plan->buffers[b];
        ms_text_append(text, "  between stages: %s, ", array->name);
        if (array->length == MSW_LENGTH_ONE) ms_text_append(text, "one element");
        else if (array->length == MSW_LENGTH_N) ms_text_append(text, "n elements");
        else ms_text_append(text, "%" PRIu64 " elements", msw_elements(array->length, 0));
        ms_text_append(text, " of %u byte%s", array->element_bytes, plural(array->element_bytes));
        ms_text_append(text, ", in place %u\n", array->place);
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

void ms_append_summary(ms_text *text, const struct msw_program *program)
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
    append_variants(text, program);
    for (uint32_t s = plan->step_count - plan->init_step_count; s < plan->step_count; s++)
        append_step(text, "  once, before the scratch is used: ", program, &plan->steps[s], 1, "bytes");
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
        ms_text_append(text, "%s{\"kernel\": %u, \"tile_items\": %u, \"max_blocks\": %u, \"least_blocks\": %u, \"dispatches\": %u, \"joined\": %u",
                       s ? ", " : "", step->kernel, step->tile_items, step->max_blocks, step->least_blocks ? step->least_blocks : 1,
                       step->repeats + 1, step->joined);
        if (plan->stage_count && first + s < plan->step_count - plan->init_step_count) ms_text_append(text, ", \"stage\": %u", step->stage);
        ms_text_append(text, "}");
    }
}

/* null: a variant is taken for no n. */
static void append_json_least(ms_text *text, const char *name, uint64_t least, uint64_t n_max)
{
    if (least <= n_max) ms_text_append(text, ", \"%s\": %" PRIu64, name, least);
    else ms_text_append(text, ", \"%s\": null", name);
}

/* Without the bracket at its end. */
static void append_json_array(ms_text *text, const msw_plan *plan, const msw_plan_buffer *b)
{
    const int by = msw_counted_by(b->length);
    ms_text_append(text, "{\"name\": \"%s\", \"element_bytes\": %u, \"alignment_bytes\": %u, \"length\": \"", b->name, b->element_bytes,
                   b->alignment_bytes);
    if (by >= 0) ms_text_append(text, "%s%s", b->length >= MSW_LENGTH_REST ? "n - " : "", plan->buffers[by].name);
    else if (msw_given_by(b->length) >= 0)
        ms_text_append(text, "%s%s", plan->buffers[msw_given_by(b->length)].name, b->length < MSW_LENGTH_OFFSETS ? "" : " + 1");
    else if (b->length == MSW_LENGTH_N || b->length == MSW_LENGTH_SCATTERED) ms_text_append(text, "n");
    else ms_text_append(text, "%" PRIu64, msw_elements(b->length, 0));
    ms_text_append(text, "\"");
}

/* Of a pipeline. A stage's arrays come in the order of its operation's buffers, without outputs that nobody reads. */
static void append_json_stages(ms_text *text, const msw_plan *plan)
{
    for (uint32_t s = 0; s < plan->stage_count; s++) {
        const msw_plan_stage *stage = &plan->stages[s];
        ms_text_append(text, "%s{\"name\": \"%s\", \"length\": \"", s ? ", " : ", \"stages\": [", stage->name);
        if (stage->length == MSW_LENGTH_N) ms_text_append(text, "n\"");
        else ms_text_append(text, "%" PRIu64 "\"", msw_elements(stage->length, 0));
        if (stage->counted_by) ms_text_append(text, ", \"counted_by\": \"%s\"", plan->buffers[stage->counted_by - 1].name);
        ms_text_append(text,
                       ", \"scratch_base_bytes\": %" PRIu64 ", \"scratch_per_tile_bytes\": %" PRIu64 ", \"scratch_tile_items\": %u"
                       ", \"temporary_base_bytes\": %" PRIu64 ", \"temporary_per_tile_bytes\": %" PRIu64 ", \"temporary_tile_items\": %u",
                       stage->scratch_base_bytes, stage->scratch_per_tile_bytes, stage->scratch_tile_items, stage->temporary_base_bytes,
                       stage->temporary_per_tile_bytes, stage->temporary_tile_items);
        if (stage->temporary_base_bytes || stage->temporary_per_tile_bytes) ms_text_append(text, ", \"place\": %u", stage->place);
        ms_text_append(text, ", \"arrays\": [");
        for (uint32_t b = 0, count = 0; b < MSW_MAX_KERNEL_BUFFERS; b++)
            if (stage->arrays[b] != MSW_NO_ARRAY) ms_text_append(text, "%s\"%s\"", count++ ? ", " : "", plan->buffers[stage->arrays[b]].name);
        ms_text_append(text, "]}%s", s + 1 == plan->stage_count ? "], \"between\": [" : "");
    }
    for (uint32_t b = plan->buffer_count; b < plan->buffer_count + plan->between_count; b++) {
        const msw_plan_buffer *array = &plan->buffers[b];
        ms_text_append(text, "%s", b > plan->buffer_count ? ", " : "");
        append_json_array(text, plan, array);
        ms_text_append(text, ", \"place\": %u}", array->place);
    }
    if (plan->stage_count) ms_text_append(text, "]");
}

void ms_append_json(ms_text *text, const struct msw_program *program)
{
    const msw_plan *plan = &program->plan;
    ms_text_append(text, "{\"format\": %u, \"name\": \"%s\", \"buffers\": [", plan->format, plan->name);
    for (uint32_t i = 0; i < plan->buffer_count; i++) {
        const msw_plan_buffer *b = &plan->buffers[i];
        ms_text_append(text, "%s", i ? ", " : "");
        append_json_array(text, plan, b);
        ms_text_append(text, "%s, \"output\": %s%s}", msw_is_scattered(b->length) && !plan->stage_count ? ", \"scattered\": true" : "",
                       b->role == MSW_ROLE_OUT ? "true" : "false", b->role == MSW_ROLE_UNIFORM ? ", \"uniform\": true" : "");
    }
    ms_text_append(text, "], \"kernels\": [");
    for (uint32_t i = 0; i < plan->kernel_count; i++) {
        const msw_plan_kernel *k = &plan->kernels[i];
        ms_text_append(
            text,
            "%s{\"entry\": \"%s\", \"block_threads\": %u, \"subgroup_size\": %u, \"shared_bytes\": %u, \"dynamic_shared_bytes\": %u, \"features\": "
            "%u, \"cooperative\": %s, \"begins_early\": %s, \"cluster_blocks\": %u, \"live_words\": %u, \"held_words\": %u, \"registers\": %u}",
            i ? ", " : "", k->entry, k->block_threads, k->subgroup_size, k->shared_bytes, k->dynamic_shared_bytes, k->features,
            k->is_cooperative ? "true" : "false", k->begins_early ? "true" : "false", k->cluster_blocks, program->registers[i].live_words,
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
    append_json_stages(text, plan);
    ms_text_append(text, "}");
}
