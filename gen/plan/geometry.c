#include "planner.h"
#include "choices.h"
#include "diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ms_has_short_loops(const msw_target *target) { return target->backend == MSW_BACKEND_VULKAN && !(target->features & MSW_FEATURE_LONG_LOOPS); }

int ms_is_cpu_driver(const msw_target *target) { return ms_has_short_loops(target) || target->is_cpu; }

static uint32_t at_most(uint32_t value, uint32_t limit) { return value < limit ? value : limit; }

static uint32_t at_least(uint32_t value, uint32_t limit) { return value > limit ? value : limit; }

static uint32_t register_layout(const ms_type *type, uint32_t *alignment)
{
    uint32_t bytes = 0, part_alignment;
    if (type->kind == MS_TYPE_SCALAR) return *alignment = at_least(ms_scalar_bytes(type->scalar), 4);
    if (type->kind == MS_TYPE_VEC) return type->vec_length * register_layout(type->element, alignment);
    *alignment = 4;
    for (uint32_t f = 0; f < type->field_count; f++) {
        const uint32_t part_bytes = register_layout(type->fields[f].type, &part_alignment);
        bytes = ms_round_up(bytes, part_alignment) + part_bytes;
        *alignment = at_least(*alignment, part_alignment);
    }
    return ms_round_up(bytes, *alignment);
}

uint32_t ms_register_bytes(const ms_type *type)
{
    uint32_t alignment;
    return register_layout(type, &alignment);
}

msw_result ms_knobs_check(const msw_knob *knobs, uint32_t count, msw_diag *diag)
{
    if (count && !knobs) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "knobs is NULL; give %u, or set knob_count to 0", count);
    for (uint32_t i = 0; i < count; i++)
        if (!knobs[i].name || !knobs[i].value)
            return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "knobs[%u] has no name or no value; give both", i);
    return MSW_OK;
}

int ms_is_roomy(const msw_target *target) { return target->backend == MSW_BACKEND_CUDA && target->shared_bytes >= 160 << 10; }

/* templates/parts/block.tpl, backends' shuffles without subgroup operations. */
uint32_t ms_block_values(const ms_geometry *g)
{
    uint32_t count = g->block / g->subgroup, totals = 0;
    if (g->subgroup == 1) return g->block;
    for (; count > g->subgroup; count = (count + g->subgroup - 1) / g->subgroup) totals += count;
    return totals + count;
}

static int is_lookahead(const char *strategy) { return ms_strategy_has(strategy, MS_LOOKS_AHEAD); }

enum { BALANCED_LEVELS = 32 }; /* templates/parts/balanced.tpl */

/* templates/parts/segment_numbers.tpl */
static uint32_t numbers_bytes(const ms_operation *op, const ms_geometry *g) { return op->segments ? (g->block * g->items + 1) * 4 : 0; }

/* Without subgroup operations tallies are exchanged, too: a word for two counters, in the place of one each. */
static uint32_t tally_bytes(const ms_operation *op, const ms_geometry *g)
{
    const uint32_t counters = g->subgroup == 1 ? ms_tallies(op, g) : 0, each = op->is_wide ? 8 : 4;
    return counters ? ms_register_bytes(op->monoid->type) - counters * each + (counters + 1) / 2 * 4 : 0;
}

/* templates/scan/segment_begins.tpl: of a tile, a bit for each item. */
static uint32_t begins_bytes(const ms_geometry *g) { return (g->block * g->items / 32 + g->items / 32 + 2) * 4; }

/* And templates/scan/lookback.tpl, templates/scan/expand.tpl or templates/parts/balanced.tpl, without segments by offsets. */
static uint32_t fold_bytes(const ms_operation *op, const ms_geometry *g)
{
    const uint32_t value = ms_register_bytes(op->monoid->type);
    const uint32_t subgroups = g->subgroup == 1 ? 1 : g->block / g->subgroup; /* without subgroup operations the block is one */
    const uint32_t lengths = op->item ? 4 * subgroups : 0;                    /* templates/scan/tile_lengths.tpl */
    return ms_block_values(g) * (value + tally_bytes(op, g)) + 12 + 2 * value + lengths + 3 * ms_levels_bytes(op) + ms_items_bytes(op, g) +
           ms_packed_bytes(op, g);
}

/* Look-ahead has bits in the place of numbers. */
uint32_t ms_fold_shared_bytes(const ms_operation *op, const ms_geometry *g)
{
    return fold_bytes(op, g) + (is_lookahead(g->strategy) ? 0 : numbers_bytes(op, g) + ms_parked_bytes(op, g));
}

/* templates/scan/lookback.tpl: of each subgroup and of the tile; of the next tile, too. */
uint32_t ms_parked_bytes(const ms_operation *op, const ms_geometry *g)
{
    return g->parks ? (g->ahead ? 2 : 1) * (g->block / g->subgroup + 1) * ms_register_bytes(op->monoid->type) : 0;
}

uint32_t ms_levels_bytes(const ms_operation *op) { return ms_operation_is_balanced(op) ? BALANCED_LEVELS * ms_register_bytes(op->monoid->type) : 0; }

uint32_t ms_starts_bytes(const ms_operation *op, const ms_geometry *g)
{
    const int has_places = ms_strategy_has(g->strategy, MS_BY_ELEMENT); /* templates/scan/expand.tpl: places, or marks of two tiles' items */
    const uint32_t arrays = 1 + (has_places ? 1 : g->subgroup > 1 && !op->is_wide ? 2 : 0);
    return op->item ? arrays * g->block * g->items * (op->is_wide ? 8 : 4) : 0;
}

/* Items of two tiles, as long as several blocks have room in a multiprocessor. */
enum { STAGED_TILES = 2, STAGED_BYTES = 24 << 10, LONG_ITEMS = 9, PIECES = 34 }; /* templates/scan/staged_items.tpl */

