/* README's figures are those that bench/tables.lua makes of the raw results in bench/results, and it makes them as README says; so are the pictures
 * that bench/growth.lua and bench/digits.lua draw. */
#include "cli_driver.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

/* What a script of bench/ returns for these arguments, of which the last may be NULL, or the message that says why not; to be freed. */
static char *made_by(const char *script, const char *const *arguments, int count, int *is_made)
{
    lua_State *L = luaL_newstate();
    assert_non_null(L);
    luaL_openlibs(L);
    if (luaL_loadfile(L, script)) fail_msg("%s", lua_tostring(L, -1));
    for (int a = 0; a < count; a++) lua_pushstring(L, arguments[a]);
    *is_made = !lua_pcall(L, count, 1, 0);
    char *text = strdup(lua_isstring(L, -1) ? lua_tostring(L, -1) : "");
    lua_close(L);
    return text;
}

/* What README would be with the figures of these results, or is written to `out`. */
static char *remake_as(const char *results, const char *readme, const char *out, int *is_made)
{
    return made_by(MSW_SOURCE_DIR "/bench/tables.lua", (const char *[]){MSW_SOURCE_DIR, results, readme, out}, 4, is_made);
}

static char *remake(const char *results, const char *readme)
{
    int is_made;
    char *text = remake_as(results, readme, NULL, &is_made);
    if (!is_made) fail_msg("%s", text);
    return text;
}

static void expect_refused(const char *message)
{
    int is_made;
    char *text = remake_as(".", "R.md", "out.md", &is_made);
    if (is_made || !strstr(text, message)) fail_msg("made: %d, expected '%s': %s", is_made, message, text);
    free(text);
}

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_figures_files");
    return 0;
}

static void test_readme(void **state)
{
    (void)state;
    cli_file readme = load_file(MSW_SOURCE_DIR "/README.md");
    char *made = remake(MSW_SOURCE_DIR "/bench/results", MSW_SOURCE_DIR "/README.md");
    if (strcmp(readme.data, made) != 0)
        fail_msg("README.md: figures were written by hand, or results are newer: build/msw_lua bench/tables.lua . bench/results README.md README.md");
    /* One that is written by hand goes. */
    char *ratio = strstr(readme.data, "| u32 | ");
    assert_non_null(ratio);
    ratio[strlen("| u32 | ")] = '0';
    make_text("README.md", readme.data);
    free(made);
    made = remake(MSW_SOURCE_DIR "/bench/results", "README.md");
    assert_int_not_equal(strcmp(readme.data, made), 0);
    free(made);
    free(readme.data);
}

#define COLUMNS "device,kind,case,variant,n,rounds,median_us,gitems_per_s,gb_per_s,percent_of_memcpy,percent_of_cub,create_ms,result,steady\n"

/* Two devices, two digits; few keys. */
#define DIGITS                                                                                                                                  \
    "# commit: 1234567\n"                                                                                                                       \
    "device,kind,case,variant,n,rounds,median_us,gitems_per_s,gb_per_s,percent_of_memcpy,percent_of_cub,create_ms,result,steady,predicted_us\n" \
    "cuda:0 G,sort,u32,strategy=onesweep digit_bits=7,67108864,5,2000,33.6,,,,,verified,yes,1500\n"                                             \
    "cuda:0 G,sort,u32,strategy=onesweep digit_bits=8,67108864,5,1500,44.7,,,,,verified,yes,1200\n"                                             \
    "cuda:0 G,sort,u32,model of SRTS digit_bits=7,67108864,0,,,,,,,-,,2500\n"                                                                   \
    "cuda:0 G,sort,u32,model of SRTS digit_bits=8,67108864,0,,,,,,,-,,3500\n"                                                                   \
    "vulkan:0 G,sort,u32,strategy=onesweep digit_bits=8,67108864,5,1700,39.5,,,,,verified,no,1300\n"                                            \
    "vulkan:0 G,sort,u32,strategy=onesweep digit_bits=7,67108864,5,2100,32.0,,,,,verified,yes,1600\n"                                           \
    "cuda:0 G,sort,u32,default,64,9,10,0.01,,,,,verified,yes,\ncuda:0 G,sort,u32,default,256,9,11,0.02,,,,,verified,yes,\n"                     \
    "cuda:0 G,sort,u32,bitonic network,64,9,4,0.02,,,,,verified,yes,\ncuda:0 G,sort,u32,bitonic network,256,9,12,0.02,,,,,verified,yes,\n"

