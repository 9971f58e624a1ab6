/* monosweep devices --report: every feature and every way of waiting has a row, whatever the device lacks; the page, the CSV and the JSON say the
 * same; the probe of progress comes to an end. */
#include "html_page.h"
#include "backend.h"
#include "cli/measure/progress.h"

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_devices_report.files");
    return 0;
}

/* The object behind `"key": "value"` in a list of JSON objects, up to its end, as a text; "": there is none. */
static const char *object_of(const char *json, const char *key, const char *value, char object[2048])
{
    char start[128];
    snprintf(start, sizeof start, "{\"%s\": \"%s\"", key, value);
    const char *at = strstr(json, start), *end = at ? strchr(at, '}') : NULL;
    snprintf(object, 2048, "%.*s", end ? (int)(end + 1 - at) : 0, end ? at : "");
    return object;
}

/* Brackets close in order outside strings, and strings end. */
static void check_json(const char *json)
{
    char open[64];
    int depth = 0, is_string = 0;
    for (const char *at = json; *at; at++) {
        if (is_string) {
            if (*at == '\\' && at[1]) at++;
            else if (*at == '"') is_string = 0;
            continue;
        }
        if (*at == '"') is_string = 1;
        if (*at == '{' || *at == '[') {
            assert_true(depth < 64);
            open[depth++] = *at == '{' ? '}' : ']';
        }
        if ((*at == '}' || *at == ']') && (!depth || open[--depth] != *at)) fail_msg("a stray bracket: %.60s", at);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(is_string, 0);
}

/* docs/send-your-device.md names these members, in this order. */
static void check_members(const char *json)
{
    static const char *const members[] = {
        "{\"format\": 1,", "\n \"device\": {\"monosweep\": \"", "\n \"progress\": [", "\n \"abilities\": [", "\n \"kernels\": [", "\n \"notes\": [",
        "\n \"rows\": ["};
    const char *at = json;
    check_json(json);
    for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
        at = strstr(at, members[m]);
        if (!at) fail_msg("no %s in\n%.2000s", members[m], json);
    }
}

/* A feature that is new to the library has a row, too, and the report says what is done without it. */
static void check_features(const char *json)
{
    const char *name;
    for (uint32_t f = 0; (name = msw_feature_name(f)) != NULL; f++) {
        char object[2048];
        object_of(json, "name", name, object);
        const char *note = strstr(object, "\"note\": \"");
        if (!strstr(object, "\"state\": \"yes\"") && !strstr(object, "\"state\": \"no\"")) fail_msg("feature %s: \"%s\"", name, object);
        if (!note || note[9] == '"' || strstr(object, "without it: \"")) fail_msg("feature %s has no note: give it one in report_abilities.c", name);
    }
}

static void check_progress(const char *json)
{
    static const char *const names[] = {"earlier_started", "earlier", "later", "all"};
    for (size_t w = 0; w < sizeof names / sizeof *names; w++) {
        char object[2048];
        unsigned blocks, failed, waited, runs;
        object_of(json, "name", names[w], object);
        if (sscanf(object, "{\"name\": \"%*[a-z_]\", \"blocks\": %u, \"failed_blocks\": %u, \"waited\": %u, \"runs\": %u,", &blocks, &failed, &waited,
                   &runs) != 4)
            fail_msg("%s: \"%s\"", names[w], object);
        if (!blocks && !failed) fail_msg("%s: nothing was tried", names[w]);
    }
}

static void test_host(void **state)
{
    (void)state;
    expect("devices --report --device host --n 100,1000 --rounds 1 --csv h.csv --html h.html", 0, "\nsort on host host oracle: keys/s", NULL);
    check_page("h.html");
    expect_text("h.html", "<h1>monosweep devices --report</h1>");
    expect_text("h.html", "<td>progress that was seen</td><td>the host runs no blocks</td>");
    expect_text("h.csv", "# report.device: id,host\n");
    expect_text("h.csv", ",scan,scan,default,1000,1,");
    expect("bench --from h.csv --html again.html", 0, NULL, NULL);
    cli_file page = load_file("h.html");
    expect_file("again.html", page.data, page.bytes);
    free(page.data);
    cli_result result = run("devices --report --device host --n 100 --rounds 1 --op reduce --json");
    assert_int_equal(result.code, 0);
    check_members(result.out.data);
    assert_non_null(strstr(result.out.data, "{\"case\": \"reduce\", \"n\": 100, \"kernel\": \"oracle\", \"us\": "));
    drop(&result);
}