uint32_t ms_staged_items(const ms_operation *op, const ms_geometry *g)
{
    const uint32_t tile = g->block * g->items;
    const int looks_back = !g->strategy || ms_strategy_has(g->strategy, MS_LOOKS_BACK);
    if (!op->item || op->is_wide || !g->packs || g->subgroup == 1 || !looks_back || op->input->info.leaf_count == 0 || tile > INT16_MAX) return 0;
    return at_least(g->subgroup, at_most(STAGED_TILES * tile, STAGED_BYTES / ms_register_bytes(op->output)));
}

uint32_t ms_staged_bytes(const ms_operation *op, const ms_geometry *g, int has_narrow_types)
{
    const uint32_t items = ms_staged_items(op, g), start = has_narrow_types ? 2 : 4;
    const uint32_t item = has_narrow_types ? op->output->info.size_bytes : ms_register_bytes(op->output);
    if (!items) return 0;
    return ms_round_up((g->block * g->items + 1) * start, 16) + ms_round_up(items * item, 4) + 4 * (items / LONG_ITEMS + PIECES + 1);
}

uint32_t ms_items_bytes(const ms_operation *op, const ms_geometry *g)
{
    return at_least(ms_starts_bytes(op, g), ms_staged_bytes(op, g, 0)); /* a plan has kernels of both kinds */
}

uint32_t ms_descriptor_bytes(uint32_t words, const char *descriptor, int has_fallback)
{
    if (!strcmp(descriptor, "flagged")) return 2 * 4 * (words + 1);
    if (!strcmp(descriptor, "wide")) return (has_fallback ? 2u : 1u) * 16 * ((words + 2) / 3);
    return (has_fallback && words > 1 ? 2u : 1u) * 8 * words;
}

/* ---- defaults ---- */

/* On llvmpipe a block takes few tiles (plan.c), and every block adds up the aggregates of all before it. */
enum { LAVAPIPE_BLOCKS = 256 };

enum { COMPUTE_UNITS = 32 }; /* of a device of which that is not known */

uint32_t ms_whole_word_items(const ms_type *type)
{
    const uint32_t bytes = type->info.size_bytes;
    return bytes % 4 == 0 ? 1 : bytes % 2 == 0 ? 2 : 4;
}

int ms_is_of_segments(const ms_operation *op, uint32_t b)
{
    return ms_operation_has_offsets(op, b) || (op->empty && op->info.buffers[b].role == MSW_ROLE_OUT);
}

/* What kernels have of an element of the array: in the place of offsets numbers of segments. */
static const ms_type *held_array_type(const ms_operation *op, uint32_t b)
{
    return ms_operation_has_offsets(op, b) ? ms_type_scalar(MSW_U32) : op->buffer_types[b];
}

/* The types of the arrays that kernels move in groups of items: inputs, or outputs. Returns their number. */
static uint32_t moved_types(const ms_operation *op, msw_role role, const ms_type *types[MSW_MAX_KERNEL_BUFFERS])
{
    uint32_t count = 0;
    types[0] = role == MSW_ROLE_IN ? op->input : op->output;
    if (role == MSW_ROLE_IN ? !op->has_input_fields : !op->has_output_fields) return 1;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role == role && !ms_operation_is_total(op, b)) types[count++] = held_array_type(op, b);
    return count;
}

/* The fewest items that are whole words of everything that is moved in groups: also the carry, which with kept items is not the state. A sort
 * stores items one by one. */
static uint32_t least_vector(const ms_operation *op)
{
    const ms_type *types[2 * MSW_MAX_KERNEL_BUFFERS + 3];
    uint32_t vector = 1, count = moved_types(op, MSW_ROLE_IN, types);
    if (!op->key.image) count += moved_types(op, MSW_ROLE_OUT, types + count);
    if (op->monoid) types[count++] = op->monoid->type;
    if (op->carry) types[count++] = op->carry;
    if (op->part) types[count++] = op->part->result;
    for (uint32_t t = 0; t < count; t++) vector = at_least(vector, ms_whole_word_items(types[t]));
    return vector;
}

int ms_reduces_in_order(const ms_operation *op)
{
    return op->monoid && !op->monoid->commutative && !ms_operation_is_per_element(op) && !ms_operation_is_balanced(op);
}

uint32_t ms_vector_items(const ms_operation *op)
{
    const ms_type *types[2 * MSW_MAX_KERNEL_BUFFERS];
    uint32_t vector = least_vector(op), widest = 1, count = moved_types(op, MSW_ROLE_IN, types);
    if (!ms_reduces_in_order(op)) count += moved_types(op, MSW_ROLE_OUT, types + count);
    for (uint32_t t = 0; t < count; t++) {
        widest = at_least(widest, types[t]->info.size_bytes);
        if (op->key.image) vector = at_least(vector, ms_whole_word_items(types[t]));
    }
    while (vector * 2 * widest <= 16) vector *= 2;
    for (uint32_t more = vector; more * widest <= 48; more *= 2)
        if (more * widest % 16 == 0) return more;
    return vector;
}

uint32_t ms_thread_items(const ms_operation *op, uint32_t thread_bytes, uint32_t vector)
{
    const uint32_t value = ms_register_bytes(op->monoid ? op->monoid->type : op->output);
    return ms_round_up(at_least(1, at_most(thread_bytes / 4, thread_bytes / value)), vector);
}

static void choose_defaults(const ms_operation *op, const msw_target *target, const ms_planner *planner, ms_geometry *g)
{
    const uint32_t value = ms_register_bytes(op->monoid ? op->monoid->type : op->output), least_vector = ms_vector_items(op);
    *g = (ms_geometry){.block = 256, .subgroup = target->subgroup_size, .vector = least_vector, .lookback = 1};
    g->items = ms_thread_items(op, ms_is_cpu_driver(target) ? 64 : 128, g->vector);
    if (target->backend == MSW_BACKEND_CUDA) g->descriptor = value > 4 ? "wide" : "tagged";
    else g->descriptor = target->features & MSW_FEATURE_ATOMIC64 && target->features & MSW_FEATURE_INT64 ? "tagged" : "flagged";
    g->spin = ms_is_cpu_driver(target) ? 64 : 4096;
    const uint32_t units = target->compute_units ? target->compute_units : COMPUTE_UNITS;
    g->max_blocks = at_most(target->max_blocks, ms_has_short_loops(target) ? LAVAPIPE_BLOCKS : at_most(1024, at_least(16, 8 * units)));
    if (planner->choose_defaults) planner->choose_defaults(op, target, g);
}

