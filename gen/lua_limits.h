/* lua_limits.h - what a Lua state that runs others' texts, specs and tuning tables, may take: processor time, memory, and what one instruction would
 * take long on. Who finds a limit passed leaves by longjmp for ms_limits_call, and the state is never used again: no pcall keeps it, and its memory
 * goes as a whole. One thread at a time. */
#ifndef MS_LUA_LIMITS_H
#define MS_LUA_LIMITS_H

#include "heap.h"

#include <lua.h>
#include <setjmp.h>
#include <stdint.h>
#include <time.h>

enum {
    MS_LIMITS_INSTRUCTIONS = 100
};                        /* between two looks at the clock, by a hook: few enough that 100 instructions on the longest strings end in time */
enum { MS_GAVE_UP = -1 }; /* a status beside Lua's */

/* Why a state was given up, besides texts that say it. */
extern const char ms_limits_time[], ms_limits_memory[];

typedef struct ms_limits {
    ms_heap heap; /* the state's */
    uint32_t limit_ms;
    size_t most_text_bytes;                  /* a longer one is refused as if memory were at its end */
    const int *line;                         /* that runs, for messages */
    int is_guarded;                          /* others' text runs: tables of many keys are refused, too */
    struct timespec wall_deadline, deadline; /* the second, of the thread's processor time, decides; the first costs less to look at */
    int is_timed;                            /* these are of what runs now; else they are set when the clock is first looked at */
    uint64_t moved_bytes;                    /* by the allocator, since it looked at the clock */
    uint32_t calls;                          /* of the allocator since then */
    uint32_t instructions;                   /* of a text that ms_limits_push_run's function runs */
    uint32_t refusals;                       /* by the limit, one after the other */
    jmp_buf *way_out;                        /* where a limit that is reached leads; NULL: nothing runs */
    const char *given_up;                    /* why; NULL: it was not. The state is not to be used then */
    int given_up_line;
} ms_limits;

/* Memory comes from the arena, whose limit holds. `line` stays. ms_heap_free(&limits->heap) in the end. */
void ms_limits_init(ms_limits *limits, ms_arena *arena, uint32_t limit_ms, size_t most_text_bytes, const int *line);
/* Lua's allocator; `user` is the limits. */
void *ms_limits_resize(void *user, void *block, size_t old_bytes, size_t new_bytes);
int ms_limits_time_is_up(ms_limits *limits);
/* Ends what runs under ms_limits_call. */
void ms_limits_give_up(ms_limits *limits, const char *reason, int line);
/* lua_pcall; MS_GAVE_UP: a limit was reached. */
int ms_limits_call(ms_limits *limits, lua_State *L, int arg_count, int result_count, int handler);

/* Parses a text in pieces, since Lua's parser has no hook; `look` is called before each, with what it begins with. As lua_load. */
typedef struct ms_text_reader {
    const char *text;
    size_t bytes;
    void (*look)(lua_State *L, const char *piece, size_t bytes);
} ms_text_reader;
int ms_limits_parse(lua_State *L, ms_text_reader *reader, const char *chunk_name);

/* Pushes run(name, text, globals), for states under ms_limits_call: runs a tuning table's text, in 1 s, 4 MiB and a number of instructions; true; or
 * false, a message, and whether it is a Lua text. */
void ms_limits_push_run(lua_State *L, ms_limits *limits);
/* Why such a state was given up, and what to do; NULL: it was not. */
const char *ms_limits_reason(const ms_limits *limits);

#endif
