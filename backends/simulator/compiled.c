/* Files in a folder of their own, two compilers at a time, one shared object. */
#include "compiled.h"

#include "machine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sanitizers when compiling only: their calls go to instrument.c. */
#define WARNINGS "-Wall -Wextra -Wno-unused-function -Wno-unused-parameter -Wno-unknown-warning-option -Wno-maybe-uninitialized -Werror"
#define COMPILE MSW_C_COMPILER " -std=c11 -ffp-contract=off -fPIC -fvisibility=hidden " WARNINGS " -I'" MSW_SOURCE_DIR "/backends/simulator' -c"
#define INSTRUMENT MSW_SOURCE_DIR "/backends/simulator/instrument.c"

struct sim_compiled {
    void *handle;
    uint32_t count;
    sim_entry entries[];
};

static int write_text(const char *folder, uint32_t index, const sim_text *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/k%u.c", folder, index);
    FILE *file = fopen(path, "w");
    if (!file) return 0;
    const int printed = fprintf(file, "#define %s k%u\n#line 1 \"k%u.c\"\n%s", text->entry, index, index, text->text);
    return (fclose(file) == 0) & (printed > 0);
}

/* Runs a command; its output goes to message when it fails. */
static int run(const char *command, char *message, size_t message_bytes)
{
    FILE *pipe = popen(command, "r");
    if (!pipe) return 0;
    const size_t got = fread(message, 1, message_bytes - 1, pipe);
    message[got] = '\0';
    for (char rest[256]; fread(rest, 1, sizeof rest, pipe) > 0;) continue;
    return pclose(pipe) == 0;
}

static int compile(const char *folder, int is_quick, char *message, size_t message_bytes)
{
    char command[4096];
    snprintf(command, sizeof command,
             "exec 2>&1; cd '%s' && ls k*.c | xargs -P 2 -n 4 " COMPILE " %s -fsanitize=thread,alignment,bounds && " COMPILE
             " -O1 -fno-builtin '" INSTRUMENT "' && " MSW_C_COMPILER " -shared -o kernels.so *.o -lm",
             folder, is_quick ? "-O0" : "-O1");
    return run(command, message, message_bytes);
}

static void remove_folder(const char *folder)
{
    char command[600], ignored[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    run(command, ignored, sizeof ignored);
}

static sim_compiled *load(sim *s, const char *folder, uint32_t count, char *message, size_t message_bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/kernels.so", folder);
    sim_compiled *compiled = malloc(sizeof *compiled + count * sizeof *compiled->entries);
    void *handle = compiled ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!handle) {
        snprintf(message, message_bytes, "%s", compiled ? dlerror() : "not enough memory");
        free(compiled);
        return NULL;
    }
    compiled->handle = handle;
    compiled->count = count;
    const void **machine = dlsym(handle, "ms_machine_running");
    *machine = sim_machine(s);
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%u", i);
        void *entry = dlsym(handle, name);
        memcpy(&compiled->entries[i], &entry, sizeof entry);
    }
    return compiled;
}

sim_compiled *sim_compile(sim *s, const sim_text *texts, uint32_t count, int is_quick, char *message, size_t message_bytes)
{
    char folder[] = MSW_BINARY_DIR "/kernels.XXXXXX";
    if (!mkdtemp(folder)) {
        snprintf(message, message_bytes, "no folder can be made in " MSW_BINARY_DIR);
        return NULL;
    }
    int good = 1;
    snprintf(message, message_bytes, "the texts cannot be written");
    for (uint32_t i = 0; i < count; i++) good = good && write_text(folder, i, &texts[i]);
    sim_compiled *compiled = good && compile(folder, is_quick, message, message_bytes) ? load(s, folder, count, message, message_bytes) : NULL;
    if (!getenv("MSW_SIM_KEEP")) remove_folder(folder);
    return compiled;
}

sim_entry sim_compiled_entry(const sim_compiled *compiled, uint32_t index) { return compiled->entries[index]; }

void sim_compiled_destroy(sim_compiled *compiled)
{
    if (!compiled) return;
    dlclose(compiled->handle);
    free(compiled);
}
