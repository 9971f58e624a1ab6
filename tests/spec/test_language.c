/* What the spec language says, statement by statement: specs with their results on the host oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <monosweep/monosweep.h>
#include <stdio.h>
#include <string.h>

typedef struct language_case {
    const char *text;
    const void *in;
    uint64_t n;
    const void *out; /* what `out` must hold, padding included */
    size_t out_bytes;
} language_case;

#define VALUES(type, ...) \
    (const type[]) { __VA_ARGS__ }
#define CASE(text, in_type, in, count, out_type, out)                                         \
    {                                                                                         \
        text, VALUES(in_type, in), count, VALUES(out_type, out), sizeof VALUES(out_type, out) \
    }
#define LIST(...) __VA_ARGS__

static void check_cases(const language_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const language_case *c = &cases[i];
        unsigned char out[512], more[512]; /* more: an output behind the first, a count */
        msw_spec *spec;
        msw_diag diag;
        const msw_spec_desc desc = {.struct_size = sizeof desc, .text = c->text, .file = "case.lua"};
        if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s\n%s", c->text, diag.message);
        memset(out, 0xa5, sizeof out);
        if (msw_spec_evaluate(spec, 0, c->n, (const void *[]){c->in}, (void *[]){out, more}, NULL, NULL, &diag))
            fail_msg("%s\n%s", c->text, diag.message);
        if (memcmp(out, c->out, c->out_bytes)) {
            print_error("%s\ngives", c->text);
            for (size_t b = 0; b < c->out_bytes; b++) print_error(" %02x", out[b]);
            fail_msg("not what is expected");
        }
        msw_spec_destroy(spec);
    }
}

#define CHECK(cases) check_cases(cases, sizeof(cases) / sizeof *(cases))

typedef struct pair_u32 {
    uint32_t a, b;
} pair_u32;
typedef struct padded {
    uint8_t k;
    uint32_t n;
    uint8_t last;
} padded;
typedef struct wide_best {
    float value;
    uint64_t index;
} wide_best;
typedef struct nested {
    struct {
        float v[2];
        uint8_t k;
    } inner;
    uint64_t count;
} nested;

static void test_types(void **state)
{
    (void)state;
    static const wide_best best[3] = {{3, 0}, {1, 1}, {1, 1}}; /* static: padding is zero */
    static const nested deep[2] = {{{{1, -1}, 1}, 1}, {{{3, -3}, 1}, 2}};
    static const padded pads[2] = {{1, 5, 0}, {3, 7, 0}};
    const language_case cases[] = {
        CASE("local V = vec(f32, 2) return scan { monoid = sum(V), input = f32, map = function(x) return { x, V(x, 1).y } end }", float, LIST(1, 2),
             2, float, LIST(1, 1, 3, 2)),
        CASE("return scan { monoid = sum(vec(u8, 3)) }", uint8_t, LIST(1, 2, 3, 250, 254, 255), 2, uint8_t, LIST(1, 2, 3, 251, 0, 2)),
        CASE("return scan { monoid = sum(u32), input = vec(u32, 4), map = function(v) return v.x + v.y * 10 + v.z * 100 + v.w * 1000 end }", uint32_t,
             LIST(1, 2, 3, 4), 1, uint32_t, LIST(4321)),
        CASE("local V = vec(f32, 3) return scan { monoid = maximum(V), input = V, map = function(p) return -p * 2 + { 1, 2, 3 } - V(vec(u32, 3)(1, "
             "1, 1)) end }",
             float, LIST(1, 2, 3), 1, float, LIST(-2, -3, -4)),
        CASE("local P = struct 'P' { {'k', u8}, {'n', u32}, {'last', u8} }\n"
             "return scan { monoid = monoid { type = P, identity = P(0, 0, 0), combine = function(a, b) return { k = a.k | b.k, n = a.n + b.n, "
             "last = max(a.last, b.last) } end },"
             " input = u8, map = function(x) return P { k = x, n = 4 + u32(x) - 2 * u32(x - 1), last = 0 } end }",
             uint8_t, LIST(1, 2), 1, padded, LIST(pads[0])),
        {"local I = struct 'I' { {'v', vec(f32, 2)}, {'k', u8} } local O = struct 'O' { {'inner', I}, {'count', u64} }\n"
         "return scan { monoid = monoid { type = O, identity = { inner = { v = {0, 0}, k = 0 }, count = 0 }, combine = function(a, b)\n"
         "  return O { inner = I(a.inner.v + b.inner.v, max(a.inner.k, b.inner.k)), count = a.count + b.count } end },\n"
         "  input = f32, map = function(x) return O(I({ x, -x }, 1), 1) end }",
         VALUES(float, 1, 2), 2, deep, sizeof deep},
        {"return scan { monoid = argmin(f32, u64), input = f32, map = function(x, i) return { x, i } end }", VALUES(float, 3, 1, 1), 3, best,
         sizeof best},
        CASE("return reduce { monoid = sum(u32), output = function(s) return u64.max - u64(s) end }", uint32_t, LIST(1), 1, uint64_t,
             LIST(UINT64_MAX - 1)),
        CASE("return reduce { monoid = sum(i32), output = function(s) return vec(i32, 4)(i32(i8.min), i32(i16.max), i32(u8.max), i32.min) end }",
             int32_t, LIST(1), 1, int32_t, LIST(-128, 32767, 255, INT32_MIN)),
        CASE("return reduce { monoid = sum(f32), output = function(s) return vec(f32, 4)(f32.inf, f32.lowest, f32.max, f32.epsilon) end }", float,
             LIST(1), 1, float, LIST(1.0f / 0.0f, -3.40282347e38f, 3.40282347e38f, 1.1920929e-7f)),
        CASE("return scan { monoid = maximum(u32), input = f32, map = function(x) return bitcast(u32, x) end }", float, LIST(1), 1, uint32_t,
             LIST(0x3f800000)),
    };
    CHECK(cases);
}

