/* spec.h - a checked spec: what the Lua host made of the user's file. */
#ifndef MS_SPEC_H
#define MS_SPEC_H

#include "expr.h"

typedef struct ms_monoid {
    const char *name; /* "sum(u32)" for ready-made ones, else "monoid" */
    const ms_type *type;
    const void *identity;       /* one element, C layout, padding zero */
    const ms_function *combine; /* (a, b), a before b */
    int commutative;
    const char *laws; /* "checked", "strict", "trusted", "known": they hold by construction */
} ms_monoid;

typedef struct ms_operation {
    msw_op_kind kind;
    const char *name, *doc;
    const char *file; int line; /* where the spec calls scan{} or reduce{} */
    const ms_monoid *monoid;
    const ms_type *input, *output; /* element types of `in` and `out` */
    const ms_function *map;        /* (x[, i: u64]) -> monoid type; NULL: x itself */
    const ms_function *output_map; /* scan: (s[, x[, i]]), reduce: (s) -> output; NULL: s itself */
    const void *init;              /* one element of the monoid's type, or NULL */
    int exclusive, reverse, deterministic;
    const msw_knob *tune; /* sorted by name */
    uint32_t tune_count;
    msw_op_info info; /* as the public interface shows it */
} ms_operation;

struct msw_spec {
    ms_arena arena;
    ms_graph graph;
    const char *file; /* name in messages; emitted text shows its base name only */
    const ms_operation *operations;
    uint32_t operation_count;
    const char *summary, *json;
    struct ms_host *host; /* the Lua state, where host functions of sources need it; else NULL */
};

/* Runs `op` on the host; the meaning of msw_spec_evaluate. (oracle.c) */
msw_result ms_oracle_run(const ms_operation *op, const msw_allocator *allocator, uint64_t n, const void *const *inputs, void *const *outputs,
                         const void *carry_in, void *carry_out, double *tolerance, msw_diag *diag);

enum { MS_SMALL_SAMPLES = 9, MS_LARGE_SAMPLES = 7 }; /* besides the identity */

typedef struct ms_law_options {
    int strict;
    const char *file; int line;
    const void *const *samples; /* the monoid's own, small ones, then large ones; NULL: of the whole type */
    void (*warning)(void *user, const msw_diag *diag);
    void *warning_user;
} ms_law_options;
/* Tests identity, associativity and a claimed commutativity by sampling. Gives SPEC with the smallest counterexample found, or OK; what needs
 * large values is a warning, unless strict. (laws.c) */
msw_result ms_laws_check(ms_arena *arena, const ms_monoid *monoid, const ms_law_options *options, msw_diag *diag);

#endif
