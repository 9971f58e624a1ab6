// Sweeps by CUB, and memcpy.
#include "cases.h"
#include "cub_peer.cuh"
#include "peers.h"

#include <cub/device/device_copy.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace {

struct Affine {
    uint32_t a, b;
};

struct Compose {
    __device__ Affine operator()(Affine f, Affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};

struct IsLess {
    uint32_t threshold;
    __device__ bool operator()(uint32_t x) const { return x < threshold; }
    __device__ bool operator()(uint64_t x) const { return x >> 32 < threshold; }
};

Memory storage;

// Asks how much memory `call` wants, then times it.
template <class Call> double with_storage(Call call)
{
    size_t bytes = 0;
    if (call(nullptr, bytes) != cudaSuccess || !storage.reserve(bytes)) return -1;
    return timed([&] { return call(storage.address, bytes); });
}

template <class Count, class T> double select(const bench_arrays &a, unsigned percent)
{
    const IsLess is_less{bench_threshold(percent)};
    return with_storage([&](void *memory, size_t &bytes) {
        return cub::DeviceSelect::If(memory, bytes, at<const T>(a.in[0]), at<T>(a.out[0]), at<uint64_t>(a.out[1]), static_cast<Count>(a.n), is_less);
    });
}

// What is left over lies at the end of the same array, from back to front.
template <class Count> double partition(const bench_arrays &a, unsigned percent)
{
    const IsLess is_less{bench_threshold(percent)};
    return with_storage([&](void *memory, size_t &bytes) {
        return cub::DevicePartition::If(memory, bytes, at<const uint32_t>(a.in[0]), at<uint32_t>(a.out[0]), at<uint64_t>(a.out[2]),
                                        static_cast<Count>(a.n), is_less);
    });
}

template <class Count> double unique(const bench_arrays &a)
{
    return with_storage([&](void *memory, size_t &bytes) {
        return cub::DeviceSelect::Unique(memory, bytes, at<const uint32_t>(a.in[0]), at<uint32_t>(a.out[0]), at<uint64_t>(a.out[1]),
                                         static_cast<Count>(a.n));
    });
}

template <class Count> double lengths(const bench_arrays &a)
{
    return with_storage([&](void *memory, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(memory, bytes, at<const uint32_t>(a.in[0]), at<uint32_t>(a.out[0]), at<uint32_t>(a.out[1]),
                                                  at<uint64_t>(a.out[2]), static_cast<Count>(a.n));
    });
}

template <class Count, class T, class Op> double by_key(const bench_arrays &a, Op op)
{
    return with_storage([&](void *memory, size_t &bytes) {
        return cub::DeviceReduce::ReduceByKey(memory, bytes, at<const uint32_t>(a.in[0]), at<uint32_t>(a.out[0]), at<const T>(a.in[1]),
                                              at<T>(a.out[1]), at<uint64_t>(a.out[2]), op, static_cast<Count>(a.n));
    });
}

template <class Count> double segmented_scan(const bench_arrays &a)
{
    return with_storage([&](void *memory, size_t &bytes) {
        return cub::DeviceScan::InclusiveSumByKey(memory, bytes, at<const uint32_t>(a.in[1]), at<const float>(a.in[0]), at<float>(a.out[0]),
                                                  static_cast<Count>(a.n));
    });
}

// Segments of `length` elements, by offsets.
template <class Count> double segmented_reduce(const bench_arrays &a, unsigned length, int input)
{
    const int64_t *offsets = at<const int64_t>(a.in[input]);
    const Count segments = static_cast<Count>((a.n + length - 1) / length);
    return with_storage([&](void *memory, size_t &bytes) {
        return cub::DeviceSegmentedReduce::Sum(memory, bytes, at<const float>(a.in[0]), at<float>(a.out[0]), segments, offsets, offsets + 1);
    });
}

// An element's items, as a range that is not in memory; and where they go.
struct ItemOf {
    uint32_t first;
    __host__ __device__ uint32_t operator()(uint32_t k) const { return first + k; }
};

struct ItemsOf {
    const uint32_t *in;
    __host__ __device__ auto operator()(uint32_t i) const
    {
        return thrust::make_transform_iterator(thrust::make_counting_iterator(0u), ItemOf{in[i] + i * 7});
    }
};

template <class Count> struct PlaceOf {
    uint32_t *out;
    const Count *places;
    __host__ __device__ uint32_t *operator()(uint32_t i) const { return out + places[i]; }
};

template <class Count> __global__ void store_sum(const uint32_t *lengths, const Count *places, Count n, uint64_t *count)
{
    *count = n ? static_cast<uint64_t>(places[n - 1]) + lengths[n - 1] : 0;
}

Memory places;

// Places by a scan, then a batched copy, which shares long ranges out.
template <class Count> double append(const bench_arrays &a)
{
    if (!places.reserve(a.n * sizeof(Count))) return -1;
    const uint32_t *in = at<const uint32_t>(a.in[0]);
    Count *const place = static_cast<Count *>(places.address);
    const auto from = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), ItemsOf{in});
    const auto to = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), PlaceOf<Count>{at<uint32_t>(a.out[0]), place});
    const double scan = with_storage([&](void *memory, size_t &bytes) {
        return cub::DeviceScan::ExclusiveScan(memory, bytes, in, place, cuda::std::plus<>{}, Count{0}, static_cast<Count>(a.n));
    });
    store_sum<Count><<<1, 1>>>(in, place, static_cast<Count>(a.n), at<uint64_t>(a.out[1]));
    const double copy =
        with_storage([&](void *memory, size_t &bytes) { return cub::DeviceCopy::Batched(memory, bytes, from, to, in, static_cast<uint32_t>(a.n)); });
    return scan < 0 || copy < 0 ? -1 : scan + copy;
}

