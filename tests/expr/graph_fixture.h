/* graph_fixture.h - an arena and a graph of a test's own, of which nothing may be left when it ends. Include after cmocka.h. */
#ifndef GRAPH_FIXTURE_H
#define GRAPH_FIXTURE_H

#include "expr/expr.h"

#include <stdlib.h>
#include <string.h>

/* A negative constant as nodes hold it. */
#define MINUS(x) ((uint64_t) - (int64_t)(x))

typedef struct fixture {
    ms_arena arena;
    ms_graph graph;
} fixture;

static inline int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f) return 1;
    ms_arena_init(&f->arena, NULL, 0);
    ms_graph_init(&f->graph, &f->arena);
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    fixture *f = *state;
    ms_graph_free(&f->graph);
    ms_arena_free(&f->arena);
    const int leaked = f->arena.used_bytes != 0;
    free(f);
    return leaked;
}

static inline const ms_type *make_struct(fixture *f, const char *name, uint32_t count, ...)
{
    ms_field fields[8];
    char error[256];
    va_list args;
    va_start(args, count);
    for (uint32_t i = 0; i < count; i++) {
        fields[i].name = va_arg(args, const char *);
        fields[i].type = va_arg(args, const ms_type *);
    }
    va_end(args);
    return ms_type_struct(&f->arena, name, fields, count, error);
}

#endif
