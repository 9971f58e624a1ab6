/* sheet.h - the rows of a measurement: timed by turns and verified, as a table on the terminal, as CSV with notes, as a page or JSON. */
#ifndef MS_CLI_SHEET_H
#define MS_CLI_SHEET_H

#include "workload.h"

/* How long what is measured may take, in seconds. */
typedef struct ms_sheet_limits {
    double size;     /* of one n, all ways; warming up may take as long */
    double host;     /* of the oracle or a loop at one n */
    double run;      /* of one run of another way, beyond which it is left out */
    uint32_t rounds; /* where --rounds does not say it */
} ms_sheet_limits;

extern const ms_sheet_limits ms_bench_limits;

typedef struct ms_sheet {
    const ms_options *options;
    msw_context *context;
    msw_spec *spec;
    ms_sheet_limits limits;
    char device[300];
    int has_no_table; /* 1: nothing is printed of the operation at hand */
    char *csv;        /* rows of all operations */
    size_t csv_bytes;
    FILE *rows;
    char *notes; /* "# left out: .." and others, which come before the rows */
    size_t notes_bytes;
    FILE *noted;
    int has_wrong, has_unsteady, has_lost_items; /* has_lost_items: of the operation at hand, it has been said */
} ms_sheet;

/* options, context, spec and limits are set before. Each returns DONE, or a code after a message; whatever it returns, the sheet is to be closed. */
ms_exit ms_sheet_open(ms_sheet *sheet);
void ms_sheet_close(ms_sheet *sheet);
/* Writes everything to where the options say. */
ms_exit ms_sheet_report(ms_sheet *sheet);
/* 1: standard output is for people. */
int ms_sheet_prints(const ms_options *options);

/* Adds the ways of an operation whose arrays are there. */
typedef ms_exit (*ms_add_ways)(ms_sheet *sheet, ms_workload *workload);

/* Measures operation `op` of the sheet's spec for these n, which ascend, as far as device and memory serve them. workload: zeroed; it is to be
 * released. No n left: FAILED, after a message. */
ms_exit ms_sheet_measure(ms_sheet *sheet, ms_workload *workload, uint32_t op, const uint64_t *sizes, uint32_t count, ms_add_ways add_ways);

/* Notes what is left out of the operation at hand, and shows it: a way, or anything else, and why. Messages may begin with the operation's name. */
void ms_sheet_left_out(const ms_sheet *sheet, const ms_workload *workload, const char *way, const char *why);

/* The same of what nobody asked for and the device cannot do: the CSV and the page have it, standard error does not. */
void ms_sheet_lacks(const ms_sheet *sheet, const ms_workload *workload, const char *way, const char *why);

/* Notes a line of a section of the page: its fields, of which the page knows the names (page.lua). */
void ms_sheet_found(const ms_sheet *sheet, const char *section, const char *const *fields, uint32_t count);

#endif
