/* probes.h - small inputs for which every order of combination gives the same bits: what shows that no element is lost, doubled, swapped or rounded
 * otherwise than the language says. */
#ifndef MS_PROBES_H
#define MS_PROBES_H

#include "spec/spec.h"
#include "splitmix.h"

enum { MS_EXACT_ELEMENTS = 8, MS_EXACT_INPUTS = 3, MS_EXACT_KEPT = 8, MS_PAIRS = 64 }; /* kept: some are not exact for enough elements */

/* An endless input of an operation: of its elements, drawn by place, with neutral ones in between. Leaves are as in memory (not wide). */
typedef struct ms_exact_input {
    const ms_type *type; /* of the elements: the operation's input */
    uint64_t seed;
    uint32_t count, spacing; /* elements; one place in `spacing` has one of them */
    uint32_t ramp;           /* a leaf that grows with the place, counted from 1; 0: none */
    double score;
    int has_neutral;                        /* else spacing is 1 */
    uint64_t neutral[MS_MAX_ELEMENT_BYTES]; /* the identity, or what the operation's map makes one of */
    uint64_t leaves[MS_EXACT_ELEMENTS][MS_MAX_ELEMENT_BYTES];
} ms_exact_input;

typedef struct ms_exact_inputs {
    ms_exact_input *inputs; /* MS_EXACT_KEPT; NULL: not searched yet */
    uint32_t count;
} ms_exact_inputs;

/* Searches such inputs, whose states no order rounds; returns how many of MS_EXACT_KEPT there are, the best first. user: the user's operation, whose
 * map may make elements of an operation on states. A host function that fails ends it. (exact_input.c) */
uint32_t ms_exact_search(const ms_operation *op, ms_arena *arena, const ms_operation *user, ms_exact_input *inputs);
/* Element i of the input. */
void ms_exact_element(const ms_exact_input *input, uint64_t i, uint64_t *leaves);
/* Whether a leaf's value is one of those that sums and products of an exact input have. */
int ms_is_small(msw_scalar scalar, uint64_t bits, uint64_t identity);

/* ms_is_same_leaf, but for the sign of a zero, which the order of combination decides: of exact inputs. (exact_input.c) */
int ms_is_same_in_any_order(msw_scalar scalar, uint64_t got, uint64_t expected);

/* A leaf for pairs: any bits of a float of 1/2 to 2 and either sign; a small integer. */
uint64_t ms_random_leaf(msw_scalar scalar, uint64_t *state);

/* 1: combining with the identity changes no bit of the element, on either side. (exact_input.c) */
int ms_is_neutral(const ms_operation *op, ms_eval *combine, const uint64_t *leaves);

#endif
