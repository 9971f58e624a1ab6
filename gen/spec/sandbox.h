/* sandbox.h - the Lua state in which a spec runs: bounded memory and time, messages with the user's file and line. */
#ifndef MS_SANDBOX_H
#define MS_SANDBOX_H

#include "lua_limits.h"
#include "spec.h"

#include <lua.h>

enum { MS_MAX_LINES = 4096, MS_MAX_MADE = 4096, MS_MAX_NUMBERS = 256, MS_MAX_REGISTERS = 255 };

/* What becomes of the nodes that a call of a traced function makes. */
typedef enum ms_making { MS_MAKES_APART, MS_MAKES_FIRST /* noted */, MS_MAKES_AGAIN /* compared with those */ } ms_making;

/* What a register of a Lua function held when it was last looked at. */
typedef struct ms_register {
    int type; /* as lua_type */
    const void *table;
    double number;
} ms_register;

/* What is behind one Lua state; every primitive finds it through ms_sandbox_of. */
typedef struct ms_sandbox {
    msw_spec *spec;
    const msw_spec_desc *desc;
    lua_State *L;
    ms_limits limits; /* of the state */
    int last_line;    /* of the user's text, that ran last: after a tail call no frame of it is left */
    const char *text; /* the spec's */
    size_t text_bytes;
    int *lines; /* that ran while they were recorded, each change of line; room for MS_MAX_LINES */
    uint32_t line_count;
    double *numbers; /* that registers held while they were recorded, each once; room for MS_MAX_NUMBERS */
    uint32_t number_count, watched_instructions;
    int records_numbers;
    ms_register *registers;     /* MS_MAX_REGISTERS */
    int is_parsing;             /* the text; last_line is where, about */
    int is_cutting;             /* the search for a pipeline's cut runs */
    int is_reading;             /* else only host functions of sources run */
    int keeps_state;            /* .. for which the state must stay */
    int records_lines;          /* a function of the spec runs, called by the vocabulary */
    uint32_t epoch, last_epoch; /* of the call of a traced function that runs, 0: none; each call has its own */
    const char *traced;         /* which function: "combine" */
    ms_making making;
    ms_node *made; /* by the first call of it; room for MS_MAX_MADE */
    uint32_t made_count, again_count;
    int differing_line;                             /* where a further call made something else; 0: nowhere */
    const uint64_t *uniforms;                       /* the values of all uniforms in a run on samples, by leaf; NULL: they have none */
    ms_operation *operations;                       /* the spec's, while it is read */
    uint32_t stage_count;                           /* of pipelines, so far */
    struct ms_monoid_entry *monoids, **last_monoid; /* in the order of their making */
} ms_sandbox;

/* A monoid as the spec made it, with what the law check needs. In the spec's arena. */
typedef struct ms_monoid_entry {
    ms_monoid monoid;
    int line;
    const struct ms_monoid_entry *const *members; /* made of these, NULL after the last: its laws are theirs; NULL: of none */
    const char *warning;                          /* a law that fails for large values; NULL: none */
    const void *const *samples;                   /* MS_SMALL_SAMPLES + MS_LARGE_SAMPLES elements; NULL: of the whole type */
    struct ms_monoid_entry *next;
} ms_monoid_entry;

ms_sandbox *ms_sandbox_of(lua_State *L);

/* Raises "spec:line: message" with the line of the user's frame nearest to the top; users see their file's name. */
int ms_sandbox_fail(lua_State *L, const char *format, ...);
/* The current line of that frame. */
int ms_sandbox_line(lua_State *L);
#define MS_SPEC_CHUNK "=spec" /* what Lua calls the spec's text */
/* Whether a function's source (lua_Debug) is that. */
int ms_sandbox_is_spec(const char *source);
/* Raises what ms_spec_read reports as memory that is not there. */
int ms_sandbox_no_memory(lua_State *L);
/* Time is watched; so are lines, or not: that takes as long again as what the lines do. */
void ms_sandbox_watch(lua_State *L, int has_lines);
/* Until it is called with 0: notes the numbers in the registers of the spec's functions, and keys of the tables there. */
void ms_sandbox_record_numbers(lua_State *L, int is_on);
/* Raises when the spec's time is up. For what can take long within one instruction. */
void ms_sandbox_check_time(lua_State *L);
/* Adds the primitives of all this to the table on top of the stack. */
void ms_push_watch(lua_State *L);
void ms_push_items(lua_State *L); /* items.c */

/* A state for a text, in the spec's arena; NULL: out of memory. */
ms_sandbox *ms_sandbox_open(msw_spec *spec, const msw_spec_desc *desc, const char *text, size_t text_bytes);
/* Calls a function without arguments under the limits. Errors: SPEC (with the line), OUT_OF_MEMORY. */
msw_result ms_sandbox_run(ms_sandbox *sandbox, lua_CFunction function, msw_diag *diag);
/* Pushes the text as a function, or raises. */
void ms_sandbox_load(lua_State *L);
/* Takes the function on top of the stack, explain(message), which adds remedies to messages. */
void ms_sandbox_explain_by(lua_State *L);
/* The text has been read: from here on only host functions of sources run. */
void ms_sandbox_end(ms_sandbox *sandbox);
void ms_sandbox_close(ms_sandbox *sandbox); /* NULL: nothing */

/* Calls what lies under its arguments on the stack, under the limits of a spec's text. Returns 0, lua_pcall's status, or another where they were
 * reached: ms_limits.given_up says which, and the state is not to be used again. */
int ms_sandbox_call(lua_State *L, int arg_count, int result_count);
/* The text of the error on top of the stack that lua_pcall's status tells of, with a remedy, and its line; NULL: memory. */
const char *ms_sandbox_message(lua_State *L, int status, int *line);

#endif
