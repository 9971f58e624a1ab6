/* Strategies and knobs: what documents, templates, tuning rows and the search say of them is what the tables have (gen/choices.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "choices.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *load(const char *path)
{
    char full[512];
    static char text[1 << 18];
    snprintf(full, sizeof full, "%s/%s", MSW_SOURCE_DIR, path);
    FILE *file = fopen(full, "r");
    if (!file) fail_msg("%s cannot be read", full);
    const size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(bytes && bytes < sizeof text - 1);
    text[bytes] = '\0';
    return text;
}

/* Each is documented, with its values. */
static void test_reference(void **state)
{
    const char *page = load("docs/spec-reference.md");
    const char *table = strstr(page, "\n## Knobs");
    char line[256];
    (void)state;
    assert_non_null(table);
    for (const ms_knob *k = ms_knobs; k->name; k++) {
        snprintf(line, sizeof line, "`%s`", k->name);
        if (!strstr(table, line)) fail_msg("docs/spec-reference.md says nothing of knob %s", k->name);
        if (!(k->traits & MS_KNOB_IN_SPECS) || !k->most) continue;
        char most[16], words[64] = "";
        snprintf(most, sizeof most, k->most == 1 << 20 ? "2^20" : "%u", k->most);
        if (k->words) snprintf(words, sizeof words, ", `%s`", k->words);
        snprintf(line, sizeof line, "| `%s` | %u .. %s%s | %s |", k->name, k->least, most, words, k->summary);
        if (!strstr(table, line)) fail_msg("docs/spec-reference.md has no line\n%s", line);
    }
    for (int kind = 0; kind < MS_KIND_COUNT; kind++) {
        size_t end = (size_t)snprintf(line, sizeof line, "of %s: `auto", ms_kind_infos[kind].plural);
        for (const ms_strategy *s = ms_strategies; s->name; s++)
            if (s->kinds & 1u << kind) end += (size_t)snprintf(line + end, sizeof line - end, " %s", s->name);
        snprintf(line + end, sizeof line - end, "`");
        if (!strstr(table, line)) fail_msg("docs/spec-reference.md has no list\n%s", line);
    }
}

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

static msw_op_kind a_kind(uint32_t kinds)
{
    int kind = 0;
    while (!(kinds >> kind & 1)) kind++;
    return (msw_op_kind)kind;
}

/* A knob that not all kinds have is refused for the others by the names of those that have it, with which its summary begins. */
static void test_kinds(void **state)
{
    char text[MS_FAULT_BYTES], expected[MS_FAULT_BYTES], kinds[64];
    int refused = 0;
    (void)state;
    for (const ms_knob *k = ms_knobs; k->name; k++) {
        const char *value = k->words ? k->words : "auto";
        char word[16];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(value, " "), value);
        if (k->most && !k->words) snprintf(word, sizeof word, "%u", k->least);
        assert_true(k->kinds && k->kinds < 1u << MS_KIND_COUNT);
        kinds[0] = '\0';
        for (int kind = 0; kind < MS_KIND_COUNT; kind++) {
            const char *between = !kinds[0] ? "" : k->kinds >> (kind + 1) ? ", " : " and ";
            if (k->kinds >> kind & 1) sprintf(kinds + strlen(kinds), "%s%s", between, ms_kind_infos[kind].plural);
        }
        for (int kind = 0; kind < MS_KIND_COUNT; kind++) {
            const char *fault = ms_knob_fault((msw_op_kind)kind, k->name, word, text);
            snprintf(expected, sizeof expected, "%s has no such knob, only %s have it", ms_kind_infos[kind].noun, kinds);
            if (k->kinds >> kind & 1 ? fault != NULL : !fault || strcmp(fault, expected) || strncmp(k->summary, kinds, strlen(kinds)))
                fail_msg("%s = %s of %s: %s", k->name, word, ms_kind_infos[kind].plural, fault ? fault : "taken");
            refused += fault != NULL;
        }
    }
    assert_true(refused > 10);
}

