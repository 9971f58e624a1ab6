/* spec.h - a checked spec: what the sandbox and the reader made of the user's file. */
#ifndef MS_SPEC_H
#define MS_SPEC_H

#include "expr/expr.h"

#include <monosweep/monosweep_measure.h>

typedef struct ms_monoid {
    const char *name; /* "sum(u32)" for ready-made ones, else "monoid" */
    const ms_type *type;
    const void *identity;       /* one element, C layout, padding zero */
    const ms_function *combine; /* (a, b), a before b */
    int commutative;
    const char *laws; /* "checked", "strict", "trusted", "known": they hold by construction */
} ms_monoid;

/* A field that a sort orders by, and how: `order` of the field, turned around where the sort descends. */
typedef struct ms_key_field {
    const char *name; /* "tile", "at.x"; of a scalar its type's */
    int is_descending;
} ms_key_field;

/* What a sort orders by. `image`, (x: an element) -> u32 or vec(u32, 2 .. 4), the most significant word first, is an unsigned number of `bits`
 * bits, zero above them, whose ascending order is the sort's: `by`, `bits = {lo, hi}`, signs, floats' order and both kinds of `order` are in it.
 * A digit of w bits at bit b is taken from word (word count - 1 - b / 32), at bit b % 32 there, and the word before it where it crosses over.
 * Built of moves, shifts and bit operations on 32-bit words but for the extraction of 8-, 16- and 64-bit leaves; never opaque. */
typedef struct ms_key {
    const ms_function *image;
    const ms_function *of_image; /* the key that has an image; NULL: of keys of more than a word, with values, or where several have one */
    uint32_t bits;               /* 1 .. 128 */
    const ms_key_field *fields;  /* the most significant first; image has their orders */
    uint32_t field_count;
} ms_key;

/* What decides in what order elements are combined, and so how floats are rounded. */
typedef enum ms_order {
    MS_ORDER_FREE,    /* whatever is fast */
    MS_ORDER_OF_PLAN, /* n and the plan, on one device: the same bits from run to run */
    MS_ORDER_OF_N     /* n alone: the same bits on every device (fold.c has the order) */
} ms_order;

/* What is other in an operation whose counters and places have 64 bits, for as many elements as 32 cannot count. */
typedef struct ms_wide {
    const ms_monoid *monoid;
    const ms_type *output;
    const ms_function *map, *output_map, *from_carry, *to_carry, *totals, *continued, *reach, *recount, *merged;
    const void *init, *start;
} ms_wide;

/* An array of a pipeline, or one value. The first are the pipeline's buffers. */
typedef struct ms_pipeline_array {
    const char *name;
    const ms_type *type;
    uint32_t length;     /* msw_length, of a pipeline over n elements: how much room it takes */
    uint32_t counted_by; /* the array that says how many elements mean something, plus 1; 0: all do */
} ms_pipeline_array;

/* An operation of a pipeline. */
typedef struct ms_stage {
    struct ms_operation *op;
    uint32_t length;                         /* msw_length: n, or a number of its own: the elements that it has, or has room for */
    uint32_t counted_by;                     /* the array that says how many of them there are, plus 1; 0: all */
    uint32_t arrays[MSW_MAX_KERNEL_BUFFERS]; /* by buffer of op; MSW_NO_ARRAY: an output that nobody reads */
    const char *operations;                  /* that are computed in it, by name; NULL: of the operations as they were written */
} ms_stage;

/* Operations and arrays, those of the caller first. */
typedef struct ms_stages {
    ms_pipeline_array *arrays;
    ms_stage *stages;
    uint32_t array_count, stage_count;
} ms_stages;

typedef struct ms_pipeline {
    ms_pipeline_array arrays[MSW_MAX_BUFFERS];
    uint32_t array_count, stage_count;
    ms_stage stages[MSW_MAX_STAGES];
    const struct ms_written *written; /* before it was cut; its operations are not the spec's */
    ms_stages reference;              /* the operations as the user wrote them, which are evaluated */
    int is_remade;                    /* some stage is none of these: the cut has made it */
} ms_pipeline;

