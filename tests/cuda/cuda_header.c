/* monosweep_cuda.h as users include it, in C and C++, alone and beside <cuda.h>, before it or after: compiled, never linked. */
#if defined MSW_CUDA_H_FIRST
#include <cuda.h>
#endif
#include <monosweep/monosweep_cuda.h>
#if defined MSW_CUDA_H_LAST
#include <cuda.h>
#endif

msw_result enqueue_once(msw_kernel *kernel, CUcontext context, CUstream stream, const msw_enqueue_desc *desc);

msw_result enqueue_once(msw_kernel *kernel, CUcontext context, CUstream stream, const msw_enqueue_desc *desc)
{
    msw_cuda_device device = {sizeof(msw_cuda_device), context, NULL, NULL};
    msw_diag diag;
    const msw_result result = msw_cuda_scratch_init(kernel, stream, desc->scratch, desc->scratch_bytes, &diag);
    return result == MSW_OK && device.context ? msw_cuda_enqueue(kernel, stream, desc, &diag) : result;
}