// CUB's policies depend on the type of n: Count.
template <class Count> double run_cub(int which, const bench_arrays *a)
{
    const unsigned parameter = sweep_cases[which].parameter;
    switch (sweep_cases[which].kind) {
    case SWEEP_SELECT: return select<Count, uint32_t>(*a, parameter);
    case SWEEP_SELECT_U64: return select<Count, uint64_t>(*a, parameter);
    case SWEEP_PARTITION: return partition<Count>(*a, parameter);
    case SWEEP_UNIQUE: return unique<Count>(*a);
    case SWEEP_LENGTHS: return lengths<Count>(*a);
    case SWEEP_BY_KEY: return by_key<Count, float>(*a, cuda::std::plus<>{});
    case SWEEP_BY_KEY_AFFINE: return by_key<Count, Affine>(*a, Compose{});
    case SWEEP_SEGMENTED_SCAN: return segmented_scan<Count>(*a);
    case SWEEP_SEGMENTED_REDUCE: return segmented_reduce<Count>(*a, parameter, 2);
    case SWEEP_SEGMENTED_OFFSETS: return segmented_reduce<Count>(*a, parameter, 1);
    case SWEEP_APPEND:
    case SWEEP_APPEND_ANY: return append<Count>(*a);
    default: return -1;
    }
}

int cub_serves(int which) { return sweep_cases[which].kind != SWEEP_SCAN_OFFSETS; }

double run_memcpy(int which, const bench_arrays *a)
{
    const uint64_t bytes = a->n * (sweep_cases[which].kind == SWEEP_SELECT_U64 ? 8 : 4);
    return timed([&] { return cudaMemcpyAsync(at<void>(a->out[0]), at<void>(a->in[0]), bytes, cudaMemcpyDeviceToDevice); });
}

} // namespace

extern "C" const bench_peer bench_peers[] = {{"memcpy", run_memcpy, 0, nullptr, 0, nullptr},
                                             {"cub 32-bit", run_cub<int32_t>, 1, nullptr, INT32_MAX, cub_serves},
                                             {"cub 64-bit", run_cub<int64_t>, 1, nullptr, 0, cub_serves},
                                             {}};
extern "C" void bench_peers_version(char text[64]) { write_version(text); }
