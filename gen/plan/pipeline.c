/* Plans of pipelines: each operation by its own planner, all in one plan. Where n decides between variants of some operation, it does so between
 * variants of the whole, whose steps are those of all operations, one after another. */
#include "choices.h"
#include "cut/cut.h"
#include "diag.h"
#include "planning.h"

#include <stdlib.h>
#include <string.h>

/* Of a stage: so many, and so many a tile. */
typedef struct stage_bytes {
    uint64_t base, per_tile;
    uint32_t tile_items;
} stage_bytes;

typedef struct composing {
    ms_arena *arena;
    const ms_operation *op;
    const ms_plan_wish *wish;
    msw_plan *plan;          /* the whole */
    ms_kernel_shape *shapes; /* of its kernels */
    msw_plan parts[MSW_MAX_STAGES];
    ms_kernel_shape *part_shapes[MSW_MAX_STAGES];
    uint32_t numbers[MSW_MAX_STAGES][MS_MAX_PART_KERNELS]; /* of parts' kernels in the whole, plus 1; 0: it is not in it */
    stage_bytes kept[MSW_MAX_STAGES], temporary[MSW_MAX_STAGES];
} composing;

static msw_result no_memory(msw_diag *diag) { return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory"); }

static msw_result too_many(const composing *c, const char *what, uint32_t most, msw_diag *diag)
{
    return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", c->op->file, c->op->line, "%s: its operations have more than %u %s; make two pipelines of it",
                   c->op->name, most, what);
}

/* ---- the parts ---- */

/* The operation's own knobs, then the caller's: of a pipeline's operation those that concern it. */
static uint32_t choose_knobs(const ms_operation *op, const ms_plan_wish *wish, int is_part, msw_knob *knobs)
{
    char fault[MS_FAULT_BYTES];
    uint32_t count = 0;
    for (uint32_t k = 0; k < op->tune_count; k++) knobs[count++] = op->tune[k];
    for (uint32_t k = 0; k < wish->knob_count; k++)
        if (!is_part || !ms_knob_fault(op->kind, wish->knobs[k].name, wish->knobs[k].value, fault)) knobs[count++] = wish->knobs[k];
    return count;
}

/* A knob that concerns no operation is a slip. */
static msw_result check_knobs(const ms_operation *op, const ms_plan_wish *wish, msw_diag *diag)
{
    char fault[MS_FAULT_BYTES];
    for (uint32_t k = 0; op->pipeline && k < wish->knob_count; k++) {
        const msw_knob *knob = &wish->knobs[k];
        uint32_t p = 0;
        while (p < ms_operation_part_count(op) && ms_knob_fault(ms_operation_part_of(op, p)->kind, knob->name, knob->value, fault)) p++;
        if (p == ms_operation_part_count(op))
            return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "%s: knob %s = %s: %s", op->name, knob->name, knob->value, fault);
    }
    return MSW_OK;
}

static msw_result plan_part(ms_arena *arena, const ms_operation *op, const ms_plan_wish *wish, int is_part, ms_tuning *tuning, msw_plan *plan,
                            ms_kernel_shape *shapes, msw_diag *diag)
{
    msw_knob *knobs = ms_arena_alloc(arena, (op->tune_count + wish->knob_count + 1) * sizeof *knobs);
    if (!knobs) return no_memory(diag);
    const uint32_t count = choose_knobs(op, wish, is_part, knobs);
    const char *strategy = ms_knobs_strategy(knobs, count);
    msw_target target = *wish->target;
    if (is_part) target.max_cluster_blocks = 1; /* a device may have no room for one, whatever other stages do */
    const ms_tuning_class class_ = ms_plan_class(op, &target, wish->mode);
    msw_result result = MSW_OK;
    if (wish->mode != MS_TARGET_LOOP) result = ms_tuning_find(arena, &class_, &target, strategy, wish->tuning_name, wish->tuning, tuning, diag);
    return result ? result : ms_plan(arena, op, &target, wish->mode, knobs, count, tuning, plan, shapes, diag);
}

/* ---- the whole ---- */

/* The first of a part's variants that serves n, with outputs apart from inputs. */
static const msw_plan_variant *serving(const msw_plan *part, uint64_t n)
{
    for (uint32_t v = 0; v < part->variant_count; v++)
        if (!part->variants[v].is_ping_pong && n <= part->variants[v].n_max) return &part->variants[v];
    return NULL;
}

