/* Sorts on the host: order, stability and permutation of every scalar, struct keys, what is written and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli_driver.h"
#include "failing.h"

#include <monosweep/monosweep.h>

__extension__ typedef __int128 wide;

/* ---- what a sort must give: keys as numbers, compared; of equal ones the earlier place comes first ---- */

typedef struct rank {
    wide high, low;
    uint64_t place;
} rank;

static int compare_ranks(const void *a, const void *b)
{
    const rank *x = a, *y = b;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

typedef enum number { U = 0, I = 1, F = 2 } number;

/* The scalar at `memory` as a number that orders as it does; a float by its sign, then its magnitude. */
static wide order_of(number kind, uint32_t bytes, const void *memory)
{
    uint64_t bits = 0;
    memcpy(&bits, memory, bytes);
    const uint64_t magnitude = bits & ~((uint64_t)1 << (8 * bytes - 1));
    const int sign = magnitude != bits;
    if (kind == U || !sign) return bits;
    return kind == F ? -1 - (wide)magnitude : (wide)magnitude - ((wide)1 << (8 * bytes - 1));
}

static uint64_t state64;

static uint64_t draw(void) /* xorshift64* (Vigna 2016) */
{
    state64 ^= state64 >> 12;
    state64 ^= state64 << 25;
    state64 ^= state64 >> 27;
    return state64 * 0x2545f4914f6cdd1du;
}

static void *array(uint64_t n, size_t bytes)
{
    void *memory = calloc(n ? (size_t)n : 1, bytes);
    assert_non_null(memory);
    return memory;
}

static void fill(void *memory, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) ((unsigned char *)memory)[i] = (unsigned char)(draw() >> 56);
}

/* ---- running one ---- */

static msw_spec *read_spec(const char *text)
{
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .file = "sort.lua"};
    msw_spec *spec;
    msw_diag diag;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s\n%s", diag.message, text);
    return spec;
}

/* Runs operation `op` of a spec and holds its outputs to the ranks, which it sorts. keys: of mapped sorts the keys that the map makes. */
static void check_sort(const msw_spec *spec, uint32_t op, uint64_t n, const void *in, const void *keys, rank *ranks)
{
    msw_op_info info = {.struct_size = sizeof info};
    msw_diag diag;
    assert_int_equal(msw_spec_op(spec, op, &info), MSW_OK);
    const int has_values = info.buffers[1].role == MSW_ROLE_IN;
    const msw_op_buffer *keys_out = &info.buffers[1 + has_values], *values_out = info.buffer_count > 2 ? keys_out + 1 : NULL;
    const uint32_t key_bytes = keys_out->type.size_bytes, value_bytes = values_out ? values_out->type.size_bytes : 0;
    unsigned char *values = array(n, 128), *got_keys = array(n, key_bytes), *got_values = array(n, 128);
    for (uint64_t i = 0; i < n * value_bytes; i++) values[i] = (unsigned char)(i * 7 + i / 251);
    memset(got_keys, 0x5a, (size_t)n * key_bytes);
    memset(got_values, 0x5a, (size_t)n * value_bytes);
    const void *const inputs[2] = {in, values};
    void *outputs[2] = {got_keys, got_values};
    assert_int_equal(info.kind, MSW_OP_SORT);
    if (msw_spec_evaluate(spec, op, n, inputs, outputs, NULL, NULL, &diag)) fail_msg("%s", diag.message);
    qsort(ranks, (size_t)n, sizeof *ranks, compare_ranks);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t place = ranks[i].place;
        const void *value = has_values ? (const void *)(values + place * value_bytes) : &place; /* little endian */
        if (memcmp(got_keys + i * key_bytes, (const char *)keys + place * key_bytes, key_bytes))
            fail_msg("%s: keys_out[%llu]", info.name, (unsigned long long)i);
        if (value_bytes && memcmp(got_values + i * value_bytes, value, value_bytes))
            fail_msg("%s: values_out[%llu]", info.name, (unsigned long long)i);
    }
    free(values);
    free(got_keys);
    free(got_values);
}

/* ---- scalars ---- */

static const struct {
    const char *name;
    number kind;
    uint32_t bytes;
} scalars[] = {{"u8", U, 1},  {"i8", I, 1},  {"u16", U, 2}, {"i16", I, 2}, {"u32", U, 4}, {"i32", I, 4},
               {"u64", U, 8}, {"i64", I, 8}, {"f16", F, 2}, {"f32", F, 4}, {"f64", F, 8}};
enum { SCALARS = sizeof scalars / sizeof *scalars };

static const char *const values[] = {"nil",         "u8",
                                     "vec(f32, 3)", "struct 'V' { {'a', vec(u64, 4)}, {'b', vec(u64, 4)}, {'c', vec(u64, 4)}, {'d', vec(u64, 4)} }",
                                     "'index'",     "'index', index = u64"};
enum { VALUES = sizeof values / sizeof *values };

/* Any bits; every third one of few, so that there are equals: zeros, infinities, NaNs of both signs, the least and the greatest integers. */
static void fill_keys(number kind, uint32_t bytes, uint64_t n, unsigned char *keys)
{
    static const uint64_t exponents[9] = {0, 0, 0x7c00, 0, 0x7f800000, 0, 0, 0, 0x7ff0000000000000};
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1), inf = kind == F ? exponents[bytes] : 0;
    const uint64_t few[10] = {0, sign, inf, inf | sign, inf + 1, (inf + 1) | sign, sign - 1, UINT64_MAX, 1, sign | 1};
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = draw(), key = bits % 3 ? bits : few[(bits >> 32) % 10];
        memcpy(keys + i * bytes, &key, bytes);
    }
}

