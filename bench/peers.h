/* peers.h - what the bench compares with: other implementations of its cases, on the same device memory in the same process. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_case { BENCH_U32_SUM, BENCH_F32_SUM, BENCH_U64_SUM, BENCH_AFFINE, BENCH_MATRIX, BENCH_CASES } bench_case;

typedef struct bench_peer {
    const char *name; /* "cub", "memcpy" */
    /* Runs case `which` on n elements, exclusive scans from `in` to `out` (device addresses), and waits. Seconds of device time, or -1: failed, or not
     * one of its cases. */
    double (*run)(bench_case which, uint64_t in, uint64_t out, uint64_t n);
    int is_scan; /* its output can be compared */
} bench_peer;

/* Of this build; ends with a NULL name. Usable with the CUDA backend only, in the device's primary context. */
extern const bench_peer bench_peers[];

#ifdef __cplusplus
}
#endif
#endif