static uint64_t n_max_of(const msw_plan *part)
{
    uint64_t most = 0;
    for (uint32_t v = 0; v < part->variant_count; v++)
        if (!part->variants[v].is_ping_pong && part->variants[v].n_max > most) most = part->variants[v].n_max;
    return most;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* The most elements that a stage has in a pipeline over n. */
static uint64_t elements_of(const composing *c, uint32_t s, uint64_t n) { return msw_elements(c->op->pipeline->stages[s].length, n); }

static int has_n(const composing *c, uint32_t s) { return c->op->pipeline->stages[s].length == MSW_LENGTH_N; }

/* UNSUPPORTED where a stage has a number of elements of its own that is too large for the target. */
static msw_result check_lengths(const composing *c, msw_diag *diag)
{
    for (uint32_t s = 0; s < c->op->pipeline->stage_count; s++) {
        const uint64_t length = elements_of(c, s, 0);
        if (has_n(c, s) || serving(&c->parts[s], length)) continue;
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", c->op->file, c->op->pipeline->stages[s].op->line,
                       "%s: %s is over %llu elements, but no more than %llu can be planned; take a smaller length or capacity", c->op->name,
                       c->op->pipeline->stages[s].op->name, (unsigned long long)length, (unsigned long long)n_max_of(&c->parts[s]));
    }
    return MSW_OK;
}

/* The n_max of the whole's variants, the largest first: where a part over n elements has another variant. Of several that are less than twice apart
 * the least is one, and n beyond it up to the others are served by what larger n have: of 2^32 - 1 and of what counters of 32 bits count, some
 * thousand n. The last is all that the parts serve. Where there are more than a plan has variants, the least are left out. */
static uint32_t list_bounds(const composing *c, uint64_t bounds[MSW_MAX_VARIANTS])
{
    uint64_t all[MSW_MAX_STAGES * MSW_MAX_VARIANTS + 1], n_max = UINT64_MAX;
    uint32_t count = 0, kept = 0, taken = 0;
    for (uint32_t s = 0; s < c->op->pipeline->stage_count; s++)
        if (has_n(c, s)) n_max = ms_least(n_max, n_max_of(&c->parts[s]));
    n_max = ms_least(n_max, INT64_MAX); /* nothing is over n elements */
    for (uint32_t s = 0; s < c->op->pipeline->stage_count; s++)
        for (uint32_t v = 0; has_n(c, s) && v < c->parts[s].variant_count; v++)
            if (!c->parts[s].variants[v].is_ping_pong) all[count++] = ms_least(n_max, c->parts[s].variants[v].n_max);
    qsort(all, count, sizeof *all, ascending);
    for (uint32_t b = 0; b < count; b++)
        if (!kept || all[b] / 2 >= all[kept - 1]) all[kept++] = all[b];
    if (!kept || all[kept - 1] < n_max) all[kept++] = n_max;
    while (taken < kept && taken < MSW_MAX_VARIANTS) {
        bounds[taken] = all[kept - 1 - taken];
        taken++;
    }
    return taken;
}

/* The number in the whole of a part's kernel. */
static msw_result add_kernel(composing *c, uint32_t s, uint32_t kernel, uint32_t *number, msw_diag *diag)
{
    msw_plan *plan = c->plan;
    if (!c->numbers[s][kernel]) {
        const msw_plan_kernel *of_part = &c->parts[s].kernels[kernel];
        if (plan->kernel_count == MSW_MAX_KERNELS) return too_many(c, "kernels", MSW_MAX_KERNELS, diag);
        ms_text entry = {.arena = c->arena};
        ms_text_append(&entry, "%s_%s", c->op->pipeline->stages[s].op->name, of_part->entry);
        plan->kernels[plan->kernel_count] = *of_part;
        plan->kernels[plan->kernel_count].entry = entry.failed ? NULL : ms_arena_strdup(c->arena, entry.data);
        ms_text_free(&entry);
        if (!plan->kernels[plan->kernel_count].entry) return no_memory(diag);
        c->shapes[plan->kernel_count] = c->part_shapes[s][kernel];
        if (!c->shapes[plan->kernel_count].op) c->shapes[plan->kernel_count].op = c->op->pipeline->stages[s].op;
        c->shapes[plan->kernel_count].arrays = c->op->pipeline->stages[s].arrays;
        c->numbers[s][kernel] = ++plan->kernel_count;
    }
    *number = c->numbers[s][kernel] - 1;
    return MSW_OK;
}