static void test_conversions(void **state)
{
    (void)state;
    const language_case cases[] = {
        CASE("return scan { monoid = bit_or(u8), input = f32, map = function(x) return u8(x) end }", float, LIST(-5), 1, uint8_t, LIST(0)),
        CASE("return scan { monoid = bit_or(u8), input = f32, map = function(x) return u8(x) end }", float, LIST(1e9f), 1, uint8_t, LIST(255)),
        CASE("return scan { monoid = bit_or(i32), input = f32, map = function(x) return i32(x) end }", float, LIST(0.0f / 0.0f), 1, int32_t, LIST(0)),
        CASE("return scan { monoid = sum(u8), input = u32, map = function(x) return u8(x) end }", uint32_t, LIST(0x1ff), 1, uint8_t, LIST(255)),
        CASE("return scan { monoid = sum(u32), map = function(x) return u32(lt(x, 2)) + u32(bool(x)) * 10 end }", uint32_t, LIST(0, 1, 2), 3,
             uint32_t, LIST(1, 12, 22)),
        CASE("return scan { monoid = sum(i64), input = i8, map = function(x) return i64(x) end }", int8_t, LIST(-1, -128), 2, int64_t,
             LIST(-1, -129)),
    };
    CHECK(cases);
}

static void test_operators(void **state)
{
    (void)state;
    const language_case cases[] = {
        CASE("return reduce { monoid = sum(i32), output = function(x) return vec(i32, 4)(x / 2, x // 2, x % 3, -x) end }", int32_t, LIST(-7), 1,
             int32_t, LIST(-3, -4, 2, 7)),
        CASE("return reduce { monoid = sum(i32), output = function(x) local zero = x - x return vec(i32, 4)(x / zero, x % zero, i32.min / (zero - "
             "1), i32.min % (zero - 1)) end }",
             int32_t, LIST(-7), 1, int32_t, LIST(-7, 0, INT32_MIN, 0)),
        CASE("return reduce { monoid = sum(u32), output = function(x) return vec(u32, 4)(x << (x + 31), ~x, x ~ 6, (x & 4) | 3) end }", uint32_t,
             LIST(5), 1, uint32_t, LIST(80, 0xfffffffa, 3, 7)),
        CASE("return reduce { monoid = sum(i8), output = function(x) return vec(i8, 3)(x >> 1, x << 1, abs(x)) end }", int8_t, LIST(-128), 1, int8_t,
             LIST(-64, 0, -128)),
        CASE("return reduce { monoid = sum(u32), output = function(x) return vec(u32, 4)(popcount(x), clz(x), ctz(x), bitreverse(x)) end }", uint32_t,
             LIST(0), 1, uint32_t, LIST(0, 32, 32, 0)),
        CASE("return reduce { monoid = sum(u16), output = function(x) return vec(u16, 4)(rotl(x, 4), rotr(x, 4), mulhi(x, x), fma(x, x, 1)) end }",
             uint16_t, LIST(0x1234), 1, uint16_t, LIST(0x2341, 0x4123, 0x014b, 0x5a91)),
        CASE("return reduce { monoid = sum(f32), output = function(x) local nan = x / x return vec(f32, 4)(min(nan, 2), max(3, nan), min(x, -x), "
             "max(x, -x)) end }",
             float, LIST(0), 1, float, LIST(2, 3, -0.0f, 0)),
        CASE("return reduce { monoid = sum(f32), output = function(x) return vec(f32, 4)(floor(x), ceil(x), round(x), trunc(x)) end }", float,
             LIST(-2.5f), 1, float, LIST(-3, -2, -2, -2)),
        CASE("return reduce { monoid = sum(f32), output = function(x) return where(land(gt(x, 1), lor(le(x, 2), lnot(isnan(x)))), clamp(x, 4, 5), "
             "abs(-x)) end }",
             float, LIST(3), 1, float, LIST(4)),
        CASE("return scan { monoid = sum(vec(u32, 2)), map = function(v) return where(ne(v, 2), v, { 7, 8 }) end }", uint32_t, LIST(1, 2, 2, 3), 2,
             uint32_t, LIST(1, 8, 8, 11)),
    };
    CHECK(cases);
}

