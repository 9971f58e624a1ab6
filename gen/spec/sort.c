/* Sorts, whose oracle is a stable merge sort of the keys' images. */
#include "kinds.h"

#include <string.h>

/* ---- reading ---- */

static void read_fields(lua_State *L, int index, ms_key *key)
{
    lua_getfield(L, index, "key_fields");
    key->field_count = (uint32_t)lua_rawlen(L, -1);
    ms_key_field *fields = ms_arena_alloc(&ms_sandbox_of(L)->spec->arena, key->field_count * sizeof *fields);
    if (!fields) ms_sandbox_no_memory(L);
    for (uint32_t f = 0; f < key->field_count; f++) {
        lua_rawgeti(L, -1, (lua_Integer)f + 1);
        const int field = lua_gettop(L);
        fields[f] = (ms_key_field){ms_read_string(L, field, "name", ""), ms_read_flag(L, field, "descending")};
        lua_pop(L, 1);
    }
    key->fields = fields;
    lua_pop(L, 1);
}

static void read(lua_State *L, int index, ms_operation *op)
{
    op->key = (ms_key){.image = ms_read_pointer(L, index, "key_image"),
                       .of_image = ms_read_pointer(L, index, "key_of_image"),
                       .bits = ms_read_count(L, index, "key_bits")};
    read_fields(L, index, &op->key);
    op->value = ms_read_pointer(L, index, "value");
    op->gives_index = ms_read_flag(L, index, "gives_index");
    ms_add_buffer(op, op->map ? "in" : "keys", op->input, MSW_LENGTH_N, MSW_ROLE_IN);
    if (op->value && !op->gives_index) ms_add_buffer(op, "values", op->value, MSW_LENGTH_N, MSW_ROLE_IN);
    ms_add_buffer(op, "keys_out", op->output, MSW_LENGTH_N, MSW_ROLE_OUT);
    if (op->value) ms_add_buffer(op, "values_out", op->value, MSW_LENGTH_N, MSW_ROLE_OUT);
    op->output_map = ms_read_pointer(L, index, "output_map");
    op->takes_value = ms_read_flag(L, index, "takes_value");
    op->first_result = op->info.buffer_count;
    if (op->output_map) ms_add_arrays(L, index, op, "out", op->output_map->result, MSW_LENGTH_N, MSW_ROLE_OUT);
    op->has_output_fields = 0; /* they are not of `output` */
}

/* ---- describing ---- */

static const char *order_name(int is_descending) { return is_descending ? "descending" : "ascending"; }

/* Of all fields; NULL: they have not one. */
static const char *common_order(const ms_key *key)
{
    for (uint32_t f = 1; f < key->field_count; f++)
        if (key->fields[f].is_descending != key->fields[0].is_descending) return NULL;
    return order_name(key->fields[0].is_descending);
}

/* "ascending", or "tile ascending, depth descending" */
static void append_order(ms_text *text, const ms_key *key)
{
    if (common_order(key)) ms_text_append(text, "%s", common_order(key));
    for (uint32_t f = 0; !common_order(key) && f < key->field_count; f++)
        ms_text_append(text, "%s%s %s", f ? ", " : "", key->fields[f].name, order_name(key->fields[f].is_descending));
}

static void append_value(ms_text *text, const ms_operation *op)
{
    if (op->value) ms_text_append(text, op->gives_index ? ", returns indices of %s" : ", with values of %s", op->value->info.name);
    for (uint32_t b = op->first_result; op->output_map && b < op->info.buffer_count; b++) {
        if (op->info.buffers[b].role != MSW_ROLE_OUT) continue;
        ms_text_append(text, "%s%s", b == op->first_result ? ", mapped to " : " and ", op->buffer_types[b]->info.name);
    }
}

static void append_title(ms_text *text, const ms_operation *op)
{
    const char *order = common_order(&op->key);
    ms_text_append(text, "%s sort of %s by %u bits", order ? order : "ascending and descending", op->output->info.name, op->key.bits);
    append_value(text, op);
}

