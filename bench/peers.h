/* peers.h - what the benches compare with: other implementations of their cases, on the same device memory in the same process. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_MAX_ARRAYS = 3 };

/* What everybody works on: device addresses, 0 beyond a case's inputs and outputs. A sort's are keys, then values; a sweep's
 * outputs end with the count, a u64. */
typedef struct bench_arrays {
    uint64_t n;
    uint64_t in[BENCH_MAX_ARRAYS], out[BENCH_MAX_ARRAYS];
} bench_arrays;

typedef struct bench_peer {
    const char *name; /* "cub 64-bit", "memcpy"; of all whose names begin with cub the faster one is what shares are taken of */
    /* Runs case `which` and waits. Seconds of device time, or less than 0: failed. */
    double (*run)(int which, const bench_arrays *arrays);
    int writes_result; /* to `out`, so that it can be verified as ours is */
    /* For a peer that keeps its result: in how many elements the outputs differ from the last one. UINT64_MAX: failed. NULL: it keeps none. */
    uint64_t (*differences)(int which, const bench_arrays *arrays);
    uint64_t n_max;           /* it takes no more elements; 0: any number */
    int (*serves)(int which); /* whether it has that case; NULL: it has all */
} bench_peer;

/* Of this build and program; ends with a NULL name. Usable with the CUDA backend only, in the device's primary context. */
extern const bench_peer bench_peers[];
/* "CUB 3.0.1, CUDA 13.0"; "": there are none. */
void bench_peers_version(char text[64]);

#ifdef __cplusplus
}
#endif
#endif
