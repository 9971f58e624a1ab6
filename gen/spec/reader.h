/* reader.h - the Lua sandbox in which a spec runs, and its primitives. */
#ifndef MS_HOST_H
#define MS_HOST_H

#include "heap.h"
#include "spec.h"

#include <lua.h>
#include <setjmp.h>
#include <time.h>

enum { MS_MAX_LINES = 4096, MS_MAX_MADE = 4096 };

/* What becomes of the nodes that a call of a traced function makes. */
typedef enum ms_making { MS_MAKES_APART, MS_MAKES_FIRST /* noted */, MS_MAKES_AGAIN /* compared with those */ } ms_making;

/* What is behind one Lua state; every primitive finds it through ms_host_of. */
typedef struct ms_host {
    msw_spec *spec;
    const msw_spec_desc *desc;
    lua_State *L;
    ms_heap heap; /* the state's */
    uint32_t limit_ms;
    struct timespec wall_deadline, deadline; /* the second, of the thread's processor time, decides; the first costs less to look at */
    int is_timed;         /* these are of what runs now; else they are set when the clock is first looked at */
    uint64_t moved_bytes; /* by the allocator, since it looked at the clock */
    uint32_t calls;       /* of the allocator since then */
    uint32_t refusals;    /* by the limit, one after the other */
    jmp_buf *way_out;     /* where a limit that is reached leads; NULL: nothing of the spec runs */
    const char *given_up; /* what it was; NULL: none. The state is not to be used then */
    int given_up_line;
    int last_line;        /* of the user's text, that ran last: after a tail call no frame of it is left */
    const char *text;     /* the spec's */
    size_t text_bytes;
    int *lines;           /* that ran while they were recorded, each change of line; room for MS_MAX_LINES */
    uint32_t line_count;
    int is_parsing;       /* the text; last_line is where, about */
    int is_reading;       /* else only host functions of sources run */
    int keeps_state;      /* .. for which the state must stay */
    int records_lines;    /* a function of the spec runs, called by the vocabulary */
    uint32_t epoch, last_epoch; /* of the call of a traced function that runs, 0: none; each call has its own */
    const char *traced;         /* which function: "combine" */
    ms_making making;
    ms_node *made;              /* by the first call of it; room for MS_MAX_MADE */
    uint32_t made_count, again_count;
    int differing_line;         /* where a further call made something else; 0: nowhere */
    ms_operation *operations;   /* the spec's, while it is read */
    struct ms_monoid_entry *monoids, **last_monoid; /* in the order of their making */
} ms_host;

/* A monoid as the spec made it, with what the law check needs. In the spec's arena. */
typedef struct ms_monoid_entry {
    ms_monoid monoid;
    int line;
    const struct ms_monoid_entry *const *members; /* made of these, NULL after the last: its laws are theirs; NULL: of none */
    const char *warning;        /* a law that fails for large values; NULL: none */
    const void *const *samples; /* MS_SMALL_SAMPLES + MS_LARGE_SAMPLES elements; NULL: of the whole type */
    struct ms_monoid_entry *next;
} ms_monoid_entry;

ms_host *ms_host_of(lua_State *L);

/* Raises "spec:line: message" with the line of the user's frame nearest to the top; users see their file's name. */
int ms_host_fail(lua_State *L, const char *format, ...);
/* The current line of that frame. */
int ms_host_line(lua_State *L);
/* Whether a function's source (lua_Debug) is the spec's text. */
int ms_host_is_spec(const char *source);
/* Raises what ms_host_read reports as memory that is not there. */
int ms_host_no_memory(lua_State *L);
/* Time is watched; so are lines, or not: that takes as long again as what the lines do. */
void ms_host_watch(lua_State *L, int has_lines);
/* Raises when the spec's time is up. For what can take long within one instruction. */
void ms_host_check_time(lua_State *L);

/* The element, C layout and in the arena, whose leaves are the expressions of constants in the list at `index`. (primitives.c) */
void *ms_host_element(lua_State *L, int index, const ms_type *type);

/* Primitive source(name, params, result type handle, glsl, cuda, call): an opaque function. (opaque.c) */
int ms_push_source(lua_State *L);
/* Fills name, params, result of a function from the arguments 1, 2, 3 of a primitive. (primitives.c) */
ms_function *ms_host_function(lua_State *L);
/* Calls what lies under its arguments on the stack, under the limits of a spec's text. Gives 0, lua_pcall's status, or another where they were
 * reached: ms_host.given_up says which, and the state is not to be used again. (reader.c) */
int ms_host_call(lua_State *L, int arg_count, int result_count);
/* The text of the error on top of the stack that lua_pcall's status tells of, with a remedy, and its line; NULL: memory. (reader.c) */
const char *ms_host_message(lua_State *L, int status, int *line);

/* Primitive state(function, upvalue | nil): two numbers that stand for what calls of the function can leave behind. (state.c) */
int ms_push_state(lua_State *L);
/* A key that the metatables of the vocabulary's own objects have: what these hold is no state of a spec's. (state.c) */
void *ms_class_mark(void);

/* Pushes the table of primitives that gen/spec/lua/vocabulary.lua takes. (primitives.c) */
void ms_push_primitives(lua_State *L);

/* Runs the spec's text and fills spec->operations. The state stays in spec->host where a source has a host function. (reader.c) */
msw_result ms_host_read(msw_spec *spec, const msw_spec_desc *desc, const char *text, size_t text_bytes, msw_diag *diag);
void ms_host_close(ms_host *host); /* NULL: nothing */

#endif