/* ---- look-ahead ---- */

int ms_has_arch(const msw_target *target, uint32_t number)
{
    const char *own = target->backend == MSW_BACKEND_CUDA && target->arch ? strchr(target->arch, '_') : NULL;
    return own && strtoul(own + 1, NULL, 10) >= number;
}

int ms_has_bulk_copies(const msw_target *target)
{
    if (target->backend == MSW_BACKEND_HOST) return 1; /* the simulator */
    return ms_has_arch(target, 90) && ms_is_roomy(target);
}

uint32_t ms_item_bytes(const ms_operation *op, msw_role role)
{
    uint32_t bytes = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role == role && !ms_operation_is_total(op, b) && !ms_is_of_segments(op, b))
            bytes += op->buffer_types[b]->info.size_bytes;
    return bytes;
}

int ms_stages_arrays(const ms_operation *op) { return op->has_input_fields || op->has_output_fields || op->near; }

uint32_t ms_lookahead_helpers(const ms_operation *op) { return ms_stages_arrays(op) ? 2 : 1; }

uint32_t ms_tile_item_bytes(const ms_operation *op)
{
    const uint32_t in = ms_item_bytes(op, MSW_ROLE_IN);
    if (op->part) return at_least(in, op->part->result->info.size_bytes); /* results take the place of items */
    return ms_stages_arrays(op) && in ? in : at_least(in, op->output->info.size_bytes);
}

enum { STAGE_ALIGNMENT = 128 }; /* of bulk copies: what a text asks for by itself is rounded up to it, since the stages come behind */

/* Whether results lie in shared memory before they leave, or go to where they belong by themselves. */
static int is_staged(const ms_operation *op, uint32_t b)
{
    return !ms_operation_is_total(op, b) && !ms_lies_behind(op, b) && !msw_is_scattered(op->info.buffers[b].length) &&
           !ms_operation_has_offsets(op, b);
}

enum { PLACE_BYTES = 2 };  /* of an item, in its tile */
enum { NARROW_BYTES = 2 }; /* at most, of an item that is read and of what becomes of it */

static uint32_t staged_item_bytes(const ms_operation *op, uint32_t b)
{
    const ms_late_value late = ms_late_value_of(op, b);
    if (ms_packs_early(op) && ms_is_numbered(op, b)) return PLACE_BYTES;
    return late.type ? late.type->info.size_bytes : held_array_type(op, b)->info.size_bytes;
}

int ms_stages_narrow_items(const ms_operation *op)
{
    uint32_t bytes = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role == MSW_ROLE_OUT && is_staged(op, b)) bytes += staged_item_bytes(op, b);
    return ms_item_bytes(op, MSW_ROLE_IN) <= NARROW_BYTES && bytes <= NARROW_BYTES;
}

/* Of an array in a stage, an input with what is beside the tile (templates/scan/staged_arrays.tpl). */
static uint32_t staged_bytes(const ms_operation *op, const ms_geometry *g, uint32_t b)
{
    const uint32_t size = staged_item_bytes(op, b);
    const uint32_t bytes = ms_round_up(g->block * g->items * size, 16);
    if (op->info.buffers[b].role != MSW_ROLE_IN) return bytes + ms_round_up(size, 16);
    return bytes + 16 + (op->near ? 2 * ms_round_up(size, 16) : 0);
}

static int is_packed(const ms_operation *op, uint32_t b);

/* Whether an operand of an output's values is read. */
static int reads(const ms_operation *op, uint32_t b, uint32_t param)
{
    uint8_t leaves[MS_MAX_ELEMENT_BYTES] = {0};
    int is_read = 0;
    if (param >= op->output_map->param_count) return 0;
    for (uint32_t l = 0; l < op->buffer_types[b]->info.leaf_count; l++)
        ms_function_leaf_reads(op->output_map, op->first_leaves[b] + l, param, leaves);
    for (uint32_t l = 0; l < op->output_map->params[param].type->info.leaf_count; l++) is_read |= leaves[l];
    return is_read;
}

enum { STATE, ITEM, INDEX, NEAR }; /* parameters of output_map */

int ms_is_numbered(const ms_operation *op, uint32_t b)
{
    if (!op->counts_alone || !op->output_map || !is_packed(op, b) || op->buffer_types[b]->info.size_bytes <= PLACE_BYTES) return 0;
    if (ms_lies_behind(op, b) || (b + 1 < op->info.buffer_count && ms_lies_behind(op, b + 1))) return 0;
    return op->output_map->param_count > INDEX && !reads(op, b, STATE) && !reads(op, b, ITEM) && !reads(op, b, NEAR);
}

enum { LATE_OPERATIONS = 16 }; /* with fewer a value is made where it is packed */

ms_late_value ms_late_value_of(const ms_operation *op, uint32_t b)
{
    const ms_late_value none = {NULL, 0, 0};
    ms_late_value late = none;
    if (!op->output_map || !is_packed(op, b) || op->has_tails[b] || ms_is_numbered(op, b)) return none;
    if (ms_lies_behind(op, b) || (b + 1 < op->info.buffer_count && ms_lies_behind(op, b + 1))) return none;
    uint32_t operations = 0, scalars = 0;
    for (uint32_t l = 0; l < op->buffer_types[b]->info.leaf_count; l++)
        operations += ms_function_leaf_operations(op->output_map, op->first_leaves[b] + l);
    for (uint32_t p = 0; p < op->output_map->param_count && operations >= LATE_OPERATIONS; p++) {
        const ms_type *type = op->output_map->params[p].type;
        uint8_t leaves[MS_MAX_ELEMENT_BYTES] = {0};
        for (uint32_t l = 0; l < op->buffer_types[b]->info.leaf_count; l++)
            ms_function_leaf_reads(op->output_map, op->first_leaves[b] + l, p, leaves);
        for (uint32_t l = 0; l < type->info.leaf_count; l++) {
            if (!leaves[l]) continue;
            scalars++;
            late = (ms_late_value){ms_type_scalar(type->info.leaves[l].scalar), p, l};
        }
    }
    return scalars == 1 && late.param != INDEX ? late : none;
}

