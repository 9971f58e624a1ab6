/* loader.h - the CUDA driver opened at run time: a table of functions per context, no global state. */
#ifndef MS_CUDA_LOADER_H
#define MS_CUDA_LOADER_H

#include "../../runtime/backend.h"
#include "cuda_api.h"

MS_SIZED(msw_cuda_device, user);

typedef struct ms_cu_functions {
    void *library; /* of dlopen; NULL when the caller gave get_proc_address */
#define MS_CU_MEMBER(name, function, parameters) ms_cu_result(*name) parameters;
    MS_CU_FUNCTIONS(MS_CU_MEMBER)
    MS_CU_OPTIONAL_FUNCTIONS(MS_CU_MEMBER)
#undef MS_CU_MEMBER
} ms_cu_functions;

/* Finds the functions, through given->get_proc_address where there is one, and initialises the driver. */
msw_result ms_cu_load(ms_cu_functions *cu, const msw_cuda_device *given, msw_diag *diag);
void ms_cu_unload(ms_cu_functions *cu);

/* Fails with the driver's words: "cuMemAlloc: out of memory (CUresult 2)". */
msw_result ms_cu_fail(const ms_cu_functions *cu, msw_diag *diag, ms_cu_result result, const char *call);

#endif