static void check_scalar(int s, const uint64_t *counts, int count)
{
    const number kind = scalars[s].kind;
    const uint32_t bytes = scalars[s].bytes;
    char text[4096];
    size_t length = (size_t)snprintf(text, sizeof text, "return {");
    for (int v = 0; v < 2 * VALUES; v++)
        length += (size_t)snprintf(text + length, sizeof text - length, " sort { name = 'sort%d', key = %s, order = '%s', value = %s },\n", v,
                                   scalars[s].name, v % 2 ? "descending" : "ascending", values[v / 2]);
    snprintf(text + length, sizeof text - length, "}");
    msw_spec *spec = read_spec(text);
    for (int c = 0; c < count; c++) {
        const uint64_t n = counts[c];
        unsigned char *keys = array(n, bytes);
        rank *ranks = array(n, sizeof *ranks);
        fill_keys(kind, bytes, n, keys);
        for (int v = 0; v < 2 * VALUES; v++) {
            for (uint64_t i = 0; i < n; i++) {
                const wide order = order_of(kind, bytes, keys + i * bytes);
                ranks[i] = (rank){0, v % 2 ? -order : order, i};
            }
            check_sort(spec, (uint32_t)v, n, keys, keys, ranks);
        }
        free(keys);
        free(ranks);
    }
    msw_spec_destroy(spec);
}

static void test_scalars(void **state)
{
    static const uint64_t counts[] = {0, 1, 2, 31, 32, 33, 1000, 100003};
    (void)state;
    state64 = 20;
    for (int s = 0; s < SCALARS; s++) check_scalar(s, counts, 8);
}

/* ---- other keys ---- */

enum { N = 2000 };

/* Runs the only operation of a spec on N elements, for which `order` gives the rank but for its place. */
static void check_keys(const char *text, const void *in, const void *keys, uint32_t key_bytes, rank (*order)(const void *key))
{
    msw_spec *spec = read_spec(text);
    rank *ranks = array(N, sizeof *ranks);
    for (uint64_t i = 0; i < N; i++) {
        ranks[i] = order((const char *)keys + i * key_bytes);
        ranks[i].place = i;
    }
    check_sort(spec, 0, N, in, keys, ranks);
    free(ranks);
    msw_spec_destroy(spec);
}

typedef struct splat {
    uint32_t tile;
    float depth;
    uint8_t id;
} splat;

static rank splat_order(const void *key)
{
    const splat *x = key;
    return (rank){x->tile & 0x3fff, -order_of(F, 4, &x->depth), 0};
}

static rank range_order(const void *key)
{
    uint32_t x;
    memcpy(&x, key, 4);
    return (rank){0, x >> 8 & 0xff, 0};
}

static rank top_order(const void *key) /* the sign, the exponent and 7 bits, of a f32 */
{
    uint32_t x;
    memcpy(&x, key, 4);
    const wide top = x >> 16 & 0x7fff;
    return (rank){0, x >> 31 ? -1 - top : top, 0};
}

typedef struct segmented {
    uint32_t segment, rest;
    int64_t key;
} segmented;

static rank segmented_order(const void *key)
{
    const segmented *x = key;
    return (rank){x->segment, x->key, 0};
}

static rank pair_order(const void *key) /* vec(f64, 2) by y, then x descending */
{
    return (rank){order_of(F, 8, (const char *)key + 8), -order_of(F, 8, key), 0};
}

static rank u64_order(const void *key) { return (rank){0, order_of(U, 8, key), 0}; }

static void test_struct_keys(void **state)
{
    splat *splats = array(N, sizeof *splats);
    segmented *segments = array(N, sizeof *segments);
    uint32_t *words = array(N, 4);
    uint64_t *pairs = array(N, 16);
    (void)state;
    state64 = 21;
    for (int i = 0; i < N; i++) {
        splats[i].tile = (uint32_t)draw() & 0xf00fu; /* 16 tiles that count */
        fill_keys(F, 4, 1, (unsigned char *)&splats[i].depth);
        splats[i].id = (uint8_t)i;
        segments[i] = (segmented){.segment = (uint32_t)(draw() >> 61), .rest = (uint32_t)draw(), .key = draw() % 5 ? (int64_t)draw() : 7};
    }
    fill(words, N * 4);
    fill_keys(F, 8, 2 * N, (unsigned char *)pairs);
    check_keys("local S = struct 'S' { {'tile', u32}, {'depth', f32}, {'id', u8} }\n"
               "return sort { key = key { type = S, by = { {'tile', bits = 14}, {'depth', order = 'descending'} } }, value = 'index' }",
               splats, splats, sizeof *splats, splat_order);
    check_keys("local S = struct 'S' { {'segment', u32}, {'rest', u32}, {'key', i64} }\n"
               "return sort { key = key { type = S, by = { {'segment'}, {'key'} } }, value = u16 }",
               segments, segments, sizeof *segments, segmented_order);
    check_keys("return sort { key = key { type = u32, bits = {8, 16} }, value = 'index' }", words, words, 4, range_order);
    check_keys("return sort { key = key { type = f32, bits = {16, 32} } }", words, words, 4, top_order);
    check_keys("return sort { key = key { type = struct 'T' { {'x', f32} }, by = { {'x', bits = 16} } } }", words, words, 4, top_order);
    check_keys("return sort { key = key { type = vec(f64, 2), by = { {'y'}, {'x', order = 'descending'} } }, value = 'index' }", pairs, pairs, 16,
               pair_order);
    free(splats);
    free(segments);
    free(words);
    free(pairs);
}

/* Morton codes made by the map, of 10 and of 21 bits an axis: u32 keys of 30 bits, u64 keys of 63. */
static void test_morton(void **state)
{
    static const struct {
        int bits, key_bits;
        const char *type;
    } cases[] = {{10, 30, "u32"}, {21, 63, "u64"}};
    uint32_t *points = array(N, 12);
    (void)state;
    state64 = 22;
    fill(points, N * 12);
    for (int c = 0; c < 2; c++) {
        uint64_t *codes = array(N, 8);
        uint32_t *narrow = array(N, 4);
        char text[1024];
        for (int i = 0; i < N; i++) {
            for (int axis = 0; axis < 3; axis++) points[3 * i + axis] &= (1u << cases[c].bits) - 1;
            for (int b = 0; b < cases[c].bits; b++)
                for (int axis = 0; axis < 3; axis++) codes[i] |= (uint64_t)(points[3 * i + axis] >> b & 1) << (3 * b + axis);
            narrow[i] = (uint32_t)codes[i];
        }
        snprintf(text, sizeof text,
                 "local T = %s\n"
                 "local function spread(x) local s = T(0) for b = 0, %d do s = s | (T(x) & 1 << b) << 2 * b end return s end\n"
                 "return sort { key = key { type = T, bits = {0, %d} }, input = vec(u32, 3), value = 'index',\n"
                 "    map = function(p) return spread(p.x) | spread(p.y) << 1 | spread(p.z) << 2 end }",
                 cases[c].type, cases[c].bits - 1, cases[c].key_bits);
        msw_spec *spec = read_spec(text);
        rank *ranks = array(N, sizeof *ranks);
        for (uint64_t i = 0; i < N; i++) {
            ranks[i] = u64_order(&codes[i]);
            ranks[i].place = i;
        }
        check_sort(spec, 0, N, points, c ? (void *)codes : (void *)narrow, ranks);
        free(ranks);
        msw_spec_destroy(spec);
        free(codes);
        free(narrow);
    }
    free(points);
}

