/* The documents: the commands of the tutorial, of the recipes and of the page for users of CUB, from top to bottom in one folder, print what the page
 * says; the reference of the C interface is made without a warning; names in the pages are names of the tree. */
#include "shell.h"

/* What an installation has, of links: the build keeps one record of its installations, which is test_package's. */
static int set_up(void **state)
{
    (void)state;
    enter_directory("tutorial test");
    shell("mkdir -p prefix/bin prefix/lib/pkgconfig prefix/include && ln -s '" MSW_SOURCE_DIR "/include/monosweep' prefix/include/ && "
          "ln -s '" MSW_BINARY_DIR "/monosweep' prefix/bin/ && ln -s '" MSW_BINARY_DIR "'/libmonosweep*.* prefix/lib/ && "
          "cp '" MSW_BINARY_DIR "'/monosweep*.pc prefix/lib/pkgconfig/");
    return 0;
}

/* The fenced block that begins at or after *at: its language and its text, of a line at least, terminated in place; *at goes behind it. 0: there is
 * none. */
static int next_block(char **at, const char **language, char **text)
{
    char *open = strncmp(*at, "```", 3) ? strstr(*at, "\n```") : *at, *line_end, *close;
    if (!open) return 0;
    open += *open == '\n';
    line_end = strchr(open, '\n');
    assert_non_null(line_end);
    close = strstr(line_end + 1, "\n```\n");
    if (!close) fail_msg("a block without an end: %.80s", open);
    *at = close + strlen("\n```\n");
    close[1] = '\0';
    *line_end = '\0';
    *language = open + 3;
    *text = line_end + 1;
    return 1;
}

/* bin: where monosweep is. */
static void run_block(const char *folder, const char *bin, const char *commands)
{
    make_text("block.sh", commands);
    shell("export PATH=\"$PWD/%s:$PATH\" PKG_CONFIG_PATH=\"$PWD/prefix/lib/pkgconfig\" && mkdir -p '%s' && cd '%s' && "
          "sh -e ../block.sh > ../printed.txt",
          bin, folder, folder);
}

static void expect_block(const char *commands, const char *expected)
{
    cli_file printed = load_file("printed.txt");
    if (!printed.data || strcmp(printed.data, expected)) fail_msg("%s\nprinted:\n%s\nnot:\n%s", commands, printed.data ? printed.data : "", expected);
    free(printed.data);
}

/* Runs the commands of a page, of at least this many blocks, in a folder of its own. */
static void run_page(const char *page, const char *folder, const char *bin, int least)
{
    cli_file file = load_file(page);
    const char *language, *commands = NULL;
    char *at = file.data, *text;
    int count = 0;
    assert_non_null(at);
    while (next_block(&at, &language, &text)) {
        if (!strcmp(language, "sh")) {
            if (commands) expect_block(commands, ""); /* no text behind them: they print nothing */
            run_block(folder, bin, commands = text);
            count++;
        } else if (!strcmp(language, "text") && commands) {
            expect_block(commands, text);
            commands = NULL;
        } else {
            fail_msg("a block of '%s' that no command prints:\n%s", language, text);
        }
    }
    if (commands) expect_block(commands, "");
    assert_in_range(count, least, 100);
    free(file.data);
}

static void test_commands(void **state)
{
    (void)state;
    run_page(MSW_SOURCE_DIR "/docs/tutorial.md", "tutorial", "prefix/bin", 10);
}

static void test_recipes(void **state)
{
    (void)state;
    run_page(MSW_SOURCE_DIR "/docs/recipes.md", "recipes", "prefix/bin", 7);
}

/* The same without a device. */
static void test_recipes_on_host(void **state)
{
    (void)state;
    shell("mkdir -p host");
    make_text("host/monosweep", "#!/bin/sh\n[ \"$1\" != run ] || set -- \"$@\" --device host\nexec ../prefix/bin/monosweep \"$@\"\n");
    shell("chmod +x host/monosweep");
    run_page(MSW_SOURCE_DIR "/docs/recipes.md", "recipes on the host", "host", 7);
}

static void test_from_cub(void **state)
{
    (void)state;
    run_page(MSW_SOURCE_DIR "/docs/from-cub.md", "from CUB", "prefix/bin", 6);
}

static void test_reference(void **state)
{
    (void)state;
    if (!try_command("command -v doxygen")) fail_msg("doxygen is needed");
    shell("mkdir reference && cp -r '" MSW_SOURCE_DIR "/docs' '" MSW_SOURCE_DIR "/include' reference/ && cd reference && doxygen docs/Doxyfile");
    expect_printed("");
    shell("cd reference/build/reference && grep -q msw_kernel_create monosweep_8h.html && grep -q msw_vulkan_enqueue monosweep__vulkan_8h.html && "
          "grep -q run structmonosweep_1_1kernel.html");
}

/* What stands in `..` in docs/ and in the rooms' design.md is made of words of the sources, of files' names, and of the page's own blocks; but what
 * says metal, a backend that there is not, and functions of Lua that specs lack. */
static void test_names(void **state)
{
    (void)state;
    shell("cd '" MSW_SOURCE_DIR "' && { find . -path './build*' -prune -o -path './.git*' -prune -o -type f -print; find * -path 'build*' -prune -o "
          "-path docs -prune -o -type f ! -name test_tutorial.c ! -name design.md -exec cat {} +; } | grep -a -o -E '[A-Za-z_][A-Za-z0-9_]*' | "
          "LC_ALL=C sort -u > '" MSW_BINARY_DIR "/tutorial test/words.txt'");
    shell("cd '" MSW_SOURCE_DIR "' && find * -path 'build*' -prune -o \\( -name design.md -o -path 'docs/*.md' \\) -print > '" MSW_BINARY_DIR
          "/tutorial test/pages.txt' && cd - && grep -q docs/overview pages.txt && grep -q gen/spec/design pages.txt");
    shell("while read -r page; do\n"
          "awk '/^```/ { inside = !inside; next } inside' '" MSW_SOURCE_DIR "'/\"$page\" | grep -o -E '[A-Za-z_][A-Za-z0-9_]*' | "
          "LC_ALL=C sort -u words.txt - > known.txt\n"
          "awk '/^```/ { inside = !inside; next } !inside' '" MSW_SOURCE_DIR "'/\"$page\" | grep -o '`[^`]*`' | grep -v -i metal | "
          "grep -o -E '[A-Za-z_][A-Za-z0-9_]*' | grep -v -x -e packsize -e randomseed -e deg -e rad | LC_ALL=C sort -u | LC_ALL=C comm -23 - "
          "known.txt | sed \"s|^|$page: |\"\n"
          "done < pages.txt");
    expect_printed("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_commands), cmocka_unit_test(test_recipes),   cmocka_unit_test(test_recipes_on_host),
                                       cmocka_unit_test(test_from_cub), cmocka_unit_test(test_reference), cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
