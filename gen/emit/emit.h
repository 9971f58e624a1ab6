/* emit.h - the texts of a program's kernels. */
#ifndef MS_EMIT_H
#define MS_EMIT_H

#include "program.h"

/* Emits the text of every kernel of `program` from its shape. watcher: NULL where nobody is. */
msw_result ms_emit(struct msw_program *program, const ms_operation *op, const msw_target *target, const ms_kernel_shape *shapes,
                   const ms_program_watcher *watcher, msw_diag *diag);

/* Pushes what Lua is told of an operation: name, title, buffers, types, functions. */
struct lua_State;
void ms_push_operation(struct lua_State *L, const ms_operation *op);

#endif