/* An argsort whose keys nobody stores: the map counts down by the index. */
static void test_argsort(void **state)
{
    msw_spec *spec = read_spec("return sort { key = f32, input = u8, map = function(x, i) return f32(x) - f32(i % 3) end, value = 'index' }");
    static const uint8_t in[6] = {1, 1, 1, 0, 3, 2}; /* 1 0 -1 0 2 0 */
    uint32_t out[6] = {0};
    msw_op_info info = {.struct_size = sizeof info};
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_spec_op(spec, 0, &info), MSW_OK);
    assert_string_equal(info.buffers[0].name, "in");
    assert_int_equal(info.carry.size_bytes, 0);
    assert_int_equal(msw_spec_evaluate(spec, 0, 6, (const void *[]){in}, (void *[]){NULL, out}, NULL, NULL, &diag), MSW_OK);
    assert_memory_equal(out, ((uint32_t[]){2, 1, 3, 5, 0, 4}), sizeof out);
    msw_spec_destroy(spec);
}

/* Four passes by 2-bit digits, least significant first, give the whole order (a golden of the first source document). */
static void test_digit_passes(void **state)
{
    static const uint32_t keys[8] = {71, 231, 5, 18, 51, 162, 32, 127}, histograms[2][4] = {{1, 1, 2, 4}, {4, 3, 0, 1}};
    static const uint32_t after_first[8] = {32, 5, 18, 162, 71, 231, 51, 127}, sorted[8] = {5, 18, 32, 51, 71, 127, 162, 231};
    uint32_t passed[8];
    (void)state;
    memcpy(passed, keys, sizeof keys);
    for (uint32_t pass = 0; pass < 4; pass++) {
        uint32_t histogram[4] = {0};
        char text[128];
        msw_diag diag;
        snprintf(text, sizeof text, "return sort { key = key { type = u32, bits = {%u, %u} } }", 2 * pass, 2 * pass + 2);
        msw_spec *spec = read_spec(text);
        for (int i = 0; i < 8; i++) histogram[passed[i] >> 2 * pass & 3]++;
        if (pass < 2) assert_memory_equal(histogram, histograms[pass], sizeof histogram);
        assert_int_equal(msw_spec_evaluate(spec, 0, 8, (const void *[]){passed}, (void *[]){passed}, NULL, NULL, &diag), MSW_OK); /* in place */
        if (!pass) assert_memory_equal(passed, after_first, sizeof passed);
        msw_spec_destroy(spec);
    }
    assert_memory_equal(passed, sorted, sizeof sorted);
}

/* ---- what is written, and what is refused ---- */

static void test_outputs(void **state)
{
    msw_spec *spec = read_spec("return sort { key = key { type = struct 'P' { {'k', u8}, {'rest', u32} }, by = { {'k'} } }, value = u64 }");
    static const unsigned char keys[24] = {3, 9, 9, 9, 1, 1, 1, 1, 1, 9, 9, 9, 2, 2, 2, 2, 2, 9, 9, 9, 3, 3, 3, 3};
    static const unsigned char sorted[24] = {1, 0, 0, 0, 2, 2, 2, 2, 2, 0, 0, 0, 3, 3, 3, 3, 3, 0, 0, 0, 1, 1, 1, 1}; /* padding zero */
    static const uint64_t given[3] = {30, 10, 20};
    uint64_t pairs[3] = {30, 10, 20}, swapped[3];
    unsigned char out[24], in_place[24];
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_spec_evaluate(spec, 0, 3, (const void *[]){keys, given}, (void *[]){out, NULL}, NULL, NULL, &diag), MSW_OK);
    assert_memory_equal(out, sorted, 24);
    assert_int_equal(msw_spec_evaluate(spec, 0, 3, (const void *[]){keys, given}, (void *[]){NULL, swapped}, NULL, NULL, &diag), MSW_OK);
    assert_memory_equal(swapped, ((uint64_t[]){10, 20, 30}), 24);
    assert_int_equal(msw_spec_evaluate(spec, 0, 3, (const void *[]){keys, given}, NULL, NULL, NULL, &diag), MSW_OK);
    assert_int_equal(msw_spec_evaluate(spec, 0, 0, NULL, NULL, NULL, NULL, &diag), MSW_OK);
    memcpy(in_place, keys, 24);
    assert_int_equal(msw_spec_evaluate(spec, 0, 3, (const void *[]){in_place, pairs}, (void *[]){pairs, in_place}, NULL, NULL, &diag),
                     MSW_OK); /* crosswise */
    assert_memory_equal(pairs, sorted, 24);
    assert_memory_equal(in_place, ((uint64_t[]){10, 20, 30}), 24);
    assert_int_equal(msw_spec_evaluate(spec, 0, 3, (const void *[]){keys, NULL}, (void *[]){out, NULL}, NULL, NULL, &diag),
                     MSW_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(diag.message, "'values' is NULL"));
    assert_int_equal(msw_spec_evaluate(spec, 0, 3, (const void *[]){keys, given}, (void *[]){out, NULL}, NULL, out, &diag),
                     MSW_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(diag.message, "no carry"));
    msw_spec_destroy(spec);
}

