#define _XOPEN_SOURCE 700 /* realpath */

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ---- */

static ms_exit read_failed(const char *path, int error)
{
    if (error == EFBIG) return ms_complain(MS_EXIT_FAILED, "%s: longer than what is served, and read no further; cut it", path);
    if (error == ENOMEM) return ms_complain(MS_EXIT_FAILED, "%s: too large for this machine's memory; split it", path);
    return ms_complain(MS_EXIT_FAILED, "%s: cannot be read: %s; check the name and its permissions", path, strerror(error));
}

/* Reads to the end of the descriptor, which may have none (/dev/zero): what does not fit the memory that the machine has is not asked of the system,
 * which would promise it. 0, or an errno. `bytes->data` may be set on failure too. */
static int read_all(int descriptor, size_t expected_bytes, uint64_t most_bytes, ms_bytes *bytes)
{
    const double memory_bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    size_t capacity = expected_bytes + 2; /* two more: the end is seen without growing, and a NUL has its place */
    bytes->count = 0;
    bytes->data = malloc(capacity);
    if (!bytes->data) return ENOMEM;
    for (;;) {
        if (bytes->count + 1 == capacity) {
            if (2 * (double)capacity > memory_bytes || capacity > SIZE_MAX / 2) return ENOMEM;
            unsigned char *grown = realloc(bytes->data, capacity *= 2);
            if (!grown) return ENOMEM;
            bytes->data = grown;
        }
        const ssize_t got = read(descriptor, bytes->data + bytes->count, capacity - 1 - bytes->count);
        if (got == 0) return bytes->data[bytes->count] = '\0', 0;
        if (got < 0 && errno != EINTR) return errno;
        if (got > 0) bytes->count += (size_t)got;
        if (bytes->count > most_bytes) return EFBIG;
    }
}

/* Opens a file, or standard input for "-", which is not a directory: 0, or an errno. The descriptor is to be closed by close_input. */
static int open_input(const char *path, int *descriptor, struct stat *status)
{
    *descriptor = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (*descriptor < 0 || fstat(*descriptor, status)) return errno;
    return S_ISDIR(status->st_mode) ? EISDIR : 0;
}

static void close_input(const char *path, int descriptor)
{
    if (strcmp(path, "-") && descriptor >= 0) close(descriptor);
}

