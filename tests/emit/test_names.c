/* Names that a spec's structs, fields and functions may have, in every dialect: what the languages, the macros of other headers and the kernels' own
 * texts have for words, and what such a word becomes when it is changed. Many names go into one operation, which is then compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <monosweep/monosweep.h>

enum { MOST_NAMES = 8192, INPUTS = 120, OUTPUTS = 80, STRUCTS = 41, ROUND = INPUTS + OUTPUTS + STRUCTS, DIALECTS = 4 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", digits[] = "0123456789";

/* ---- lists of names ---- */

typedef struct name_list {
    char *names[MOST_NAMES];
    uint32_t count;
} name_list;

static int holds(const name_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!strcmp(list->names[i], name)) return 1;
    return 0;
}

static void add(name_list *list, const char *name, size_t length, const char *ending)
{
    char text[64];
    if (length + strlen(ending) >= sizeof text) return;
    snprintf(text, sizeof text, "%.*s%s", (int)length, name, ending);
    if (holds(list, text)) return;
    assert_true(list->count < MOST_NAMES);
    list->names[list->count] = strdup(text);
    assert_non_null(list->names[list->count++]);
}

static void release(name_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) free(list->names[i]);
    list->count = 0;
}

/* The words of a text up to `end`; without its line comments, where it has some. */
static void add_words(name_list *list, const char *text, const char *end)
{
    while (text < end) {
        const size_t length = strspn(text, letters) ? strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") : 0;
        if (length) add(list, text, length, "");
        if (text[0] == '/' && text[1] == '/') text += strcspn(text, "\n");
        else text += length ? length : strspn(text, digits) ? strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.") : 1;
    }
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* What a source of the generator has between `open` and `close`. */
static void add_file(name_list *list, const char *file, const char *open, const char *close)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", MSW_SOURCE_DIR, file);
    char *text = read_file(path);
    for (const char *at = text, *end; (at = strstr(at, open)) && (end = strstr(at + strlen(open), close)); at = end + strlen(close))
        add_words(list, at + strlen(open), end);
    free(text);
}

/* ---- dialects ---- */

static msw_target target_of(int dialect)
{
    static const msw_target targets[DIALECTS] = {
        {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_VULKAN, .subgroup_size = 32},
        {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_CUDA},
        {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_HOST},
        {.struct_size = sizeof(msw_target), .backend = MSW_BACKEND_HOST, .max_block_threads = 256, .subgroup_size = 32}};
    return targets[dialect];
}

static msw_program *make_program(msw_spec *spec, uint32_t op, int dialect)
{
    msw_program *program;
    msw_diag diag;
    const msw_target target = target_of(dialect);
    const msw_knob small[] = {{"strategy", "single_block"}, {"block", "32"}, {"items", "1"}, {"vector", "1"}};
    const msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = &target, .knobs = small, .knob_count = dialect == 2 || op ? 0 : 4};
    if (msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s", diag.message);
    return program;
}

static msw_spec *read_spec(const char *text)
{
    msw_spec *spec;
    msw_diag diag;
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = text, .file = "names.lua", .skip_laws = 1};
    if (msw_spec_create(&desc, &spec, &diag)) fail_msg("%s", diag.message);
    return spec;
}

/* The words of kernels' texts, their comments left out. */
static void add_kernels(name_list *list, const char *text, int dialect)
{
    msw_spec *spec = read_spec(text);
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++) {
        msw_program *program = make_program(spec, op + 1 < msw_spec_op_count(spec) ? op + 1 : 0, dialect);
        const msw_plan *plan = msw_program_plan(program);
        for (uint32_t k = 0; k < plan->kernel_count; k++)
            add_words(list, plan->kernels[k].text, plan->kernels[k].text + strlen(plan->kernels[k].text));
        msw_program_destroy(program);
    }
    msw_spec_destroy(spec);
}

/* ---- operations of names ---- */

static char *append_names(char *end, name_list *list, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) end += sprintf(end, "\"%s\", ", list->names[(first + i) % list->count]);
    return end;
}

/* An operation whose input has INPUTS of these names; as fields of its output, which are locals, too, others; structs of one field of their
 * own name. The body of a source has the first two as its parameters. */
