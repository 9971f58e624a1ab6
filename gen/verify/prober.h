/* prober.h - what the probes of one call share: arrays, runs of the caller's kernels, comparisons. (prober.c) */
#ifndef MS_PROBER_H
#define MS_PROBER_H

#include "c_locale.h"
#include "diag.h"
#include "verification.h"

enum { MS_SPREAD_STEPS = 4 }; /* of an input's elements, each 8 times as far apart as before, until it is exact */

typedef struct prober {
    msw_verification *v;
    const msw_probe_desc *desc;
    msw_structure *structure;
    const ms_operation *op; /* that is run */
    ms_arena arena;
    ms_eval *combine, *wide, *map; /* map: the operation's; NULL: none */
    uint64_t identity[MS_MAX_ELEMENT_BYTES];
    uint64_t sizes[MS_EXACT_INPUTS], tile, random;
    const msw_plan_variant *serving; /* the variant of the user's n; NULL: there is no plan */
    uint64_t before, own;            /* the most elements that others serve; how many to probe it with, 0: too many */
    uint32_t own_inputs, own_pairs;  /* that it has run */
    unsigned char *input, *expected, *got;
    uint64_t capacity;    /* elements in each */
    uint32_t whole_count; /* inputs of several tiles that the operation itself was right about */
    int is_whole_exact;   /* .. to the bit */
    const char *what;
    int are_pairs_inexact;
    ms_c_locale locale; /* entered, but while the caller's function runs */
    msw_diag *diag;
} prober;

static inline msw_result ms_prober_no_memory(const prober *p)
{
    return ms_diag(p->diag, MSW_ERROR_OUT_OF_MEMORY, "verify", NULL, 0, "out of memory");
}

static inline msw_result ms_prober_host_failed(const prober *p) { return ms_oracle_failure(p->v->op, p->diag); }

/* The place in memory of element k in the order of combination. */
static inline uint64_t place(const prober *p, uint64_t n, uint64_t k) { return p->op->reverse ? n - 1 - k : k; }

static inline unsigned char *element(unsigned char *array, const ms_type *type, uint64_t i) { return array + i * type->info.size_bytes; }

static inline int join(const prober *p, const uint64_t *a, const uint64_t *b, uint64_t *joined)
{
    const uint64_t *args[2] = {p->op->reverse ? b : a, p->op->reverse ? a : b};
    return ms_eval_run(p->combine, args, joined);
}

static inline int ms_prober_serves(const prober *p, uint64_t n) { return p->serving && n > p->before && n <= p->serving->n_max; }

/* Room for n elements in each array; 0: out of memory. */
int ms_prober_reserve(prober *p, uint64_t n);
/* Says that the structure has failed, and where. */
void ms_prober_tell(prober *p, const msw_leaf *leaf, uint64_t i, uint64_t got, uint64_t expected);
/* The operation itself, of the input as records; its output is gathered as by the expected records. */
msw_result ms_prober_call_operation(prober *p, uint64_t n, const void *expected);
/* The kernel of states. */
msw_result ms_prober_run(prober *p, uint64_t n);
/* Whether the output is as expected; else tells the first difference. is_same: ms_is_same_leaf, or .._in_any_order. */
int ms_prober_compare(prober *p, const ms_operation *op, uint64_t n, int (*is_same)(msw_scalar, uint64_t, uint64_t));
/* Finds exact inputs of p->op, once. */
msw_result ms_prober_search(prober *p, ms_exact_inputs *found);
/* Writes p->input of p->op and, where outputs are states, the exact result; 0: it is not exact for this number of elements. */
int ms_prober_write_exact(prober *p, const ms_exact_input *input, uint64_t n, int *has_failed);
/* A leaf of a user's element: a float of ms_random_leaf, or an integer of any size. */
uint64_t ms_prober_draw_leaf(prober *p, msw_scalar scalar);

/* Pairs of elements among identities, to the bit or within bounds. (probe_pairs.c) */
msw_result ms_probe_pairs(prober *p, int are_exact);
/* The operation itself, with its map and output. is_promised: all its functions are. (probe_operation.c) */
msw_result ms_probe_operation(prober *p, int is_promised);

#endif
