// Scans and reductions by CUB, and memcpy.
#include "cases.h"
#include "cub_peer.cuh"
#include "peers.h"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda_fp16.h>

namespace {

struct Affine {
    uint32_t a, b;
};

struct Compose {
    __device__ Affine operator()(Affine f, Affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

template <class T> struct Matrix {
    T a, b, c, d;
};

struct Multiply {
    template <class T> __device__ Matrix<T> operator()(Matrix<T> x, Matrix<T> y) const
    {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

/* In the type itself, where + is an int's. */
struct Sum {
    template <class T> __device__ T operator()(T x, T y) const { return static_cast<T>(x + y); }
};

Memory storage;

// CUB's policies depend on the type of n: Count.
template <class Count, class T, class Op> double scan(const bench_arrays &a, Op op, T identity)
{
    const Count n = static_cast<Count>(a.n);
    const T *from = at<const T>(a.in[0]);
    T *to = at<T>(a.out[0]);
    size_t bytes = 0;
    if (cub::DeviceScan::ExclusiveScan(nullptr, bytes, from, to, op, identity, n) != cudaSuccess || !storage.reserve(bytes)) return -1;
    return timed([&] { return cub::DeviceScan::ExclusiveScan(storage.address, bytes, from, to, op, identity, n); });
}

template <class Count, class T> double reduce(const bench_arrays &a)
{
    const Count n = static_cast<Count>(a.n);
    const T *from = at<const T>(a.in[0]);
    T *to = at<T>(a.out[0]);
    size_t bytes = 0;
    if (cub::DeviceReduce::Reduce(nullptr, bytes, from, to, n, cuda::std::plus<>{}, T{0}) != cudaSuccess || !storage.reserve(bytes)) return -1;
    return timed([&] { return cub::DeviceReduce::Reduce(storage.address, bytes, from, to, n, cuda::std::plus<>{}, T{0}); });
}

template <class Count> double run_cub(int which, const bench_arrays *a)
{
    switch (which) {
    case SCAN_U32_SUM: return scan<Count, uint32_t>(*a, cuda::std::plus<>{}, 0u);
    case SCAN_F32_SUM: return scan<Count, float>(*a, cuda::std::plus<>{}, 0.0f);
    case SCAN_U64_SUM: return scan<Count, uint64_t>(*a, cuda::std::plus<>{}, uint64_t{0});
    case SCAN_AFFINE: return scan<Count, Affine>(*a, Compose{}, Affine{1, 0});
    case SCAN_MATRIX: return scan<Count, Matrix<uint32_t>>(*a, Multiply{}, {1, 0, 0, 1});
    case SCAN_I64_MAX: return scan<Count, int64_t>(*a, cuda::maximum<>{}, INT64_MIN);
    case SCAN_U8_SUM: return scan<Count, uint8_t>(*a, Sum{}, 0);
    case SCAN_U16_SUM: return scan<Count, uint16_t>(*a, Sum{}, 0);
    case SCAN_F16_SUM: return scan<Count, __half>(*a, Sum{}, __float2half(0.0f));
    case SCAN_WIDE_MATRIX: return scan<Count, Matrix<uint64_t>>(*a, Multiply{}, {1, 0, 0, 1});
    case SCAN_U32_REDUCE: return reduce<Count, uint32_t>(*a);
    case SCAN_F32_REDUCE: return reduce<Count, float>(*a);
    default: return -1;
    }
}

double run_memcpy(int which, const bench_arrays *a)
{
    static const uint64_t element_bytes[SCAN_CASES] = {4, 4, 8, 8, 16, 8, 1, 2, 2, 32, 4, 4};
    return timed([&] { return cudaMemcpyAsync(at<void>(a->out[0]), at<void>(a->in[0]), a->n * element_bytes[which], cudaMemcpyDeviceToDevice); });
}

} // namespace

extern "C" const bench_peer bench_peers[] = {{"memcpy", run_memcpy, 0, nullptr, 0, nullptr},
                                             {"cub 32-bit", run_cub<uint32_t>, 1, nullptr, UINT32_MAX, nullptr},
                                             {"cub 64-bit", run_cub<uint64_t>, 1, nullptr, 0, nullptr},
                                             {}};
extern "C" void bench_peers_version(char text[64]) { write_version(text); }