static char *names_text(name_list *list, uint32_t first)
{
    static const char rest[] =
        "} local function fields(names) local list = {} for i, name in ipairs(names) do list[i] = { name, u8 } end return list end\n"
        "local In, list = struct(structs[1])(fields(ins)), fields(outs)\n"
        "for i = 2, #structs do list[#list + 1] = { 'part' .. i, struct(structs[i]) { { structs[i], u8 } } } end\n"
        "local Out = struct 'Out' (list)\n"
        "local a, b = outs[1] == 'return' and 'x' or outs[1], outs[2] == 'return' and 'y' or outs[2]\n"
        "local body = ('return %s + %s;'):format(a, b)\n"
        "local total = monoid { type = u32, identity = 0, laws = 'trusted', combine = source { parameters = { a, b }, glsl = body, cuda = body,\n"
        "  host = c_body and function(a, b) return a + b end or nil } }\n"
        "return scan { monoid = c_body and sum(u32) or total, input = In,\n"
        "  map = function(x) local s = u32(0) for i = 1, #ins, 10 do s = s + u32(x[ins[i]]) end return s end,\n"
        "  output = function(s) local r, v = {}, u8(s)\n"
        "    for i = 1, #outs do v = (v ~ i) + i r[i] = v end\n"
        "    for i = 2, #structs do r[#r + 1] = { v } end return Out(r) end }\n";
    char *text = malloc(ROUND * 72 + sizeof rest + 64), *end = text;
    assert_non_null(text);
    end = append_names(end + sprintf(end, "local ins = { "), list, first, INPUTS);
    end = append_names(end + sprintf(end, "} local outs = { "), list, first + INPUTS, OUTPUTS);
    end = append_names(end + sprintf(end, "} local structs = { "), list, first + INPUTS + OUTPUTS, STRUCTS);
    memcpy(end, rest, sizeof rest);
    return text;
}

static int is_there(const char *program)
{
    char command[256];
    snprintf(command, sizeof command, "command -v %s > /dev/null 2>&1", program);
    return system(command) == 0;
}

/* The text by the C compiler, which says nothing. */
static void check_c(const char *text, int dialect)
{
    static const char path[] = MSW_BINARY_DIR "/test_names.c";
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    if (system("cc -std=c11 -fsyntax-only -Wall -Wno-unused -Werror -I '" MSW_SOURCE_DIR "/backends/simulator' '" MSW_BINARY_DIR "/test_names.c'"))
        fail_msg("dialect %d: %s is not C", dialect, path);
    unlink(path);
}

static void check_round(const char *text, int dialect, int *has_compiler)
{
    char *own = malloc(strlen(text) + 32);
    msw_diag diag;
    assert_non_null(own);
    sprintf(own, "c_body = %s %s", dialect >= 2 ? "true" : "false", text);
    msw_spec *spec = read_spec(own);
    msw_program *program = make_program(spec, 0, dialect);
    if (dialect >= 2) {
        check_c(msw_program_plan(program)->kernels[0].text, dialect);
    } else if (*has_compiler) {
        const msw_result result = msw_program_compile(program, &diag);
        if (result == MSW_ERROR_UNSUPPORTED) {
            print_message("not compiled: %s\n", diag.message);
            *has_compiler = 0;
        } else if (result) {
            fail_msg("dialect %d: %s\n%s", dialect, diag.message, own);
        }
    }
    msw_program_destroy(program);
    msw_spec_destroy(spec);
    free(own);
}

/* ---- tests ---- */

static const char kernels_text[] =
    "local V = struct 'V' { {'a', u16}, {'b', vec(f32, 2)} }\n"
    "return { scan { name = 'sums', monoid = sum(f32), map = function(x, i) return x * x + f32(i) end, output = function(s, x) return s - x end },\n"
    "  reduce { name = 'least', monoid = argmin(f32), input = f32, map = function(x, i) return { x, u32(i) } end },\n"
    "  sort { name = 'sorted', key = u64, value = V }, sort { name = 'places', key = i8, value = 'index' } }";

