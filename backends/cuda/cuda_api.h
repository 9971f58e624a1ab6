/* cuda_api.h - the few declarations of the CUDA driver that are used, written by hand so that no SDK is needed.
 * tests/cuda/cuda_declarations.c compares them with <cuda.h> where there is one. */
#ifndef MS_CUDA_API_H
#define MS_CUDA_API_H

#include <monosweep/monosweep_cuda.h>

typedef int CUdevice; /* its ordinal */
typedef unsigned long long CUdeviceptr;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUevent_st *CUevent;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef unsigned ms_cu_result; /* CUresult; enumerations are unsigned here, as compilers make them */

enum {
    MS_CU_SUCCESS = 0,
    MS_CU_ERROR_OUT_OF_MEMORY = 2,
    MS_CU_ERROR_NO_BINARY_FOR_GPU = 209,
    MS_CU_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    MS_CU_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720
};

enum { /* CUdevice_attribute */
       MS_CU_MAX_THREADS_PER_BLOCK = 1,
       MS_CU_MAX_GRID_DIM_X = 5,
       MS_CU_MAX_SHARED_MEMORY_PER_BLOCK = 8,
       MS_CU_WARP_SIZE = 10,
       MS_CU_MULTIPROCESSOR_COUNT = 16,
       MS_CU_COMPUTE_CAPABILITY_MAJOR = 75,
       MS_CU_COMPUTE_CAPABILITY_MINOR = 76,
       MS_CU_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};

enum { /* CUfunction_attribute */
       MS_CU_FUNC_MAX_THREADS_PER_BLOCK = 0,
       MS_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
       MS_CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
};
enum { MS_CU_JIT_ERROR_LOG_BUFFER = 5, MS_CU_JIT_ERROR_LOG_BUFFER_BYTES = 6 }; /* CUjit_option */
enum { MS_CU_STREAM_DEFAULT = 0, MS_CU_EVENT_DEFAULT = 0 };
enum { MS_CU_STREAM_PER_THREAD = 2 }; /* CU_STREAM_PER_THREAD, a CUstream: each thread's own */

/* X(member, exported function, parameters). The versions are those of CUDA 11.0 and later. */
// clang-format off
#define MS_CU_FUNCTIONS(X) \
    X(Init, cuInit, (unsigned flags)) \
    X(DriverGetVersion, cuDriverGetVersion, (int *version)) \
    X(GetErrorString, cuGetErrorString, (ms_cu_result result, const char **text)) \
    X(DeviceGetCount, cuDeviceGetCount, (int *count)) \
    X(DeviceGetName, cuDeviceGetName, (char *name, int name_bytes, CUdevice device)) \
    X(DeviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device)) \
    X(DeviceGetAttribute, cuDeviceGetAttribute, (int *value, unsigned attribute, CUdevice device)) \
    X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device)) \
    X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device)) \
    X(CtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext context)) \
    X(CtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext *context)) \
    X(CtxGetDevice, cuCtxGetDevice, (CUdevice *device)) \
    X(StreamCreate, cuStreamCreate, (CUstream *stream, unsigned flags)) \
    X(StreamDestroy, cuStreamDestroy_v2, (CUstream stream)) \
    X(StreamSynchronize, cuStreamSynchronize, (CUstream stream)) \
    X(EventCreate, cuEventCreate, (CUevent *event, unsigned flags)) \
    X(EventDestroy, cuEventDestroy_v2, (CUevent event)) \
    X(EventRecord, cuEventRecord, (CUevent event, CUstream stream)) \
    X(EventElapsedTime, cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end)) \
    X(MemAlloc, cuMemAlloc_v2, (CUdeviceptr *address, size_t bytes)) \
    X(MemFree, cuMemFree_v2, (CUdeviceptr address)) \
    X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)) \
    X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream)) \
    X(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
    X(ModuleLoadDataEx, cuModuleLoadDataEx, (CUmodule *module, const void *image, unsigned option_count, unsigned *options, void **values)) \
    X(ModuleUnload, cuModuleUnload, (CUmodule module)) \
    X(ModuleGetFunction, cuModuleGetFunction, (CUfunction *function, CUmodule module, const char *name)) \
    X(FuncGetAttribute, cuFuncGetAttribute, (int *value, unsigned attribute, CUfunction function)) \
    X(FuncSetAttribute, cuFuncSetAttribute, (CUfunction function, unsigned attribute, int value)) \
    X(OccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, \
      (int *blocks, CUfunction function, int block_threads, size_t dynamic_shared_bytes)) \
    X(LaunchCooperativeKernel, cuLaunchCooperativeKernel, \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, \
       unsigned shared_bytes, CUstream stream, void **parameters)) \
    X(LaunchKernel, cuLaunchKernel, \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, \
       unsigned shared_bytes, CUstream stream, void **parameters, void **extra))
// clang-format on

enum { MS_CU_DEV_RESOURCE_SM = 1 }; /* CUdevResourceType */

/* CUdevResource, with room for later versions of it. */
typedef struct ms_cu_resource {
    unsigned type;
    unsigned char padding[92];
    unsigned multiprocessors;
    unsigned char more[156];
} ms_cu_resource;

/* CUlaunchAttribute, CUlaunchConfig. */
typedef struct ms_cu_launch_attribute {
    unsigned id;
    char padding[4];
    union {
        int number;
        unsigned cluster[3];
        char more[64];
    } value;
} ms_cu_launch_attribute;

typedef struct ms_cu_launch_config {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    CUstream stream;
    ms_cu_launch_attribute *attributes;
    unsigned attribute_count;
} ms_cu_launch_config;

enum { MS_CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4, MS_CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6 };

/* What drivers have for CUDA 12.4 and later, and, the last two, for 11.8; NULL elsewhere. The first three are queries, legal while a stream is
 * captured. */
// clang-format off
#define MS_CU_OPTIONAL_FUNCTIONS(X) \
    X(StreamGetGreenCtx, cuStreamGetGreenCtx, (CUstream stream, CUgreenCtx *context)) \
    X(GreenCtxGetDevResource, cuGreenCtxGetDevResource, (CUgreenCtx context, ms_cu_resource *resource, unsigned type)) \
    X(CtxGetDevResource, cuCtxGetDevResource, (CUcontext context, ms_cu_resource *resource, unsigned type)) \
    X(OccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters, (int *clusters, CUfunction function, const ms_cu_launch_config *config)) \
    X(LaunchKernelEx, cuLaunchKernelEx, (const ms_cu_launch_config *config, CUfunction function, void **parameters, void **extra))
// clang-format on

#endif
