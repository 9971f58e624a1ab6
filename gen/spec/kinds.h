/* kinds.h - operation kinds: what depends on the kind of an operation, a row of functions each. What else does is in the rows of gen/plan/plan.c. */
#ifndef MS_KINDS_H
#define MS_KINDS_H

#include "reader.h"

/* One evaluation of the oracle. The arena is freed afterwards. */
typedef struct ms_evaluation {
    const ms_operation *op;
    ms_arena *arena;
    ms_push *push; /* how functions are rounded; MS_PUSH_NONE: as on devices */
    uint64_t n;
    const void *const *inputs;
    void *const *outputs;
    const void *carry_in;
    void *carry_out;
    /* Of a pipeline: ms_oracle_run, with these for its parts. */
    msw_result (*run)(const ms_operation *op, const msw_allocator *allocator, uint64_t n, const void *const *inputs, void *const *outputs,
                      const void *carry_in, void *carry_out, ms_floats floats, msw_diag *diag);
    ms_floats floats;
    msw_diag *diag;
    int has_records; /* inputs[0] and outputs[0] are arrays of records, of `input` and `output`; outputs[0] has one for each element */
} ms_evaluation;

typedef struct ms_kind {
    /* The record at `index`, which gen/spec/lua/operations.lua made, to the operation's own fields and its buffers. */
    void (*read)(lua_State *L, int index, ms_operation *op);
    /* "exclusive scan of u32 by sum(u32), from the last element": the title of kernels. */
    void (*append_title)(ms_text *text, const ms_operation *op);
    /* After the name, in the spec's summary; without the end of the line. */
    void (*append_summary)(ms_text *text, const ms_operation *op);
    /* After name, kind and bit_exact: ", \"input\": { .. }"; without the operation's closing brace. */
    void (*append_json)(ms_text *text, const ms_operation *op);
    /* Errors: OUT_OF_MEMORY, SPEC (a host function failed). */
    msw_result (*evaluate)(const ms_evaluation *e);
} ms_kind;

extern const ms_kind ms_scan_kind, ms_reduce_kind, ms_sweep_kind; /* fold.c */
extern const ms_kind ms_sort_kind;                                /* sort.c */
extern const ms_kind ms_map_kind;                                 /* map.c */
extern const ms_kind ms_pipeline_kind;                            /* pipeline.c */
extern const ms_kind *const ms_kinds[];                           /* by msw_op_kind */

/* Element i of the evaluation's input; and what is made of it, to its output. (operation.c) */
void ms_evaluation_load(const ms_evaluation *e, uint64_t i, ms_item *item);
void ms_evaluation_store(const ms_evaluation *e, uint64_t i, const uint64_t *leaves);

/* What kinds are read and written with. (records.c) */
const char *ms_read_string(lua_State *L, int index, const char *field, const char *otherwise);
int ms_read_flag(lua_State *L, int index, const char *field);
uint32_t ms_read_count(lua_State *L, int index, const char *field); /* 0 where there is none */
void *ms_read_pointer(lua_State *L, int index, const char *field);
void ms_add_buffer(ms_operation *op, const char *name, const ms_type *type, uint32_t length, msw_role role); /* length: msw_length */
/* The buffer of `type`; or one for each field of it, where the record says `has_input_fields` or `has_output_fields`. */
void ms_add_arrays(lua_State *L, int index, ms_operation *op, const char *name, const ms_type *type, msw_length length, msw_role role);
/* What is other where counters and places have 64 bits. (fold.c) */
void ms_read_wide(lua_State *L, int index, ms_operation *op);
/* Behind them the numbers that `totals` makes. */
void ms_add_totals(ms_operation *op);
/* Behind all others the uniforms that the operation's functions use. */
void ms_add_uniforms(lua_State *L, int index, ms_operation *op);
/* "f32"; or "x, y": the arrays of several. */
void ms_append_arrays(ms_text *text, const ms_operation *op, msw_role role);
void ms_append_type_json(ms_text *text, const char *field, const ms_type *type);

#endif
