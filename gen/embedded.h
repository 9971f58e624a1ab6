/* embedded.h - the Lua modules, templates and dialects that the build turned into arrays. */
#ifndef MS_EMBEDDED_H
#define MS_EMBEDDED_H

#include <stddef.h>

typedef struct ms_embedded_file {
    const char *name; /* path from the repository's root: "templates/scan/scan.tpl" */
    const char *data; /* modules and templates: bytecode, where the build could make it; NUL-terminated after `bytes` */
    size_t bytes;
} ms_embedded_file;

/* Sorted by name; the last entry has a NULL name. */
extern const ms_embedded_file ms_embedded_files[];

/* A hash of the library's sources, embedded ones included: what differs in it may make other kernels of one spec. */
extern const char ms_sources_digest[];

/* NULL: there is none. */
const ms_embedded_file *ms_find_file(const ms_embedded_file *files, const char *name);

/* Pushes the function that a module, or a template's bytecode, is. */
struct lua_State;
void ms_load_file(struct lua_State *L, const ms_embedded_file *file);

/* Pushes file(name): the value of an embedded .lua file, run once a state with file itself as its argument, the function that a template's bytecode
 * is, or the text of any other. A state has files of one table. */
void ms_push_files(struct lua_State *L, const ms_embedded_file *files);

static inline void ms_push_file_function(struct lua_State *L) { ms_push_files(L, ms_embedded_files); }

#endif
