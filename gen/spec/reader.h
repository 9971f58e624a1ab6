/* reader.h - from a spec's text to its operations: the primitives of its vocabulary, the records that it makes. */
#ifndef MS_READER_H
#define MS_READER_H

#include "sandbox.h"

/* The element, C layout and in the arena, whose leaves are the expressions of constants in the list at `index`. (primitives.c) */
void *ms_element_at(lua_State *L, int index, const ms_type *type);

/* Primitive source(name, params, result type handle, glsl, cuda, call): an opaque function. (opaque.c) */
int ms_push_source(lua_State *L);
/* Fills name, params, result of a function from the arguments 1, 2, 3 of a primitive. (primitives.c) */
ms_function *ms_function_at(lua_State *L);
/* Primitive state(function, upvalue | nil): two numbers that stand for what calls of the function can leave behind. (state.c) */
int ms_push_state(lua_State *L);
/* Primitives places(function): where the vocabulary's objects lie that it reaches; and set_place(function or table, key, value). (state.c) */
int ms_push_places(lua_State *L);
int ms_set_place(lua_State *L);
/* A key that the metatables of the vocabulary's own objects have: what these hold is no state of a spec's. (state.c) */
void *ms_class_mark(void);

/* Primitive cut({ arrays = { { name, type, domain, is_output }, .. }, stages = { { handle, domain, abilities, arrays }, .. } }, fuses): the pipeline
 * as it is written (written.h; arrays are indices from 0), and the kernels that it is cut into, { operations, writes } each, indices from 1; none: it
 * cannot be judged. (pipeline.c) */
int ms_push_cut(lua_State *L);
/* Pushes the table of primitives that gen/spec/lua/vocabulary.lua takes. (primitives.c) */
void ms_push_primitives(lua_State *L);

/* Runs the spec's text and fills spec->operations. The state stays in spec->sandbox where a source has a host function. (reader.c) */
msw_result ms_spec_read(msw_spec *spec, const msw_spec_desc *desc, const char *text, size_t text_bytes, msw_diag *diag);

#endif
