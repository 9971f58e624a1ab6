#include "messages.h"

#include <stdarg.h>
#include <unistd.h>

/* A message begins its line: on a terminal that may be where progress stands. */
static void begin_line(void)
{
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
}

ms_exit ms_complain(ms_exit code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    begin_line();
    fprintf(stderr, "monosweep: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    return code;
}

ms_exit ms_complain_diag(const msw_diag *diag)
{
    begin_line();
    fprintf(stderr, "%s%s\n", diag->file[0] ? "" : "monosweep: ", diag->message);
    if (diag->code == MSW_ERROR_SPEC) return MS_EXIT_SPEC;
    return diag->code == MSW_ERROR_INVALID_ARGUMENT ? MS_EXIT_USAGE : MS_EXIT_FAILED;
}

void ms_print_text(FILE *file, const char *text)
{
    char last = '\n';
    for (; *text; text++) putc(last = *text, file);
    if (last != '\n') putc('\n', file);
}

void ms_print_json_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(file, "\\%c", c);
        else if (c < 0x20) fprintf(file, "\\u%04x", c);
        else putc(c, file);
    }
    putc('"', file);
}

/* ---- progress ---- */

static int shows_progress(int quiet) { return !quiet && isatty(STDERR_FILENO); }

void ms_show_progress(int quiet, double share, const char *format, ...)
{
    char bar[21];
    va_list arguments;
    if (!shows_progress(quiet)) return;
    for (int i = 0; i < 20; i++) bar[i] = i < share * 20 ? '#' : '.';
    bar[20] = '\0';
    fflush(stdout);
    fprintf(stderr, "\r\033[K%s %3.0f %%  ", bar, share * 100);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
}

void ms_clear_progress(int quiet)
{
    if (shows_progress(quiet)) fprintf(stderr, "\r\033[K");
}
