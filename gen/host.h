/* host.h - the Lua sandbox in which a spec runs, and its primitives. */
#ifndef MS_HOST_H
#define MS_HOST_H

#include "spec.h"

#include <lua.h>
#include <time.h>

/* What is behind one Lua state; every primitive finds it through ms_host_of. */
typedef struct ms_host {
    msw_spec *spec;
    const msw_spec_desc *desc;
    const char *chunk; /* the user's chunk name: "=" and the file's name */
    struct timespec deadline;
    int error_line;
    int last_line; /* of the user's text, that ran last: after a tail call no frame of it is left */
    struct ms_monoid_entry *monoids; /* in the order of their making */
} ms_host;

/* A monoid as the spec made it, with what the law check needs. In the spec's arena. */
typedef struct ms_monoid_entry {
    ms_monoid monoid;
    int trusted, strict, line;
    struct ms_monoid_entry *next;
} ms_monoid_entry;

ms_host *ms_host_of(lua_State *L);

/* Raises "file:line: message" with the line of the user's frame nearest to the top. */
int ms_host_fail(lua_State *L, const char *format, ...);
/* The current line of that frame; 0: none. */
int ms_host_line(lua_State *L);

/* Pushes the table of primitives that gen/vocabulary.lua takes. (binding.c) */
void ms_push_primitives(lua_State *L);

/* Runs the spec's text and fills spec->operations. (host.c) */
msw_result ms_host_read(msw_spec *spec, const msw_spec_desc *desc, const char *text, size_t text_bytes, msw_diag *diag);

#endif
