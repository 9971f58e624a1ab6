/* Programs out of a grammar of what could take long: metatables, table and string functions, closures, the vocabulary on odd tables, texts that nest.
 * None may pass its limits by much: of memory by a quarter, of processor time by what one instruction takes at most. */
#include "input.h"
#include "outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { TEXT_BYTES = 1 << 16, MEMORY_BYTES = 24 << 20, TIME_MS = 50, MAX_DEPTH = 6, MAX_PROGRAM_MS = 2000 };

/* ---- the grammar ---- */

typedef struct program {
    input in;
    char text[TEXT_BYTES];
    size_t bytes;
    int depth;
} program;

__attribute__((format(printf, 2, 3))) static void write_text(program *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(p->text + p->bytes, TEXT_BYTES - p->bytes, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < TEXT_BYTES - p->bytes) p->bytes += (size_t)length;
    p->text[p->bytes] = '\0';
}

#define CHOOSE(p, list) (list)[take_below(&(p)->in, sizeof(list) / sizeof *(list))]

static const char *const names[] = {"a", "b", "c", "d", "t", "m"};
static const char *const events[] = {"__index", "__newindex", "__call", "__len",   "__mode",      "__gc",       "__concat", "__eq",   "__lt",
                                     "__le",    "__add",      "__unm",  "__close", "__metatable", "__tostring", "__name",   "__pairs"};
static const char *const functions[] = {"table.insert",
                                        "table.remove",
                                        "table.concat",
                                        "table.sort",
                                        "table.unpack",
                                        "table.pack",
                                        "string.rep",
                                        "string.format",
                                        "string.gsub",
                                        "string.find",
                                        "string.match",
                                        "string.gmatch",
                                        "string.byte",
                                        "string.char",
                                        "string.sub",
                                        "string.upper",
                                        "string.reverse",
                                        "utf8.char",
                                        "utf8.len",
                                        "utf8.offset",
                                        "utf8.codes",
                                        "utf8.codepoint",
                                        "math.random",
                                        "math.ult",
                                        "math.fmod",
                                        "math.tointeger",
                                        "pairs",
                                        "ipairs",
                                        "next",
                                        "select",
                                        "tostring",
                                        "tonumber",
                                        "type",
                                        "rawget",
                                        "rawset",
                                        "rawlen",
                                        "rawequal",
                                        "setmetatable",
                                        "getmetatable",
                                        "pcall",
                                        "error",
                                        "assert",
                                        "vec",
                                        "struct",
                                        "monoid",
                                        "pair",
                                        "segmented",
                                        "argmin",
                                        "sum",
                                        "scan",
                                        "reduce",
                                        "sort",
                                        "key",
                                        "source",
                                        "where",
                                        "min",
                                        "bitcast",
                                        "u32",
                                        "f16",
                                        "lt",
                                        "fma",
                                        "spec_version",
                                        "compact"};
static const char *const operators[] = {"+", "-", "*", "/", "//", "%", "^", "..", "==", "<", "<=", "and", "or", "&", "|", "~", "<<", ">>", ", "};
static const char *const patterns[] = {".", ".-", "a*", "%a+", "(.-)b", "%b()", "%f[%w]", "[^a]-$", "^x", "(x)(x*)", "a-a-b", "^^*b", ""};

static void write_expression(program *p);
static void write_block(program *p);

static void write_list(program *p, unsigned most)
{
    for (unsigned i = 0, count = take_below(&p->in, most + 1); i < count; i++) {
        if (i) write_text(p, ", ");
        write_expression(p);
    }
}

static void write_number(program *p)
{
    const uint64_t number = take_number(&p->in);
    if (number == 0) write_text(p, "(0/0)");
    else write_text(p, number % 5 ? "%lld" : "%lld.5", (long long)number);
}

static void write_table(program *p)
{
    write_text(p, "{ ");
    for (unsigned i = 0, count = take_below(&p->in, 5); i < count; i++) {
        switch (take_below(&p->in, 5)) {
        case 0: write_text(p, "%s = ", CHOOSE(p, events)); break;
        case 1: write_text(p, "[1 << %u] = ", take_below(&p->in, 63)); break;
        case 2: write_text(p, "type = u32, identity = 0, monoid = sum(u32), combine = "); break;
        default: break;
        }
        write_expression(p);
        write_text(p, ", ");
    }
    write_text(p, "}");
}

static void write_function(program *p)
{
    write_text(p, "function(a, b, ...)\n");
    write_block(p);
    write_text(p, " return a, ... end");
}

static void write_expression(program *p)
{
    if (++p->depth > MAX_DEPTH || !p->in.bytes) {
        write_text(p, "%s", CHOOSE(p, names));
        p->depth--;
        return;
    }
    switch (take_below(&p->in, 12)) {
    case 0: write_number(p); break;
    case 1: write_table(p); break;
    case 2: write_function(p); break;
    case 3: write_text(p, "('%s'):rep(%u)", CHOOSE(p, patterns), 1u << take_below(&p->in, 20)); break;
    case 4: write_text(p, "'%s'", CHOOSE(p, patterns)); break;
    case 5: write_text(p, "%s", CHOOSE(p, functions)); break;
    case 6:
        write_text(p, "(");
        write_expression(p);
        write_text(p, ") %s (", CHOOSE(p, operators));
        write_expression(p);
        write_text(p, ")");
        break;
    case 7:
        write_text(p, "%s[", CHOOSE(p, names));
        write_expression(p);
        write_text(p, "]");
        break;
    case 8: write_text(p, "#%s", CHOOSE(p, names)); break;
    case 9:
        write_text(p, "setmetatable({}, { %s = ", CHOOSE(p, events));
        write_expression(p);
        write_text(p, " })");
        break;
    default:
        write_text(p, "%s(", CHOOSE(p, functions));
        write_list(p, 4);
        write_text(p, ")");
        break;
    }
    p->depth--;
}