static msw_result add_steps(composing *c, uint32_t s, const msw_plan_variant *variant, msw_diag *diag)
{
    for (uint32_t i = 0; i < variant->step_count; i++) {
        msw_plan_step *step = &c->plan->steps[c->plan->step_count];
        if (c->plan->step_count == MSW_MAX_STEPS - 1) return too_many(c, "steps", MSW_MAX_STEPS, diag); /* one zeroes the scratch */
        *step = c->parts[s].steps[variant->first_step + i];
        step->stage = s;
        const msw_result result = add_kernel(c, s, step->kernel, &step->kernel, diag);
        if (result) return result;
        c->plan->step_count++;
    }
    return MSW_OK;
}

/* Makes room for what a variant needs for up to n_max. All tiles of one whose n are few are counted to the base: those of others are larger. */
static void add_bytes(stage_bytes *room, uint64_t base, uint64_t per_tile, uint32_t tile_items, uint64_t n_max)
{
    const uint64_t tiles = n_max / tile_items + 1;
    if (per_tile && tiles <= base / per_tile) base += per_tile * tiles, per_tile = 0;
    base += per_tile; /* another variant's tiles may end before the last of these */
    if (base > room->base) room->base = base;
    if (per_tile * room->tile_items <= room->per_tile * tile_items) return;
    room->per_tile = per_tile;
    room->tile_items = tile_items;
}

/* A stage keeps what is zeroed before its first launch, but for what the variant says; where nothing is, it keeps nothing. */
static void add_scratch(stage_bytes *kept, stage_bytes *temporary, const msw_plan *part, const msw_plan_variant *variant)
{
    const uint32_t tile = part->steps[variant->first_step].tile_items;
    uint64_t blocks = 0, per_tile = variant->scratch_per_tile_bytes - variant->temporary_per_tile_bytes, base = variant->scratch_base_bytes;
    for (uint32_t s = 0; s < variant->step_count; s++)
        if (part->steps[variant->first_step + s].max_blocks > blocks) blocks = part->steps[variant->first_step + s].max_blocks;
    if (blocks <= 1 << 20) base += variant->scratch_per_block_bytes * blocks;
    else per_tile += variant->scratch_per_block_bytes; /* a block a tile */
    if (part->init_step_count) {
        add_bytes(kept, base, per_tile, tile, variant->n_max);
        add_bytes(temporary, 0, variant->temporary_per_tile_bytes, tile, variant->n_max);
    } else {
        add_bytes(temporary, base, per_tile + variant->temporary_per_tile_bytes, tile, variant->n_max);
    }
}

/* Bytes an element that a sort stores nowhere at the end: outputs that nobody reads, of which maps make others. */
static uint32_t unread_bytes(const ms_stage *stage)
{
    const ms_operation *op = stage->op;
    uint32_t bytes = 0;
    for (uint32_t b = 0; op->key.image && op->output_map && b < op->first_result; b++)
        if (stage->arrays[b] == MSW_NO_ARRAY) bytes += op->buffer_types[b]->info.size_bytes;
    return bytes;
}

static msw_result add_variant(composing *c, uint64_t n_max, msw_diag *diag)
{
    msw_plan *plan = c->plan;
    msw_plan_variant *whole = &plan->variants[plan->variant_count++];
    *whole = (msw_plan_variant){.n_max = n_max, .first_step = plan->step_count, .strategy = "stages"};
    for (uint32_t s = 0; s < plan->stage_count; s++) {
        const uint64_t elements = elements_of(c, s, n_max);
        const msw_plan_variant *variant = serving(&c->parts[s], elements);
        const msw_result result = add_steps(c, s, variant, diag);
        if (result) return result;
        add_scratch(&c->kept[s], &c->temporary[s], &c->parts[s], variant);
        *(has_n(c, s) ? &whole->read_bytes_per_item : &whole->read_bytes) += variant->read_bytes_per_item * (has_n(c, s) ? 1 : elements);
        *(has_n(c, s) ? &whole->written_bytes_per_item : &whole->written_bytes) +=
            (variant->written_bytes_per_item - unread_bytes(&c->op->pipeline->stages[s])) * (has_n(c, s) ? 1 : elements);
    }
    whole->step_count = plan->step_count - whole->first_step;
    return MSW_OK;
}