static const char *input_name(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

ms_exit ms_file_read(const char *path, ms_bytes *bytes) { return ms_file_read_most(path, UINT64_MAX, bytes); }

ms_exit ms_file_read_most(const char *path, uint64_t most_bytes, ms_bytes *bytes)
{
    struct stat status;
    int descriptor;
    *bytes = (ms_bytes){0};
    int error = open_input(path, &descriptor, &status);
    if (!error) error = read_all(descriptor, S_ISREG(status.st_mode) && status.st_size > 0 ? (size_t)status.st_size : 65535, most_bytes, bytes);
    close_input(path, descriptor);
    if (!error) return MS_EXIT_DONE;
    free(bytes->data);
    *bytes = (ms_bytes){0};
    return read_failed(input_name(path), error);
}

/* Files of /proc have no size either, and are empty by it. 0, or an errno. */
static int peek(int descriptor, const struct stat *status, size_t wanted_bytes, ms_bytes *head, uint64_t *size_bytes)
{
    const off_t at = S_ISREG(status->st_mode) && status->st_size > 0 ? lseek(descriptor, 0, SEEK_CUR) : -1;
    if (at < 0) return 0;
    *size_bytes = at < status->st_size ? (uint64_t)(status->st_size - at) : 0;
    if (!wanted_bytes) return 0;
    head->data = malloc(wanted_bytes);
    if (!head->data) return ENOMEM;
    while (head->count < wanted_bytes) {
        const ssize_t got = pread(descriptor, head->data + head->count, wanted_bytes - head->count, at + (off_t)head->count);
        if (got < 0 && errno != EINTR) return errno;
        if (got == 0) break;
        if (got > 0) head->count += (size_t)got;
    }
    return 0;
}

ms_exit ms_file_peek(const char *path, size_t wanted_bytes, ms_bytes *head, uint64_t *size_bytes)
{
    struct stat status;
    int descriptor;
    *head = (ms_bytes){0};
    *size_bytes = MS_SIZE_UNKNOWN;
    if (strcmp(path, "-") && !stat(path, &status) && S_ISFIFO(status.st_mode)) return MS_EXIT_DONE; /* whoever writes it sees one reader */
    int error = open_input(path, &descriptor, &status);
    if (!error) error = peek(descriptor, &status, wanted_bytes, head, size_bytes);
    close_input(path, descriptor);
    if (!error) return MS_EXIT_DONE;
    free(head->data);
    *head = (ms_bytes){0};
    return read_failed(input_name(path), error);
}

/* ---- interrupts ---- */

void ms_hold_interrupts(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

/* ---- writing ---- */

static ms_exit write_failed(const char *path, int error)
{
    if (error == EINTR) return MS_EXIT_FAILED; /* the interrupt ends the program as soon as it may */
    if (error == EPIPE)
        return ms_complain(MS_EXIT_FAILED, "%s: cannot be written: its reader ended before it had everything; let it read to the end", path);
    return ms_complain(MS_EXIT_FAILED, "%s: cannot be written: %s; check the directory, its permissions and the free space", path, strerror(error));
}

enum { WRITE_BYTES = 8 << 20 }; /* at once: an interrupt need not wait for long */

/* Whether an interrupt that is held back has come, and will end the program: who runs under nohup ignores some. */
static int is_interrupted(void)
{
    static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    sigset_t pending;
    if (sigpending(&pending)) return 0;
    for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
        if (sigismember(&pending, interrupts[i]) && !sigaction(interrupts[i], NULL, &action) && action.sa_handler != SIG_IGN) return 1;
    return 0;
}

static int write_all(int descriptor, const void *data, size_t bytes)
{
    const char *next = data;
    while (bytes) {
        if (is_interrupted()) return EINTR;
        const ssize_t done = write(descriptor, next, bytes < WRITE_BYTES ? bytes : WRITE_BYTES);
        if (done < 0 && errno != EINTR) return errno;
        if (done > 0) {
            next += done;
            bytes -= (size_t)done;
        }
    }
    return 0;
}

static int write_parts(int descriptor, const ms_staged *file)
{
    const int error = write_all(descriptor, file->header, file->header_bytes);
    return error ? error : write_all(descriptor, file->data, file->data_bytes);
}

/* Creates and fills file->temporary beside file->target. 0, or an errno. */
static int write_temporary(ms_staged *file)
{
    static const char suffix[] = ".XXXXXX";
    const size_t length = strlen(file->target);
    char *temporary = malloc(length + sizeof suffix);
    if (!temporary) return ENOMEM;
    memcpy(temporary, file->target, length);
    memcpy(temporary + length, suffix, sizeof suffix);
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        const int error = errno;
        free(temporary);
        return error;
    }
    file->temporary = temporary; /* from here on the stage removes it */
    const mode_t mask = umask(0);
    umask(mask);
    int error = fchmod(descriptor, 0666 & ~mask) ? errno : 0;
    if (!error) error = write_parts(descriptor, file);
    if (close(descriptor) && !error) error = errno;
    return error;
}

/* A file that is not there yet, by the directory that it will be in. NULL: out of memory. */
static char *new_target(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *resolved = parent ? realpath(parent, NULL) : NULL;
    const size_t bytes = resolved ? strlen(resolved) + strlen(name) + 2 : 0;
    char *target = resolved ? malloc(bytes) : parent ? strdup(path) : NULL; /* who creates it finds that there is no such directory */
    if (resolved && target) snprintf(target, bytes, "%s/%s", resolved, name);
    free(resolved);
    free(parent);
    return target;
}

/* A regular or new file goes through a temporary one; a link stays, and what it leads to is replaced. */
static int stage_file(ms_staged *file)
{
    struct stat status;
    if (!strcmp(file->path, "-")) return 0;
    const int exists = !stat(file->path, &status);
    if (exists && S_ISDIR(status.st_mode)) return EISDIR;
    if (exists && !S_ISREG(status.st_mode)) return 0;
    file->target = exists ? realpath(file->path, NULL) : new_target(file->path);
    return file->target ? write_temporary(file) : errno;
}

/* Whether the last file is another's, by a link or another way to write its path: one of the two would be lost. */
static ms_exit check_targets(const ms_stage *stage)
{
    const ms_staged *last = &stage->files[stage->count - 1];
    for (const ms_staged *file = stage->files; file < last; file++)
        if (file->target && last->target && !strcmp(file->target, last->target))
            return ms_complain(MS_EXIT_USAGE, "%s: it is the same file as %s, which is written as well; give each output its own", last->path,
                               file->path);
    return MS_EXIT_DONE;
}

ms_exit ms_stage_add(ms_stage *stage, const char *path, char *header, size_t header_bytes, const void *data, size_t data_bytes)
{
    if (!stage->files) stage->files = calloc(MS_STAGE_FILES, sizeof *stage->files);
    if (!stage->files || stage->count == MS_STAGE_FILES) {
        free(header);
        return ms_complain(MS_EXIT_FAILED, "%s: too many files to write at once; take one operation at a time with --op", path);
    }
    ms_staged *file = &stage->files[stage->count++];
    *file = (ms_staged){.path = strdup(path), .header = header, .header_bytes = header_bytes, .data = data, .data_bytes = data_bytes};
    if (!stage->is_holding) ms_hold_interrupts(&stage->signals);
    stage->is_holding = 1;
    const int error = file->path ? stage_file(file) : ENOMEM;
    return error ? write_failed(path, error) : check_targets(stage);
}

static int has_temporary(const ms_stage *stage)
{
    for (size_t i = 0; i < stage->count; i++)
        if (stage->files[i].temporary) return 1;
    return 0;
}

/* A reader may never come: where nothing would be left behind, this can be interrupted. */
static int write_direct(const ms_stage *stage, const ms_staged *file)
{
    sigset_t held;
    const int can_end = stage->is_holding && !has_temporary(stage);
    const int is_stdout = !strcmp(file->path, "-");
    if (is_stdout && fflush(stdout)) return errno;
    if (can_end) pthread_sigmask(SIG_SETMASK, &stage->signals, &held);
    const int descriptor = is_stdout ? STDOUT_FILENO : open(file->path, O_WRONLY | O_CLOEXEC);
    int error = descriptor < 0 ? errno : write_parts(descriptor, file);
    if (can_end) pthread_sigmask(SIG_SETMASK, &held, NULL);
    if (!is_stdout && descriptor >= 0 && close(descriptor) && !error) error = errno;
    return error;
}

ms_exit ms_stage_commit(ms_stage *stage)
{
    for (size_t i = 0; i < stage->count; i++) {
        const ms_staged *file = &stage->files[i];
        const int error = file->temporary ? 0 : write_direct(stage, file);
        if (error) return write_failed(strcmp(file->path, "-") ? file->path : "standard output", error);
    }
    if (stage->is_holding && is_interrupted()) return MS_EXIT_FAILED;
    for (size_t i = 0; i < stage->count; i++) {
        ms_staged *file = &stage->files[i];
        if (!file->temporary) continue;
        if (rename(file->temporary, file->target)) return write_failed(file->path, errno);
        free(file->temporary);
        file->temporary = NULL;
    }
    return MS_EXIT_DONE;
}

void ms_stage_release(ms_stage *stage)
{
    for (size_t i = 0; i < stage->count; i++) {
        ms_staged *file = &stage->files[i];
        if (file->temporary) unlink(file->temporary);
        free(file->temporary);
        free(file->target);
        free(file->path);
        free(file->header);
    }
    free(stage->files);
    if (stage->is_holding) pthread_sigmask(SIG_SETMASK, &stage->signals, NULL);
    *stage = (ms_stage){0};
}

ms_exit ms_file_try(const char *path)
{
    ms_stage stage = {0};
    const ms_exit code = ms_stage_add(&stage, path, NULL, 0, "", 0);
    ms_stage_release(&stage);
    return code;
}
