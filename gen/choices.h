/* choices.h - what a user can choose of a plan: strategies and knobs; and of a device, its constants. One table each. Messages, what specs and tuning
 * rows may say, bench and the command line's help are made of them; the reference and the search of tune (tests/plan/test_choices.c) and the editor's
 * file (tests/spec/test_editor.c) are compared with them. */
#ifndef MS_CHOICES_H
#define MS_CHOICES_H

#include <monosweep/monosweep_measure.h>
#include <stddef.h>

struct lua_State;

enum { MS_KIND_COUNT = 6 }; /* of msw_op_kind */

/* What kinds of operations are called, by msw_op_kind; what they do is in the rows of gen/spec/kinds.c and gen/plan/plan.c. */
extern const msw_kind_info ms_kind_infos[];
int ms_kind_find(const char *name, msw_op_kind *kind); /* 0: there is none of that name */

/* What a strategy does, for planners and for what fits it. */
typedef enum ms_strategy_trait {
    MS_LOOKS_BACK = 1,         /* blocks post what their tiles add up to, and wait for the posts of earlier tiles */
    MS_LOOKS_AHEAD = 2,        /* all blocks run at once and copy tiles in bulk */
    MS_TWO_LAUNCHES = 4,       /* blocks leave aggregates for the next launch */
    MS_UPSWEEPS = 8,           /* of a sort: each pass counts its digit in a launch of its own */
    MS_ONE_BIT = 16,           /* of a sort: digits of one bit */
    MS_REVISITS_OUTPUT = 32,   /* stores states, as outputs or in the scratch, before it knows what comes before their block; packs nothing */
    MS_IS_TUNED = 64,          /* tuning rows can name it, and tune tries it */
    MS_IS_BALANCED = 128,      /* it has the kernels of deterministic = "everywhere" */
    MS_TAKES_ROOM = 256,       /* of an append in any order: what comes first takes the first places */
    MS_PARTITIONS = 512,       /* of a sort: the most significant digits first */
    MS_ONE_BLOCK = 1024,       /* one block has all tiles */
    MS_BY_ELEMENT = 2048,      /* of an append: each element takes places by itself, so that a tile's items are no range */
    MS_ORDER_BY_TIMING = 4096, /* what is combined with what depends on which posts are there */
    MS_COUNTS = 8192,          /* of a sort: no key is moved, but each is written as often as it was counted */
    MS_ONE_CLUSTER = 16384     /* of a sort: one cluster of blocks has all keys */
} ms_strategy_trait;

typedef struct ms_strategy {
    const char *name;
    uint32_t kinds;        /* 1 << msw_op_kind, or-ed */
    uint32_t traits;       /* ms_strategy_trait */
    const char *templates; /* of its kernels, with blanks between; of a kind of operation some of them */
    const char *summary;
} ms_strategy;

/* Of a kind the best for large n first; the last has a NULL name. */
extern const ms_strategy ms_strategies[];

/* NULL: there is none of that name for the kind. */
const ms_strategy *ms_strategy_find(msw_op_kind kind, const char *name);
/* 1: the strategy of that name (NULL: none) has one of the traits. */
int ms_strategy_has(const char *name, uint32_t traits);

enum { MS_WITHHOLD_BLOCK = 1 << 21 }; /* withhold: all posts of block 0 */
enum { MS_PACKS_TILE = 1 << 21 };     /* packs: all rows, of the block */

/* The knobs of a kernel. */
typedef struct ms_geometry {
    const char *strategy;   /* "lookback", ..; NULL: the planner's choice */
    uint32_t block;         /* threads of a block */
    uint32_t subgroup;      /* lanes of a subgroup; 1: no subgroup operations */
    uint32_t items, vector; /* items of a thread and tile; vector: consecutive ones of a lane */
    uint32_t max_blocks;    /* of a dispatch whose blocks share the tiles out evenly */
    int blocks_given;       /* 1: by a knob; 0: chosen */
    uint32_t lookback;      /* look-back: descriptors that each lane reads together; 0: serial, one lane reads one */
    const char *descriptor; /* look-back: "tagged" 64-bit words, "flagged" 32-bit ones, or "wide" ones of 128 */
    uint32_t resident;      /* blocks of a multiprocessor, for which it must have registers (CUDA), and of a sort that stay; 0: not chosen */
    uint32_t digit_bits;    /* sorts: of a pass */
    uint32_t spin;          /* look-back with fallback: polls of a window before a missing tile is summed up again */
    uint32_t stages;        /* look-ahead: tiles that a block holds in shared memory; 0: as many as fit */
    uint32_t ahead;         /* a block posts the aggregate of tile t + ahead before it finishes tile t; look-back: 0 or 1; look-ahead: 0: half of
                               the stages, less one */
    uint32_t packs;         /* sweeps, not look-ahead: rows of a subgroup whose packed items are put together in shared memory before they leave, or
                               MS_PACKS_TILE; 0: each item is stored by itself */
    uint32_t parks;         /* look-back: 1: a tile that waits has a state an item in registers, and its subgroups' sums in shared memory */
    uint32_t thread_bytes;  /* look-ahead: of a thread's items, about */
    uint32_t counts;        /* bits of counters and places: 64; 0, 32: 32, and 64 from where those do not do */
    uint32_t withhold;      /* tests of the fallback: every withhold-th tile posts nothing, or MS_WITHHOLD_BLOCK; 0: all post */
} ms_geometry;