#define NO_DIGITS "<!-- figures: digits -->\n<!-- end of figures -->\n"

/* CUB's better count; the largest n; what is not steady; each table's origin. */
static void test_tables(void **state)
{
    static const char places[] = "<!-- figures: scans -->\nold\n<!-- end of figures -->\n<!-- figures: sorts -->\n<!-- end of figures -->\n"
                                 "<!-- figures: small -->\n<!-- end of figures -->\n<!-- figures: vulkan -->\n<!-- end of figures -->\n"
                                 "<!-- figures: jit -->\n<!-- end of figures -->\n" NO_DIGITS "the end\n";
    static const char *const expected[] = {
        "| u32 sum | 2^28 | 96.0 % | 80.0 % | 1.20 x |\n",
        "| u32 | 50.0 us, 0.80 x |  |  | ~5.00 ms, 1.10 x | ~53.7 |\n",
        "`bench/results/sorts.csv`: NVIDIA H200; driver 580.1; CUB 3.0.1, CUDA 13.0; clocks SM 1980 MHz; commit 1234567",
        "| monosweep, CUDA | 7.00 us |  |  |  |  |  |\n| CUB | 9.00 us |",
        "| sort, u64 | 2^27 | 8.10 Gkeys/s |\n",
        "| scan, u64 sum | 2^27 | ~87.5 % of a copy kernel |\n",
        "| scan, u32 sum | 480 | 521 | `scan_lookahead` | 240 | 150 | 0.5 |\n",
        "| 7 | 2.00 ms | 1.50 ms |  | 2.10 ms |  | 2.50 ms |\n| 8 | 1.50 ms | 1.20 ms |  | ~1.70 ms |  | 3.50 ms |\n",
        "bitonic network in one block up to 2^6 keys; Onesweep by 1 bit nowhere",
        "| 2^8 | 11.0 us | 12.0 us |  |  |\n",
        "the end\n",
    };
    (void)state;
    make_text("R.md", places);
    make_text("scans.csv", COLUMNS
              "cuda:0 G,scan,u32 sum,default,268435456,9,1,1,1,96,,,verified,yes\ncuda:0 G,scan,u32 sum,default,1024,9,1,1,1,99,,,verified,yes\n"
              "cuda:0 G,scan,u32 sum,cub 32-bit,268435456,9,1,1,1,80,,,verified,yes\ncuda:0 G,scan,u32 sum,cub "
              "64-bit,268435456,9,1,1,1,70,,,verified,yes\n");
    make_text("sorts.csv",
              "# commit: 1234567\n# clocks: SM 1980 MHz\n# device: NVIDIA H200\n# driver: 580.1\n# peers: CUB 3.0.1, CUDA 13.0\n" COLUMNS
              "cuda:0 G,sort,u32,default,65536,9,50,1.31,,,,,verified,yes\ncuda:0 G,sort,u32,cub 32-bit,65536,9,40,1.6,,,,,-,yes\n"
              "cuda:0 G,sort,u32,cub 64-bit,65536,9,60,1.6,,,,,-,yes\ncuda:0 G,sort,u32,default,268435456,9,5000,53.7,,,,,verified,no\n"
              "cuda:0 G,sort,u32,cub 32-bit,268435456,9,6000,44.7,,,,,-,yes\ncuda:0 G,sort,u32,cub 64-bit,268435456,9,5500,48.8,,,,,-,yes\n");
    make_text("curves.csv",
              COLUMNS "cuda:0 G,scan,u32 sum,default,1024,9,7,1,1,99,,,verified,yes\ncuda:0 G,scan,u32 sum,cub,1024,9,9,1,1,99,,,verified,yes\n"
                      "vulkan:0 G,scan,u32 sum,default,1024,9,5,1,1,99,,,verified,yes\n");
    make_text("vulkan.csv", COLUMNS "vulkan:0 G,sort,u64,default,134217728,9,16570,8.1,,5.5,,,verified,yes\n"
                                    "vulkan:0 G,scan,u64 sum,default,134217728,9,500,1,1,87.5,,,verified,no\n");
    make_text("jit.csv", "operation,device,rounds,first_ms,generator_ms,compile_ms,load_ms,cold_ms,warm_ms,needed_ms,"
                         "cold_cache,warm_cache,kernel,to_ptx_ms,to_code_ms\n"
                         "u32_sum,cuda:0,5,530,7,500,1,521,0.5,480,none,monosweep,,,\nu32_sum,cuda:0,5,,,,,,,,,,zero_scratch,30,35\n"
                         "u32_sum,cuda:0,5,,,,,,,,,,scan_lookahead,240,390\n");
    char *made = remake(".", "R.md");
    assert_non_null(strstr(made, NO_DIGITS)); /* not measured yet */
    free(made);
    make_text("digits.csv", DIGITS);
    made = remake(".", "R.md");
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++)
        if (!strstr(made, expected[e])) fail_msg("no %s in\n%s", expected[e], made);
    assert_null(strstr(made, "old\n"));
    free(made);
    expect_refused("not measured, so that README would lose it:\n"); /* few of its cases are here */
    make_text("vulkan.csv", COLUMNS "vulkan:0 G,scan,u64 sum,default,134217728,9,500,1,1,87.5,,,wrong at the end,yes\n");
    expect_refused("vulkan.csv: 'u64 sum' is wrong at the end");
}

