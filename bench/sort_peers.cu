// Sorts by CUB between two buffers of its own (its fast form), which hold the inputs anew before every run, and memcpy. CUB's result stays there,
// to be compared with. Beside it a bitonic network in one block, with which radix sorts of few keys are compared. It is
// a peer and no strategy: for devices whose blocks have few threads it would be a second text for what the sort of one block does.
#include "cases.h"
#include "cub_peer.cuh"
#include "peers.h"

#include <cub/device/device_radix_sort.cuh>

namespace
{

struct TileDepth {
    uint32_t tile, depth; // the depth's bits
};

struct Key128 {
    uint64_t high, low;
};

struct alignas(16) Value16 {
    uint32_t words[4];
};

bool __device__ differ(Value16 a, Value16 b) { return a.words[0] != b.words[0] || a.words[1] != b.words[1] || a.words[2] != b.words[2] || a.words[3] != b.words[3]; }

template <class T> bool __device__ differ(T a, T b) { return a != b; }

using u128 = unsigned __int128; // CUB's key for one of ours of 16 bytes

enum { BLOCK = 256, BLOCKS = 2048 };

Memory temporary, keys[2], values[2], difference_count;
const void *sorted_keys, *sorted_values; // of the last run

// What CUB sorts for a key of ours.
template <class T> __device__ T image(T key) { return key; }

__device__ uint64_t image(TileDepth key)
{
    const uint32_t flipped = key.depth ^ (key.depth >> 31 ? 0xffffffffu : 0x80000000u);
    return static_cast<uint64_t>(key.tile & 0x3fff) << 32 | flipped;
}

__device__ u128 image(Key128 key) { return static_cast<u128>(key.high) << 64 | key.low; }

template <class Ours, class Theirs> __global__ void make_images(const Ours *from, Theirs *to, uint64_t n)
{
    for (uint64_t i = blockIdx.x * uint64_t{BLOCK} + threadIdx.x; i < n; i += uint64_t{BLOCK} * BLOCKS) to[i] = image(from[i]);
}

__global__ void make_indices(uint32_t *to, uint64_t n)
{
    for (uint64_t i = blockIdx.x * uint64_t{BLOCK} + threadIdx.x; i < n; i += uint64_t{BLOCK} * BLOCKS) to[i] = static_cast<uint32_t>(i);
}

template <class Ours, class Theirs, class Value>
__global__ void compare(const Ours *our_keys, const Theirs *their_keys, const Value *our_values, const Value *their_values, uint64_t n,
                        unsigned long long *count)
{
    unsigned long long mine = 0;
    for (uint64_t i = blockIdx.x * uint64_t{BLOCK} + threadIdx.x; i < n; i += uint64_t{BLOCK} * BLOCKS)
        mine += image(our_keys[i]) != their_keys[i] || (our_values && differ(our_values[i], their_values[i]));
    if (mine) atomicAdd(count, mine);
}

struct None {
};

// One case: Ours is a key in our arrays, Theirs its image, of which `bits` count; Value is None where there are none.
template <class Ours, class Theirs, int bits, class Given> struct Sort {
    static constexpr bool has_values = !std::is_same_v<Given, None>;
    using Value = std::conditional_t<has_values, Given, uint32_t>;

    // CUB's policies depend on the type of n: Count.
    template <class Count> static double run(const bench_arrays *a)
    {
        const uint64_t n = a->n;
        const Count count = static_cast<Count>(n);
        for (int i = 0; i < 2; i++)
            if (!keys[i].reserve(n * sizeof(Theirs)) || (has_values && !values[i].reserve(n * sizeof(Value)))) return -1;
        make_images<<<BLOCKS, BLOCK>>>(at<const Ours>(a->in[0]), static_cast<Theirs *>(keys[0].address), n);
        if (has_values && a->in[1]) cudaMemcpyAsync(values[0].address, at<void>(a->in[1]), n * sizeof(Value), cudaMemcpyDeviceToDevice);
        else if (has_values) make_indices<<<BLOCKS, BLOCK>>>(static_cast<uint32_t *>(values[0].address), n);
        cub::DoubleBuffer<Theirs> k(static_cast<Theirs *>(keys[0].address), static_cast<Theirs *>(keys[1].address));
        cub::DoubleBuffer<Value> v(static_cast<Value *>(values[0].address), static_cast<Value *>(values[1].address));
        size_t bytes = 0;
        const auto sort = [&](void *storage) {
            if constexpr (has_values) return cub::DeviceRadixSort::SortPairs(storage, bytes, k, v, count, 0, bits);
            else return cub::DeviceRadixSort::SortKeys(storage, bytes, k, count, 0, bits);
        };
        if (sort(nullptr) != cudaSuccess || !temporary.reserve(bytes)) return -1;
        const double seconds = timed([&] { return sort(temporary.address); });
        sorted_keys = k.Current();
        sorted_values = v.Current();
        return seconds;
    }

    static uint64_t differences(const bench_arrays *a)
    {
        unsigned long long count = UINT64_MAX;
        if (!difference_count.reserve(sizeof count)) return UINT64_MAX;
        auto *counter = static_cast<unsigned long long *>(difference_count.address);
        cudaMemset(counter, 0, sizeof count);
        compare<<<BLOCKS, BLOCK>>>(at<const Ours>(a->out[0]), static_cast<const Theirs *>(sorted_keys),
                                   has_values ? at<const Value>(a->out[1]) : nullptr, static_cast<const Value *>(sorted_values), a->n, counter);
        return cudaMemcpy(&count, counter, sizeof count, cudaMemcpyDeviceToHost) == cudaSuccess ? count : UINT64_MAX;
    }
};

// A bitonic network in one block's shared memory, for what is one tile at most (Batcher 1968). It is not stable, so where there are values a key's
// place makes each different from the others; places beyond the last item have the greatest of all.
enum { MOST_NETWORK_ITEMS = 16384, MOST_NETWORK_THREADS = 1024 };

template <class T, bool has_values>
__global__ void sort_by_network(const uint32_t *keys_in, const uint32_t *values_in, uint32_t *keys_out, uint32_t *values_out, uint32_t n,
                                uint32_t padded)
{
    extern __shared__ uint64_t items_of_block[];
    T *items = reinterpret_cast<T *>(items_of_block);
    for (uint32_t i = threadIdx.x; i < padded; i += blockDim.x) {
        if constexpr (has_values) items[i] = i < n ? static_cast<T>(keys_in[i]) << 32 | i : ~T{0};
        else items[i] = i < n ? keys_in[i] : ~T{0};
    }
    for (uint32_t size = 2; size <= padded; size *= 2) {
        for (uint32_t distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < padded / 2; i += blockDim.x) {
                const uint32_t low = 2 * i - i % distance, high = low + distance;
                const T a = items[low], b = items[high];
                if ((a > b) == ((low & size) == 0)) {
                    items[low] = b;
                    items[high] = a;
                }
            }
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        if constexpr (has_values) {
            keys_out[i] = static_cast<uint32_t>(items[i] >> 32);
            values_out[i] = values_in ? values_in[static_cast<uint32_t>(items[i])] : static_cast<uint32_t>(items[i]);
        } else keys_out[i] = items[i];
    }
}

template <class T, bool has_values> double run_network_of(const bench_arrays *a)
{
    const uint32_t n = static_cast<uint32_t>(a->n);
    uint32_t padded = 2;
    while (padded < n) padded *= 2;
    const uint32_t threads = padded / 2 < MOST_NETWORK_THREADS ? padded / 2 : MOST_NETWORK_THREADS;
    const auto kernel = sort_by_network<T, has_values>;
    const cudaError_t room =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(MOST_NETWORK_ITEMS * sizeof(T)));
    if (room != cudaSuccess) return -1;
    return timed([&] {
        kernel<<<1, threads, padded * sizeof(T)>>>(at<const uint32_t>(a->in[0]), at<const uint32_t>(a->in[1]), at<uint32_t>(a->out[0]),
                                                   at<uint32_t>(a->out[1]), n, padded);
        return cudaGetLastError();
    });
}

