// CUB and memcpy, timed by events on the default stream. Temporary storage is allocated once and grows.
#include "peers.h"

#include <cub/device/device_scan.cuh>

namespace {

struct Affine {
    uint32_t a, b;
};

struct Compose {
    __device__ Affine operator()(Affine f, Affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

struct Matrix {
    uint32_t a, b, c, d;
};

struct Multiply {
    __device__ Matrix operator()(Matrix x, Matrix y) const
    {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

void *storage;
size_t storage_bytes;

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

template <class T, class Op> double scan(uint64_t in, uint64_t out, uint64_t n, Op op, T identity)
{
    const T *from = reinterpret_cast<const T *>(in);
    T *to = reinterpret_cast<T *>(out);
    size_t bytes = 0;
    if (cub::DeviceScan::ExclusiveScan(nullptr, bytes, from, to, op, identity, n) != cudaSuccess) return -1;
    if (bytes > storage_bytes) {
        cudaFree(storage);
        storage_bytes = cudaMalloc(&storage, bytes) == cudaSuccess ? bytes : 0;
        if (!storage_bytes) return -1;
    }
    return timed([&] { return cub::DeviceScan::ExclusiveScan(storage, bytes, from, to, op, identity, n); });
}

double run_cub(bench_case which, uint64_t in, uint64_t out, uint64_t n)
{
    switch (which) {
    case BENCH_U32_SUM: return scan<uint32_t>(in, out, n, cuda::std::plus<>{}, 0u);
    case BENCH_F32_SUM: return scan<float>(in, out, n, cuda::std::plus<>{}, 0.0f);
    case BENCH_U64_SUM: return scan<uint64_t>(in, out, n, cuda::std::plus<>{}, uint64_t{0});
    case BENCH_AFFINE: return scan<Affine>(in, out, n, Compose{}, Affine{1, 0});
    case BENCH_MATRIX: return scan<Matrix>(in, out, n, Multiply{}, Matrix{1, 0, 0, 1});
    default: return -1;
    }
}

double run_memcpy(bench_case which, uint64_t in, uint64_t out, uint64_t n)
{
    static const uint64_t element_bytes[] = {4, 4, 8, 8, 16};
    const auto from = reinterpret_cast<const void *>(in);
    const auto to = reinterpret_cast<void *>(out);
    return timed([&] { return cudaMemcpyAsync(to, from, n * element_bytes[which], cudaMemcpyDeviceToDevice); });
}

} // namespace

extern "C" const bench_peer bench_peers[] = {{"memcpy", run_memcpy, 0}, {"cub", run_cub, 1}, {nullptr, nullptr, 0}};