static void add_variants(name_list *list)
{
    const uint32_t count = list->count;
    for (uint32_t i = 0; i < count; i++) {
        static const char *const rare[] = {"_2", "2", "__", "_struct", "_struct2", "_3"};
        const size_t length = strlen(list->names[i]);
        add(list, list->names[i], length, "_");
        if (i % 5 == 0) add(list, list->names[i], length, rare[i / 5 % 6]);
    }
    static const char *const others[] = {"gl_", "gl", "gl__", "gl_x", "glx", "gl_gl_x", "_",    "__",    "___",  "_2_",
                                         "_3_", "_X", "X",    "X_",   "__X", "_2_X",    "a__b", "a_2_b", "a__b_"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) add(list, others[i], strlen(others[i]), "");
}

static void test_words(void **state)
{
    static name_list list;
    (void)state;
    for (int dialect = 0; dialect < DIALECTS; dialect++)
        if (dialect != 2) add_kernels(&list, kernels_text, dialect);
    add_file(&list, "gen/emit/emit.lua", "\"", "\"");
    add_file(&list, "gen/emit/c_macros.lua", "[[", "]]");
    static const char *const reserved[] = {"backends/cuda/reserved.lua", "backends/simulator/reserved.lua", "backends/vulkan/reserved.lua"};
    for (int i = 0; i < 3; i++) add_file(&list, reserved[i], "[[", "]]");
    add_variants(&list);
    assert_true(list.count > 3000);
    int has_compiler[DIALECTS] = {1, 1, 1, 1};
    has_compiler[2] = has_compiler[3] = is_there("cc");
    uint32_t rounds = 0;
    for (uint32_t first = 0; first < list.count; first += ROUND, rounds++) {
        char *text = names_text(&list, first);
        for (int dialect = 0; dialect < DIALECTS; dialect++)
            if (has_compiler[dialect]) check_round(text, dialect, &has_compiler[dialect]);
        free(text);
    }
    print_message("%u names in %u operations\n", list.count, rounds);
    release(&list);
}

/* ---- macros of headers that a program may include before a vendored one ---- */

/* The macros without parameters that the compiler has after these headers; 0: it is not there. */
static void add_macros(name_list *list, const char *compiler, const char *const *headers)
{
    char command[4096] = "", line[4096], name[256];
    for (int i = 0; headers[i]; i++) sprintf(command + strlen(command), "echo '#include <%s>'; ", headers[i]);
    sprintf(line, "{ %s} | %s -dM -E - 2> '%s/test_names.log'", command, compiler, MSW_BINARY_DIR);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe))
        if (sscanf(line, "#define %255[A-Za-z0-9_]", name) == 1 && line[strlen("#define ") + strlen(name)] != '(' && name[0] != '_')
            add(list, name, strlen(name), "");
    assert_int_equal(pclose(pipe), 0);
}

static const char *const c_headers[] = {"assert.h",  "complex.h", "ctype.h",  "errno.h",  "fenv.h",   "float.h",       "inttypes.h", "iso646.h",
                                        "limits.h",  "locale.h",  "math.h",   "setjmp.h", "signal.h", "stdalign.h",    "stdarg.h",   "stdatomic.h",
                                        "stdbool.h", "stddef.h",  "stdint.h", "stdio.h",  "stdlib.h", "stdnoreturn.h", "string.h",   "threads.h",
                                        "time.h",    "uchar.h",   "wchar.h",  "wctype.h", NULL};
static const char *const cpp_headers[] = {"algorithm", "atomic",  "cfenv",  "cfloat",  "chrono", "cinttypes",  "climits",    "cmath",
                                          "complex",   "csignal", "cstdio", "cstdlib", "ctime",  "filesystem", "functional", "iostream",
                                          "map",       "memory",  "random", "regex",   "string", "thread",     "vector",     NULL};

