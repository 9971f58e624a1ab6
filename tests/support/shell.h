/* shell.h - commands in the directory of a test, whose output is shown when they fail. */
#ifndef SHELL_H
#define SHELL_H

#include "cli_driver.h"

enum { SHOWN_BYTES = 900 }; /* of what was printed, at its end: cmocka cuts what is longer */

/* Runs a shell command; 1 when it succeeds. What it prints is in output.txt. */
static inline int try_command(const char *command)
{
    char whole[8192];
    const int length = snprintf(whole, sizeof whole, "{ %s\n} > output.txt 2>&1", command);
    assert_in_range(length, 1, sizeof whole - 1);
    return system(whole) == 0;
}

__attribute__((format(printf, 1, 2))) static inline void shell(const char *format, ...)
{
    char command[4096];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    assert_in_range(length, 1, sizeof command - 1);
    if (try_command(command)) return;
    cli_file output = load_file("output.txt");
    print_error("%s\n", command);
    if (output.data) print_error("%s\n", output.data + (output.bytes > SHOWN_BYTES ? output.bytes - SHOWN_BYTES : 0));
    free(output.data);
    fail();
}

/* The last command printed this. */
static inline int has_printed(const char *text)
{
    cli_file output = load_file("output.txt");
    const int found = output.data && strstr(output.data, text) != NULL;
    free(output.data);
    return found;
}

/* It printed this and nothing else. */
static inline void expect_printed(const char *text)
{
    cli_file output = load_file("output.txt");
    if (!output.data || strcmp(output.data, text)) fail_msg("printed:\n%s\nnot:\n%s", output.data ? output.data : "", text);
    free(output.data);
}

#endif