/* Whether no value of an item is held while a tile is packed: of one counter, which says what is kept by a bit an item (gen/emit/kept.lua). */
static int holds_no_values(const ms_operation *op)
{
    int holds = op->counters != 1 || !ms_packs_early(op);
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        holds |= op->info.buffers[b].role == MSW_ROLE_OUT && !ms_operation_is_total(op, b) && !ms_is_numbered(op, b);
    return !holds;
}

static int holds_places(const ms_operation *op)
{
    int holds = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) holds |= ms_packs_early(op) && ms_is_numbered(op, b);
    return holds;
}

/* Whether a tile's own results, packed early, lie behind the stages in 16 bits each: they are no more than a tile's items. */
static int is_short(const ms_operation *op, uint32_t b)
{
    uint32_t output = 0;
    for (uint32_t before = 0; before < b; before++) output += op->info.buffers[before].role == MSW_ROLE_OUT;
    return ms_packs_early(op) && op->continued_counts && op->info.buffers[b].role == MSW_ROLE_OUT && output == op->continued_output;
}

/* Of the arrays of that role that lie in a stage, one after the other. The rest of a partition lies behind what comes first. */
static uint32_t arrays_bytes(const ms_operation *op, const ms_geometry *g, msw_role role)
{
    uint32_t bytes = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role == role && is_staged(op, b) && !is_short(op, b)) bytes += staged_bytes(op, g, b);
    return bytes;
}

uint32_t ms_short_bytes(const ms_operation *op, const ms_geometry *g)
{
    return ms_packs_early(op) && op->continued_counts ? ms_round_up((g->block * g->items + 1) * 2, 16) : 0;
}

uint32_t ms_short_rooms(const ms_geometry *g)
{
    uint32_t rooms = g->ahead + 1;
    while (rooms < g->stages && g->stages % rooms) rooms++;
    return rooms;
}

uint32_t ms_stage_bytes(const ms_operation *op, const ms_geometry *g)
{
    if (!ms_stages_arrays(op)) return ms_round_up(g->block * g->items * ms_tile_item_bytes(op) + 16, STAGE_ALIGNMENT);
    const uint32_t in = arrays_bytes(op, g, MSW_ROLE_IN);
    if (op->part) return ms_round_up(at_least(in, g->block * g->items * op->part->result->info.size_bytes), STAGE_ALIGNMENT);
    return ms_round_up(ms_packs_early(op) ? at_least(in, arrays_bytes(op, g, MSW_ROLE_OUT)) : in, STAGE_ALIGNMENT);
}

uint32_t ms_beyond_bytes(const ms_operation *op, const ms_geometry *g)
{
    if (!ms_stages_arrays(op)) return 0;
    if (ms_packs_early(op)) return ms_round_up(ms_short_rooms(g) * ms_short_bytes(op, g), STAGE_ALIGNMENT);
    uint32_t room = arrays_bytes(op, g, MSW_ROLE_IN), beyond = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) {
        if (op->info.buffers[b].role != MSW_ROLE_OUT || !is_staged(op, b)) continue;
        const uint32_t bytes = staged_bytes(op, g, b);
        if (bytes <= room) room -= bytes;
        else beyond += bytes;
    }
    return ms_round_up(beyond, STAGE_ALIGNMENT);
}

enum { MOST_STAGES = 8, BLOCK_RESERVE = 1024 };

/* One block a multiprocessor, whose tiles in flight fill its shared memory. A thread owns consecutive items: of an odd number of 16 bytes, so that a
 * warp's accesses fall into different banks; a balanced tree has a power of two (templates/scan/staged_tree.tpl). */
static void choose_lookahead_defaults(const ms_operation *op, uint32_t thread_bytes, ms_geometry *g)
{
    const uint32_t groups = at_least(1, thread_bytes / (g->vector * ms_tile_item_bytes(op)));
    uint32_t power = 1;
    while (2 * power <= groups) power *= 2;
    g->items = g->vector * (ms_operation_is_balanced(op) ? power : groups % 2 ? groups : ms_stages_arrays(op) ? groups + 1 : groups - 1);
    g->resident = 1;
    g->ahead = 0;
}

/* templates/scan/lookahead.tpl: of a tile its items, what they add up to, what comes before, two signals and one for each input; of arrays also a
 * signal of each helper but one, what comes before with the tile, and two flags for each output; of a balanced tree both of each subgroup. */
enum { CROSSING_BYTES = 8 }; /* templates/scan/staged_segments.tpl: of a subgroup */

static uint32_t held_tile_bytes(const ms_operation *op, const ms_geometry *g)
{
    const ms_type *types[MSW_MAX_KERNEL_BUFFERS];
    const uint32_t value = ms_register_bytes(op->monoid->type), signals = (1 + ms_lookahead_helpers(op) + moved_types(op, MSW_ROLE_IN, types)) * 8;
    const uint32_t flags = ms_stages_arrays(op) ? 2 * 4 * MSW_MAX_KERNEL_BUFFERS : 0;
    if (ms_operation_is_balanced(op)) return ms_stage_bytes(op, g) + (2 * (g->block / g->subgroup) + 1) * value + flags + signals;
    if (op->part) /* no signal for offsets; a segment that is open, and what the tile has of it; sums of subgroups, and segments that cross */
        return ms_stage_bytes(op, g) + value + 4 + ms_register_bytes(op->part->result) + signals - 8 +
               g->block / g->subgroup * (value + CROSSING_BYTES);
    const uint32_t begins = op->segments ? begins_bytes(g) - 8 : 0; /* and no signal for offsets */
    return ms_stage_bytes(op, g) + 2 * value + (ms_stages_arrays(op) ? value : 0) + flags + signals + begins;
}

