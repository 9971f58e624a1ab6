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

/* SORT_TILE_DEPTH: struct { u32 tile, f32 depth } by the 14 low bits of tile, then depth, with indices. Values of pairs are u32. */
typedef enum sort_case {
    SORT_U32,
    SORT_U32_PAIRS,
    SORT_U64,
    SORT_U64_PAIRS,
    SORT_TILE_DEPTH,
    SORT_U8,
    SORT_U16,
    SORT_U32_INDICES,
    SORT_CASES
} sort_case;

#endif