/* One operation of those that measure features, so that little is compiled: the others' rows are there, without times. */
static void test_device(void **state)
{
    char object[2048];
    (void)state;
    cli_result result = run("devices --report --device vulkan --n 1000 --rounds 1 --op scan_u8 --csv v.csv --html v.html --json --quiet");
    if (result.code) show_and_fail("devices --report", &result, "wrong exit code");
    check_members(result.out.data);
    check_features(result.out.data);
    check_progress(result.out.data);
    object_of(result.out.data, "name", "int8", object);
    assert_non_null(strstr(object, "\"case\": \"scan_u8\", \"n\": 1000, \"us\": "));
    if (strstr(object, "\"state\": \"yes\"")) assert_non_null(strstr(object, "\"other\": \"without int8\", \"other_us\": "));
    object_of(result.out.data, "name", "float64", object);
    assert_non_null(strstr(object, "\"us\": null"));
    object_of(result.out.data, "name", "bulk copies", object);
    assert_non_null(strstr(object, "\"state\": \"?\""));
    drop(&result);
    check_page("v.html");
    expect_text("v.html", "<td>uniform_control_flow</td>");
    expect_text("v.csv", "# report.ability: int8,");
    expect_text("v.csv", ",scan,scan_u8,default,1000,1,");
}

/* What the device cannot do is a line, and the rest is measured. */
static void test_strategies(void **state)
{
    (void)state;
    expect("devices --report --device vulkan --n 1000 --rounds 1 --op reduce --csv r.csv", 0,
           "its kernels, one after the other, each with all of its launches, at n = 1000", NULL);
    expect("devices --report --device host --op reduce --n 2^40", 1, NULL, "not all could be measured; the lines above say why");
    expect_text("r.csv", ",reduce,reduce,reduce_then_scan,1000,1,");
    expect("devices --report --device vulkan --n 1000 --rounds 1 --op scan_u8", 0, "  scan_u8, n = 1000:\n  int8 ", NULL);
    expect_text("r.csv", "# report.kernel: reduce,1000,reduce_");
}

static void test_usage(void **state)
{
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"devices --device vulkan", "--device goes with --report"},
        {"devices --n 16", "--n goes with --report"},
        {"devices --html out/x.html", "--html goes with --report"},
        {"devices --report --json --csv -", "both write to standard output"},
        {"devices --report --device host --op product", "the report has no operation 'product'"},
        {"devices --report --n many", "--n many: not sizes"},
        {"devices --report --device host --n 0,16", "measures one element and more; leave 0 out of --n"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) expect_failure(cases[c].arguments, 2, cases[c].message);
    expect_failure("devices --report --html none/x.html", 1, "none/x.html: cannot be written");
    expect("devices --help", 0, "--report", NULL);
}

/* What was seen is of launches that were tried, the first that failed is larger, and nothing is said of the host. */
static void test_probe(void **state)
{
    static const char *const ids[] = {"host", "vulkan"};
    (void)state;
    for (int d = 0; d < 2; d++) {
        const msw_context_desc desc = {.struct_size = sizeof desc, .device = ids[d]};
        ms_progress_seen seen[MS_WAITINGS];
        msw_context *context;
        assert_int_equal(msw_context_create(&desc, &context, NULL), MSW_OK);
        assert_int_equal(ms_progress_probe(context, seen), MS_EXIT_DONE);
        for (int w = 0; w < MS_WAITINGS; w++) {
            if (!d) assert_null(seen[w].name);
            else if (seen[w].failed_blocks) assert_true(seen[w].failed_blocks > seen[w].blocks);
            else assert_true(seen[w].blocks > 0);
        }
        if (!d) assert_int_equal(ms_progress_serves_lookback(seen), 0);
        msw_context_destroy(context);
    }
}

/* A report that somebody has edited: what is no number is none, what is missing is empty, and notes that nobody knows stay notes. */
static void test_edited(void **state)
{
    (void)state;
    expect("bench --from '" MSW_SOURCE_DIR "/tests/fuzz/seeds/csv/report.csv' --html e.html", 0, NULL, NULL);
    check_page("e.html");
    expect_text("e.html", "<td>memory</td><td>0x10</td>");
    expect_text("e.html", "<td>int8</td><td>yes</td><td>scan_u8</td><td>2¹²</td><td>1.5 µs</td><td>copy</td><td>a &lt; b</td>");
    expect_text("e.html", "<p class=\"note\">report.kernel: &quot;; report.other: x</p>");
    expect_text("e.html", "<p class=\"note\">without a: b</p>");
}

/* CUDA's text is compiled where there is NVRTC. */
static void test_cuda_text(void **state)
{
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .max_block_threads = 1024, .arch = "sm_90"};
    msw_plan_kernel kernel = {.entry = "progress", .block_threads = 256, .subgroup_size = 1};
    size_t bytes;
    void *code;
    char *text;
    msw_diag diag;
    (void)state;
    assert_int_equal(ms_progress_text(&target, &text), MS_EXIT_DONE);
    kernel.text = text;
    if (!msw_compiler_check(MSW_BACKEND_CUDA, &diag)) {
        if (ms_compiler_nvrtc.compile(&kernel, target.arch, NULL, &code, &bytes, &diag)) fail_msg("%s\n%s", diag.message, text);
        ms_free(NULL, code, bytes);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_host),     cmocka_unit_test(test_device), cmocka_unit_test(test_strategies),
                                       cmocka_unit_test(test_usage),    cmocka_unit_test(test_probe),  cmocka_unit_test(test_edited),
                                       cmocka_unit_test(test_cuda_text)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