static void test_refusals(void **state)
{
    const uint32_t in[1] = {1};
    uint32_t out[1];
    msw_diag diag;
    (void)state;
    msw_spec *spec = read_spec("\nreturn sort { key = u32, value = 'index' }");
    assert_int_equal(msw_spec_evaluate(spec, 0, (UINT64_C(1) << 32) + 1, (const void *[]){in}, (void *[]){NULL, NULL}, NULL, NULL, &diag),
                     MSW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(diag.message, "add index = u64"));
    msw_spec_destroy(spec);
    spec = read_spec("return sort { key = u32, map = source { glsl = 'return x;' } }");
    assert_int_equal(msw_spec_evaluate(spec, 0, 1, (const void *[]){in}, (void *[]){out}, NULL, NULL, &diag), MSW_ERROR_UNSUPPORTED);
    msw_spec_destroy(spec);
    spec =
        read_spec("return sort { key = u32, map = source { glsl = 'return x;', host = function(x) if x == 1 then error('one') end return x end } }");
    assert_int_equal(msw_spec_evaluate(spec, 0, 1, (const void *[]){in}, (void *[]){out}, NULL, NULL, &diag), MSW_ERROR_SPEC);
    assert_non_null(strstr(diag.message, "one"));
    msw_spec_destroy(spec);
}

/* A map that rounds as it likes: keys of another device may differ in their last bits, others in none. */
static void test_rounded_keys(void **state)
{
    static const struct {
        uint32_t op, is_verified[2]; /* of a key that is off by little, by much */
    } cases[] = {{0, {1, 0}}, {1, {0, 0}}};
    msw_spec *spec = read_spec("return { sort { name = 'a', key = f32, map = function(x) return exp(x) end }, sort { name = 'b', key = f32 } }");
    const float in[2] = {3, 1};
    msw_diag diag;
    (void)state;
    for (int c = 0; c < 2; c++) {
        const msw_verification_desc desc = {.struct_size = sizeof desc, .spec = spec, .op = cases[c].op};
        msw_verification *verification;
        msw_verification_report report = {.struct_size = sizeof report};
        float out[2];
        assert_int_equal(msw_spec_evaluate(spec, cases[c].op, 2, (const void *[]){in}, (void *[]){out}, NULL, NULL, &diag), MSW_OK);
        assert_true(out[0] < out[1]);
        assert_int_equal(msw_verification_create(&desc, &verification, &diag), MSW_OK);
        assert_int_equal(msw_verification_expect(verification, 2, (const void *[]){in}, &diag), MSW_OK);
        for (int much = 0; much < 2; much++) {
            const float keys[2] = {out[0], out[1] * (much ? 1.001f : 1.0000002f)};
            assert_int_equal(msw_verification_judge(verification, (const void *[]){keys}, NULL, &report, &diag), MSW_OK);
            assert_int_equal(report.verdict == MSW_VERIFIED, cases[c].is_verified[much]);
        }
        msw_verification_destroy(verification);
    }
    msw_spec_destroy(spec);
}

/* A key of `key_bytes` bytes, sorted by its ends, with a value of `value_bytes` bytes (0: none). */
static msw_spec *wide_spec(int key_bytes, int value_bytes)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "local function bytes(name, count) local list = {} for i = 1, count do list[i] = { 'f' .. i, u8 } end return struct(name)(list) end\n"
        "return sort { key = key { type = bytes('K', %d), by = %d > 1 and { {'f%d'}, {'f1'} } or { {'f1'} } }, value = %d > 0 and bytes('V', %d) "
        "or nil }",
        key_bytes, key_bytes, key_bytes, value_bytes, value_bytes > 0 ? value_bytes : 1);
    return read_spec(text);
}

/* Struct keys of every size have a plan and texts at default knobs, whatever is sorted with them; the largest ones compile. */
static void test_sizes(void **state)
{
    static const int value_bytes[] = {0, 1, 7, 33, 64, 91, 127, 128};
    const msw_target targets[] = {{.struct_size = sizeof(msw_target)},
                                  {.struct_size = sizeof(msw_target), .subgroup_size = 64},
                                  {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_CUDA},
                                  {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_CUDA, .arch = "sm_90"}};
    const msw_knob single[] = {{"strategy", "single_block"}};
    (void)state;
    for (int bytes = 1; bytes <= 128; bytes++) {
        msw_spec *spec = wide_spec(bytes, value_bytes[bytes % 8]);
        for (int t = bytes < 90 ? bytes % 4 : 0; t < 4; t += bytes < 90 ? 4 : 1) {
            const msw_program_desc desc = {.struct_size = sizeof desc, .target = &targets[t], .knobs = single, .knob_count = bytes == 91};
            msw_program *program;
            msw_diag diag;
            if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%d bytes, target %d: %s", bytes, t, diag.message);
            const msw_result result = bytes == 91 && t % 2 == 0 ? msw_program_compile(program, &diag) : MSW_OK;
            if (result && result != MSW_ERROR_UNSUPPORTED) fail_msg("%d bytes, target %d: %s", bytes, t, diag.message);
            msw_program_destroy(program);
        }
        msw_spec_destroy(spec);
    }
}

/* What a look-back of many bins posts is counted in 32 bits: a plan serves no more elements than that. */
static void test_limits(void **state)
{
    const msw_target target = {.struct_size = sizeof target,
                               .backend = MSW_BACKEND_CUDA,
                               .subgroup_size = 32,
                               .max_block_threads = 1024,
                               .shared_bytes = 1 << 17,
                               .max_blocks = INT32_MAX,
                               .compute_units = 100,
                               .progress = MSW_PROGRESS_NONE,
                               .arch = "sm_90"};
    const msw_knob knobs[] = {{"digit_bits", "11"}, {"descriptor", "tagged"}, {"block", "256"}, {"items", "4"}, {"strategy", "onesweep"}};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target, .knobs = knobs, .knob_count = 5};
    msw_spec *spec = read_spec("return sort { key = u32 }");
    msw_program *program;
    msw_diag diag;
    (void)state;
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    const msw_plan *plan = msw_program_plan(program);
    assert_int_equal(plan->variants[0].n_max, UINT64_C(1024) * (UINT32_MAX / 2048));
    assert_int_equal(plan->variant_count, 3); /* apart, in place, ping-pong; counts of 64 bits, two words each, would serve fewer */
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* A strategy of another kind is refused, also where a tuning row would do without the other knobs. */
static void test_strategies_of_others(void **state)
{
    static const char *const others[] = {"lookahead", "lookback", "reduce_then_scan", "block_atomic"};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"};
    msw_spec *spec = read_spec("return sort { key = u32 }");
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const msw_knob knob = {"strategy", others[i]};
        const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target, .knobs = &knob, .knob_count = 1};
        msw_program *program;
        msw_diag diag;
        assert_int_equal(msw_program_create(spec, &desc, &program, &diag), MSW_ERROR_UNSUPPORTED);
        assert_non_null(strstr(diag.message, "choose auto, onesweep, "));
    }
    msw_spec_destroy(spec);
}

