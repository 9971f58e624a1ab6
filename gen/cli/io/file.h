/* file.h - whole files: read at once, written together or not at all. */
#ifndef MS_CLI_FILE_H
#define MS_CLI_FILE_H

#include "cli/messages.h"

#include <signal.h>

typedef struct ms_bytes {
    unsigned char *data; /* malloc'd, never NULL after a read, with a NUL after `count` bytes: a text is one for C */
    size_t count;
} ms_bytes;

/* Reads a file, or standard input for "-". DONE, or a code after a message. _most: more bytes, also of what has no end (a pipe, a device), are an
 * error. */
ms_exit ms_file_read(const char *path, ms_bytes *bytes);
ms_exit ms_file_read_most(const char *path, uint64_t most_bytes, ms_bytes *bytes);

/* The size of a regular file, from where it would be read, and its first bytes, as many as are wanted or there; of what has no size before it is read
 * (a pipe, a device) size_bytes is MS_SIZE_UNKNOWN. Nothing is consumed. DONE, or a code after a message. */
#define MS_SIZE_UNKNOWN UINT64_MAX
ms_exit ms_file_peek(const char *path, size_t wanted_bytes, ms_bytes *head, uint64_t *size_bytes);

/* Files that appear together, by rename, when all of them are complete. "-" (standard output), devices and pipes are
 * written at the commit, before the renames. Zero-initialise; at most MS_STAGE_FILES. */
enum { MS_STAGE_FILES = 1024 };

typedef struct ms_staged {
    char *path;               /* as given */
    char *target, *temporary; /* where the temporary is moved to: what a link leads to; NULL: written directly at the commit */
    char *header;             /* owned */
    size_t header_bytes;
    const void *data; /* the caller's, until the commit */
    size_t data_bytes;
} ms_staged;

typedef struct ms_stage {
    ms_staged *files;
    size_t count;
    sigset_t signals; /* the mask from before: what interrupts waits while there are temporary files */
    int is_holding;
} ms_stage;

/* Keeps back what interrupts the program (^C, kill, a closed terminal) from this thread and those that it starts meanwhile; `before` is for
 * pthread_sigmask. */
void ms_hold_interrupts(sigset_t *before);

/* Tries whether a file could be written there, before it is known what. DONE, or a code after a message. */
ms_exit ms_file_try(const char *path);

/* Writes header and data to a temporary file beside `path`. Takes the header (malloc'd, or NULL), also on failure.
 * DONE, or a code after a message. */
ms_exit ms_stage_add(ms_stage *stage, const char *path, char *header, size_t header_bytes, const void *data, size_t data_bytes);
ms_exit ms_stage_commit(ms_stage *stage);
/* Removes what was not committed, and frees; an interrupt that came meanwhile ends the program now. */
void ms_stage_release(ms_stage *stage);

#endif
