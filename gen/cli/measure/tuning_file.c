#include "tuning_file.h"
#include "cli/options.h"
#include "cli/io/file.h"
#include "cli/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = sizeof((ms_options *)0)->tuning_path };

static const char module[] = "gen/cli/measure/tuning_file.lua";

/* Of a file that is not there: an empty one. */
static ms_exit read_table(const char *path, ms_bytes *table)
{
    struct stat status;
    return stat(path, &status) ? MS_EXIT_DONE : ms_file_read(path, table);
}

ms_exit ms_table_with(const char *path, const char *rows, char **text, size_t *bytes)
{
    ms_bytes old = {0};
    ms_exit code = read_table(path, &old);
    const char *const names[] = {path, "rows"}, *const texts[] = {old.data ? (const char *)old.data : "", rows};
    if (!code) code = ms_lua_make(module, "replace", names, texts, 2, MS_EXIT_USAGE, text, bytes);
    free(old.data);
    return code;
}

ms_exit ms_table_judge(const char *path, const char *text)
{
    char *verdict = NULL;
    size_t bytes = 0;
    const ms_exit code = ms_lua_make(module, "check", &path, &text, 1, MS_EXIT_USAGE, &verdict, &bytes);
    free(verdict);
    return code;
}

/* ---- writing ---- */

static void make_directories(const char *path)
{
    char part[PATH_BYTES];
    for (size_t i = 1; path[i] && i < sizeof part; i++) {
        if (path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        mkdir(part, 0777); /* what is missing shows when the file is written */
    }
}

/* The directory, locked until it is closed: the file itself is replaced. Less than 0: there is none, or its file system knows no locks. */
static int lock_directory(const char *path)
{
    char directory[PATH_BYTES] = ".";
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(directory, sizeof directory, "%.*s/", (int)(slash - path), path);
    const int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (descriptor >= 0 && flock(descriptor, LOCK_EX) && errno == EINTR) {}
    return descriptor;
}

ms_exit ms_table_update(const char *path, const char *rows)
{
    ms_stage stage = {0};
    char *text = NULL;
    size_t bytes = 0;
    make_directories(path);
    const int lock = lock_directory(path);
    ms_exit code = ms_table_with(path, rows, &text, &bytes);
    if (!code) code = ms_stage_add(&stage, path, NULL, 0, text, bytes);
    if (!code) code = ms_stage_commit(&stage);
    if (lock >= 0) close(lock);
    ms_stage_release(&stage);
    free(text);
    return code;
}

ms_exit ms_table_check(const char *path)
{
    ms_bytes table = {0};
    ms_exit code = read_table(path, &table);
    if (!code) code = ms_table_judge(path, table.data ? (const char *)table.data : "");
    free(table.data);
    if (code) return code;
    make_directories(path);
    return ms_file_try(path);
}
