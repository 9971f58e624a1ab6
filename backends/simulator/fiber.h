/* fiber.h - cooperative threads with small stacks of their own, one running at a time. */
#ifndef SIM_FIBER_H
#define SIM_FIBER_H

#include <stddef.h>

enum { SIM_STACK_BYTES = 64 << 10 };

typedef struct sim_context {
    void *stack;
} sim_context; /* where a suspended thread goes on */

/* A pool of stacks, each with a page below it that may not be touched. NULL: not enough memory. */
typedef struct sim_stacks sim_stacks;
sim_stacks *sim_stacks_create(size_t count);
void sim_stacks_destroy(sim_stacks *stacks);
char *sim_stack(const sim_stacks *stacks, size_t index); /* its lowest byte */

/* A thread that calls run() when it is first switched to; run never returns. Whatever used the stack before is gone. */
sim_context sim_fiber(char *stack, void (*run)(void));

/* Leaves the running thread in *from and goes on with `to`. */
void sim_switch(sim_context *from, const sim_context *to);

#endif