static void append_summary(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, "sort of %s (%u byte%s) by %u bit%s%s%s, ", op->output->info.name, op->output->info.size_bytes,
                   op->output->info.size_bytes == 1 ? "" : "s", op->key.bits, op->key.bits == 1 ? "" : "s", op->map ? ", made of " : "",
                   op->map ? op->input->info.name : "");
    append_order(text, &op->key);
    append_value(text, op);
}

static void append_json(ms_text *text, const ms_operation *op)
{
    ms_text_append(text, ", ");
    ms_append_type_json(text, "input", op->input);
    const char *order = common_order(&op->key);
    ms_text_append(text, ", \"key\": {\"bits\": %u, \"order\": \"%s\", \"fields\": [", op->key.bits, order ? order : "mixed");
    for (uint32_t f = 0; f < op->key.field_count; f++)
        ms_text_append(text, "%s{\"name\": \"%s\", \"order\": \"%s\"}", f ? ", " : "", op->key.fields[f].name,
                       order_name(op->key.fields[f].is_descending));
    ms_text_append(text, "], ");
    ms_append_type_json(text, "type", op->output);
    ms_text_append(text, "}, \"value\": ");
    if (op->value) {
        ms_text_append(text, "{\"index\": %s, ", op->gives_index ? "true" : "false");
        ms_append_type_json(text, "type", op->value);
    }
    ms_text_append(text, op->value ? "}" : "null");
}

/* ---- evaluating ---- */

typedef struct item {
    uint64_t high, low; /* the image */
    uint64_t place;     /* that the key had */
} item;

typedef struct sorter {
    const ms_operation *op;
    const unsigned char *keys;
    ms_eval *map, *image, *output;
    ms_push *push;
} sorter;

/* ---- keys ---- */

/* The leaves of the key at a place. */
static int load_key(const sorter *s, uint64_t place, uint64_t *leaves)
{
    uint64_t x[MS_MAX_ELEMENT_BYTES];
    const uint64_t *const args[2] = {x, &place};
    const ms_type *input = s->op->input;
    ms_leaves_load(input, s->keys + place * input->info.size_bytes, s->map ? x : leaves, 0);
    return s->map ? ms_eval_run_pushed(s->map, s->push, args, leaves) : 0;
}

static int load_item(const sorter *s, uint64_t place, item *made)
{
    uint64_t leaves[MS_MAX_ELEMENT_BYTES], words[4];
    const uint64_t *const args[1] = {leaves};
    if (load_key(s, place, leaves) || ms_eval_run(s->image, args, words)) return -1;
    *made = (item){.place = place};
    for (uint32_t w = 0; w < s->op->key.image->result->info.leaf_count; w++) {
        made->high = made->high << 32 | made->low >> 32;
        made->low = made->low << 32 | words[w];
    }
    return 0;
}

/* ---- order ---- */

static int precedes(const item *a, const item *b) { return a->high != b->high ? a->high < b->high : a->low < b->low; }