/* What specs, tuning rows and --set are told: the bounds of every knob, a step within and a step beyond. */
static void test_faults(void **state)
{
    static const struct {
        const char *name, *value, *fault;
    } cases[] = {
        {"block", "0", "not a number in 1 .. 2^20"},
        {"block", "-18446744073709551360", "not a number"},
        {"block", "+4", "not a number"},
        {"block", " 4", "not a number"},
        {"block", "4 ", "not a number"},
        {"block", "", "not a number"},
        {"block", "0x10", "not a number"},
        {"subgroup", "24", "a subgroup has 1 (no"},
        {"lookback", "seria", "a lane reads 1 to 32"},
        {"descriptor", "1", "a descriptor is tagged"},
        {"strategy", "onesweep", "choose auto, lookahead, lookback, "},
        {"strategy", "", "chained_scan or single_block"},
        {"blocc", "4", "there is no such knob; there are strategy, block, "},
    };
    char text[MS_FAULT_BYTES], value[16], last_two[80];
    const ms_knob *last = ms_knobs;
    (void)state;
    while (last[1].name) last++;
    snprintf(last_two, sizeof last_two, "%s and %s", last[-1].name, last[0].name);
    if (!strstr(ms_knob_fault(MSW_OP_SCAN, "", "4", text), last_two)) fail_msg("%s", text);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *fault = ms_knob_fault(MSW_OP_SCAN, cases[c].name, cases[c].value, text);
        if (!fault || !strstr(fault, cases[c].fault)) fail_msg("%s = '%s': %s", cases[c].name, cases[c].value, fault ? fault : "taken");
    }
    for (const ms_knob *k = ms_knobs; k->name; k++) {
        const uint32_t values[] = {k->least, k->most, k->least - 1, k->most + 1};
        for (int i = 0; i < 4 && k->most; i++) {
            snprintf(value, sizeof value, "%u", values[i]);
            if (!ms_knob_fault(a_kind(k->kinds), k->name, value, text) != (i < 2)) fail_msg("%s = %s", k->name, value);
        }
    }
    for (const ms_strategy *s = ms_strategies; s->name; s++)
        for (int kind = 0; kind < MS_KIND_COUNT; kind++)
            assert_int_equal(ms_knob_fault((msw_op_kind)kind, "strategy", s->name, text) == NULL, (s->kinds >> kind) & 1);
    assert_null(ms_knob_fault(MSW_OP_SORT, "strategy", "auto", text));
    assert_null(ms_knob_fault(MSW_OP_SORT, "lookback", "serial", text));
}

/* Each knob has a place of its own, from which its value comes back as it was given: numbers, words, strategies. */
static void test_values(void **state)
{
    char text[MS_KNOB_BYTES], fault[MS_FAULT_BYTES], number[16];
    (void)state;
    for (const ms_knob *k = ms_knobs; k->name; k++) {
        const char *words = k->words ? k->words : k->most ? "" : "onesweep split";
        for (int v = 0; v < 2 || *words; v++) {
            char word[32];
            ms_geometry g = {0};
            snprintf(number, sizeof number, "%u", v == 0 ? k->least : k->most);
            snprintf(word, sizeof word, "%.*s", (int)strcspn(words, " "), words);
            const char *value = v < 2 && k->most ? number : word;
            if (!*value) break;
            if (v >= 2 || !k->most) words += strcspn(words, " "), words += strspn(words, " ");
            const msw_op_kind kind = k->kinds >> MSW_OP_SORT & 1 ? MSW_OP_SORT : a_kind(k->kinds);
            assert_null(ms_knob_fault(kind, k->name, value, fault));
            ms_knob_set(kind, k->name, value, &g);
            for (const ms_knob *other = ms_knobs; other->name; other++) {
                const char *shown = ms_knob_text(other, &g, text);
                if (other == k ? !shown || strcmp(shown, value) : shown && strcmp(shown, "0") && strcmp(shown, "serial"))
                    fail_msg("%s = %s: %s is %s", k->name, value, other->name, shown ? shown : "nothing");
            }
        }
    }
}

/* Whether the text reads the field, "g->block" or "geometry.block": a word that nothing is assigned to. */
static int reads_field(const char *text, const char *field)
{
    const size_t length = strlen(field);
    for (const char *at = text + 1; text[0] && (at = strstr(at, field)) != NULL; at += length) {
        const char *after = at + length + strspn(at + length, " ");
        if (at[-1] != '.' && at[-1] != '>') continue;
        if (!isalnum((unsigned char)at[length]) && at[length] != '_' && (*after != '=' || after[1] == '=')) return 1;
    }
    return 0;
}

