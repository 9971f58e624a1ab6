// cub_peer.cuh - what peers made of CUB share: memory that grows, and times by events on the default stream.
#ifndef BENCH_CUB_PEER_CUH
#define BENCH_CUB_PEER_CUH

#include <cstdint>
#include <cstdio>
#include <cub/version.cuh>
#include <cuda_runtime.h>

namespace {

struct Memory {
    void *address = nullptr;
    size_t bytes = 0;

    bool reserve(size_t wanted)
    {
        if (wanted <= bytes) return true;
        cudaFree(address);
        address = nullptr;
        bytes = cudaMalloc(&address, wanted) == cudaSuccess ? wanted : 0;
        return bytes != 0;
    }
};

template <class T> T *at(uint64_t address) { return reinterpret_cast<T *>(address); }

inline void write_version(char text[64])
{
    snprintf(text, 64, "CUB %d.%d.%d, CUDA %d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, CUDART_VERSION / 1000,
             CUDART_VERSION / 10 % 100);
}

// Seconds, or less than 0.
template <class Call> double timed(Call call)
{
    cudaEvent_t begin, end;
    float milliseconds = -1;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    const cudaError_t error = call();
    cudaEventRecord(end);
    if (error != cudaSuccess || cudaEventSynchronize(end) != cudaSuccess) milliseconds = -1000;
    else cudaEventElapsedTime(&milliseconds, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return milliseconds * 1e-3;
}

} // namespace

#endif