double run_network(int which, const bench_arrays *a)
{
    return which == SORT_U32 ? run_network_of<uint32_t, false>(a) : run_network_of<uint64_t, true>(a);
}

int has_network(int which) { return which == SORT_U32 || which == SORT_U32_PAIRS || which == SORT_U32_INDICES; }

struct Calls {
    double (*run_32)(const bench_arrays *), (*run_64)(const bench_arrays *);
    uint64_t (*differences)(const bench_arrays *);
    uint64_t key_bytes, value_bytes;
};

template <class Ours, class Theirs, int bits, class Value> constexpr Calls calls()
{
    using Made = Sort<Ours, Theirs, bits, Value>;
    return {Made::template run<uint32_t>, Made::template run<uint64_t>, Made::differences, sizeof(Ours), sizeof(typename Made::Value)};
}

constexpr Calls sorts[SORT_CASES] = {
    calls<uint32_t, uint32_t, 32, None>(),     calls<uint32_t, uint32_t, 32, uint32_t>(),  calls<uint64_t, uint64_t, 64, None>(),
    calls<uint64_t, uint64_t, 64, uint32_t>(), calls<TileDepth, uint64_t, 46, uint32_t>(), calls<uint8_t, uint8_t, 8, None>(),
    calls<uint16_t, uint16_t, 16, None>(),     calls<uint32_t, uint32_t, 32, uint32_t>(),  calls<uint32_t, uint32_t, 32, uint64_t>(),
    calls<uint32_t, uint32_t, 32, Value16>(),  calls<uint64_t, uint64_t, 64, uint64_t>(),  calls<uint64_t, uint64_t, 64, Value16>(),
    calls<Key128, u128, 128, None>(),          calls<Key128, u128, 128, uint32_t>(),
};

double run_32(int which, const bench_arrays *a) { return sorts[which].run_32(a); }

double run_64(int which, const bench_arrays *a) { return sorts[which].run_64(a); }

uint64_t count_differences(int which, const bench_arrays *a) { return sorts[which].differences(a); }

double run_memcpy(int which, const bench_arrays *a)
{
    return timed([&] {
        const cudaError_t error = cudaMemcpyAsync(at<void>(a->out[0]), at<void>(a->in[0]), a->n * sorts[which].key_bytes, cudaMemcpyDeviceToDevice);
        if (error != cudaSuccess || !a->in[1]) return error;
        return cudaMemcpyAsync(at<void>(a->out[1]), at<void>(a->in[1]), a->n * sorts[which].value_bytes, cudaMemcpyDeviceToDevice);
    });
}

} // namespace

extern "C" const bench_peer bench_peers[] = {{"memcpy", run_memcpy, 0, nullptr, 0, nullptr},
                                             {"cub 32-bit", run_32, 0, count_differences, UINT32_MAX, nullptr},
                                             {"cub 64-bit", run_64, 0, count_differences, 0, nullptr},
                                             {"bitonic network", run_network, 1, nullptr, MOST_NETWORK_ITEMS, has_network},
                                             {}};
extern "C" void bench_peers_version(char text[64]) { write_version(text); }
