/* registers.h - how many registers the threads of kernels need, by estimate: no compiler is asked. */
#ifndef MS_REGISTERS_H
#define MS_REGISTERS_H

#include "plan.h"

enum { MS_MOST_REGISTERS = 255 }; /* of a thread: what is more spills */

typedef struct ms_registers {
    uint32_t live_words; /* that live at once in the function of the spec that needs most, in its best order */
    uint32_t held_words; /* of a thread's items; 0: the kernel holds none */
    uint32_t registers;  /* of a thread, in all */
} ms_registers;

/* Of each kernel; of those that zero scratch, and of sorts, zeros. 0: out of memory. */
int ms_estimate_registers(ms_arena *arena, const ms_kernel_shape *shapes, uint32_t count, ms_registers *estimates);

/* Of look-back's kernel of this geometry. 0: out of memory. */
int ms_estimate_lookback(ms_arena *arena, const ms_operation *op, const ms_geometry *g, uint32_t *registers);

#endif