static void test_monoids(void **state)
{
    (void)state;
    const language_case cases[] = {
        CASE("return scan { monoid = minimum(f32), kind = 'exclusive' }", float, LIST(3, 1, 2), 3, float, LIST(1.0f / 0.0f, 3, 1)),
        CASE("return scan { monoid = maximum(i8), kind = 'exclusive' }", int8_t, LIST(-3, -1), 2, int8_t, LIST(-128, -3)),
        CASE("return scan { monoid = bit_and(u8), kind = 'exclusive' }", uint8_t, LIST(6, 3), 2, uint8_t, LIST(255, 6)),
        CASE("return scan { monoid = bit_or(u8) }", uint8_t, LIST(6, 1), 2, uint8_t, LIST(6, 7)),
        CASE("return scan { monoid = bit_xor(u8) }", uint8_t, LIST(6, 3), 2, uint8_t, LIST(6, 5)),
        CASE("return scan { monoid = product(u8) }", uint8_t, LIST(6, 50), 2, uint8_t, LIST(6, 44)),
        CASE("return scan { monoid = argmax(u32), input = u32, map = function(x, i) return { value = x, index = u32(i) } end }", uint32_t,
             LIST(4, 9, 9), 3, pair_u32, LIST({4, 0}, {9, 1}, {9, 1})),
        CASE("return scan { monoid = pair(sum(u32), maximum(u32)), input = u32, map = function(x) return { _1 = x, _2 = x } end }", uint32_t,
             LIST(4, 9, 2), 3, pair_u32, LIST({4, 4}, {13, 9}, {15, 9})),
        CASE("return scan { monoid = pair { low = minimum(u32), all = sum(u32) }, input = u32, map = function(x) return { low = x, all = x } end }",
             uint32_t, LIST(4, 9, 2), 3, pair_u32, LIST({4, 4}, {13, 4}, {15, 2})), /* all before low */
        CASE("return scan { monoid = pair { low = minimum(u32), all = sum(u32), order = {'low', 'all'} }, input = u32, map = function(x) return { "
             "x, x } end }",
             uint32_t, LIST(4, 9, 2), 3, pair_u32, LIST({4, 4}, {4, 13}, {2, 15})),
        CASE("return scan { monoid = segmented(sum(u32)), input = u32, map = function(x) return { flag = x & 1, value = x } end }", uint32_t,
             LIST(2, 4, 3, 6), 4, pair_u32, LIST({0, 2}, {0, 6}, {1, 3}, {1, 9})),
        CASE("local m = sum(u16) return scan { monoid = m, input = m.type }", uint16_t, LIST(1, 2), 2, uint16_t, LIST(1, 3)),
    };
    CHECK(cases);
}