/* What a block scan exchanges has two places, and posts of all blocks have one; a balanced tree has its levels, and what comes before them; of arrays
 * also what all items come to. */
static uint32_t lookahead_fixed_bytes(const ms_operation *op, const ms_geometry *g)
{
    const uint32_t value = ms_register_bytes(op->monoid->type);
    if (ms_operation_is_balanced(op)) return 2 * (ms_levels_bytes(op) + g->block / g->subgroup * value) + value;
    const uint32_t posts = ms_round_up(g->max_blocks, g->subgroup) * value;
    if (op->part) return posts + value + 3 * begins_bytes(g) + g->block / g->subgroup * CROSSING_BYTES;
    return fold_bytes(op, g) + ms_block_values(g) * value + posts;
}

uint32_t ms_lookahead_shared_bytes(const ms_operation *op, const ms_geometry *g)
{
    const uint32_t tiles = g->stages * ms_stage_bytes(op, g) + ms_beyond_bytes(op, g);
    return ms_round_up(lookahead_fixed_bytes(op, g) + g->stages * (held_tile_bytes(op, g) - ms_stage_bytes(op, g)), STAGE_ALIGNMENT) + tiles;
}

/* Shared memory of a block for its tiles. A multiprocessor holds back some for each block (CUDA C++ Programming Guide, "Shared Memory", 9.0). */
static uint32_t stages_room(const ms_operation *op, const msw_target *target, const ms_geometry *g)
{
    const uint32_t share = (target->shared_bytes + BLOCK_RESERVE) / g->resident - BLOCK_RESERVE,
                   rest = lookahead_fixed_bytes(op, g) + ms_beyond_bytes(op, g);
    const uint32_t room = share / STAGE_ALIGNMENT * STAGE_ALIGNMENT; /* so that what is rounded up fits, too */
    return room > rest ? room - rest : 0;
}

/* ---- knobs ---- */

/* About the registers of a thread. Loops over its items are unrolled: more would take compilers minutes and gigabytes. */
#define THREAD_BYTES 1024
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* A map has a tile's inputs in flight, and what it makes of one of them. */
const ms_type *ms_held_type(const ms_operation *op)
{
    if (op->monoid) return op->monoid->type;
    return !op->key.image && ms_register_bytes(op->input) > ms_register_bytes(op->output) ? op->input : op->output;
}

static msw_result apply_knob(const ms_operation *op, const msw_knob *knob, ms_geometry *g, int *block_given, msw_diag *diag)
{
    char text[MS_FAULT_BYTES];
    const char *fault = ms_knob_fault(op->kind, knob->name, knob->value, text);
    if (fault) return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0, "%s = %s: %s", knob->name, knob->value, fault);
    ms_knob_set(op->kind, knob->name, knob->value, g);
    *block_given |= !strcmp(knob->name, "block");
    g->blocks_given |= !strcmp(knob->name, "blocks");
    return MSW_OK;
}

static msw_result apply_knobs(const ms_operation *op, const msw_knob *knobs, uint32_t count, ms_geometry *g, int *block_given, msw_diag *diag)
{
    for (uint32_t i = 0; i < count; i++) {
        const msw_result result = apply_knob(op, &knobs[i], g, block_given, diag);
        if (result) return result;
    }
    return MSW_OK;
}

const char *ms_knobs_strategy(const msw_knob *knobs, uint32_t count)
{
    const char *strategy = NULL;
    for (uint32_t k = 0; k < count; k++)
        if (!strcmp(knobs[k].name, "strategy")) strategy = strcmp(knobs[k].value, "auto") ? knobs[k].value : NULL;
    return strategy;
}

/* ---- fit ---- */

/* Why this block cannot run on the target; NULL: it can. */
static const char *misfit(const ms_operation *op, const msw_target *target, const ms_planner *planner, const ms_geometry *g)
{
    if (target->backend == MSW_BACKEND_CUDA && g->subgroup != 32 && g->subgroup != 1)
        return "a CUDA subgroup has 32 lanes; choose 32, or 1 for no subgroup operations";
    if (g->block % g->subgroup) return "the block is not a whole number of subgroups; choose a multiple of the subgroup size";
    if (g->subgroup == 1 && !ms_is_power_of_two(g->block)) return "without subgroup operations the block's threads must be a power of two";
    const uint32_t threads = g->block + (is_lookahead(g->strategy) ? ms_lookahead_helpers(op) * g->subgroup : 0);
    if (threads > target->max_block_threads) return "the block has more threads than the device allows; choose a smaller one";
    if (g->subgroup > 1 && target->max_block_subgroups && threads / g->subgroup > target->max_block_subgroups)
        return "the block has more subgroups than the device allows; choose a smaller block";
    const char *why = planner->misfit ? planner->misfit(op, target, g) : NULL;
    if (why) return why;
    const uint32_t shared = planner->shared_bytes(op, g), fixed = shared - (planner->launch_bytes ? planner->launch_bytes(op, g) : 0);
    if (shared > target->shared_bytes || (target->backend == MSW_BACKEND_CUDA && fixed > MS_STATIC_SHARED_BYTES))
        return "the block needs more shared memory than the device has; choose a smaller one";
    return NULL;
}

/* What segments come to leaves in the round in which their tile is summed up: its stage is free one round later, and `ahead` is when posts are first
 * polled. Elsewhere it is how many rounds later a tile leaves; where segments begin is marked a round before a stage is in use. */
static uint32_t least_stages(const ms_operation *op, const ms_geometry *g)
{
    if (op->part) return at_least(2, g->ahead);
    return op->segments ? g->ahead + 3 : at_least(3, g->ahead + 2);
}