/* Two runs that follow each other, [a, b) and [b, end): of equals those of the first come first. */
static void merge(const item *a, const item *b, const item *end, item *out)
{
    const item *const middle = b;
    while (a < middle && b < end) *out++ = precedes(b, a) ? *b++ : *a++;
    while (a < middle) *out++ = *a++;
    while (b < end) *out++ = *b++;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Where the sorted items are: one of the two arrays of n. */
static item *merge_sort(item *items, item *spare, uint64_t n)
{
    for (uint64_t run = 1; run < n; run *= 2) {
        for (uint64_t i = 0; i < n; i += 2 * run) merge(items + i, items + least(i + run, n), items + least(i + 2 * run, n), spare + i);
        item *const sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

/* ---- outputs ---- */

static int write_keys(const sorter *s, const item *items, uint64_t n, unsigned char *out)
{
    uint64_t leaves[MS_MAX_ELEMENT_BYTES];
    const ms_type *type = s->op->output;
    for (uint64_t k = 0; k < n; k++) {
        if (load_key(s, items[k].place, leaves)) return -1;
        ms_leaves_store(type, out + k * type->info.size_bytes, leaves, 0);
    }
    return 0;
}

static void write_values(const sorter *s, const item *items, uint64_t n, const unsigned char *values, unsigned char *out)
{
    uint64_t leaves[MS_MAX_ELEMENT_BYTES];
    const ms_type *type = s->op->value;
    const uint32_t bytes = type->info.size_bytes;
    for (uint64_t k = 0; k < n; k++) {
        if (s->op->gives_index) leaves[0] = items[k].place;
        else ms_leaves_load(type, values + items[k].place * bytes, leaves, 0);
        ms_leaves_store(type, out + k * bytes, leaves, 0);
    }
}

/* What output_map makes of the sorted items, in those of the buffers' arrays that there are. */
static int write_results(const sorter *s, const item *items, uint64_t n, const unsigned char *values, unsigned char *const *arrays)
{
    uint64_t key[MS_MAX_ELEMENT_BYTES], value[MS_MAX_ELEMENT_BYTES], made[MS_MAX_ELEMENT_BYTES];
    const ms_operation *op = s->op;
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t *const args[3] = {key, op->value ? value : &k, &k};
        if (load_key(s, items[k].place, key)) return -1;
        if (op->gives_index) value[0] = items[k].place;
        else if (op->value) ms_leaves_load(op->value, values + items[k].place * op->value->info.size_bytes, value, 0);
        if (ms_eval_run_pushed(s->output, s->push, args, made)) return -1;
        for (uint32_t b = op->first_result; b < op->info.buffer_count; b++) {
            const ms_type *type = op->buffer_types[b];
            if (arrays[b]) ms_leaves_store(type, arrays[b] + k * type->info.size_bytes, made + op->first_leaves[b], 0);
        }
    }
    return 0;
}

static void *array(ms_arena *arena, uint64_t n, uint64_t element_bytes)
{
    return n > SIZE_MAX / element_bytes ? NULL : ms_arena_alloc(arena, (size_t)(n * element_bytes));
}

/* All outputs are made before one is written: an output may be an input. */
static msw_result write_outputs(const sorter *s, ms_arena *arena, const item *items, uint64_t n, const void *values, void *const *outputs)
{
    const ms_operation *op = s->op;
    const uint32_t keys_out = ms_operation_count(op, MSW_ROLE_IN), values_out = keys_out + 1; /* buffers */
    unsigned char *arrays[MSW_MAX_BUFFERS] = {NULL};
    uint32_t output = 0;
    for (uint32_t b = keys_out; b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role == MSW_ROLE_OUT && outputs[output++] && !(arrays[b] = array(arena, n, op->buffer_types[b]->info.size_bytes)))
            return MSW_ERROR_OUT_OF_MEMORY;
    if (arrays[keys_out] && write_keys(s, items, n, arrays[keys_out])) return MSW_ERROR_SPEC;
    if (op->value && arrays[values_out]) write_values(s, items, n, values, arrays[values_out]);
    if (op->output_map && write_results(s, items, n, values, arrays)) return MSW_ERROR_SPEC;
    output = 0;
    for (uint32_t b = keys_out; b < op->info.buffer_count; b++)
        if (op->info.buffers[b].role == MSW_ROLE_OUT && outputs[output++])
            memcpy(outputs[output - 1], arrays[b], (size_t)(n * op->buffer_types[b]->info.size_bytes));
    return MSW_OK;
}

static msw_result evaluate(const ms_evaluation *e)
{
    const ms_operation *op = e->op;
    const uint64_t n = e->n;
    sorter s = {.op = op,
                .keys = e->inputs[0],
                .push = e->push,
                .image = ms_eval_create(e->arena, op->key.image, 0),
                .map = op->map ? ms_eval_create(e->arena, op->map, 0) : NULL,
                .output = op->output_map ? ms_eval_create(e->arena, op->output_map, 0) : NULL};
    item *items = array(e->arena, n, sizeof *items), *spare = array(e->arena, n, sizeof *items);
    if (!s.image || (op->map && !s.map) || (op->output_map && !s.output) || !items || !spare) return MSW_ERROR_OUT_OF_MEMORY;
    for (uint64_t i = 0; i < n; i++)
        if (load_item(&s, i, &items[i])) return MSW_ERROR_SPEC;
    const void *values = op->value && !op->gives_index ? e->inputs[1] : NULL;
    return write_outputs(&s, e->arena, merge_sort(items, spare, n), n, values, e->outputs);
}

const ms_kind ms_sort_kind = {read, append_title, append_summary, append_json, evaluate};