/* Where a knob can be given, beside --set and msw_program_desc; and what else holds of it. */
enum { MS_KNOB_IN_SPECS = 1 /* `tune` */, MS_KNOB_IN_ROWS = 2 /* of tuning tables */, MS_KNOB_IS_POWER = 4 /* of two */ };

typedef struct ms_knob {
    const char *name;
    uint32_t kinds;       /* that have it: 1 << msw_op_kind, or-ed. Where it is not of all, the summary begins with them */
    uint32_t least, most; /* of a number; most 0: it is a word always */
    const char *words;    /* that it can be, with blanks between; NULL: none */
    uint32_t word_value;  /* of a number's: what the word stands for */
    uint32_t traits;
    size_t place;     /* in ms_geometry: a uint32_t; of a word a text */
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

/* Sets a knob, whose name and value ms_knob_fault takes. */
void ms_knob_set(msw_op_kind kind, const char *name, const char *value, ms_geometry *g);
enum { MS_KNOB_BYTES = 16 };
/* The value of a knob as --set takes it, in `text` or static; NULL: it has none. */
const char *ms_knob_text(const ms_knob *knob, const ms_geometry *g, char text[MS_KNOB_BYTES]);
/* Sets the fields called as the knobs of the Lua table on top: numbers (0: none, or serial), and words. */
void ms_set_knob_fields(struct lua_State *L, const ms_geometry *g);

/* What rows of tuning tables say of a device: name, the field of ms_cut_device (cut/cut.h says what it means), whether it is a whole number (of 32
 * bits, else a double), the least and the most that it can be. Rates are not 0 but where that is no bound, and nothing is so large that a time
 * overflows: what is predicted is a number whatever a row says. */
#define MS_DEVICE_CONSTANTS(X)                                          \
    X(bandwidth, bandwidth, 0, 1, 1e18)                                 \
    X(block_bandwidth, block_bandwidth, 0, 0, 1e18)                     \
    X(issue_rate, issue_rate, 0, 1, 1e18)                               \
    X(launch_seconds, launch_seconds, 0, 0, 1e3)                        \
    X(tile_seconds, tile_seconds, 0, 0, 1e3)                            \
    X(look_back_seconds, look_back_seconds, 0, 0, 1e3)                  \
    X(next_look_back_seconds, next_look_back_seconds, 0, 0, 1e3)        \
    X(map_instructions, item_instructions[MS_CUT_MAP], 0, 0, 1e9)       \
    X(scan_instructions, item_instructions[MS_CUT_SCAN], 0, 0, 1e9)     \
    X(reduce_instructions, item_instructions[MS_CUT_REDUCE], 0, 0, 1e9) \
    X(compact_instructions, item_instructions[MS_CUT_OTHER], 0, 0, 1e9) \
    X(pass_instructions, item_instructions[MS_CUT_SORT], 0, 0, 1e9)     \
    X(is_serial, is_serial, 1, 0, 1)                                    \
    X(multiprocessors, multiprocessors, 1, 1, 1 << 20)                  \
    X(max_resident_blocks, max_resident_blocks, 1, 1, 1 << 10)          \
    X(registers, registers, 1, 0, 1 << 30)

enum {
#define MS_COUNT_ONE(name, field, is_whole, least, most) +1
    MS_CONSTANT_COUNT = 0 MS_DEVICE_CONSTANTS(MS_COUNT_ONE)
#undef MS_COUNT_ONE
};

typedef struct ms_device_constant {
    const char *name; /* "bandwidth" */
    int is_whole;
    double least, most;
} ms_device_constant;

extern const ms_device_constant ms_device_constants[MS_CONSTANT_COUNT];

/* Pushes what Lua modules know of these tables (gen/spec/lua/operations.lua, gen/plan/tuning.lua, gen/cli/measure/page.lua):
 *   spec_knobs   names of the knobs that a spec's `tune` has
 *   row_knobs    { [name] = true }: of those that tuning rows have
 *   strategies   { [kind] = { [name] = true } }: of those that tuning rows have; kind: "scan"
 *   has_keys     { [kind] = true }: of those whose elements are keys
 *   constants    { [name] = { least = .., most = .., is_whole = .. } }: of a device, of tuning rows
 *   fault(kind, name, value)   ms_knob_fault; value: a text */
void ms_push_choices(struct lua_State *L);

#endif