/* Nobody measures without saying with what. */
static void test_origins(void **state)
{
    static const char *const names[] = {"scans", "sorts", "curves", "vulkan", "jit"};
    static const char *const notes[] = {"# commit: ", "# device: ", "# driver: ", "# clocks: "};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char path[4096];
        snprintf(path, sizeof path, MSW_SOURCE_DIR "/bench/results/%s.csv", names[n]);
        cli_file file = load_file(path);
        for (size_t w = 0; w < sizeof notes / sizeof *notes; w++)
            if (!file.data || !strstr(file.data, notes[w])) fail_msg("%s: no %s", path, notes[w]);
        if (!strcmp(names[n], "jit") && !strstr(file.data, "# nvrtc: NVRTC ")) fail_msg("%s: with which NVRTC?", path);
        free(file.data);
    }
}

/* The picture in gen/cut/design.md is that of its table. */
static void test_growth(void **state)
{
    int is_made;
    (void)state;
    char *made = made_by(MSW_SOURCE_DIR "/bench/growth.lua", (const char *[]){MSW_SOURCE_DIR}, 1, &is_made);
    cli_file picture = load_file(MSW_SOURCE_DIR "/gen/cut/growth.svg");
    if (!is_made) fail_msg("%s", made);
    if (!picture.data || strcmp(picture.data, made) != 0)
        fail_msg("gen/cut/growth.svg: drawn by hand, or of another table: build/msw_lua bench/growth.lua . gen/cut/growth.svg");
    free(picture.data);
    free(made);
}

/* What is drawn of such a table. */
static void test_digits(void **state)
{
    static const char *const drawn[] = {">onesweep, CUDA</text>",
                                        ">onesweep, predicted</text>",
                                        ">model of SRTS</text>",
                                        ">onesweep, Vulkan</text>",
                                        "<title>onesweep, CUDA, 8 bits of a digit: 44.7 Gkeys/s</title>",
                                        "<title>bitonic network, n = 2⁶: 4 µs </title>"};
    int is_made;
    (void)state;
    make_text("drawn.csv", DIGITS);
    char *made = made_by(MSW_SOURCE_DIR "/bench/digits.lua", (const char *[]){MSW_SOURCE_DIR, "drawn.csv"}, 2, &is_made);
    for (size_t d = 0; d < sizeof drawn / sizeof *drawn; d++)
        if (!is_made || !strstr(made, drawn[d])) fail_msg("no %s in\n%s", drawn[d], made);
    free(made);
}

/* README's picture is that of its table; neither is there before the other. */
static void test_digits_picture(void **state)
{
    static const char csv[] = MSW_SOURCE_DIR "/bench/results/digits.csv", svg[] = MSW_SOURCE_DIR "/bench/results/digits.svg";
    int is_made;
    (void)state;
    assert_int_equal(access(csv, F_OK), access(svg, F_OK));
    if (access(csv, F_OK)) return; /* not measured yet; test_readme has README's empty place */
    char *made = made_by(MSW_SOURCE_DIR "/bench/digits.lua", (const char *[]){MSW_SOURCE_DIR, csv}, 2, &is_made);
    cli_file picture = load_file(svg);
    if (!is_made) fail_msg("%s", made);
    if (!picture.data || strcmp(picture.data, made) != 0)
        fail_msg("%s: drawn by hand, or of another table: build/msw_lua bench/digits.lua . bench/results/digits.csv bench/results/digits.svg", svg);
    free(picture.data);
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_readme), cmocka_unit_test(test_tables), cmocka_unit_test(test_origins),
                                       cmocka_unit_test(test_growth), cmocka_unit_test(test_digits), cmocka_unit_test(test_digits_picture)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