static const char *stages_misfit(const ms_operation *op)
{
    if (op->part)
        return "the block's tiles need more shared memory than the device has; choose fewer stages, at least 2 and no fewer than tiles ahead, or "
               "smaller tiles";
    if (op->segments)
        return "the block's tiles need more shared memory than the device has; choose fewer stages, at least 3 more than tiles ahead, or smaller "
               "tiles";
    return "the block's tiles need more shared memory than the device has; choose fewer stages, at least 2 more than tiles ahead, or smaller tiles";
}

static const char *lookahead_misfit(const ms_operation *op, const msw_target *target, const ms_geometry *g)
{
    if (!ms_operation_count(op, MSW_ROLE_IN)) return "look-ahead has tiles of arrays come, but all inputs are generated; choose lookback";
    if (!ms_has_bulk_copies(target))
        return "look-ahead copies tiles in bulk to large shared memory, which CUDA devices from sm_90 on have, but for sm_120's kind; choose "
               "lookback";
    if (ms_operation_is_balanced(op) && g->block / g->subgroup > g->subgroup)
        return "the block has more subgroups than one of them has lanes, of which one scans what all add up to; choose a smaller block";
    if (g->subgroup == 1) return "in look-ahead a subgroup of its own looks for what comes before; choose subgroups of more than 1, or lookback";
    if (target->progress != MSW_PROGRESS_PARALLEL && target->progress != MSW_PROGRESS_OCCUPANCY)
        return "in look-ahead blocks wait for each other, which not every device allows; choose reduce_then_scan";
    if (target->backend == MSW_BACKEND_CUDA &&
        ms_lookahead_shared_bytes(op, g) - g->stages * ms_stage_bytes(op, g) - ms_beyond_bytes(op, g) > MS_STATIC_SHARED_BYTES)
        return "what the blocks post needs more shared memory than a text may ask for; choose fewer blocks, or lookback";
    if ((ms_short_bytes(op, g) || holds_places(op)) && g->block * g->items > UINT16_MAX)
        return "a tile has more items than 16 bits count; choose smaller tiles";
    if (g->stages < least_stages(op, g) || (uint64_t)g->stages * held_tile_bytes(op, g) > stages_room(op, target, g)) return stages_misfit(op);
    return NULL;
}

/* By the user, whose numbers stay: by the spec's `tune` or the caller. */
static int is_given(const ms_geometry_wish *wish, const char *name)
{
    int found = 0;
    for (uint32_t k = 0; k < wish->knob_count; k++) found |= !strcmp(wish->knobs[k].name, name);
    return found;
}

/* A lane takes fewer items together where these are more than a thread has, or do not divide them. */
static void follow_items(const ms_operation *op, ms_geometry *g)
{
    const uint32_t least = least_vector(op);
    while (g->items % g->vector && g->vector % (2 * least) == 0) g->vector /= 2;
}

/* A row's knobs, then the user's, which those follow that the user leaves out. */
static msw_result apply_wish(const ms_operation *op, const ms_geometry_wish *wish, ms_geometry *g, int *block_given, msw_diag *diag)
{
    int row_block = 0;
    if (wish->row && wish->row->is_used) {
        const msw_result result = apply_knobs(op, wish->row->knobs, wish->row->knob_count, g, &row_block, diag);
        if (result) return result;
        if (!op->key.image) follow_items(op, g); /* a sort's row is also for narrower keys, in whole groups of 16 bytes */
        while (g->vector > g->items) g->vector /= 2;
        g->items = g->items / g->vector * g->vector;
    }
    const msw_result result = apply_knobs(op, wish->knobs, wish->knob_count, g, block_given, diag);
    if (result) return result;
    if (!is_given(wish, "vector")) follow_items(op, g);
    else if (!is_given(wish, "items")) g->items = at_least(1, g->items / g->vector) * g->vector;
    return MSW_OK;
}

static int has_knob(const ms_geometry_wish *wish, const char *name)
{
    int found = is_given(wish, name);
    for (uint32_t k = 0; wish->row && wish->row->is_used && k < wish->row->knob_count; k++) found |= !strcmp(wish->row->knobs[k].name, name);
    return found;
}

/* Half of a block; without subgroup operations a power of two. */
static uint32_t smaller_block(const ms_geometry *g)
{
    uint32_t power = 1;
    if (g->subgroup > 1 || ms_is_power_of_two(g->block)) return g->block / 2;
    while (2 * power < g->block) power *= 2;
    return power;
}

/* Makes the block smaller until it fits. Keys of many narrow fields, a word each on their way, can be too much for one subgroup; then the block does
 * without subgroup operations, and may be smaller. */
static void shrink_block(const ms_operation *op, const msw_target *target, const ms_geometry_wish *wish, int block_given, ms_geometry *g)
{
    const ms_geometry whole = *g;
    while (!block_given && g->block > g->subgroup && g->block > 1 && misfit(op, target, wish->planner, g)) g->block = smaller_block(g);
    if (block_given || !wish->planner->drops_subgroups || g->subgroup == 1 || has_knob(wish, "subgroup") || !misfit(op, target, wish->planner, g))
        return;
    g->subgroup = 1;
    while (g->block > 1 && (!ms_is_power_of_two(g->block) || misfit(op, target, wish->planner, g))) g->block = smaller_block(g);
    if (misfit(op, target, wish->planner, g)) *g = whole;
}

/* Items are packed where they can be and, but for who asks for it, where there is room for them: in a smaller tile rather than not, since kernels
 * that do not pack read the input twice. */
static void settle_packs(const ms_operation *op, const msw_target *target, const ms_geometry_wish *wish, int block_given, ms_geometry *g)
{
    g->packs = ms_strategy_has(g->strategy, MS_REVISITS_OUTPUT) ? 0 : ms_packs(op, g->packs);
    if (op->item && ms_has_short_loops(target)) g->packs = 0; /* lavapipe loses threads where some write many items and others none */
    if (!g->packs || has_knob(wish, "packs")) return;
    const ms_geometry whole = *g;
    while (!is_given(wish, "items") && g->items > g->vector && misfit(op, target, wish->planner, g)) g->items -= g->vector;
    if (misfit(op, target, wish->planner, g)) *g = whole;
    while (!block_given && g->block > g->subgroup && g->block > 1 && misfit(op, target, wish->planner, g)) g->block = smaller_block(g);
    if (!misfit(op, target, wish->planner, g)) return;
    *g = whole;
    g->packs = 0;
}