static void test_scans_and_reductions(void **state)
{
    (void)state;
#define DIGITS \
    "local digits = monoid { type = u32, identity = 0, laws = 'trusted', combine = function(a, b) return where(eq(b, 0), a, a * 10 + b) end } "
    const language_case cases[] = {
        CASE(DIGITS "return scan { monoid = digits }", uint32_t, LIST(1, 2, 3), 3, uint32_t, LIST(1, 12, 123)),
        CASE(DIGITS "return scan { monoid = digits, init = 9 }", uint32_t, LIST(1, 2, 3), 3, uint32_t, LIST(91, 912, 9123)),
        CASE(DIGITS "return scan { monoid = digits, init = 9, kind = 'exclusive' }", uint32_t, LIST(1, 2, 3), 3, uint32_t, LIST(9, 91, 912)),
        CASE(DIGITS "return reduce { monoid = digits, init = 9 }", uint32_t, LIST(1, 2), 2, uint32_t, LIST(912)),
        CASE("local last = monoid { type = u32, identity = 0, combine = function(a, b) return where(eq(b, 0), a, b) end }\n"
             "return scan { monoid = last, reverse = true, init = 7 }",
             uint32_t, LIST(1, 0, 0), 3, uint32_t, LIST(7, 7, 7)), /* init comes last */
        CASE("return scan { monoid = sum(u32), reverse = true, kind = 'exclusive' }", uint32_t, LIST(1, 2, 4), 3, uint32_t, LIST(6, 4, 0)),
        CASE("return scan { monoid = sum(u64), input = u8, map = function(x, i) return i * i end, output = function(s, x, i) return s * 100 + "
             "u64(x) * 10 + i end }",
             uint8_t, LIST(1, 2, 3), 3, uint64_t, LIST(10, 121, 532)),
        CASE("return reduce { monoid = sum(u32), output = function(s) return f64(s) / 4 end }", uint32_t, LIST(1, 2), 2, double, LIST(0.75)),
        CASE("return reduce { monoid = product(u32) }", uint32_t, LIST(0), 0, uint32_t, LIST(1)),
        CASE("return reduce { monoid = product(u32), init = 5, output = function(s) return s + 1 end }", uint32_t, LIST(0), 0, uint32_t, LIST(6)),
    };
    CHECK(cases);
}

static void test_lua(void **state)
{
    (void)state;
    const language_case cases[] = {
        CASE("local order = '' for k in pairs { b = 1, a = 2, [30] = 1, [4] = 0, c = 3 } do order = order .. k end assert(order == '430abc', order)\n"
             "return reduce { monoid = sum(u32) }",
             uint32_t, LIST(1), 1, uint32_t, LIST(1)),
        CASE("assert(tostring({}) == 'table' and tostring(tostring) == 'function' and tostring(u32) == 'u32' and tostring(sum(u32)) == 'sum(u32)')\n"
             "assert(('%s %s'):format({}, vec(f32, 2)) == 'table vec(f32, 2)')\n"
             "assert(tostring(u32(1) + 2) == 'u32 expression')\n"
             "return reduce { monoid = sum(u32) }",
             uint32_t, LIST(1), 1, uint32_t, LIST(1)),
        CASE("spec_version(1) local x = math.random(1000) local y = math.random() return reduce { monoid = sum(u32), init = x }", uint32_t, LIST(0),
             0, uint32_t, LIST(233)),
        CASE("local f = function(x) return x + 1 end local t = setmetatable({}, { __index = function(_, k) return k * 2 end })\n"
             "return { (reduce { monoid = sum(u32), map = f, init = t[4] + #('abc'):rep(2) + select('#', 1, 2) + tonumber('7') }) }",
             uint32_t, LIST(1), 1, uint32_t, LIST(25)),
        CASE("local s = 0 for w in ('1 22 333'):gmatch('%d+') do s = s + #w end local t = { 3, 1, 2 } table.sort(t)\n"
             "local ok = pcall(error, 'x') assert(not ok and t[1] == 1 and utf8.char(228) == 'ä' and math.type(1) == 'integer' and next({ a = 1 }) "
             "== 'a')\n"
             "return reduce { monoid = sum(u32), init = s }",
             uint32_t, LIST(0), 0, uint32_t, LIST(6)),
    };
    CHECK(cases);
}

