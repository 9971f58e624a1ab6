/* messages.h - what the command line says: errors, with the exit codes that belong to them, texts, progress. */
#ifndef MS_MESSAGES_H
#define MS_MESSAGES_H

#include <monosweep/monosweep.h>
#include <stdio.h>

typedef enum ms_exit { MS_EXIT_DONE = 0, MS_EXIT_FAILED = 1, MS_EXIT_USAGE = 2, MS_EXIT_SPEC = 3 } ms_exit;

/* Prints "monosweep: cause; what to do" to stderr and returns `code`. */
ms_exit ms_complain(ms_exit code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a library's diagnostic and returns the exit code that belongs to it. */
ms_exit ms_complain_diag(const msw_diag *diag);

/* Prints text and ends its last line. */
void ms_print_text(FILE *file, const char *text);
/* Prints text as a JSON string, quotes included. */
void ms_print_json_string(FILE *file, const char *text);

/* Where standard error is a terminal: a line that says what goes on, until the next, with a bar (share of the work that is done, 0 .. 1); nothing if
 * `quiet`. Clear it before printing anything. */
void ms_show_progress(int quiet, double share, const char *format, ...) __attribute__((format(printf, 3, 4)));
void ms_clear_progress(int quiet);

#endif
