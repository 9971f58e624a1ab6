/* cases.h - the benches' cases: what a peer must know of them. */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

typedef enum scan_case {
    SCAN_U32_SUM,
    SCAN_F32_SUM,
    SCAN_U64_SUM,
    SCAN_AFFINE,
    SCAN_MATRIX,
    SCAN_I64_MAX,
    SCAN_U8_SUM,
    SCAN_U16_SUM,
    SCAN_F16_SUM,
    SCAN_WIDE_MATRIX,
    SCAN_U32_REDUCE,
    SCAN_F32_REDUCE,
    SCAN_CASES
} scan_case;

/* What of uniformly random u32 is less than this share of 2^32 is kept; u64 by its high half. */
typedef enum sweep_kind {
    SWEEP_SELECT,
    SWEEP_SELECT_U64,
    SWEEP_PARTITION,
    SWEEP_UNIQUE,
    SWEEP_LENGTHS,
    SWEEP_BY_KEY,
    SWEEP_BY_KEY_AFFINE,
    SWEEP_SEGMENTED_SCAN,
    SWEEP_SEGMENTED_REDUCE,
    SWEEP_SEGMENTED_OFFSETS, /* the same by offsets */
    SWEEP_SCAN_OFFSETS,      /* a scan of these segments */
    SWEEP_APPEND,
    SWEEP_APPEND_ANY
} sweep_kind;

/* parameter, by kind: per cent that are kept, the mean length of runs, the length of all segments, or how many items elements have:
 * APPEND_FEW: 0 to 3 each; 1000: every 1024th, others none; APPEND_ONE: one element as many as there are elements.
 * A case's number is its place here. */
enum { APPEND_FEW = 3, APPEND_ONE = 1 };
static const struct {
    sweep_kind kind;
    unsigned parameter;
} sweep_cases[] = {
    {SWEEP_SELECT, 1},
    {SWEEP_SELECT, 10},
    {SWEEP_SELECT, 50},
    {SWEEP_SELECT, 90},
    {SWEEP_SELECT_U64, 1},
    {SWEEP_SELECT_U64, 10},
    {SWEEP_SELECT_U64, 50},
    {SWEEP_SELECT_U64, 90},
    {SWEEP_PARTITION, 50},
    {SWEEP_UNIQUE, 1},
    {SWEEP_UNIQUE, 4},
    {SWEEP_UNIQUE, 64},
    {SWEEP_UNIQUE, 4096},
    {SWEEP_LENGTHS, 1},
    {SWEEP_LENGTHS, 4},
    {SWEEP_LENGTHS, 64},
    {SWEEP_LENGTHS, 4096},
    {SWEEP_BY_KEY, 1},
    {SWEEP_BY_KEY, 4},
    {SWEEP_BY_KEY, 64},
    {SWEEP_BY_KEY, 4096},
    {SWEEP_BY_KEY_AFFINE, 1},
    {SWEEP_BY_KEY_AFFINE, 4},
    {SWEEP_BY_KEY_AFFINE, 64},
    {SWEEP_BY_KEY_AFFINE, 4096},
    {SWEEP_SEGMENTED_SCAN, 8},
    {SWEEP_SEGMENTED_SCAN, 64},
    {SWEEP_SEGMENTED_SCAN, 4096},
    {SWEEP_SEGMENTED_REDUCE, 8},
    {SWEEP_SEGMENTED_REDUCE, 64},
    {SWEEP_SEGMENTED_REDUCE, 1024},
    {SWEEP_SEGMENTED_REDUCE, 65536},
    {SWEEP_SEGMENTED_REDUCE, 1 << 26},
    {SWEEP_SEGMENTED_OFFSETS, 8},
    {SWEEP_SEGMENTED_OFFSETS, 64},
    {SWEEP_SEGMENTED_OFFSETS, 1024},
    {SWEEP_SEGMENTED_OFFSETS, 65536},
    {SWEEP_SEGMENTED_OFFSETS, 1 << 26},
    {SWEEP_SCAN_OFFSETS, 8},
    {SWEEP_SCAN_OFFSETS, 64},
    {SWEEP_SCAN_OFFSETS, 1024},
    {SWEEP_SCAN_OFFSETS, 65536},
    {SWEEP_APPEND, APPEND_FEW},
    {SWEEP_APPEND, 1000},
    {SWEEP_APPEND, APPEND_ONE},
    {SWEEP_APPEND_ANY, APPEND_FEW},
    {SWEEP_APPEND_ANY, 1000},
    {SWEEP_APPEND_ANY, APPEND_ONE},
};

static inline unsigned bench_threshold(unsigned percent) { return 42949673u * percent; }

/* SORT_TILE_DEPTH: struct { u32 tile, f32 depth } by the 14 low bits of tile, then depth, with indices. Values of pairs are u32 where the
 * name says nothing else; keys of 16 bytes are two u64, the high one first. */
typedef enum sort_case {
    SORT_U32,
    SORT_U32_PAIRS,
    SORT_U64,
    SORT_U64_PAIRS,
    SORT_TILE_DEPTH,
    SORT_U8,
    SORT_U16,
    SORT_U32_INDICES,
    SORT_U32_VALUES_8,
    SORT_U32_VALUES_16,
    SORT_U64_VALUES_8,
    SORT_U64_VALUES_16,
    SORT_128,
    SORT_128_PAIRS,
    SORT_CASES
} sort_case;

#endif