typedef struct ms_operation {
    msw_op_kind kind;
    const char *word; /* that made it: "scan", "compact" */
    const char *name, *doc;
    const char *title; /* "exclusive scan of u32 by sum(u32)": of its kernels */
    const char *file;
    int line;                      /* where the spec makes it: scan { .. } or another kind */
    const ms_type *input, *output; /* element types of `in` and `out`; sort: of `keys`, with a map `in`, and `keys_out`; or records, see below */
    const ms_function *map;        /* (x[, i: u64[, near]]) -> monoid's type, or key's (`output`); NULL: x itself */
    ms_order order;                /* `deterministic` */
    /* scan, reduce, sweep; else NULL and 0 */
    const ms_monoid *monoid;
    const ms_function *output_map; /* (s[, x[, i[, near]]]), reduce: (s) -> output; NULL: s itself. Of a sort: see below */
    const void *init;              /* one element of the monoid's type, or NULL */
    int exclusive, reverse;
    uint32_t counters; /* that states have behind all else, each of one kind of what is packed; 0: none, or they are counted by a recount */
    int counts_alone;  /* the states are counters of what is packed: no value depends on them */
    /* Of a sweep that starts anew at heads: (state before a tile, what the tile makes of the output by itself, after `start`) -> its value; of the
     * one output, counted from 0, whose values need it. NULL: every value may depend on what comes before the tile. */
    const ms_function *continued;
    const void *start;
    uint32_t continued_output;
    int continued_counts;                     /* what a tile makes of it by itself is at most the number of its items */
    const ms_type *carry;                     /* of carry-in and carry-out; NULL: there is none */
    const ms_function *from_carry, *to_carry; /* (carry) -> monoid's type, and back; NULL: the carry is of that type */
    const ms_function *totals;                /* (s) -> a record of `counts`, made of what all elements come to; NULL: none */
    /* Of an expansion, whose states are sums of lengths, u64, and whose elements have no output but items: (x[, i[, k: u32]]) -> output, item k of an
     * element's. The first is at the element's exclusive sum. NULL: elements have outputs. */
    const ms_function *item;
    int any_order; /* the items of an element lie together, but elements may come in any order */
    /* Where states decide what is kept: (s, x[, i[, near]]) -> a state of the counters alone; (s, a state of counters alone) -> s with these.
     * NULL: the map counts. */
    const ms_function *recount, *merged;
    const ms_function *reach; /* (from: a state, to: a later one) -> u32, the items between; MS_NOWHERE: no fewer */
    /* Of segments by offsets, an input of which each element has the number of the segment that begins there, plus 1, or 0: */
    uint32_t segments;                 /* its buffer, plus 1; 0: there is none */
    const ms_function *count_segments; /* () -> u32, of the uniform alone */
    uint64_t segment_count;            /* that, once uniforms are bound */
    const ms_function *empty;          /* () -> output: what a segment without elements comes to; NULL: nothing is written for it */
    /* And where segments have results: (s) -> what they are made of; (state before a tile, the tile's own part) -> that of both; (part) -> output;
     * the monoid's combine where states serve for nothing else. */
    const ms_function *part, *part_joined, *part_output, *part_combine;
    /* sort */
    ms_key key;
    const ms_type *value; /* of `values_out`; NULL: none */
    int gives_index;      /* values_out are the places that the keys had, u32 or u64; else there is an input `values` */
    /* In a pipeline, where maps of the result are stored with it, output_map is (key[, value], i) -> what the buffers from first_result on have, a
     * record where they are several; takes_value: it needs the value. NULL: there are no such buffers. */
    uint32_t first_result;
    int takes_value;
    const msw_knob *tune; /* sorted by name */
    uint32_t tune_count;
    msw_op_info info; /* as the public interface shows it */
    const ms_type *buffer_types[MSW_MAX_BUFFERS];
    uint64_t given_lengths[MSW_MAX_BUFFERS]; /* of buffers whose length a uniform says, once uniforms are bound: its value */
    /* Arrays whose elements are the fields of `input`, of `output` or of what `totals` gives, records that are in no memory. */
    int has_input_fields, has_output_fields;
    uint32_t first_leaves[MSW_MAX_BUFFERS]; /* where each begins among the record's leaves; a uniform among all of the spec */
    uint32_t places[MSW_MAX_BUFFERS];       /* the leaf of `output` that says where an element of the array goes, plus 1; 0: in its place */
    int has_tails[MSW_MAX_BUFFERS];         /* packed: of items that have one place the array has the last, else the first */
    const ms_type *near;                    /* of functions' parameter `near`: before, after, first, last; NULL: none has it */
    const ms_wide *wide;                    /* NULL: it has no counters and places, or they are wide already */
    int is_wide;                            /* counters and places have 64 bits */
    const ms_type *uniforms;                /* a record of those that its functions use, the last buffers; NULL: none, or they are bound */
    ms_pipeline *pipeline;                  /* what it consists of; NULL: it is none */
    int is_left_out;                        /* the spec was read for another operation: its laws are not tested */
} ms_operation;

/* What a spec is made of. `identity` has all of it: two specs of one identity give the same programs. */
typedef struct ms_source {
    const char *text; /* NUL-terminated after text_bytes; in the identity */
    size_t text_bytes;
    const void *identity;
    size_t identity_bytes;
} ms_source;

/* The source of a description, its file read. Errors: IO, OUT_OF_MEMORY. (spec.c) */
msw_result ms_source_read(ms_arena *arena, const msw_spec_desc *desc, ms_source *source, msw_diag *diag);

