/* compiled.h - texts in the C dialect, compiled by the system's compiler and loaded. */
#ifndef SIM_COMPILED_H
#define SIM_COMPILED_H

#include "simulator.h"

typedef struct sim_compiled sim_compiled;

typedef struct sim_text {
    const char *text, *entry; /* the name of its kernel */
} sim_text;

/* Compiles texts into one shared object that knows the machine of `s`. is_quick: without optimising, for texts that run for a moment; the compiler
 * then sees less to warn of. NULL: message says why. */
sim_compiled *sim_compile(sim *s, const sim_text *texts, uint32_t count, int is_quick, char *message, size_t message_bytes);
sim_entry sim_compiled_entry(const sim_compiled *compiled, uint32_t index);
void sim_compiled_destroy(sim_compiled *compiled);

#endif