static void write_loop(program *p)
{
    switch (take_below(&p->in, 5)) {
    case 0: write_text(p, "while true do "); break;
    case 1: write_text(p, "for k, v in pairs(%s) do ", CHOOSE(p, names)); break;
    case 2: write_text(p, "for k, v in ipairs(%s) do ", CHOOSE(p, names)); break;
    case 3: write_text(p, "for w in ('%s'):rep(4096):gmatch('%s') do ", CHOOSE(p, patterns), CHOOSE(p, patterns)); break;
    default: write_text(p, "for i = 1, %lld do ", (long long)(take_number(&p->in) >> 1)); break;
    }
    write_block(p);
    write_text(p, " end\n");
}

/* Text that costs the parser: a function in a function, with many locals, and names that are none of them. */
static void write_nest(program *p)
{
    const unsigned functions_deep = take_below(&p->in, 120), locals = take_below(&p->in, 190), uses = 8 * take_below(&p->in, 200);
    for (unsigned i = 0; i < functions_deep; i++) {
        write_text(p, "local function f() local v0");
        for (unsigned k = 1; k < locals; k++) write_text(p, ",v%u", k);
        write_text(p, "\n");
    }
    for (unsigned i = 0; i < uses; i++) write_text(p, "g=g\n");
    for (unsigned i = 0; i < functions_deep; i++) write_text(p, "end\n");
}

static void write_statement(program *p)
{
    switch (take_below(&p->in, 10)) {
    case 0: write_loop(p); return;
    case 1: write_text(p, "%s.%s = ", CHOOSE(p, names), CHOOSE(p, events)); break;
    case 2:
        write_text(p, "for i = 1, %u do %s[i * %llu] = ", 1u << take_below(&p->in, 18), CHOOSE(p, names),
                   (unsigned long long)(take_number(&p->in) >> 1));
        write_expression(p);
        write_text(p, " end\n");
        return;
    case 3:
        write_text(p, "for i = 1, %u do %s = ", 1u << take_below(&p->in, 12), CHOOSE(p, names));
        write_expression(p);
        write_text(p, " end\n");
        return;
    case 4:
        write_text(p, "pcall(");
        write_function(p);
        write_text(p, ")\n");
        return;
    case 5: write_text(p, "setmetatable(%s, %s)\n", CHOOSE(p, names), CHOOSE(p, names)); return;
    case 6:
        if (take_below(&p->in, 16)) write_text(p, "%s = %s .. %s\n", CHOOSE(p, names), CHOOSE(p, names), CHOOSE(p, names));
        else write_nest(p);
        return;
    case 7:
        write_text(p, "pcall(%s, ", CHOOSE(p, functions));
        write_expression(p);
        write_text(p, ", ");
        write_expression(p);
        write_text(p, ")\n");
        return;
    default: write_text(p, "%s = ", CHOOSE(p, names)); break;
    }
    write_expression(p);
    write_text(p, "\n");
}

static void write_block(program *p)
{
    if (++p->depth <= MAX_DEPTH)
        for (unsigned i = 0, count = 1 + take_below(&p->in, 4); i < count && p->in.bytes; i++) write_statement(p);
    p->depth--;
}

/* ---- its run ---- */

typedef struct meter {
    uint64_t bytes, most_bytes;
} meter;

static void *metered_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    meter *m = user;
    void *moved = new_bytes ? realloc(block, new_bytes) : (free(block), NULL);
    if (!new_bytes || moved) m->bytes += new_bytes - (block ? old_bytes : 0);
    if (m->bytes > m->most_bytes) m->most_bytes = m->bytes;
    return moved;
}

static long processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    static program p; /* large */
    meter m = {0, 0};
    const msw_allocator allocator = {&m, metered_resize};
    const msw_spec_desc desc = {
        .struct_size = sizeof desc, .text = p.text, .memory_limit_bytes = MEMORY_BYTES, .time_limit_ms = TIME_MS, .allocator = &allocator};
    msw_spec *spec;
    msw_diag diag;
    p = (program){.in = {data, bytes}};
    write_text(&p, "local a, b, c, d, t, m = {}, {}, 'x', 1, {}, {}\n");
    while (p.in.bytes) { /* an error ends one statement only */
        write_text(&p, "pcall(function()\n");
        write_statement(&p);
        write_text(&p, "end)\n");
    }
    write_text(&p, "return scan { monoid = sum(u32) }\n");
    const long start = processor_ms();
    expect_outcome(msw_spec_create(&desc, &spec, &diag), &diag);
    const long taken = processor_ms() - start;
    msw_spec_destroy(spec);
    if (taken > MAX_PROGRAM_MS || m.most_bytes > MEMORY_BYTES + MEMORY_BYTES / 4 || m.bytes) {
        fprintf(stderr, "%ld ms, at most %llu bytes, %llu in the end, of\n%s", taken, (unsigned long long)m.most_bytes, (unsigned long long)m.bytes,
                p.text);
        abort();
    }
    return 0;
}