/* Whether any file of that pattern reads the field. */
static int is_read_in(const char *pattern, const char *field)
{
    char full[512];
    glob_t found;
    int is_read = 0;
    snprintf(full, sizeof full, "%s/%s", MSW_SOURCE_DIR, pattern);
    assert_int_equal(glob(full, 0, NULL, &found), 0);
    for (size_t f = 0; f < found.gl_pathc && !is_read; f++) is_read = reads_field(load(found.gl_pathv[f] + strlen(MSW_SOURCE_DIR) + 1), field);
    globfree(&found);
    return is_read;
}

/* A knob that no planner reads, and that no template is told, does nothing. */
static void test_knobs_are_read(void **state)
{
    char row[64], field[32];
    (void)state;
    assert_false(reads_field("a g->polls = 4; g->pollster;", "polls"));
    for (const ms_knob *k = ms_knobs; k->name; k++) {
        snprintf(row, sizeof row, "{\"%s\", ", k->name);
        const char *at = strstr(strstr(load("gen/choices.c"), "const ms_knob ms_knobs[]"), row);
        assert_non_null(at);
        assert_int_equal(sscanf(strstr(at, "PLACE("), "PLACE(%31[a-z_])", field), 1);
        if (!is_read_in("gen/plan/*.c", field) && !is_read_in("gen/emit/*.lua", k->name))
            fail_msg("knob %s: gen/plan does not read ms_geometry.%s, nor gen/emit kernel.%s", k->name, field, k->name);
    }
}

/* Whether a line asks for a strategy by its name. */
static int compares_strategy(const char *line)
{
    char quoted[64];
    const char *call = strstr(line, "strcmp(");
    for (const ms_strategy *s = ms_strategies; call && s->name; s++) {
        snprintf(quoted, sizeof quoted, ", \"%s\")", s->name);
        if (strstr(call, quoted)) return 1;
    }
    return 0;
}

/* What planners need to know of a strategy is a trait of its row. */
static void test_strategies_are_rows(void **state)
{
    glob_t found;
    (void)state;
    assert_true(compares_strategy("if (!strcmp(g->strategy, \"lookback\")) return;"));
    assert_false(compares_strategy("strcmp(shape->template_name, \"scan/lookback\")"));
    assert_int_equal(glob(MSW_SOURCE_DIR "/gen/plan/*.c", 0, NULL, &found), 0);
    for (size_t f = 0; f < found.gl_pathc; f++)
        for (char *line = strtok(load(found.gl_pathv[f] + strlen(MSW_SOURCE_DIR) + 1), "\n"); line; line = strtok(NULL, "\n"))
            if (compares_strategy(line)) fail_msg("%s compares a strategy's name: %s", found.gl_pathv[f], line);
    globfree(&found);
}

/* Where all kinds, strategies or classes of tuning rows are named, none is left out. */
static void test_lists_in_comments(void **state)
{
    static const char *const files[] = {"include/monosweep/monosweep.h", "gen/cli/options.c", "cmake/install.cmake"};
    char name[64], list[256];
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        const char *text = load(files[f]), *end = strstr(text, " kernels from Lua specs"), *begin = end;
        assert_non_null(end);
        while (begin > text && !strchr(":-\"\n", begin[-1])) begin--;
        snprintf(list, sizeof list, "%.*s", (int)(end - begin), begin);
        for (int kind = 0; kind < MS_KIND_COUNT; kind++)
            if (!strstr(list, ms_kind_infos[kind].noun + 2)) fail_msg("%s: '%s' lacks %s", files[f], list, ms_kind_infos[kind].noun); /* "a " */
    }
    char *text = load("include/monosweep/monosweep_plan.h");
    for (const ms_strategy *s = ms_strategies; s->name; s++) {
        snprintf(name, sizeof name, "\"%s\"", s->name);
        if (!strstr(text, name)) fail_msg("monosweep_plan.h does not name strategy %s", s->name);
    }
}

static int has_word(const char *words, const char *word, size_t length)
{
    for (; *words; words += strcspn(words, " "), words += strspn(words, " "))
        if (strcspn(words, " ") == length && !strncmp(words, word, length)) return 1;
    return 0;
}