/* name, doc, tune, deterministic; the default name. */
/* Lua's functions on tables, which are the sandbox's own. */
static void test_tables(void **state)
{
    (void)state;
#define PASSES(text) CASE(text "\nreturn reduce { monoid = sum(u32) }", uint32_t, LIST(1), 1, uint32_t, LIST(1))
    const language_case cases[] = {
        PASSES("local t = {} table.insert(t, 'b') table.insert(t, 1, 'a') table.insert(t, 3, 'd') table.insert(t, '3', 'c') assert(table.concat(t) "
               "== 'abcd')\n"
               "assert(table.concat(t, ', ') == 'a, b, c, d' and table.concat(t, 0, 2, 3) == 'b0c' and table.concat({}, 'x') == '' and "
               "table.concat({ 1, 2.5 }) == '12.5')"),
        PASSES(
            "local t = { 1, 2, 3, 4 } assert(table.remove(t) == 4 and table.remove(t, 1) == 1 and table.remove(t, 3) == nil and #t == 2 and t[2] "
            "== 3)\n"
            "assert(table.remove({}) == nil and table.remove({}, 0) == nil and table.remove({ [0] = 5 }, 0) == 5 and table.remove({ 7 }, 2) == nil)"),
        PASSES("local a, b, c = table.unpack { 1, nil, 3 } assert(a == 1 and b == nil and c == 3 and select('#', table.unpack({}, 1, 3)) == 3)\n"
               "assert(table.unpack({ 1, 2, 3 }, 2) == 2 and table.unpack({ 1, 2, 3 }, -1, 1) == nil and table.unpack({}) == nil and table.pack(1, "
               "nil).n == 2)"),
        PASSES("local t = { 5, 2, 8, 1, 9, 3 } table.sort(t) assert(table.concat(t) == '123589') table.sort(t, function(a, b) return a > b end)\n"
               "assert(table.concat(t) == '985321') local stable = {} for i = 1, 200 do stable[i] = { i % 7, i } end\n"
               "table.sort(stable, function(a, b) return a[1] < b[1] end)\n"
               "for i = 2, 200 do local a, b = stable[i - 1], stable[i] assert(a[1] < b[1] or a[1] == b[1] and a[2] < b[2]) end"),
        PASSES(
            "for _, wrong in ipairs { function() table.insert({}, 3, 1) end, function() table.insert(nil, 1) end, function() table.insert({}) end,\n"
            "  function() table.remove({ 1 }, 5) end, function() table.concat({ {} }) end, function() table.concat({ 1 }, '', 1, 2) end,\n"
            "  function() table.sort({ 1, 'a' }) end, function() table.unpack({}, 1, 1e6) end, function() table.insert({}, 1.5, 2) end } do "
            "assert(not pcall(wrong)) end"),
        PASSES("assert(not pcall(function() return pipeline(function(p) error('not today') end) end))\n"
               "pipeline(function(p) p.output('y', p.map({ p.input('x', u32) }, function(v) return v + 1 end)) end)"),
        PASSES("local Point = {} Point.__index = Point function Point.new(x) return setmetatable({ x = x }, Point) end\n"
               "function Point.twice(p) return 2 * p.x end function Point.__add(a, b) return Point.new(a.x + b.x) end\n"
               "local p = Point.new(1) + Point.new(2) assert(p:twice() == 6 and getmetatable(p) == Point and not pcall(function() return #p + p .. p "
               "end))\n"
               "local called = setmetatable({}, { __call = setmetatable({}, { __call = function(_, _, x) return x end }) }) assert(called(5) == 5)\n"
               "local kept = {} local proxy = setmetatable({}, { __newindex = kept }) proxy.a = 1 assert(kept.a == 1 and rawget(proxy, 'a') == nil)\n"
               "assert(not pcall(setmetatable, u32, {}) and not pcall(setmetatable, 1, {}) and setmetatable(p, nil) == p and p.twice == nil)"),
        PASSES("assert(('abc'):gsub('%w', { a = 1, b = false }) == '1bc')\n"
               "assert(('abc'):gsub('%w', setmetatable({}, { __index = { c = 'd' } })) == 'abd')"),
    };
    CHECK(cases);
}

