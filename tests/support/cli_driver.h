/* cli_driver.h - runs the built command line on files in a directory of the test's own. */
#ifndef CLI_DRIVER_H
#define CLI_DRIVER_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct cli_file {
    char *data; /* NUL-terminated after `bytes`; NULL: there is none */
    size_t bytes;
} cli_file;

typedef struct cli_result {
    int code;
    cli_file out, err;
} cli_result;

static inline void make_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static inline void make_text(const char *path, const char *text) { make_file(path, text, strlen(text)); }

static inline cli_file load_file(const char *path)
{
    cli_file loaded = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file) return loaded;
    fseek(file, 0, SEEK_END);
    loaded.bytes = (size_t)ftell(file);
    rewind(file);
    loaded.data = calloc(loaded.bytes + 1, 1);
    assert_non_null(loaded.data);
    assert_int_equal(fread(loaded.data, 1, loaded.bytes, file), loaded.bytes);
    fclose(file);
    return loaded;
}

/* Enters an empty directory MSW_BINARY_DIR/NAME that holds an empty directory out/; kernels are cached there, too, and no tuning table is the
 * user's. */
static inline void enter_directory(const char *name)
{
    char command[4096];
    snprintf(command, sizeof command, "rm -rf '%s/%s' && mkdir -p '%s/%s/out'", MSW_BINARY_DIR, name, MSW_BINARY_DIR, name);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s/%s", MSW_BINARY_DIR, name);
    assert_int_equal(chdir(command), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", command, 1), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", command, 1), 0);
}

/* Runs `monosweep ARGUMENTS` in a shell; the arguments may redirect and pipe. */
static inline cli_result run(const char *arguments)
{
    char command[8192];
    snprintf(command, sizeof command, "{ '%s/monosweep' %s ; } > stdout.txt 2> stderr.txt", MSW_BINARY_DIR, arguments);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    return (cli_result){WEXITSTATUS(status), load_file("stdout.txt"), load_file("stderr.txt")};
}

static inline void drop(cli_result *result)
{
    free(result->out.data);
    free(result->err.data);
}

static inline int count_files(const char *directory)
{
    int count = 0;
    DIR *entries = opendir(directory);
    assert_non_null(entries);
    while (readdir(entries)) count++;
    closedir(entries);
    return count - 2;
}

static inline void show_and_fail(const char *arguments, const cli_result *result, const char *what)
{
    const char *out = result->out.data ? result->out.data : "", *err = result->err.data ? result->err.data : "";
    print_error("monosweep %s: %s\nexit %d\nstdout: %s\nstderr: %s\n", arguments, what, result->code, out, err);
    fail();
}

/* It ends with `code`; stdout and stderr contain these texts (NULL: whatever). */
static inline void expect(const char *arguments, int code, const char *out, const char *err)
{
    cli_result result = run(arguments);
    if (result.code != code) show_and_fail(arguments, &result, "wrong exit code");
    if (out && !strstr(result.out.data, out)) show_and_fail(arguments, &result, out);
    if (err && !strstr(result.err.data, err)) show_and_fail(arguments, &result, err);
    drop(&result);
}

/* It fails with `code` and a message that contains `err`; stdout stays empty and nothing appears in out/. */
static inline void expect_failure(const char *arguments, int code, const char *err)
{
    cli_result result = run(arguments);
    if (result.code != code) show_and_fail(arguments, &result, "wrong exit code");
    if (!strstr(result.err.data, err)) show_and_fail(arguments, &result, err);
    if (result.out.bytes) show_and_fail(arguments, &result, "stdout is not empty");
    if (count_files("out")) show_and_fail(arguments, &result, "a file was written");
    drop(&result);
}

static inline void expect_file(const char *path, const void *data, size_t bytes)
{
    cli_file file = load_file(path);
    if (!file.data || file.bytes != bytes || memcmp(file.data, data, bytes)) fail_msg("%s: %zu bytes, not the %zu expected", path, file.bytes, bytes);
    free(file.data);
}

#endif