struct msw_spec {
    ms_arena arena;
    ms_graph graph;
    ms_source source;
    const char *file;               /* name in messages; emitted text shows its base name only */
    const char *name;               /* that as an identifier: "affine" of "dir/affine.lua" */
    const ms_operation *operations; /* those that it returns, then the stages of those that are pipelines */
    uint32_t operation_count;       /* the former */
    uint32_t stage_count;
    uint32_t skips_laws; /* as its description says */
    const char *summary, *json;
    struct ms_sandbox *sandbox; /* the Lua state, where host functions of sources need it; else NULL */
};

#define MS_NOWHERE UINT32_MAX /* the place of what is not written */

/* The functions of the operation that its user wrote: combine, map, output, item. Returns their number. (operation.c) */
enum { MS_MAX_FUNCTIONS = 4 };
uint32_t ms_operation_functions(const ms_operation *op, const ms_function *functions[MS_MAX_FUNCTIONS]);
/* What it consists of: the operations of a pipeline, or itself. (operation.c) */
uint32_t ms_operation_part_count(const ms_operation *op);
const ms_operation *ms_operation_part_of(const ms_operation *op, uint32_t part);
/* Whether elements are combined by a balanced tree that n alone decides: where the order matters, and shall be the same everywhere. (operation.c) */
int ms_operation_is_balanced(const ms_operation *op);
/* Those of them that are a `source`, as msw_op_info names them. (operation.c) */
const char *ms_operation_sources(const ms_operation *op);
/* What its kind is called. (operation.c) */
const msw_kind_info *ms_operation_kind(const ms_operation *op);
/* Its title, in the arena; NULL: out of memory. (kinds.c) */
const char *ms_operation_title(const ms_operation *op, ms_arena *arena);
/* What functions are called with for an element: its leaves, its index, the leaves of `near`. */
typedef struct ms_item {
    uint64_t x[MS_MAX_ELEMENT_BYTES], i, near[MS_MAX_ELEMENT_BYTES];
} ms_item;

/* Element i of n, of one input array or several. (operation.c) */
void ms_operation_load(const ms_operation *op, const void *const *inputs, uint64_t i, uint64_t n, ms_item *item);
/* The same of an array of records of `input`; wide: as ms_leaves_load. (operation.c) */
void ms_operation_take(const ms_operation *op, const void *records, uint64_t i, uint64_t n, int wide, ms_item *item);
/* Stores what is made of element i of n, leaves of `output`, in those of the output arrays that are given. (operation.c) */
void ms_operation_store(const ms_operation *op, void *const *outputs, uint64_t i, uint64_t n, const uint64_t *leaves);
/* Stores leaves of `output` at this place of all output arrays that are given. (operation.c) */
void ms_operation_fill(const ms_operation *op, void *const *outputs, uint64_t place, const uint64_t *leaves);
/* Where it goes in buffer b, an output; UINT64_MAX: nowhere. (operation.c) */
uint64_t ms_operation_place(const ms_operation *op, uint32_t b, uint64_t i, uint64_t n, const uint64_t *leaves);
/* The same of `totals`. (operation.c) */
void ms_operation_store_totals(const ms_operation *op, void *const *outputs, const uint64_t *leaves);
/* Whether the buffer is of `totals`, not of `output`. (operation.c) */
int ms_operation_is_total(const ms_operation *op, uint32_t b);
/* The input arrays as one, of elements or records: the first where there are no fields, else made in the arena; NULL: out of memory. (operation.c) */
const void *ms_operation_gather_inputs(const ms_operation *op, const void *const *inputs, uint64_t n, ms_arena *arena);
/* Records as input arrays, made in the arena where there are fields; 0: out of memory. (operation.c) */
int ms_operation_scatter_inputs(const ms_operation *op, const void *records, uint64_t n, ms_arena *arena, const void *inputs[MSW_MAX_BUFFERS]);
/* How many of the first `count` offsets, which ascend, are below `bound`. (segments.c) */
uint64_t ms_offsets_below(const void *offsets, uint64_t count, uint64_t bound);
/* Whether the buffer has offsets, where records have numbers of segments. (segments.c) */
int ms_operation_has_offsets(const ms_operation *op, uint32_t b);
/* The number of the segment that begins at element i, plus 1; 0: none does. (segments.c) */
uint64_t ms_segment_at(const ms_operation *op, const void *offsets, uint64_t i);
/* The offsets whose segments have the numbers that records of `input` have; NULL: out of memory. (segments.c) */
void *ms_segments_offsets(const ms_operation *op, const void *records, uint64_t n, ms_arena *arena);
/* What a segment without elements comes to, as leaves of `output`; 0: out of memory. (segments.c) */
int ms_segments_empty(const ms_operation *op, ms_arena *arena, uint64_t *leaves);
/* Makes of the operation, a copy, one without uniforms: its functions have their values, an element each, and
 * its buffers their lengths, for which counters and places have 64 bits where 32 do not hold them. 0: out of memory. (operation.c) */