/* What look-back may park: sums of a block of several subgroups. Where items are packed or expanded, results lie in shared memory already. */
static void settle_parks(const ms_operation *op, ms_geometry *g)
{
    const int may_park = op->monoid && ms_operation_is_per_element(op) && !op->item && !op->recount && !ms_operation_is_balanced(op) && !g->packs &&
                         !ms_tallies(op, g) && g->subgroup > 1 && g->block > g->subgroup;
    if (!may_park || (g->strategy && !ms_strategy_has(g->strategy, MS_LOOKS_BACK | MS_ONE_BLOCK))) g->parks = 0;
}

static int fills_registers(const ms_operation *op, const ms_geometry *g)
{
    const uint32_t held = ms_reduces_in_order(op) ? g->items / g->vector : g->items; /* sums of rows, or items */
    return g->items > ms_vector_items(op) && held * ms_register_bytes(ms_held_type(op)) > THREAD_BYTES;
}

/* As many tiles in flight as are wanted, or as there is room for. Returns 0 where look-ahead needs more. */
static int fit_stages(const ms_operation *op, const msw_target *target, const ms_geometry_wish *wish, const ms_geometry *wanted, ms_geometry *g)
{
    const uint32_t behind = op->part ? 0 : op->segments ? 3 : 2; /* stages that are not of tiles ahead */
    int fits = 0;
    for (g->stages = wanted->stages ? wanted->stages : MOST_STAGES;; g->stages--) {
        g->ahead = wanted->ahead ? wanted->ahead : op->part ? 2 : g->stages > 3 ? (g->stages - 1) / 2 : 1;
        if (!is_given(wish, "ahead") && g->stages > behind) g->ahead = at_most(g->ahead, g->stages - behind);
        fits = (uint64_t)g->stages * held_tile_bytes(op, g) <= stages_room(op, target, g); /* which may depend on both */
        if (fits || g->stages <= 2 || is_given(wish, "stages")) break;
    }
    return g->stages >= least_stages(op, g) && fits && !fills_registers(op, g);
}

/* Look-ahead has fewer tiles in flight, then smaller ones, rather than not to be. Values of an item are words at least: of narrow inputs a smaller
 * tile has no more items than one of words would have, or their values would not fit the registers; where none is held, twice as many. */
static void choose_stages(const ms_operation *op, const msw_target *target, const ms_geometry_wish *wish, ms_geometry *g)
{
    const ms_geometry wanted = *g;
    const int is_fixed = is_given(wish, "items") || is_given(wish, "thread_bytes");
    uint32_t groups = g->items / g->vector, most_items = g->items;
    if (!g->blocks_given) g->max_blocks = at_least(1, target->compute_units) * g->resident;
    while ((!fit_stages(op, target, wish, &wanted, g) || g->items > most_items) && !is_fixed && groups > 1) {
        most_items = at_least(wanted.thread_bytes / (holds_no_values(op) ? 2 : 4), g->vector);
        groups = ms_operation_is_balanced(op) || groups == 2 ? groups / 2 : groups - 2; /* as the defaults have them */
        g->items = groups * g->vector;
        g->thread_bytes = g->items * ms_tile_item_bytes(op);
    }
    if (fit_stages(op, target, wish, &wanted, g)) return;
    g->items = wanted.items;
    fit_stages(op, target, wish, &wanted, g);
}

/* Of what the row says, what does not fit and is less now: "items=8 stages=3". */
static void note_changes(const ms_geometry_wish *wish, const ms_geometry *g)
{
    ms_tuning_row *row = wish->row;
    size_t used = 0;
    row->changes[0] = '\0';
    for (uint32_t k = 0; k < row->knob_count && used < sizeof row->changes; k++) {
        char buffer[MS_KNOB_BYTES];
        const char *name = row->knobs[k].name, *now = ms_knob_text(ms_knob_find(name), g, buffer);
        if (!now || is_given(wish, name) || !strcmp(now, row->knobs[k].value)) continue;
        used += (size_t)snprintf(row->changes + used, sizeof row->changes - used, "%s%s=%s", used ? " " : "", name, now);
    }
}

