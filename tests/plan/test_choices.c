/* Strategies and knobs: what documents, templates, tuning rows and the search say of them is what the tables have (gen/choices.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "choices.h"

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
        if (!(k->places & MS_KNOB_IN_SPECS) || !k->most) continue;
        char most[16], words[64] = "";
        snprintf(most, sizeof most, k->most == 1 << 20 ? "2^20" : "%u", k->most);
        if (k->words) snprintf(words, sizeof words, ", `%s`", k->words);
        snprintf(line, sizeof line, "| `%s` | %u .. %s%s | %s |", k->name, k->least, most, words, k->summary);
        if (!strstr(table, line)) fail_msg("docs/spec-reference.md has no line\n%s", line);
    }
    static const struct {
        msw_op_kind kind;
        const char *head;
    } kinds[] = {{MSW_OP_SCAN, "of scans: `auto"}, {MSW_OP_REDUCE, "of reductions: `auto"}, {MSW_OP_SORT, "of sorts: `auto"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t end = (size_t)snprintf(line, sizeof line, "%s", kinds[i].head);
        for (const ms_strategy *s = ms_strategies; s->name; s++)
            if (s->kinds & 1u << kinds[i].kind) end += (size_t)snprintf(line + end, sizeof line - end, " %s", s->name);
        snprintf(line + end, sizeof line - end, "`");
        if (!strstr(table, line)) fail_msg("docs/spec-reference.md has no list\n%s", line);
    }
}

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

/* The strategies of tuning rows, which have no C beside them where the command line reads them. */
static void test_rows(void **state)
{
    const char *text = load("gen/plan/tuning.lua"), *list = strstr(text, "local STRATEGIES = ");
    (void)state;
    assert_non_null(list);
    const size_t length = (size_t)(strstr(list, "\nlocal ") - list);
    for (const ms_strategy *s = ms_strategies; s->name; s++) {
        char entry[64];
        snprintf(entry, sizeof entry, " %s = true", s->name);
        const char *at = strstr(list, entry);
        const int is_there = at && at < list + length;
        if (is_there != ((s->traits & MS_IS_TUNED) != 0)) fail_msg("gen/plan/tuning.lua: strategy %s", s->name);
    }
}

/* The search tries knobs that rows can have, of strategies that are tuned. */
static void test_search(void **state)
{
    const char *text = load("gen/cli/measure/tune_search.c"), *end = strstr(text, "enum { SPACES");
    int knobs = 0, strategies = 0;
    (void)state;
    assert_non_null(end);
    for (const char *at = strstr(text, "{\""); at && at < end; at = strstr(at + 2, "{\"")) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 2, "\""), at + 2);
        if (!is_letter(name[0])) continue; /* a value */
        const ms_knob *k = ms_knob_find(name);
        if (!k && !strcmp(name, "serial")) continue;
        if (!k || !(k->places & MS_KNOB_IN_ROWS)) fail_msg("gen/cli/measure/tune_search.c tries %s, which rows do not have", name);
        knobs++;
    }
    for (const ms_strategy *s = ms_strategies; s->name; s++) {
        char entry[64];
        snprintf(entry, sizeof entry, "\"%s\",", s->name);
        const char *at = strstr(text, entry);
        if (at && at < end && !(s->traits & MS_IS_TUNED)) fail_msg("gen/cli/measure/tune_search.c tries %s", s->name);
        strategies += at && at < end;
    }
    assert_true(knobs > 10 && strategies >= 4);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference), cmocka_unit_test(test_rows), cmocka_unit_test(test_search),
                                       cmocka_unit_test(test_public_lists), cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