/* ---- one cluster ---- */

/* The plan's cluster: its blocks, or 0; of how many threads, in `threads`. */
static uint32_t cluster_of(const char *text, const msw_target *target, const char *knob, const char *value, uint32_t *threads)
{
    const msw_knob knobs = {knob, value};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = target, .knobs = &knobs, .knob_count = knob != NULL};
    msw_spec *spec = read_spec(text);
    msw_program *program;
    msw_diag diag;
    uint32_t blocks = 0;
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    const msw_plan *plan = msw_program_plan(program);
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        if (plan->kernels[k].cluster_blocks) blocks = plan->kernels[k].cluster_blocks, *threads = plan->kernels[k].block_threads;
        assert_in_range(plan->kernels[k].block_threads, 1, target->max_block_threads ? target->max_block_threads : 1024);
    }
    for (uint32_t v = 1; v < plan->variant_count; v++) assert_true(plan->variants[v].n_max >= plan->variants[v - 1].n_max);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
    return blocks;
}

/* It is planned where the device has one, and where no knob says something of blocks and tiles. */
static void test_single_cluster(void **state)
{
    static const char keys[] = "return sort { key = u32 }", tuned[] = "return sort { key = u32, tune = { items = 8 } }";
    static const struct {
        const char *name, *value;
    } own[] = {{"block", "512"}, {"items", "8"}, {"blocks", "8"}, {"vector", "2"}, {"subgroup", "1"}, {"digit_bits", "7"}};
    const msw_target usual = {.struct_size = sizeof usual, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"};
    uint32_t threads = 0;
    (void)state;
    assert_int_equal(cluster_of(keys, &usual, NULL, NULL, &threads), 16);
    assert_int_equal(threads, 256);
    assert_int_equal(cluster_of(tuned, &usual, NULL, NULL, &threads), 0);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) assert_int_equal(cluster_of(keys, &usual, own[i].name, own[i].value, &threads), 0);
    msw_target target = usual;
    target.max_cluster_blocks = 8; /* what every device with clusters has */
    assert_int_equal(cluster_of(keys, &target, NULL, NULL, &threads), 8);
    target.max_cluster_blocks = 1;
    assert_int_equal(cluster_of(keys, &target, NULL, NULL, &threads), 0);
    target.max_cluster_blocks = 100;
    assert_int_equal(cluster_of(keys, &target, "strategy", "single_cluster", &threads), 16);
    target = usual, target.max_block_threads = 128;
    assert_int_equal(cluster_of(keys, &target, NULL, NULL, &threads), 0);
    target = usual, target.max_blocks = 3;
    assert_int_equal(cluster_of(keys, &target, NULL, NULL, &threads), 0);
    target = usual, target.has_features = 1, target.features = MSW_FEATURE_SUBGROUP | MSW_FEATURE_INT64; /* no long loops */
    assert_int_equal(cluster_of(keys, &target, NULL, NULL, &threads), 0);
    target = usual, target.arch = "sm_80", target.max_cluster_blocks = 16;
    assert_int_equal(cluster_of(keys, &target, NULL, NULL, &threads), 0);
    target = usual, target.arch = "sm_100";
    assert_int_equal(cluster_of(keys, &target, NULL, NULL, &threads), 8);
}

/* Refused by name, not by an assertion of a template. */
static void test_refused_clusters(void **state)
{
    static const char keys[] = "return sort { key = u32 }";
    static const struct {
        const char *arch, *name, *value, *why;
    } cases[] = {{"sm_80", NULL, NULL, "CUDA has from sm_90 on"},
                 {"sm_90", "blocks", "17", "choose fewer blocks, or onesweep"},
                 {"sm_90", "digit_bits", "1", "by two bits a pass or more"},
                 {"sm_90", "block", "2", "choose"}};
    (void)state;
    msw_spec *spec = read_spec(keys);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = cases[c].arch};
        const msw_knob knobs[] = {{"strategy", "single_cluster"}, {cases[c].name, cases[c].value}};
        const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target, .knobs = knobs, .knob_count = cases[c].name ? 2 : 1};
        msw_program *program;
        msw_diag diag;
        assert_int_equal(msw_program_create(spec, &desc, &program, &diag), MSW_ERROR_UNSUPPORTED);
        if (!strstr(diag.message, cases[c].why)) fail_msg("'%s' is not in '%s'", cases[c].why, diag.message);
    }
    msw_spec_destroy(spec);
}

/* ---- keys partitioned by Vulkan ---- */

static const msw_plan_kernel *kernel_of(const msw_plan *plan, const char *entry)
{
    for (uint32_t k = 0; k < plan->kernel_count; k++)
        if (!strcmp(plan->kernels[k].entry, entry)) return &plan->kernels[k];
    fail_msg("no kernel is called %s", entry);
    return NULL;
}

/* Vulkan's NVIDIA: keys of 8 bytes are partitioned from where it is worth while up to where buckets are as large as a block sorts, by blocks of many
 * threads; blocks stay, two a multiprocessor. */