static msw_result choose(const ms_operation *op, const msw_target *target, const ms_geometry_wish *wish, ms_geometry *g, msw_diag *diag)
{
    const char *strategy = wish->strategy;
    int block_given = 0;
    choose_defaults(op, target, wish->planner, g);
    g->parks = wish->parks;
    msw_result result = apply_wish(op, wish, g, &block_given, diag);
    if (!result && is_lookahead(strategy ? strategy : g->strategy)) {
        const uint32_t thread_bytes = g->thread_bytes;
        choose_defaults(op, target, wish->planner, g);
        choose_lookahead_defaults(op, thread_bytes, g);
        result = apply_wish(op, wish, g, &block_given, diag);
        g->packs = 0; /* it packs in its stages */
        choose_stages(op, target, wish, g);
    }
    if (result) return result;
    if (strategy) g->strategy = strategy;
    if (wish->planner->settle) wish->planner->settle(target, g);
    const int is_split = ms_strategy_has(g->strategy, MS_ONE_BIT);
    settle_packs(op, target, wish, block_given, g);
    settle_parks(op, g);
    shrink_block(op, target, wish, block_given, g);
    settle_parks(op, g);
    const char *why = misfit(op, target, wish->planner, g);
    if (!why && is_lookahead(g->strategy)) why = lookahead_misfit(op, target, g);
    const uint32_t least = least_vector(op);
    const int looks_back = g->strategy ? ms_strategy_has(g->strategy, MS_LOOKS_BACK) : wish->planner->looks_back;
    if (ms_has_short_loops(target) && !strcmp(g->descriptor, "flagged") && looks_back)
        why = "lavapipe takes the memory barriers of flagged descriptors for barriers of the block; choose tagged ones";
    if (ms_has_short_loops(target) && g->ahead && looks_back && op->monoid)
        why = "with a tile ahead a block takes as many as it can, and lavapipe ends long loops; choose ahead = 0";
    if (target->backend != MSW_BACKEND_HOST && !strcmp(g->descriptor, target->backend == MSW_BACKEND_CUDA ? "flagged" : "wide"))
        why = "flagged descriptors are Vulkan's and wide ones CUDA's; choose tagged ones";
    if (g->items % g->vector) why = "items is not a multiple of vector; choose such items";
    if (g->items % least || g->vector % least)
        why = least == 2 ? "a lane takes whole words, so items and vector must be even"
                         : "a lane takes whole words, so items and vector must be multiples of 4";
    if (fills_registers(op, g)) why = "the items of a thread fill more than " TEXT(THREAD_BYTES) " bytes of registers; choose fewer";
    if (is_split && g->digit_bits != 1) why = "a split sorts by one bit a pass; leave digit_bits out, or choose upsweep_downsweep";
    if (g->max_blocks > target->max_blocks) why = "more blocks than the device launches at once; choose fewer";
    if (!why) return MSW_OK;
    return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0,
                   "%s: %s (refused: block %u, subgroup %u, items %u of %u bytes, vector %u, blocks %u)", op->name, why, g->block, g->subgroup,
                   g->items, ms_register_bytes(ms_held_type(op)), g->vector, g->max_blocks);
}

msw_result ms_geometry_choose(const ms_operation *op, const msw_target *target, const ms_geometry_wish *wish, ms_geometry *g, msw_diag *diag)
{
    const char *strategy = wish->strategy ? wish->strategy : ms_knobs_strategy(wish->knobs, wish->knob_count);
    const ms_geometry_wish row_alone = {.planner = wish->planner, .row = wish->row, .strategy = strategy};
    const msw_result result = choose(op, target, wish, g, diag);
    const int is_of_others = strategy && !ms_strategy_find(op->kind, strategy);
    if (!result && wish->row && wish->row->is_used) note_changes(wish, g);
    if (!result || is_of_others || !wish->row || !wish->row->is_used || !choose(op, target, &row_alone, g, NULL)) return result;
    wish->row->is_used = 0;
    wish->row->is_left_out = 1;
    return choose(op, target, wish, g, diag);
}

/* ---- packed outputs: what kernels put together, and the room for it ---- */

static int is_packed(const ms_operation *op, uint32_t b)
{
    return op->info.buffers[b].role == MSW_ROLE_OUT && !ms_operation_is_total(op, b) && msw_counted_by(op->info.buffers[b].length) >= 0;
}

/* Whether kernels may put packed items together: of a balanced tree, and where states decide what is kept, they store each by itself. */
static int may_pack(const ms_operation *op)
{
    int packed = 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++) packed += is_packed(op, b);
    return packed && op->monoid && !op->recount && !op->segments && !ms_operation_is_balanced(op);
}

/* Whether a tile's results but for one can be made before it is known what comes before it. */
static int may_pack_tiles(const ms_operation *op) { return !op->reverse && (op->counts_alone || op->continued); }

enum { FLAG_BYTES = 8 }; /* templates/scan/packed_tile.tpl: of a tile's first and last item */

/* Items of a block for which there is room (templates/scan/packed_tile.tpl, packed_rows.tpl). */
static uint32_t packed_items(const ms_geometry *g)
{
    const uint32_t rows = g->items / g->vector, lanes = g->subgroup == 1 ? g->block : g->subgroup;
    uint32_t chunk = g->packs;
    if (g->packs == MS_PACKS_TILE) return g->block * g->items + 1;
    while (chunk > 1 && rows % chunk) chunk--;
    return g->block / lanes * (chunk * lanes * g->vector + 1);
}

uint32_t ms_packed_bytes(const ms_operation *op, const ms_geometry *g)
{
    uint32_t bytes = FLAG_BYTES;
    if (!g->packs || op->item) return 0;
    for (uint32_t b = 0; b < op->info.buffer_count; b++)
        if (is_packed(op, b) && !ms_lies_behind(op, b)) bytes += ms_round_up(packed_items(g) * ms_register_bytes(op->buffer_types[b]), 8);
    return bytes;
}

uint32_t ms_packs(const ms_operation *op, uint32_t packs)
{
    if (op->item) return packs ? MS_PACKS_TILE : 0; /* templates/scan/staged_items.tpl */
    if (!may_pack(op)) return 0;
    return packs == MS_PACKS_TILE && !may_pack_tiles(op) ? 1 : packs;
}

/* Where whole tiles are packed no item has a state of its own, and a block's scan of words was no faster (bench/NOTES.md). */
uint32_t ms_tallies(const ms_operation *op, const ms_geometry *g)
{
    if (g->packs == MS_PACKS_TILE) return 0;
    return op->counters >= 2 && !ms_operation_is_balanced(op) && g->block * g->items <= UINT16_MAX ? op->counters : 0;
}

int ms_packs_early(const ms_operation *op)
{
    if (ms_operation_is_balanced(op)) return 0; /* tried, and slower (bench/NOTES.md) */
    return op->counts_alone || (op->continued && (op->continued_counts || ms_item_bytes(op, MSW_ROLE_OUT) <= ms_item_bytes(op, MSW_ROLE_IN)));
}

int ms_lies_behind(const ms_operation *op, uint32_t b)
{
    const uint32_t count = b ? op->info.buffers[b].length - MSW_LENGTH_REST : 0;
    return op->counts_alone && b && op->info.buffers[b].length >= MSW_LENGTH_REST && op->info.buffers[b - 1].length == MSW_LENGTH_COUNTED + count &&
           op->buffer_types[b - 1]->info.size_bytes == op->buffer_types[b]->info.size_bytes;
}