/* No name that is a macro there is a word of a kernel's text in CUDA C++, but for those that it has anyway. */
static void test_macros(void **state)
{
    static name_list list, own, words;
    int failures = 0;
    (void)state;
    if (is_there("cc")) add_macros(&list, "cc -std=gnu11 -x c", c_headers);
    if (is_there("c++")) add_macros(&list, "c++ -std=gnu++17 -x c++", cpp_headers);
    if (!list.count) skip();
    add(&list, "errno", 5, "");
    add_kernels(&own, kernels_text, 1);
    for (uint32_t first = 0; first < list.count; first += ROUND) {
        char *text = names_text(&list, first);
        msw_spec *spec = read_spec(text);
        msw_program *program = make_program(spec, 0, 1);
        const char *kernel = msw_program_plan(program)->kernels[0].text;
        add_words(&words, kernel, kernel + strlen(kernel));
        msw_program_destroy(program);
        msw_spec_destroy(spec);
        free(text);
    }
    for (uint32_t i = 0; i < list.count; i++)
        if (holds(&words, list.names[i]) && !holds(&own, list.names[i]))
            print_error("%s is a macro, add it to gen/emit/c_macros.lua\n", list.names[i]), failures++;
    assert_int_equal(failures, 0);
    print_message("%u macros\n", list.count);
    release(&list), release(&own), release(&words);
}

/* ---- what kernels define ---- */

/* The name that a line at the left margin defines, if it is one of a buffer, a padded item, a macro, a constant, an array or a function. Other
 * structs stand in templates by name, where the build finds them, or are made of the spec's. */
static int defined_name(const char *line, const char *end, char name[64])
{
    const char *at = line, *buffer = strstr(line, " buffer ");
    if (!strncmp(line, "#define ", 8)) {
        at = line + 8;
    } else if (buffer && buffer < end) {
        at = buffer + 8;
    } else if (!strncmp(line, "struct ", 7)) {
        at = line + (strncmp(line, "struct alignas", 14) ? 7 : strcspn(line, ")") + 2);
        const char *item = strstr(at, "Item ");
        if (!item || item > end) return 0;
    } else if (strchr(letters, line[0])) { /* it stands before one of these marks */
        at = line + strcspn(line, "([=;\n");
        while (at > line && at[-1] == ' ') at--;
        while (at > line && (strchr(letters, at[-1]) || strchr(digits, at[-1]))) at--;
    }
    size_t length = 0;
    while (at + length < end && length < 63 && (strchr(letters, at[length]) || strchr(digits, at[length]))) length++;
    memcpy(name, at, length);
    name[length] = 0;
    return length > 0 && !strchr(digits, name[0]);
}

/* Of all kernels of a spec's operations, names that are no words of the spec's own. */
static void add_definitions(name_list *list, const char *spec_text, msw_spec *spec, int dialect)
{
    name_list own = {.count = 0};
    add_words(&own, spec_text, spec_text + strlen(spec_text));
    for (uint32_t op = 0; op < msw_spec_op_count(spec); op++) {
        msw_program *program;
        msw_diag diag;
        const msw_target target = target_of(dialect);
        const msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = &target};
        if (msw_program_create(spec, &desc, &program, &diag)) continue; /* of what a target does not serve other tests tell */
        for (uint32_t k = 0; k < msw_program_plan(program)->kernel_count; k++)
            for (const char *line = msw_program_plan(program)->kernels[k].text, *end; *line; line = end + (*end != 0)) {
                char name[64];
                end = line + strcspn(line, "\n");
                if (defined_name(line, end, name) && !holds(&own, name)) add(list, name, strlen(name), "");
            }
        msw_program_destroy(program);
    }
    release(&own);
}

/* How many of these names are a struct's in the kernel's text, where a spec's structs have them. */
static uint32_t count_kept(const name_list *list, int dialect)
{
    enum { EACH = 32 };
    uint32_t failures = 0;
    for (uint32_t first = 0; first < list->count; first += EACH) {
        char text[EACH * 160 + 256] = "local fields = {}\n", *end = text + strlen(text), *const begin = text;
        const uint32_t last = first + EACH < list->count ? first + EACH : list->count;
        for (uint32_t i = first; i < last; i++)
            end += sprintf(end, "fields[#fields + 1] = { 'f%u', struct '%s' { {'q', u32} } }\n", i, list->names[i]);
        sprintf(end, "return scan { monoid = sum(u32), input = struct 'Zall' (fields), map = function(x) return u32(1) end,\n"
                     "  output = function(s, x) return x end }\n");
        msw_spec *spec = read_spec(begin);
        msw_program *program = make_program(spec, 0, dialect);
        for (uint32_t i = first; i < last; i++) {
            char taken[96];
            sprintf(taken, "struct %s {\n    uint q;", list->names[i]);
            if (strstr(msw_program_plan(program)->kernels[0].text, taken))
                print_error("dialect %d: a spec's struct '%s' keeps its name, which kernels define\n", dialect, list->names[i]), failures++;
        }
        msw_program_destroy(program);
        msw_spec_destroy(spec);
    }
    return failures;
}