static void test_by_vulkan_on_nvidia(void **state)
{
    const msw_target target = {.struct_size = sizeof target,
                               .backend = MSW_BACKEND_VULKAN,
                               .subgroup_size = 32,
                               .max_block_threads = 1024,
                               .max_block_subgroups = 32,
                               .shared_bytes = 49152,
                               .max_blocks = INT32_MAX,
                               .compute_units = 132,
                               .progress = MSW_PROGRESS_PARALLEL,
                               .arch = "nvidia"};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    const uint64_t least = 1 << 20, most = (UINT64_C(3584) - 360 + 1) << 16; /* 512 threads with 7 keys, less six deviations; 2^16 buckets */
    msw_spec *spec = read_spec("return sort { key = u64 }");
    msw_program *program;
    uint64_t n_max[3] = {0}; /* of Onesweep before, of the hybrid, of Onesweep behind it */
    msw_diag diag;
    (void)state;
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    const msw_plan *plan = msw_program_plan(program);
    for (uint32_t v = 0; v < plan->variant_count; v++) {
        const msw_plan_variant *variant = &plan->variants[v];
        const int is_hybrid = !strcmp(variant->strategy, "msd_hybrid");
        if (strcmp(variant->strategy, "single_block")) n_max[is_hybrid ? 1 : n_max[1] ? 2 : 0] = variant->n_max;
    }
    assert_int_equal(n_max[0], least - 1);
    assert_int_equal(n_max[1], most - 1);
    assert_true(n_max[2] > 8 * most);
    assert_int_equal(kernel_of(plan, "sort_partition")->block_threads, 1024);
    assert_int_equal(kernel_of(plan, "sort_local")->block_threads, 512);
    kernel_of(plan, "sort_top_histogram_in_shares"); /* a block has counters for 2^14 buckets */
    for (uint32_t s = 0; s < plan->step_count; s++)
        if (!strcmp(plan->kernels[plan->steps[s].kernel].entry, "sort_passes")) assert_int_equal(plan->steps[s].max_blocks, 264);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* The least n that is sorted by counting, by default; 0: none is. Its last variant says where the result of ping-pong lies: in the outputs. */
static uint64_t counting_from(const char *text, const char *arch)
{
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = arch, .compute_units = 132};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    msw_spec *spec = read_spec(text);
    msw_program *program;
    msw_diag diag;
    uint64_t least = 0, from = 1;
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    const msw_plan *plan = msw_program_plan(program);
    for (uint32_t v = 0; v < plan->variant_count && !least; v++) {
        if (!strcmp(plan->variants[v].strategy, "counting")) least = from;
        from = plan->variants[v].n_max + 1;
    }
    if (least) assert_int_equal(msw_ends_in_inputs(plan, UINT64_C(1) << 26), 0);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
    return least;
}

static void test_counting(void **state)
{
    (void)state;
    assert_int_equal(counting_from("return sort { key = u8 }", "sm_90"), 65537); /* behind one cluster */
    assert_int_equal(counting_from("return sort { key = u8 }", "sm_75"), 8193);  /* behind one block */
    assert_int_equal(counting_from("return sort { key = f16, order = 'descending' }", "sm_90"), 1 << 25);
    assert_int_equal(counting_from("return sort { key = f16 }", "sm_75"), 0); /* a block has no room for all counters */
    assert_int_equal(counting_from("return sort { key = u8, value = u32 }", "sm_90"), 0);
    assert_int_equal(counting_from("return sort { key = u32 }", "sm_90"), 0);
    assert_int_equal(counting_from("return sort { key = key { type = u16, bits = { 0, 9 } } }", "sm_90"), 0);
}

/* A plan for a GPU by Vulkan, or 0: it is refused, since a block has no room. No kernel takes more than there is, and no variant ends before the one
 * before it, which a kernel is not loaded from. */
static int plans_by_vulkan(const char *text, const msw_target *target, const char *tuning, const msw_knob *knobs)
{
    const msw_program_desc desc = {
        .struct_size = sizeof desc, .target = target, .tuning = tuning, .tuning_name = "t.lua", .knobs = knobs, .knob_count = knobs ? 2 : 0};
    msw_spec *spec = read_spec(text);
    msw_program *program = NULL;
    msw_diag diag;
    const msw_result result = msw_program_create(spec, &desc, &program, &diag);
    if (result) assert_int_equal(diag.code, MSW_ERROR_UNSUPPORTED);
    const msw_plan *plan = result ? NULL : msw_program_plan(program);
    for (uint32_t k = 0; plan && k < plan->kernel_count; k++) {
        assert_in_range(plan->kernels[k].shared_bytes, 0, target->shared_bytes);
        assert_in_range(plan->kernels[k].block_threads, 1, target->max_block_threads);
        if (target->subgroup_size > 1) assert_in_range(plan->kernels[k].block_threads, 1, target->max_block_subgroups * target->subgroup_size);
    }
    for (uint32_t v = 1; plan && v < plan->variant_count; v++)
        if (plan->variants[v].n_max < plan->variants[v - 1].n_max)
            fail_msg("%s, %u bytes, %u threads, subgroups of %u, %s: variant %u ends before the one before it", text, target->shared_bytes,
                     target->max_block_threads, target->subgroup_size, tuning ? tuning : "no row", v);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
    return plan != NULL;
}

