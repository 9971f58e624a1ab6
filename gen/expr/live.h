/* live.h - how many registers a function needs: the words that live at once, in the order of its operations that needs fewest. */
#ifndef MS_LIVE_H
#define MS_LIVE_H

#include "expr.h"

typedef struct ms_live {
    uint32_t words; /* of 32 bits; conditions and constants take none */
    int is_least;   /* 1: no order needs fewer; 0: none that was tried does */
} ms_live;

/* held: a bit a parameter whose value is in registers from the start. Words of others, and of uniforms, are loaded where they are first used. Results
 * stay. A source: its parameters and its result. 0: out of memory. */
int ms_function_live(const ms_function *function, uint32_t held, ms_arena *arena, ms_live *live);

#endif
