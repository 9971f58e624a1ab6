/* The oracle of sorts: a stable merge sort of the keys' images. */
#include "spec.h"

#include <string.h>

typedef struct item {
    uint64_t high, low; /* the image */
    uint64_t place;     /* that the key had */
} item;

typedef struct sorter {
    const ms_operation *op;
    const unsigned char *keys;
    ms_eval *map, *image;
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

static void *array(ms_arena *arena, uint64_t n, uint64_t element_bytes)
{
    return n > SIZE_MAX / element_bytes ? NULL : ms_arena_alloc(arena, (size_t)(n * element_bytes));
}

/* Both outputs are made before one is written: an output may be an input. */
static msw_result write_outputs(const sorter *s, ms_arena *arena, const item *items, uint64_t n, const void *values, void *const *outputs)
{
    const ms_operation *op = s->op;
    const uint32_t key_bytes = op->output->info.size_bytes, value_bytes = op->value ? op->value->info.size_bytes : 0;
    unsigned char *keys_out = NULL, *values_out = NULL;
    if (outputs[0] && !(keys_out = array(arena, n, key_bytes))) return MSW_ERROR_OUT_OF_MEMORY;
    if (value_bytes && outputs[1] && !(values_out = array(arena, n, value_bytes))) return MSW_ERROR_OUT_OF_MEMORY;
    if (keys_out && write_keys(s, items, n, keys_out)) return MSW_ERROR_SPEC;
    if (values_out) write_values(s, items, n, values, values_out);
    if (keys_out) memcpy(outputs[0], keys_out, (size_t)(n * key_bytes));
    if (values_out) memcpy(outputs[1], values_out, (size_t)(n * value_bytes));
    return MSW_OK;
}

msw_result ms_sort_run(const ms_operation *op, ms_arena *arena, uint64_t n, const void *const *inputs, void *const *outputs, ms_push *push)
{
    sorter s = {.op = op,
                .keys = inputs[0],
                .push = push,
                .image = ms_eval_create(arena, op->key.image, 0),
                .map = op->map ? ms_eval_create(arena, op->map, 0) : NULL};
    item *items = array(arena, n, sizeof *items), *spare = array(arena, n, sizeof *items);
    if (!s.image || (op->map && !s.map) || !items || !spare) return MSW_ERROR_OUT_OF_MEMORY;
    for (uint64_t i = 0; i < n; i++)
        if (load_item(&s, i, &items[i])) return MSW_ERROR_SPEC;
    const void *values = op->value && !op->gives_index ? inputs[1] : NULL;
    return write_outputs(&s, arena, merge_sort(items, spare, n), n, values, outputs);
}