/* See TEMPLATE_NAMES in gen/emit/emit.lua. */
static void test_definitions(void **state)
{
    static const char *const files[] = {"offsets", "segments",   "append", "scattered",   "uniforms",
                                        "tables",  "everywhere", "sweeps", "elementwise", "sums"};
    static name_list list;
    uint32_t failures = 0;
    (void)state;
    for (int dialect = 0; dialect < 2; dialect++) {
        for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
            char path[1024];
            snprintf(path, sizeof path, "%s/tests/corpus/%s.lua", MSW_SOURCE_DIR, files[f]);
            char *text = read_file(path);
            msw_spec *spec = read_spec(text);
            add_definitions(&list, text, spec, dialect);
            msw_spec_destroy(spec);
            free(text);
        }
        assert_true(list.count > 200);
        print_message("%u names\n", list.count);
        failures += count_kept(&list, dialect);
        release(&list);
    }
    assert_int_equal(failures, 0);
}

/* ---- operations' names in headers ---- */

enum { MOST_OPERATIONS = 64 };

typedef struct programs {
    msw_spec *spec;
    msw_program *of[MOST_OPERATIONS];
} programs;

/* Compiled for the backend; 0: there is no compiler. */
static int open_programs(programs *p, const char *text, int dialect)
{
    *p = (programs){.spec = read_spec(text)};
    assert_true(msw_spec_op_count(p->spec) <= MOST_OPERATIONS);
    for (uint32_t op = 0; op < msw_spec_op_count(p->spec); op++) {
        const msw_target target = target_of(dialect);
        const msw_knob small[] = {{"strategy", "single_block"}};
        const msw_program_desc desc = {.struct_size = sizeof desc, .op = op, .target = &target, .knobs = small, .knob_count = 1};
        msw_diag diag;
        if (msw_program_create(p->spec, &desc, &p->of[op], &diag)) fail_msg("%s", diag.message);
        if (msw_program_compile(p->of[op], &diag)) {
            print_message("not compiled: %s\n", diag.message);
            return 0;
        }
    }
    return 1;
}

static void close_programs(programs *p)
{
    for (uint32_t op = 0; op < msw_spec_op_count(p->spec); op++) msw_program_destroy(p->of[op]);
    msw_spec_destroy(p->spec);
}

static const char *header_text(const programs *p, uint32_t form)
{
    const msw_header_desc desc = {.struct_size = sizeof desc, .program_count = msw_spec_op_count(p->spec), .programs = p->of, .form = form};
    const char *text;
    msw_diag diag;
    if (msw_header_text(p->spec, &desc, &text, &diag)) fail_msg("%s", diag.message);
    return text;
}

/* Names that become one of the header's words with what follows an operation's name there. */
static void add_clashing(name_list *list, const programs *p)
{
    static const char *const endings[] = {"kernel",         "arguments",    "create",  "destroy", "scratch_bytes",
                                          "ends_in_inputs", "scratch_init", "enqueue", "plans"};
    static name_list words;
    const char *text = header_text(p, MSW_HEADER_VENDORED);
    add_words(&words, text, text + strlen(text));
    for (uint32_t i = 0; i < words.count; i++)
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
            const size_t length = strlen(words.names[i]), ending = strlen(endings[e]);
            if (length > ending + 1 && !strcmp(words.names[i] + length - ending, endings[e]) && words.names[i][length - ending - 1] == '_' &&
                strncmp(words.names[i], "plain_", 6))
                add(list, words.names[i], length - ending - 1, "");
        }
    release(&words);
}