int ms_operation_bind(ms_operation *op, const void *const *uniforms, ms_arena *arena);
/* Makes of the operation, a copy that has `wide`, one whose counters and places have 64 bits. (operation.c) */
void ms_operation_widen(ms_operation *op);
/* Whether elements have places, which are counted, or which functions give. (operation.c) */
int ms_operation_has_places(const ms_operation *op);
/* How many buffers have that role. (operation.c) */
uint32_t ms_operation_count(const ms_operation *op, msw_role role);
/* The buffer in which leaf l of the input, or output, lies. (operation.c) */
uint32_t ms_operation_buffer(const ms_operation *op, msw_role role, uint32_t leaf);
/* The elements of buffer b of an operation over n elements; where a uniform says it, 0 until uniforms are bound. (operation.c) */
uint64_t ms_operation_elements(const ms_operation *op, uint32_t b, uint64_t n);
/* The elements of the buffer that items of an expansion over n elements go to. (operation.c) */
uint64_t ms_operation_room(const ms_operation *op, uint64_t n);
/* What a leaf of a scan's output is of s: a leaf of s, counted from 1; 0: nothing; MS_COMPUTED_OF_S: a function of it. (parts.c) */
#define MS_COMPUTED_OF_S UINT32_MAX
uint32_t ms_operation_part(const ms_operation *op, uint32_t leaf);
/* 1: what comes before an element can be put before what output buffer b has of it, once that is stored: s, parts of it that combine makes of nothing
 * else, or nothing of it, at the element's own place. (parts.c) */
int ms_operation_is_propagated(const ms_operation *op, uint32_t b);
/* 1: there is an output for every element; 0: for all of them. (operation.c) */
int ms_operation_is_per_element(const ms_operation *op);
/* 1: the language promises the operation's bits, but for denormals and the bits of NaNs: no order of combination rounds, and no
 * function does but as on every device. (operation.c) */
int ms_operation_is_promised(const ms_operation *op);
/* Whether the spec has an operation of this index. (operation.c) */
int ms_spec_has(const msw_spec *spec, uint32_t index);
/* INVALID_ARGUMENT when the spec was read for another operation. (operation.c) */
msw_result ms_operation_check(const ms_operation *op, msw_diag *diag);
/* The texts of msw_spec_summary and msw_spec_json, in the arena; NULL: out of memory. (kinds.c) */
const char *ms_operations_summary(msw_spec *spec);
const char *ms_operations_json(msw_spec *spec);

/* What a run does with floats where devices may differ: as the language says, or otherwise, which shows what depends on it. */
typedef enum ms_floats {
    MS_FLOATS_AS_PROMISED,
    MS_FLOATS_OTHER_NAN, /* a NaN that is computed has other bits */
    MS_FLOATS_FLUSHED    /* subnormal numbers are zeros */
} ms_floats;

/* Runs `op` on the host; the meaning of msw_spec_evaluate. (oracle.c) */
msw_result ms_oracle_run(const ms_operation *op, const msw_allocator *allocator, uint64_t n, const void *const *inputs, void *const *outputs,
                         const void *carry_in, void *carry_out, ms_floats floats, msw_diag *diag);
/* The same of an array of records of `input`; makes one of `output`, with an element for each of the input, or for all. (oracle.c) */
msw_result ms_oracle_run_records(const ms_operation *op, const msw_allocator *allocator, uint64_t n, const void *input, void *output,
                                 ms_floats floats, msw_diag *diag);
/* The errors of ms_oracle_run before it runs: an operation that the host cannot evaluate. (oracle.c) */
msw_result ms_oracle_check(const ms_operation *op, uint64_t n, int has_carry, msw_diag *diag);
/* What the host function said that failed. (oracle.c) */
msw_result ms_oracle_failure(const ms_operation *op, msw_diag *diag);

enum { MS_SMALL_SAMPLES = 9, MS_LARGE_SAMPLES = 7 }; /* besides the identity */

typedef struct ms_law_options {
    int strict;
    const char *file;
    int line;
    const void *const *samples;                                         /* the monoid's own, small ones, then large ones; NULL: of the whole type */
    void (*warning)(void *user, const msw_diag *diag, const char *law); /* law: the violation alone, without a place and a remedy */
    void *warning_user;
} ms_law_options;
/* Tests identity, associativity and a claimed commutativity by sampling. Returns SPEC with the smallest counterexample found, or OK; what needs
 * large values is a warning, unless strict. (laws.c) */
msw_result ms_laws_check(ms_arena *arena, const ms_monoid *monoid, const ms_law_options *options, msw_diag *diag);

#endif
