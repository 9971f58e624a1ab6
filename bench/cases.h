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
    SWEEP_BY_KEY_AFFINE
} sweep_kind;

/* By kind: per cent that are kept, or the mean length of runs. A case's number is its place here. */
#define SWEEP_CASES(CASE)                                                                                                                            \
    CASE(SWEEP_SELECT, 1)                                                                                                                            \
    CASE(SWEEP_SELECT, 10)                                                                                                                           \
    CASE(SWEEP_SELECT, 50)                                                                                                                           \
    CASE(SWEEP_SELECT, 90) CASE(SWEEP_SELECT_U64, 1) CASE(SWEEP_SELECT_U64, 10) CASE(SWEEP_SELECT_U64, 50) CASE(SWEEP_SELECT_U64, 90)                \
        CASE(SWEEP_PARTITION, 50) CASE(SWEEP_UNIQUE, 1) CASE(SWEEP_UNIQUE, 4) CASE(SWEEP_UNIQUE, 64) CASE(SWEEP_UNIQUE, 4096) CASE(SWEEP_LENGTHS, 1) \
            CASE(SWEEP_LENGTHS, 4) CASE(SWEEP_LENGTHS, 64) CASE(SWEEP_LENGTHS, 4096) CASE(SWEEP_BY_KEY, 1) CASE(SWEEP_BY_KEY, 4)                     \
                CASE(SWEEP_BY_KEY, 64) CASE(SWEEP_BY_KEY, 4096) CASE(SWEEP_BY_KEY_AFFINE, 1) CASE(SWEEP_BY_KEY_AFFINE, 4)                            \
                    CASE(SWEEP_BY_KEY_AFFINE, 64) CASE(SWEEP_BY_KEY_AFFINE, 4096)

static inline unsigned bench_threshold(unsigned percent) { return 42949673u * percent; }

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
