/* descriptions.h - texts, sizes, knobs and structs as a caller might give them by mistake. */
#ifndef FUZZ_DESCRIPTIONS_H
#define FUZZ_DESCRIPTIONS_H

#include "input.h"

#include <monosweep/monosweep.h>
#include <stdlib.h>

enum { FEW = 3 };

static inline const char *take_text(input *in)
{
    static const char *const texts[] = {NULL,
                                        "",
                                        "return scan { monoid = sum(u32) }",
                                        "return { sort { key = u64, value = u32 }, reduce { monoid = maximum(f32), name = 'most' } }",
                                        "return scan { monoid = product(f64), input = x, tune = { items = y } }",
                                        "x",
                                        "y",
                                        "u8",
                                        "f64",
                                        "0",
                                        "1",
                                        "-1",
                                        "16",
                                        "1x",
                                        "99999999999999999999",
                                        "1e9",
                                        "items",
                                        "block",
                                        "strategy",
                                        "subgroup",
                                        "vector",
                                        "digit_bits",
                                        "lookback",
                                        "reduce_then_scan",
                                        "onesweep",
                                        "upsweep_downsweep",
                                        "split",
                                        "lookahead",
                                        "most",
                                        "sm_90",
                                        "sm_",
                                        "compute_75",
                                        "simulator",
                                        "lavapipe",
                                        "auto",
                                        "host",
                                        "host:0",
                                        "host:1",
                                        "cuda",
                                        "cuda:0",
                                        "cuda:7",
                                        "cuda:99999999999",
                                        "vulkan",
                                        "MIT\n*/"};
    return texts[take_below(in, sizeof texts / sizeof texts[0])];
}

/* A description's size: nearly always the right one. */
static inline uint32_t take_size(input *in, size_t right)
{
    const uint64_t byte = take(in, 1);
    return byte < 240 ? (uint32_t)right : (uint32_t)take_number(in);
}

/* The description in memory of its own, with as many bytes as it says it has, as far as that can be: zeros behind those that are known. */
static inline void *place(const void *desc, size_t bytes, uint32_t struct_size)
{
    const size_t most = 1 << 16, kept = struct_size < 4 ? 4 : struct_size < most ? struct_size : most;
    void *copy = calloc(1, kept);
    if (!copy) abort();
    return memcpy(copy, desc, kept < bytes ? kept : bytes);
}

static inline uint32_t take_knobs(input *in, msw_knob knobs[FEW])
{
    const uint32_t count = take_below(in, FEW + 1);
    for (uint32_t k = 0; k < count; k++) {
        knobs[k].name = take_text(in);
        knobs[k].value = take_text(in);
    }
    return count;
}

#endif