/* Of little shared memory and many threads. More threads than a pass has by default are no reason to refuse. */
static void test_room_for_buckets(void **state)
{
    static const uint32_t shared[] = {16384, 32768, 49152, 65536}, threads[] = {128, 256, 512, 1024}, subgroups[] = {1, 16, 64};
    static const char *const digits[] = {"3", "8", "10", "11"};
    static const char *const specs[] = {"return sort { key = u32 }", "return sort { key = u64, value = u32 }",
                                        "local P = struct 'P' { {'a', u64}, {'b', u64} }\n"
                                        "return sort { key = key { type = P, by = { {'a'}, {'b'} } } }",
                                        "local W = struct 'W' { {'a', vec(u64, 4)}, {'b', vec(u64, 4)}, {'c', vec(u64, 4)}, {'d', u64} }\n"
                                        "return sort { key = key { type = W, by = { {'d'} } } }"};
    static const char *const from[] = {"1 << 16", "1 << 24", "1 << 30", "1 << 40"};
    int has_usual = 0; /* whether there is a plan for 256 threads */
    uint32_t plans = 0, planned;
    (void)state;
    for (uint32_t i = 0; i < 4 * 4 * 3 * 4 * 4; i++) {
        const msw_target target = {.struct_size = sizeof target,
                                   .backend = MSW_BACKEND_VULKAN,
                                   .subgroup_size = subgroups[i / 16 % 3],
                                   .max_block_threads = threads[i % 4],
                                   .max_block_subgroups = 64,
                                   .shared_bytes = shared[i / 4 % 4]};
        const msw_knob knobs[] = {{"strategy", "msd_hybrid"}, {"digit_bits", digits[i / 48 % 4]}};
        char row[160];
        snprintf(row, sizeof row, "row { backend = 'vulkan', class = 'sort%s', bytes = { 4, 127 }, strategy = 'msd_hybrid', from = %s }",
                 i / 192 == 1   ? "_pairs"
                 : i / 192 >= 2 ? "_fields"
                                : "",
                 from[i % 4 ^ i / 4 % 4]);
        plans += planned = (uint32_t)plans_by_vulkan(specs[i / 192], &target, NULL, knobs);
        if (target.max_block_threads == 256) has_usual = (int)planned;
        else if (target.max_block_threads > 256 && has_usual) assert_true(planned);
        if (i / 48 % 4 == 1) assert_true(plans_by_vulkan(specs[i / 192], &target, row, NULL));
    }
    assert_true(plans > 400);
}

/* What is advised where a block has no room helps: where the block of the kernels that sort buckets is no knob's, a smaller one would not. */
static void test_advice_for_buckets(void **state)
{
    static const char text[] = "local W = struct 'W' { {'a', vec(u64, 4)}, {'b', vec(u64, 4)}, {'c', vec(u64, 4)}, {'d', vec(u64, 3)}, {'e', u64} }\n"
                               "return sort { key = key { type = W, by = { {'e'} } } }";
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_80"};
    msw_knob knobs[] = {{"strategy", "msd_hybrid"}, {"digit_bits", "11"}, {"block", "128"}};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target, .knobs = knobs, .knob_count = 3};
    msw_spec *spec = read_spec(text);
    msw_program *program;
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_program_create(spec, &desc, &program, &diag), MSW_ERROR_UNSUPPORTED);
    if (!strstr(diag.message, "choose onesweep, or a smaller digit_bits")) fail_msg("%s", diag.message);
    knobs[1].value = "8";
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* In GLSL places are counted in 32 bits: units of 16 bytes are too many of them in a scratch of 64 GiB, which more than 2.75e9 keys and values need.
 * */
static void test_scratch_beyond_64_gib(void **state)
{
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_VULKAN};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    msw_spec *spec = read_spec("return sort { key = u64, value = u64 }");
    msw_program *program;
    msw_diag diag;
    uint32_t passes = 0;
    (void)state;
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    const msw_plan *plan = msw_program_plan(program);
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        if (strncmp(plan->kernels[k].entry, "sort_pass", 9)) continue;
        assert_non_null(strstr(plan->kernels[k].text, "has_room(params.scratch"));
        assert_null(strstr(plan->kernels[k].text, "zeroed_count(scratch) * 16u"));
        passes++;
    }
    assert_true(passes);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* ---- from outside ---- */

static void test_host_device(void **state)
{
    const msw_context_desc where = {.struct_size = sizeof where, .device = "host"};
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = "return sort { key = i32, order = 'descending', value = f32 }"};
    const int32_t keys[5] = {-3, 7, 0, 7, -9};
    const float given[5] = {1, 2, 3, 4, 5};
    int32_t keys_out[5];
    float values_out[5];
    msw_context *context;
    msw_kernel *kernel;
    msw_diag diag;
    (void)state;
    assert_int_equal(msw_context_create(&where, &context, &diag), MSW_OK);
    if (msw_kernel_create(context, &desc, &kernel, &diag)) fail_msg("%s", diag.message);
    const msw_result result = msw_kernel_run_host(kernel, 5, (const void *[]){keys, given}, (void *[]){keys_out, values_out}, NULL, &diag);
    if (result) fail_msg("%s", diag.message);
    assert_memory_equal(keys_out, ((int32_t[]){7, 7, 0, -3, -9}), sizeof keys_out);
    assert_memory_equal(values_out, ((float[]){2, 4, 3, 1, 5}), sizeof values_out);
    assert_int_equal(msw_kernel_run_host(kernel, 0, NULL, NULL, NULL, &diag), MSW_OK);
    assert_int_equal(msw_kernel_plan(kernel)->bytes_read_per_item, 8);
    msw_kernel_destroy(kernel);
    msw_context_destroy(context);
}

