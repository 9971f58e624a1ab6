/* cuda_app_api.h - what an application uses of the CUDA driver beside what the library does; compared with <cuda.h> like cuda_api.h. */
#ifndef CUDA_APP_API_H
#define CUDA_APP_API_H

#include "../../backends/cuda/cuda_api.h"

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

enum { APP_CU_STREAM_NON_BLOCKING = 1, APP_CU_CAPTURE_GLOBAL = 0, APP_CU_CAPTURE_RELAXED = 2 };

// clang-format off
#define APP_CU_FUNCTIONS(X) \
    X(CtxDestroy, cuCtxDestroy_v2, (CUcontext context)) \
    X(CtxGetCurrent, cuCtxGetCurrent, (CUcontext *context)) \
    X(StreamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream, unsigned mode)) \
    X(StreamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph *graph)) \
    X(GraphInstantiate, cuGraphInstantiateWithFlags, (CUgraphExec *exec, CUgraph graph, unsigned long long flags)) \
    X(GraphLaunch, cuGraphLaunch, (CUgraphExec exec, CUstream stream)) \
    X(GraphExecDestroy, cuGraphExecDestroy, (CUgraphExec exec)) \
    X(GraphDestroy, cuGraphDestroy, (CUgraph graph)) \
    X(MemGetInfo, cuMemGetInfo_v2, (size_t *free_bytes, size_t *total_bytes)) \
    X(MemsetD8Async, cuMemsetD8Async, (CUdeviceptr address, unsigned char value, size_t bytes, CUstream stream))
// clang-format on

typedef struct CUdevResourceDesc_st *CUdevResourceDesc;

enum { APP_CU_GREEN_CTX_DEFAULT_STREAM = 1 };

/* Of drivers for CUDA 12.4 and later: NULL elsewhere. An array of resources has one. */
// clang-format off
#define APP_CU_GREEN_FUNCTIONS(X) \
    X(DeviceGetDevResource, cuDeviceGetDevResource, (CUdevice device, ms_cu_resource *resource, unsigned type)) \
    X(DevSmResourceSplitByCount, cuDevSmResourceSplitByCount, \
      (ms_cu_resource *groups, unsigned *group_count, const ms_cu_resource *all, ms_cu_resource *rest, unsigned flags, unsigned least)) \
    X(DevResourceGenerateDesc, cuDevResourceGenerateDesc, (CUdevResourceDesc *desc, ms_cu_resource *resources, unsigned count)) \
    X(GreenCtxCreate, cuGreenCtxCreate, (CUgreenCtx *context, CUdevResourceDesc desc, CUdevice device, unsigned flags)) \
    X(GreenCtxDestroy, cuGreenCtxDestroy, (CUgreenCtx context)) \
    X(GreenCtxStreamCreate, cuGreenCtxStreamCreate, (CUstream *stream, CUgreenCtx context, unsigned flags, int priority)) \
    X(CtxFromGreenCtx, cuCtxFromGreenCtx, (CUcontext *context, CUgreenCtx green))
// clang-format on

/* Newer versions of <cuda.h> have hidden this version, which the driver keeps. */
#define APP_CU_OLD_FUNCTIONS(X) X(CtxCreate, cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device))

#endif