static void add_stages(const composing *c)
{
    const ms_pipeline *pipeline = c->op->pipeline;
    msw_plan *plan = c->plan;
    plan->stage_count = pipeline->stage_count;
    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        const ms_stage *stage = &pipeline->stages[s];
        plan->stages[s] = (msw_plan_stage){.name = stage->op->name, .length = stage->length, .counted_by = stage->counted_by};
        memcpy(plan->stages[s].arrays, stage->arrays, sizeof stage->arrays);
    }
    plan->between_count = pipeline->array_count - plan->buffer_count;
    for (uint32_t a = plan->buffer_count; a < pipeline->array_count; a++) {
        const ms_pipeline_array *array = &pipeline->arrays[a];
        plan->buffers[a] = (msw_plan_buffer){.name = array->name,
                                             .element_bytes = array->type->info.size_bytes,
                                             .alignment_bytes = array->type->info.alignment_bytes,
                                             .length = array->length,
                                             .role = MSW_ROLE_OUT};
    }
}

static void add_stage_bytes(composing *c)
{
    for (uint32_t s = 0; s < c->plan->stage_count; s++) {
        msw_plan_stage *stage = &c->plan->stages[s];
        const stage_bytes *kept = &c->kept[s], *temporary = &c->temporary[s];
        stage->scratch_base_bytes = kept->base;
        stage->scratch_per_tile_bytes = kept->per_tile;
        stage->scratch_tile_items = kept->tile_items;
        stage->temporary_base_bytes = temporary->base;
        stage->temporary_per_tile_bytes = temporary->per_tile;
        stage->temporary_tile_items = temporary->tile_items;
    }
}

/* ---- places in the scratch ---- */

/* How many elements there are when it is asked what is large: as many as cuts are chosen for. */
enum { MANY = 1 << 28 };

/* The stages that write and read an array between them. */
static ms_lifetime lifetime_of(const ms_pipeline *pipeline, uint32_t array)
{
    const ms_pipeline_array *a = &pipeline->arrays[array];
    ms_lifetime lifetime = {array, UINT32_MAX, 0, (double)msw_elements(a->length, MANY) * a->type->info.size_bytes};
    for (uint32_t s = 0; s < pipeline->stage_count; s++)
        for (uint32_t b = 0; b < MSW_MAX_KERNEL_BUFFERS; b++) {
            if (pipeline->stages[s].arrays[b] != array) continue;
            if (lifetime.first == UINT32_MAX) lifetime.first = s;
            lifetime.last = s;
        }
    /* Single values are kept: they are small, and each has a place of its own. */
    if (a->length == MSW_LENGTH_ONE) lifetime.first = 0, lifetime.last = UINT32_MAX;
    return lifetime;
}

/* What lies in the scratch while stages run: arrays by their number, behind them what stages hold. */
enum { FIRST_HELD = MSW_MAX_BUFFERS, MOST_PLACED = MSW_MAX_BUFFERS + MSW_MAX_STAGES };

static uint32_t list_lifetimes(const composing *c, uint32_t length, ms_lifetime lifetimes[MOST_PLACED])
{
    const ms_pipeline *pipeline = c->op->pipeline;
    uint32_t count = 0;
    for (uint32_t a = c->plan->buffer_count; a < pipeline->array_count; a++)
        if (pipeline->arrays[a].length == length) lifetimes[count++] = lifetime_of(pipeline, a);
    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        const stage_bytes *held = &c->temporary[s];
        const double bytes = (double)held->base + (double)held->per_tile * (double)elements_of(c, s, MANY) / held->tile_items;
        if (bytes > 0 && pipeline->stages[s].length == length) lifetimes[count++] = (ms_lifetime){FIRST_HELD + s, s, s, bytes};
    }
    return count;
}

/* What is of one length shares places from `places` on, where it is not needed at the same time: n changes little in what is larger. Returns how many
 * places there are then. */
static uint32_t share_places_of(const composing *c, uint32_t length, uint32_t places)
{
    ms_lifetime lifetimes[MOST_PLACED];
    uint32_t slots[MOST_PLACED];
    const uint32_t count = list_lifetimes(c, length, lifetimes), slot_count = ms_share_slots(lifetimes, count, slots);
    for (uint32_t l = 0; l < count; l++) {
        const uint32_t value = lifetimes[l].value;
        *(value < FIRST_HELD ? &c->plan->buffers[value].place : &c->plan->stages[value - FIRST_HELD].place) = places + slots[value];
    }
    return places + slot_count;
}

