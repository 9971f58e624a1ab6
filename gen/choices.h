/* choices.h - what a user can choose of a plan: strategies and knobs, one table each. Messages, what specs and tuning rows may say, bench and the
 * command line's help are made of them; the reference and the search of tune (tests/plan/test_choices.c) and the editor's file
 * (tests/spec/test_editor.c) are compared with them. */
#ifndef MS_CHOICES_H
#define MS_CHOICES_H

#include <monosweep/monosweep.h>

/* What a strategy does, for planners and for what fits it. */
typedef enum ms_strategy_trait {
    MS_LOOKS_BACK = 1,       /* blocks post what their tiles add up to, and wait for the posts of earlier tiles */
    MS_LOOKS_AHEAD = 2,      /* all blocks run at once and copy tiles in bulk */
    MS_TWO_LAUNCHES = 4,     /* blocks leave aggregates for the next launch */
    MS_UPSWEEPS = 8,         /* of a sort: each pass counts its digit in a launch of its own */
    MS_ONE_BIT = 16,         /* of a sort: digits of one bit */
    MS_REVISITS_OUTPUT = 32, /* reads what it has written, so the outputs must be of the monoid's type */
    MS_IS_TUNED = 64         /* tuning rows can name it, and tune tries it */
} ms_strategy_trait;

typedef struct ms_strategy {
    const char *name;
    uint32_t kinds;  /* 1 << msw_op_kind, or-ed */
    uint32_t traits; /* ms_strategy_trait */
    const char *summary;
} ms_strategy;

/* Of a kind the best for large n first; the last has a NULL name. */
extern const ms_strategy ms_strategies[];

/* NULL: there is none of that name for the kind. */
const ms_strategy *ms_strategy_find(msw_op_kind kind, const char *name);
/* 1: the strategy of that name (NULL: none) has one of the traits. */
int ms_strategy_has(const char *name, uint32_t traits);

typedef enum ms_knob_id {
    MS_KNOB_STRATEGY,
    MS_KNOB_BLOCK,
    MS_KNOB_BLOCKS,
    MS_KNOB_ITEMS,
    MS_KNOB_VECTOR,
    MS_KNOB_SUBGROUP,
    MS_KNOB_DIGIT_BITS,
    MS_KNOB_LOOKBACK,
    MS_KNOB_STAGES,
    MS_KNOB_AHEAD,
    MS_KNOB_THREAD_BYTES,
    MS_KNOB_RESIDENT,
    MS_KNOB_DESCRIPTOR,
    MS_KNOB_SPIN,
    MS_KNOB_WITHHOLD
} ms_knob_id;

/* Where a knob can be given, beside --set and msw_program_desc. */
enum { MS_KNOB_IN_SPECS = 1 /* `tune` */, MS_KNOB_IN_ROWS = 2 /* of tuning tables */ };

typedef struct ms_knob {
    ms_knob_id id;
    const char *name;
    uint32_t least, most; /* of a number; most 0: it is a word always */
    const char *words;    /* that it can be, with blanks between; NULL: none */
    uint32_t places;
    const char *rule; /* what is said of another value; NULL: the range */
    const char *summary;
} ms_knob;

/* The last has a NULL name. */
extern const ms_knob ms_knobs[];

const ms_knob *ms_knob_find(const char *name); /* NULL: there is none */
/* 1: `word` is one of the knob's. */
int ms_knob_has_word(const ms_knob *knob, const char *word);

enum { MS_FAULT_BYTES = 512 };
/* What is wrong with a knob's name or value for an operation of the kind, and what to choose, in `text`, which is returned; NULL: nothing. */
const char *ms_knob_fault(msw_op_kind kind, const char *name, const char *value, char text[MS_FAULT_BYTES]);

/* Pushes what Lua modules know of these tables (gen/spec/lua/operations.lua, gen/plan/tuning.lua):
 *   spec_knobs   names of the knobs that a spec's `tune` has
 *   row_knobs    { [name] = true }: of those that tuning rows have
 *   strategies   { [kind] = { [name] = true } }: of those that tuning rows have; kind: "scan"
 *   fault(kind, name, value)   ms_knob_fault; value: a text */
struct lua_State;
void ms_push_choices(struct lua_State *L);

#endif
