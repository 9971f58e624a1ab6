/* progress.h - what blocks that wait for each other are seen to do on a device. Nothing of it is promised by anybody. */
#ifndef MS_CLI_PROGRESS_H
#define MS_CLI_PROGRESS_H

#include "cli/messages.h"

#include <monosweep/monosweep.h>

/* For whom a block waits. */
typedef enum ms_waiting {
    MS_WAIT_EARLIER_STARTED, /* the one that began before it, by tickets: all that look-back needs */
    MS_WAIT_EARLIER,         /* the one of the index before */
    MS_WAIT_LATER,           /* the one of the next index */
    MS_WAIT_ALL,             /* all others, four times: they must run at once */
    MS_WAITINGS
} ms_waiting;

/* What was seen of one of them. Launches of more and more blocks are tried; in each a wait ends after a bounded time. */
typedef struct ms_progress_seen {
    const char *name, *summary; /* static: "earlier_started", one line */
    uint32_t blocks;            /* of the largest launch in all whose runs every wait ended with a post; 0: of none */
    uint32_t failed_blocks;     /* of the smallest in which one gave up; 0: in none that was tried */
    uint32_t waited;            /* how many have waited, and then got the post, in the runs of `blocks`; 0: nobody needed to, so little is known */
    double seconds;             /* the fastest run of `blocks` took */
} ms_progress_seen;

enum { MS_PROGRESS_RUNS = 3 }; /* of a number of blocks */

/* The probe's kernel for a target, malloc'd. DONE, or a code after a message. */
ms_exit ms_progress_text(const msw_target *target, char **text);

/* Tries a device. seen[w].name is NULL for what was not tried: the host runs no blocks. Errors: those of making and running a kernel; in a message.
 * DONE, or a code. */
ms_exit ms_progress_probe(msw_context *context, ms_progress_seen seen[MS_WAITINGS]);

/* 1: launches of every number of blocks that was tried let blocks wait for those that began before, as look-back does without a fallback. */
int ms_progress_serves_lookback(const ms_progress_seen seen[MS_WAITINGS]);

#endif