/* The kernels of a plan with this strategy: their texts name it, and the templates of its row; `met` gets them. key: of a sort. */
static void check_templates(const ms_strategy *s, msw_op_kind kind, const char *key, char *met)
{
    static const char *const texts[MS_KIND_COUNT] = {[MSW_OP_SCAN] = "return scan { monoid = sum(u32) }",
                                                     [MSW_OP_REDUCE] = "return reduce { monoid = sum(u32) }",
                                                     [MSW_OP_SORT] = "return sort { key = %s }",
                                                     [MSW_OP_MAP] = "return map { input = u32, output = function(x) return x + 1 end }",
                                                     [MSW_OP_SWEEP] = "return unique { input = u32 }"};
    static const char in_any_order[] = "local function same(x) return x end return append { input = u32, order = 'any', length = same, item = same }";
    char sort_text[64];
    assert_non_null(texts[kind]);
    snprintf(sort_text, sizeof sort_text, texts[MSW_OP_SORT], key);
    const char *text = s->traits & MS_TAKES_ROOM ? in_any_order : kind == MSW_OP_SORT ? sort_text : texts[kind];
    const msw_spec_desc spec_desc = {.struct_size = sizeof spec_desc, .text = text};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"};
    const msw_knob knob = {"strategy", s->name};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target, .knobs = &knob, .knob_count = 1};
    char head[64];
    msw_spec *spec;
    msw_program *program;
    msw_diag diag;
    if (msw_spec_create(&spec_desc, &spec, &diag) || msw_program_create(spec, &desc, &program, &diag)) fail_msg("%s: %s", s->name, diag.message);
    const msw_plan *plan = msw_program_plan(program);
    if (s->traits & MS_ONE_CLUSTER) assert_int_equal(plan->kernels[plan->steps[0].kernel].cluster_blocks, 16);
    for (uint32_t v = 0; v < plan->variant_count; v++) /* a hybrid of 2^32 keys or more is Onesweep, and what one cluster has no room for */
        if (!(s->traits & MS_PARTITIONS && plan->variants[v].n_max > UINT32_MAX) && !(s->traits & MS_ONE_CLUSTER && v > 0))
            assert_string_equal(plan->variants[v].strategy, s->name);
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        const char *at = strstr(plan->kernels[k].text, "templates/");
        assert_non_null(at);
        at += strlen("templates/");
        const size_t length = strcspn(at, ".");
        if (!strncmp(at, "scratch/", strlen("scratch/"))) continue; /* of all that have posts */
        if (s->traits & MS_ONE_CLUSTER && !plan->kernels[k].cluster_blocks) continue;
        if (!has_word(s->templates, at, length)) fail_msg("%s has a kernel of %.*s", s->name, (int)length, at);
        snprintf(head, sizeof head, ".tpl, strategy %s: ", s->name);
        assert_int_equal(strncmp(at + length, head, strlen(head)), 0);
        sprintf(met + strlen(met), "%.*s ", (int)length, at);
    }
    msw_program_destroy(program);
    msw_spec_destroy(spec);
}

/* A strategy's row has the templates of its kernels, and no other. */
static void test_templates(void **state)
{
    (void)state;
    for (const ms_strategy *s = ms_strategies; s->name; s++) {
        char met[512] = "", path[64];
        for (int kind = 0; kind < MS_KIND_COUNT; kind++)
            if (s->kinds & 1u << kind) check_templates(s, (msw_op_kind)kind, s->traits & MS_COUNTS ? "u8" : "u32", met);
        if (s->traits & MS_COUNTS) check_templates(s, MSW_OP_SORT, "u16", met);
        if (s->traits & MS_PARTITIONS) check_templates(s, MSW_OP_SORT, "u64", met);
        for (const char *word = s->templates; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
            if (!has_word(met, word, strcspn(word, " "))) fail_msg("no kernel of %s is of %s", s->name, word);
            snprintf(path, sizeof path, "templates/%.*s.tpl", (int)strcspn(word, " "), word);
            load(path);
        }
    }
}

/* MSW_OP_SCAN, .. by its end. */
static int is_kind(const char *constant, const char *name)
{
    while (*name && *constant == (char)toupper((unsigned char)*name)) constant++, name++;
    return !*name && *constant == ',';
}