/* Bytes decide, whatever the application's locale says (test_language_locale). */
static void test_bytes(void **state)
{
    (void)state;
    const language_case cases[] = {
        PASSES("assert('B' < 'a' and 'Z' < '_' and 'a\\xe7' > 'b' == false and 'i' < '\\xfd')"),
        PASSES(
            "local order = '' for k in pairs { a = 1, B = 1, _ = 1, ['\\xe7'] = 1, c = 1 } do order = order .. k end assert(order == 'B_ac\\xe7')\n"
            "local t = { 'a', 'B', '\\xe7', 'c' } table.sort(t) assert(table.concat(t) == 'Bac\\xe7')"),
        PASSES("assert(('i'):upper() == 'I' and ('I'):lower() == 'i' and not ('\\xe7'):find('%a') and ('\\xe7'):upper() == '\\xe7')"),
        PASSES("assert(tostring(1.5) == '1.5' and '1.5' + 1 == 2.5 and ('%g'):format(0.5) == '0.5' and not tonumber('1,5') and 1.5 .. '' == '1.5')"),
        CASE("return reduce { monoid = pair { b = sum(u32), A = sum(u32) }, input = u32, map = function(x) return { b = x, A = 2 * x } end }",
             uint32_t, LIST(1), 1, pair_u32, LIST({2, 1})), /* A before b */
        CASE("return reduce { monoid = sum(f32), map = function(x) return x * 1.5 + 0.25 end }", float, LIST(1), 1, float, LIST(1.75f)),
    };
    CHECK(cases);
}