/* At most as many as there are arrays and stages. */
static void share_places(const composing *c)
{
    const ms_pipeline *pipeline = c->op->pipeline;
    uint32_t lengths[MOST_PLACED], count = 0, places = 0;
    for (uint32_t i = c->plan->buffer_count; i < pipeline->array_count + pipeline->stage_count; i++) {
        const uint32_t length = i < pipeline->array_count ? pipeline->arrays[i].length : pipeline->stages[i - pipeline->array_count].length;
        uint32_t known = 0;
        while (known < count && lengths[known] != length) known++;
        if (known < count) continue;
        lengths[count++] = length;
        places = share_places_of(c, length, places);
    }
}

/* One kernel zeroes what all stages keep. */
static msw_result add_initialisation(composing *c, msw_diag *diag)
{
    msw_plan *plan = c->plan;
    for (uint32_t s = 0; s < plan->stage_count; s++) {
        const msw_plan *part = &c->parts[s];
        if (!part->init_step_count) continue;
        if (plan->kernel_count == MSW_MAX_KERNELS) return too_many(c, "kernels", MSW_MAX_KERNELS, diag);
        const msw_plan_step *step = &part->steps[part->step_count - 1];
        c->shapes[plan->kernel_count] = c->part_shapes[s][step->kernel];
        c->shapes[plan->kernel_count].op = c->op->pipeline->stages[s].op;
        c->shapes[plan->kernel_count].arrays = c->op->pipeline->stages[s].arrays;
        plan->kernels[plan->kernel_count] = part->kernels[step->kernel];
        plan->steps[plan->step_count] = *step;
        plan->steps[plan->step_count++].kernel = plan->kernel_count++;
        plan->init_step_count = 1;
        return MSW_OK;
    }
    return MSW_OK;
}

static msw_result compose(composing *c, ms_tuning *tunings, msw_diag *diag)
{
    msw_plan *plan = c->plan;
    uint64_t bounds[MSW_MAX_VARIANTS];
    *plan = (msw_plan){.format = MSW_PLAN_FORMAT, .backend = c->wish->target->backend, .scratch_alignment_bytes = 16};
    plan->name = ms_arena_strdup(c->arena, c->op->name);
    if (!plan->name) return no_memory(diag);
    ms_plan_describe_buffers(c->op, plan);
    add_stages(c);
    for (uint32_t s = 0; s < plan->stage_count; s++) {
        c->part_shapes[s] = ms_arena_alloc(c->arena, MS_MAX_PART_KERNELS * sizeof **c->part_shapes);
        if (!c->part_shapes[s]) return no_memory(diag);
        const msw_result result = plan_part(c->arena, c->op->pipeline->stages[s].op, c->wish, 1, &tunings[s], &c->parts[s], c->part_shapes[s], diag);
        if (result) return result;
    }
    const msw_result fault = check_lengths(c, diag);
    if (fault) return fault;
    for (uint32_t s = 0; s < plan->stage_count; s++) c->kept[s] = c->temporary[s] = (stage_bytes){.tile_items = 1};
    for (uint32_t b = list_bounds(c, bounds); b-- > 0;) {
        const msw_result result = add_variant(c, bounds[b], diag);
        if (result) return result;
    }
    add_stage_bytes(c);
    share_places(c);
    return add_initialisation(c, diag);
}

msw_result ms_plan_parts(ms_arena *arena, const ms_operation *op, const ms_plan_wish *wish, ms_tuning *tunings, msw_plan *plan,
                         ms_kernel_shape *shapes, msw_diag *diag)
{
    if (!op->pipeline) return plan_part(arena, op, wish, 0, tunings, plan, shapes, diag);
    if (wish->mode == MS_TARGET_LOOP)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line, "%s: a pipeline has no loop in C", op->name);
    msw_result result = check_knobs(op, wish, diag);
    if (result) return result;
    composing *c = ms_arena_alloc(arena, sizeof *c);
    if (!c) return no_memory(diag);
    c->arena = arena;
    c->op = op;
    c->wish = wish;
    c->plan = plan;
    c->shapes = shapes;
    return compose(c, tunings, diag);
}