static void check_header(const programs *p, uint32_t form, const char *flags)
{
    static const char path[] = MSW_BINARY_DIR "/test_names_header.h";
    char command[2048];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(header_text(p, form), file) >= 0);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "cc -fsyntax-only -Wall -Werror -I '%s/include' %s '%s'", MSW_SOURCE_DIR, flags, path);
    if (system(command)) fail_msg("%s: %s", path, command);
    unlink(path);
}

/* Operations whose names, with what a header puts after them, are words of the header; and those that these could become. */
static void test_operations_in_headers(void **state)
{
    static const char *const others[] = {"msw", "msw_", "msw_x", "op_msw", "op_msw_x", "op_op_msw_x", "mswx", "op_x", "op_", "plain", "plain_kernel"};
    (void)state;
    if (!is_there("cc")) skip();
    for (int dialect = 0; dialect < 2; dialect++) {
        static name_list list;
        programs p;
        char text[64 * MOST_OPERATIONS] = "return {", *end = text + strlen(text);
        const int is_there = open_programs(&p, "return scan { name = 'plain', monoid = sum(u32) }", dialect);
        if (is_there) add_clashing(&list, &p);
        close_programs(&p);
        if (!is_there) continue;
        assert_true(list.count > 2);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) add(&list, others[i], strlen(others[i]), "");
        for (uint32_t i = 0; i < list.count; i++) end += sprintf(end, " scan { name = '%s', monoid = sum(u32) },", list.names[i]);
        strcpy(end, " }");
        assert_true(open_programs(&p, text, dialect));
        const char *const flags = dialect ? "-I '" MSW_SOURCE_DIR "/tests/emit/vendored/minimal'" : "";
        check_header(&p, MSW_HEADER_VENDORED, flags);
        check_header(&p, MSW_HEADER_PLANS, flags);
        print_message("%u operations\n", list.count);
        close_programs(&p);
        release(&list);
    }
}

/* Arrays whose names are macros, or types of the header: programs include others before it. */
static void test_arrays_in_headers(void **state)
{
    static const char *const names[] = {"uint32_t", "uint64_t", "EOF",     "EOF_",           "INT_MAX", "R_OK",    "M_PI",
                                        "SIGINT",   "CHAR_BIT", "VK_TRUE", "VK_NULL_HANDLE", "cudaX",   "CUDA_CB", "size_t",
                                        "errno",    "NULL",     "slots",   "near",           "Bool",    "stdin",   "bitand"};
    static const char flags[] = "-D_GNU_SOURCE -DCUDA_CB= -DcudaX= -Dslots= -Dnear= -DBool=int -include errno.h -include limits.h -include math.h "
                                "-include signal.h -include stdio.h -include unistd.h";
    (void)state;
    if (!is_there("cc") || !is_there("c++")) skip();
    for (int dialect = 0; dialect < 2; dialect++) {
        enum { EACH = 7 };
        static name_list list;
        programs p;
        char text[2048] = "return {", *end = text + strlen(text), all[1024];
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) add(&list, names[i], strlen(names[i]), "");
        for (uint32_t first = 0; first < list.count; first += EACH) {
            end += sprintf(end, "scan { name = 'm%u', monoid = sum(u32), inputs = { ", first);
            for (uint32_t i = first; i < first + EACH && i < list.count; i++) end += sprintf(end, "{ '%s', u32 }, ", list.names[i]);
            end += sprintf(end, "}, map = function(e) return e['%s'] end },\n", list.names[first]);
        }
        strcpy(end, "}");
        const int is_there = open_programs(&p, text, dialect);
        for (int is_cpp = 0; is_cpp < 2 && is_there; is_cpp++) {
            snprintf(all, sizeof all, "%s %s %s", is_cpp ? "-x c++" : "-x c", flags,
                     dialect ? "-DNAMES_CUDA_IMPLEMENTATION -I '" MSW_SOURCE_DIR "/tests/emit/vendored/minimal'" : "-DNAMES_VULKAN_IMPLEMENTATION");
            check_header(&p, MSW_HEADER_VENDORED, all);
        }
        print_message("%u names\n", list.count);
        close_programs(&p);
        release(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_macros), cmocka_unit_test(test_words), cmocka_unit_test(test_definitions),
                                       cmocka_unit_test(test_operations_in_headers), cmocka_unit_test(test_arrays_in_headers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