/* The search tries knobs that rows can have, of the strategies that are tuned, all of them. */
static void test_search(void **state)
{
    const char *text = load("gen/cli/measure/tune_search.c"), *end = strstr(text, "enum { SPACES");
    int knobs = 0;
    (void)state;
    assert_non_null(end);
    for (const char *at = strstr(text, "{\""); at && at < end; at = strstr(at + 2, "{\"")) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 2, "\""), at + 2);
        if (!is_letter(name[0])) continue; /* a value */
        const ms_knob *k = ms_knob_find(name);
        if (!k && !strcmp(name, "serial")) continue;
        if (!k || !(k->traits & MS_KNOB_IN_ROWS)) fail_msg("gen/cli/measure/tune_search.c tries %s, which rows do not have", name);
        const char *kind = at;
        while (strncmp(kind, "{MSW_OP_", 8)) kind--;
        for (int other = 0; other < MS_KIND_COUNT; other++)
            if (is_kind(kind + 8, ms_kind_infos[other].name) && !(k->kinds >> other & 1))
                fail_msg("tune_search.c: %s do not have %s", ms_kind_infos[other].plural, name);
        knobs++;
    }
    for (const ms_strategy *s = ms_strategies; s->name; s++) {
        char entry[64];
        snprintf(entry, sizeof entry, "\"%s\",", s->name);
        const char *at = strstr(text, entry);
        if ((at && at < end) != ((s->traits & MS_IS_TUNED) != 0)) fail_msg("gen/cli/measure/tune_search.c: strategy %s", s->name);
    }
    assert_true(knobs > 10);
}

static void test_public_lists(void **state)
{
    msw_choice choice = {.struct_size = sizeof choice};
    uint32_t count = 0, knobs = 0;
    (void)state;
    for (const ms_knob *k = ms_knobs; k->name; k++, knobs++) {
        assert_int_equal(msw_knob_get(knobs, &choice), MSW_OK);
        assert_string_equal(choice.name, k->name);
        assert_non_null(choice.summary);
    }
    assert_int_equal(msw_knob_get(knobs, &choice), MSW_ERROR_INVALID_ARGUMENT);
    while (!msw_strategy_get(MSW_OP_REDUCE, count, &choice)) count++;
    assert_int_equal(count, 2);
    assert_string_equal(choice.name, "single_block");
    for (uint32_t i = 0; !msw_strategy_get(MSW_OP_SWEEP, i, &choice); i++)
        assert_int_equal(choice.is_any_order, !strcmp(choice.name, "block_atomic") || !strcmp(choice.name, "atomic_bump"));
    for (uint32_t i = 0; !msw_strategy_get(MSW_OP_SCAN, i, &choice); i++)
        assert_int_equal(choice.is_tuned, ms_strategy_has(choice.name, MS_IS_TUNED));
    choice.struct_size = 3;
    assert_int_equal(msw_strategy_get(MSW_OP_SCAN, 0, &choice), MSW_ERROR_VERSION);
    assert_int_equal(msw_knob_get(0, &choice), MSW_ERROR_VERSION);
}

static void test_words(void **state)
{
    const ms_knob *descriptor = ms_knob_find("descriptor");
    (void)state;
    assert_true(ms_knob_has_word(descriptor, "tagged") && ms_knob_has_word(descriptor, "wide"));
    assert_false(ms_knob_has_word(descriptor, "tag") || ms_knob_has_word(descriptor, "") || ms_knob_has_word(descriptor, "tagged flagged"));
    assert_false(ms_knob_has_word(ms_knob_find("block"), "serial"));
    assert_null(ms_knob_find("strateg"));
    assert_null(ms_strategy_find(MSW_OP_SORT, "lookback"));
    assert_true(ms_strategy_has("chained_scan", MS_LOOKS_BACK) && !ms_strategy_has(NULL, MS_LOOKS_BACK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference),
                                       cmocka_unit_test(test_kinds),
                                       cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_lists_in_comments),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_knobs_are_read),
                                       cmocka_unit_test(test_templates),
                                       cmocka_unit_test(test_search),
                                       cmocka_unit_test(test_public_lists),
                                       cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_strategies_are_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
