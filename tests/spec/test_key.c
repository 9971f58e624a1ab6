/* Keys' images: random keys of random structs, against bits laid side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 6, MAX_BITS = MAX_FIELDS * 64, SPECS = 400, ELEMENTS = 24 };

static uint64_t state64 = 1;

static uint64_t draw(void) /* xorshift64* (Vigna 2016) */
{
    state64 ^= state64 >> 12;
    state64 ^= state64 << 25;
    state64 ^= state64 >> 27;
    return state64 * 0x2545f4914f6cdd1du;
}

static uint32_t draw_below(uint32_t bound) { return (uint32_t)(draw() >> 32) % bound; }

typedef struct field {
    msw_scalar scalar;
    uint32_t bits; /* that count */
    int is_descending;
} field;

/* The key of struct { f1, f2, .. } by fN, .., f1: fields[0] is the most significant. */
typedef struct key {
    uint32_t field_count, total, first, last;
    field fields[MAX_FIELDS];
    int is_descending, has_range;
} key;

static key draw_key(void)
{
    key k = {.is_descending = (int)draw_below(2), .has_range = (int)draw_below(2)};
    const uint32_t wanted = 1 + draw_below(MAX_FIELDS);
    for (uint32_t f = 0; f < wanted; f++) {
        const msw_scalar scalar = (msw_scalar)(MSW_U8 + (int)draw_below(MSW_F64 - MSW_U8 + 1));
        const uint32_t width = 8 * ms_scalar_bytes(scalar), bits = draw_below(2) ? width : 1 + draw_below(width);
        if (k.total + bits > 128) break;
        k.fields[k.field_count++] = (field){scalar, bits, (int)draw_below(2)};
        k.total += bits;
    }
    k.last = k.total;
    if (k.has_range) {
        k.first = draw_below(k.total);
        k.last = k.first + 1 + draw_below(k.total - k.first);
    }
    return k;
}

static void write_spec(const key *k, char text[2048])
{
    size_t length = (size_t)snprintf(text, 2048, "local K = struct 'K' {");
    for (uint32_t f = k->field_count; f-- > 0;)
        length += (size_t)snprintf(text + length, 2048 - length, " {'f%u', %s},", f, ms_scalar_name(k->fields[f].scalar));
    length += (size_t)snprintf(text + length, 2048 - length, " }\nreturn sort { key = key { type = K, by = {");
    for (uint32_t f = 0; f < k->field_count; f++) {
        const field *part = &k->fields[f];
        length += (size_t)snprintf(text + length, 2048 - length, " {'f%u'", f);
        if (part->bits < 8 * ms_scalar_bytes(part->scalar)) length += (size_t)snprintf(text + length, 2048 - length, ", bits = %u", part->bits);
        length += (size_t)snprintf(text + length, 2048 - length, "%s},", part->is_descending ? ", order = 'descending'" : "");
    }
    length += (size_t)snprintf(text + length, 2048 - length, " }");
    if (k->has_range) length += (size_t)snprintf(text + length, 2048 - length, ", bits = { %u, %u }", k->first, k->last);
    snprintf(text + length, 2048 - length, " }%s }", k->is_descending ? ", order = 'descending'" : "");
}

/* The bits of a leaf's image that count, the most significant first. */
static uint32_t append_bits(const field *part, uint64_t raw, uint8_t *bits)
{
    const uint32_t width = 8 * ms_scalar_bytes(part->scalar);
    uint8_t image[64] = {0};
    for (uint32_t b = 0; b < width; b++) image[b] = raw >> (width - 1 - b) & 1;
    const int is_float = ms_scalar_is_float(part->scalar), is_negative = image[0];
    if (is_float || ms_scalar_is_signed(part->scalar)) image[0] ^= 1;
    for (uint32_t b = 1; b < width && is_float && is_negative; b++) image[b] ^= 1;
    for (uint32_t b = 0; b < part->bits; b++) bits[b] = (uint8_t)(image[is_float ? b : width - part->bits + b] ^ part->is_descending);
    return part->bits;
}

static void check_element(const key *k, const ms_operation *op, ms_eval *eval)
{
    uint64_t leaves[MAX_FIELDS], words[4];
    uint8_t bits[MAX_BITS];
    uint32_t count = 0;
    for (uint32_t f = 0; f < k->field_count; f++) {
        uint64_t raw = draw();
        uint64_t *leaf = &leaves[k->field_count - 1 - f]; /* in memory order */
        if (draw_below(4) == 0) raw = draw_below(2) ? 0 : UINT64_MAX;
        unsigned char memory[8];
        memcpy(memory, &raw, 8);
        *leaf = ms_scalar_load(k->fields[f].scalar, memory);
        count += append_bits(&k->fields[f], raw, bits + count);
    }
    const uint64_t *const args[1] = {leaves};
    assert_int_equal(ms_eval_run(eval, args, words), 0);
    const uint32_t word_count = op->key.image->result->info.leaf_count, width = k->last - k->first;
    assert_int_equal(op->key.bits, width);
    assert_int_equal(word_count, (width + 31) / 32);
    for (uint32_t b = 0; b < 32 * word_count; b++) {
        const uint32_t got = words[word_count - 1 - b / 32] >> b % 32 & 1;
        const uint32_t wanted = b < width ? (uint32_t)bits[k->total - 1 - (k->first + b)] ^ (uint32_t)k->is_descending : 0;
        if (got != wanted) fail_msg("bit %u of %u is %u", b, width, got);
    }
}

static void test_random_keys(void **state)
{
    (void)state;
    for (int s = 0; s < SPECS; s++) {
        const key k = draw_key();
        char text[2048];
        msw_spec *spec;
        msw_diag diag;
        ms_arena arena;
        write_spec(&k, text);
        const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .file = "key.lua"};
        if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s\n%s", diag.message, text);
        ms_arena_init(&arena, NULL, 0);
        ms_eval *eval = ms_eval_create(&arena, spec->operations[0].key.image, 0);
        assert_non_null(eval);
        for (int e = 0; e < ELEMENTS; e++) check_element(&k, &spec->operations[0], eval);
        ms_arena_free(&arena);
        msw_spec_destroy(spec);
    }
}

/* Kernels pay for every operation: the common images take none, one, a handful. */
static void test_image_sizes(void **state)
{
    static const struct {
        const char *text;
        uint32_t steps;
    } cases[] = {
        {"return sort { key = u32 }", 0},
        {"return sort { key = i32 }", 2},
        {"return sort { key = f32 }", 5},
        {"return sort { key = u32, order = 'descending' }", 1},
        {"return sort { key = u64 }", 3},
        {"return sort { key = key { type = u32, bits = {0, 20} } }", 1},
        {"return sort { key = key { type = struct 'S' { {'tile', u32}, {'depth', f32} }, by = { {'tile', bits = 14}, {'depth'} } } }", 6},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const msw_spec_desc desc = {.struct_size = sizeof desc, .text = cases[c].text};
        msw_spec *spec;
        msw_diag diag;
        ms_arena arena;
        if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
        ms_arena_init(&arena, NULL, 0);
        ms_eval *eval = ms_eval_create(&arena, spec->operations[0].key.image, 0);
        assert_non_null(eval);
        if (ms_eval_step_count(eval) > cases[c].steps) fail_msg("%s: %u steps", cases[c].text, ms_eval_step_count(eval));
        ms_arena_free(&arena);
        msw_spec_destroy(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_keys), cmocka_unit_test(test_image_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
