// bench_hold_clock SECONDS: keeps a GPU's clock up beside benches that leave it idle between submissions (Vulkan): one thread runs, a bit at a time.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>

// So short that whoever else wants the device need not wait for long.
enum { TICKS = 100000 };

__global__ void spin()
{
    for (const long long start = clock64(); clock64() - start < TICKS;) {}
}

int main(int count, char **arguments)
{
    const time_t end = time(nullptr) + (count > 1 ? atoi(arguments[1]) : 60);
    cudaError_t error = cudaSuccess;
    while (error == cudaSuccess && time(nullptr) < end) {
        spin<<<1, 1>>>();
        error = cudaDeviceSynchronize();
    }
    if (error != cudaSuccess) fprintf(stderr, "bench_hold_clock: %s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