/* A number of elements that no function and no output of the spec's mentions is the n of what follows; outputs kept by one function share it. */
static void test_pipelines(void **state)
{
    (void)state;
    const language_case cases[] = {
        CASE("return pipeline(function(p)\n"
             "  local kept = p.compact { input = p.input('x', u32), keep = function(x) return ne(x & 1, 0) end }\n"
             "  p.output('total', p.reduce { monoid = sum(u32), input = kept.out, map = function(x, i) return x * 10 + u32(i) end })\n"
             "end)",
             uint32_t, LIST(1, 2, 3, 4), 4, uint32_t, LIST(41)),
        CASE("local function is_odd(x) return ne(x & 1, 0) end\n"
             "return pipeline(function(p)\n"
             "  local kept = p.map { input = p.input('x', u32), outputs = { {'x', keep = is_odd, value = function(x) return x end},\n"
             "    {'i', keep = is_odd, value = function(x, i) return u32(i) end} } }\n"
             "  p.output('total', p.reduce { monoid = sum(u32), inputs = { x = kept.x, i = kept.i }, map = function(e) return e.x * 10 + e.i end })\n"
             "end)",
             uint32_t, LIST(1, 2, 3, 4), 4, uint32_t, LIST(42)),
        CASE("return pipeline(function(p)\n" /* the rest of a partition */
             "  local parts = p.partition { input = p.input('x', u32), first = function(x) return eq(x & 1, 0) end }\n"
             "  p.output('total', p.reduce { monoid = sum(u32), input = parts.rest, map = function(x, i) return x * 10 + u32(i) end })\n"
             "end)",
             uint32_t, LIST(1, 2, 3, 4), 4, uint32_t, LIST(41)),
        CASE("return pipeline(function(p)\n" /* also where a call with it has failed */
             "  local x = p.input('x', u32)\n"
             "  local parts = p.partition { input = x, first = function(x) return eq(x & 1, 0) end }\n"
             "  assert(not pcall(p.map, { parts.rest, x }, function(a, b) return a + b end))\n"
             "  p.output('total', p.reduce { monoid = sum(u32), input = parts.rest, map = function(x, i) return x * 10 + u32(i) end })\n"
             "end)",
             uint32_t, LIST(1, 2, 3, 4), 4, uint32_t, LIST(41)),
        CASE("return pipeline(function(p)\n" /* segments by flags that a map makes */
             "  local x = p.input('x', u32)\n"
             "  local flags = p.map({ x }, function(x) return u8(eq(x & 1, 0)) end)\n"
             "  p.output('y', p.segmented_scan { flags = flags, input = x, monoid = sum(u32) })\n"
             "end)",
             uint32_t, LIST(1, 2, 3, 5, 6), 5, uint32_t, LIST(1, 2, 5, 10, 6)),
        CASE("return pipeline(function(p)\n" /* and by keys: what follows has as many elements as there are segments */
             "  local x = p.input('x', u32)\n"
             "  local sums = p.segmented_reduce { keys = p.map({ x }, function(x) return x >> 1 end), input = x, monoid = sum(u32) }\n"
             "  p.output('total', p.reduce { monoid = sum(u32), input = sums.out, map = function(s, i) return s * (u32(i) + 1) end })\n"
             "end)",
             uint32_t, LIST(2, 3, 4, 5, 9), 5, uint32_t, LIST(5 + 2 * 9 + 3 * 9)),
        CASE("return pipeline(function(p)\n" /* a scattered array: zero where nothing was sent, of a length of its own */
             "  local at = p.map { input = p.input('x', u32), outputs = { {'y', at = function(x) return x end, length = 6,\n"
             "    value = function(x, i) return u32(i) + 1 end} } }\n"
             "  p.output('y', p.scan { input = at, monoid = sum(u32) })\n"
             "end)",
             uint32_t, LIST(4, 1), 2, uint32_t, LIST(0, 2, 2, 2, 3, 3)),
        CASE("return pipeline(function(p)\n" /* items, as many as the elements make */
             "  local items = p.append { input = p.input('x', u32), capacity = 9, length = function(x) return x end,\n"
             "    item = function(x, i, k) return x * 10 + k end }\n"
             "  p.output('total', p.reduce { monoid = sum(u32), input = items.out, map = function(y, i) return y * (u32(i) + 1) end })\n"
             "end)",
             uint32_t, LIST(2, 0, 1), 3, uint32_t, LIST(20 + 2 * 21 + 3 * 10)),
    };
    CHECK(cases);
}

static void test_attributes(void **state)
{
    static const msw_define defines[] = {{"FACTOR", "3"}, {"NAME", "tripled"}};
    const msw_spec_desc desc = {
        .struct_size = sizeof desc,
        .file = "dir/my file.lua",
        .defines = defines,
        .define_count = 2,
        .text = "return { scan { name = NAME, doc = 'by ' .. FACTOR, deterministic = true, tune = { items = 4, strategy = 'single_block' },\n"
                "  monoid = sum(f32), map = function(x) return x * FACTOR end }, reduce { monoid = sum(u32) } }"};
    msw_spec *spec;
    msw_op_info info = {.struct_size = sizeof info};
    msw_diag diag;
    (void)state;
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    assert_int_equal(msw_spec_op_count(spec), 2);
    assert_int_equal(msw_spec_op(spec, 0, &info), MSW_OK);
    assert_string_equal(info.name, "tripled");
    assert_string_equal(info.doc, "by 3");
    assert_int_equal(msw_spec_op(spec, 1, &info), MSW_OK);
    assert_string_equal(info.name, "my_file");
    assert_string_equal(info.doc, "");
    assert_int_equal(msw_spec_find(spec, "my_file"), 1);
    assert_non_null(strstr(msw_spec_json(spec), "\"pseudo_associative\": true"));
    msw_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_monoids),
        cmocka_unit_test(test_scans_and_reductions),
        cmocka_unit_test(test_lua),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_pipelines),
        cmocka_unit_test(test_attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