static void test_command_line(void **state)
{
    static const struct {
        uint32_t tile;
        float depth;
    } in[4] = {{2, 1}, {1, 5}, {2, 3}, {1, 5}}, sorted[4] = {{1, 5}, {1, 5}, {2, 3}, {2, 1}};
    (void)state;
    enter_directory("cli_sort");
    make_text("s.lua", "return sort { value = 'index', key = key { type = struct 'S' { {'tile', u32}, {'depth', f32} },\n"
                       "    by = { {'tile', bits = 14}, {'depth', order = 'descending'} } } }\n");
    make_file("in.raw", in, sizeof in);
    make_text("10.lua", "return sort { key = key { type = struct 'S' { {'tile', u32}, {'depth', f32} },\n"
                        "    by = { {'depth', order = 'descending'}, {'tile'} } } }\n");
    expect("check 10.lua", 0, "_10: sort of S (8 bytes) by 64 bits, depth descending, tile ascending, bit exact\n", NULL);
    expect("check s.lua", 0, "s: sort of S (8 bytes) by 46 bits, tile ascending, depth descending, returns indices of u32, bit exact\n", NULL);
    expect("check s.lua --json", 0,
           "\"key\": {\"bits\": 46, \"order\": \"mixed\", \"fields\": [{\"name\": \"tile\", \"order\": \"ascending\"}, "
           "{\"name\": \"depth\", \"order\": \"descending\"}], ",
           NULL);
    /* A sort that descends turns the whole key around, a field that descends, too. */
    make_text("around.lua",
              "local S = struct 'S' { {'tile', u32}, {'depth', f32} }\n"
              "return { sort { name = 'mixed', order = 'descending', key = key { type = S, by = { {'tile', order = 'descending'}, {'depth'} } } },\n"
              "    sort { name = 'alike', order = 'descending', key = key { type = S, by = { {'tile', order = 'descending'} } } } }\n");
    expect("check around.lua", 0, "mixed: sort of S (8 bytes) by 64 bits, tile ascending, depth descending, bit exact\n", NULL);
    expect("check around.lua", 0, "alike: sort of S (8 bytes) by 32 bits, ascending, bit exact\n", NULL);
    expect("run around.lua --op mixed --device host --input keys=in.raw --output keys_out=out/a.raw", 0, NULL, "n = 4");
    expect_file("out/a.raw", sorted, sizeof sorted);
    expect("run s.lua --device host --verify --input keys=in.raw --output keys_out=out/k.npy --output values_out=out/v.raw", 0, NULL,
           "keys/s, verified bit for bit");
    expect_file("out/v.raw", ((uint32_t[]){1, 3, 2, 0}), 16);
    expect("run s.lua --device host --input keys=out/k.npy --output keys_out=out/k.raw", 0, NULL, "n = 4");
    expect_file("out/k.raw", sorted, sizeof sorted);
    expect("plan s.lua", 0, "onesweep", NULL);
    expect("plan s.lua", 0, "n <= 2048: single_block, no scratch", NULL);
    expect("plan s.lua --set strategy=upsweep_downsweep", 0, "sort_downsweep", NULL);
    /* llvmpipe ends long loops: no block stays, whatever is asked for, and each sorts one group of buckets. */
    make_text("words.lua", "return sort { key = u32 }");
    expect("plan words.lua --target glsl --without long_loops --set strategy=msd_hybrid", 0,
           "sort_local: tiles of up to 1024 items, at most 8192 blocks", NULL);
    expect("plan s.lua --target glsl --without long_loops --set strategy=msd_hybrid --set resident=1 --set descriptor=tagged", 0,
           "sort_pass: 6 launches, tiles of 512 items, at most 65535 blocks", NULL);
    /* Of three digits the device partitions nothing: a plan for them has no kernels for it. */
    make_text("three.lua", "return sort { key = key { type = u32, bits = {0, 24} } }");
    cli_result three = run("plan three.lua --target cuda --arch sm_90"), four = run("plan words.lua --target cuda --arch sm_90");
    assert_null(strstr(three.out.data, "msd_hybrid"));
    assert_non_null(strstr(four.out.data, "msd_hybrid"));
    drop(&three);
    drop(&four);
    expect("plan s.lua --set strategy=split", 0, ": split, scratch", NULL);
    expect("plan s.lua --set strategy=split --set digit_bits=2", 1, NULL, "a split sorts by one bit a pass");
    /* What a histogram of all digits has no room for needs none where each pass counts. */
    make_text("long.lua", "return sort { key = key { type = vec(u64, 2), by = { {'x'}, {'y'} } } }");
    expect("plan long.lua --target cuda --arch sm_90 --set digit_bits=9", 0, "onesweep", NULL);
    expect("plan long.lua --target cuda --arch sm_90 --set digit_bits=10", 1, NULL, "the counts of all digits of a key need more shared memory");
    expect("plan long.lua --target cuda --arch sm_90 --set digit_bits=10 --set strategy=upsweep_downsweep", 0, "sort_downsweep", NULL);
    expect("plan long.lua --target cuda --arch sm_90 --set digit_bits=10 --set strategy=single_block", 0, "1 kernel,", NULL);
    expect("plan s.lua --target glsl --set digit_bits=10", 0, "onesweep", NULL);
    expect("plan s.lua --target glsl --set digit_bits=11", 1, NULL, "the counts of all digits of a key need more shared memory");
    expect("plan s.lua --set strategy=single_block --set block=64 --set items=8", 0, "s: 1 kernel,", NULL);
}

/* Whichever allocation fails, a sort says so and loses nothing. */
static void test_memory(void **state)
{
    static const char text[] =
        "return sort { key = key { type = vec(i16, 2), by = { {'y'}, {'x', bits = 3} } }, map = function(x) return x end, value = u16 }";
    const int16_t keys[6] = {1, 2, 3, 1, 0, 2};
    const uint16_t given[3] = {7, 8, 9};
    msw_result result = MSW_ERROR_OUT_OF_MEMORY;
    (void)state;
    for (int64_t first = 1; result != MSW_OK; first++) {
        failing memory = {.first = first, .count = INT64_MAX};
        const msw_allocator allocator = {&memory, failing_resize};
        const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .allocator = &allocator};
        int16_t keys_out[6] = {0};
        uint16_t values_out[3] = {0};
        msw_spec *spec;
        msw_diag diag;
        memory.first = 0;
        if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
        memory.first = memory.calls + first;
        result = msw_spec_evaluate(spec, 0, 3, (const void *[]){keys, given}, (void *[]){keys_out, values_out}, NULL, NULL, &diag);
        assert_int_equal(diag.code, result);
        assert_int_equal(values_out[0], result ? 0 : 8);
        if (result) assert_int_equal(result, MSW_ERROR_OUT_OF_MEMORY);
        msw_spec_destroy(spec);
        assert_int_equal(memory.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_struct_keys),
        cmocka_unit_test(test_morton),
        cmocka_unit_test(test_argsort),
        cmocka_unit_test(test_digit_passes),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_rounded_keys),
        cmocka_unit_test(test_host_device),
        cmocka_unit_test(test_command_line),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_strategies_of_others),
        cmocka_unit_test(test_single_cluster),
        cmocka_unit_test(test_refused_clusters),
        cmocka_unit_test(test_by_vulkan_on_nvidia),
        cmocka_unit_test(test_counting),
        cmocka_unit_test(test_room_for_buckets),
        cmocka_unit_test(test_advice_for_buckets),
        cmocka_unit_test(test_scratch_beyond_64_gib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
