/* nvrtc.h - NVIDIA's run-time compiler, opened at run time by declarations of our own: no SDK is needed to build, and none to run elsewhere. */
#ifndef MS_CUDA_NVRTC_H
#define MS_CUDA_NVRTC_H

#include "../../runtime/backend.h"

typedef int ms_nvrtc_result; /* nvrtcResult; 0 is success */
typedef struct ms_nvrtc_program *ms_nvrtc_program;

enum { MS_NVRTC_SUCCESS = 0, MS_NVRTC_OUT_OF_MEMORY = 1 };

/* X(member, parameters): nvrtc##member of libnvrtc, 11.2 or later. */
// clang-format off
#define MS_NVRTC_FUNCTIONS(X) \
    X(Version, (int *major, int *minor)) \
    X(GetNumSupportedArchs, (int *count)) \
    X(GetSupportedArchs, (int *archs)) \
    X(CreateProgram, (ms_nvrtc_program *program, const char *text, const char *name, int headers, const char *const *sources, \
                      const char *const *names)) \
    X(DestroyProgram, (ms_nvrtc_program *program)) \
    X(CompileProgram, (ms_nvrtc_program program, int options, const char *const *option)) \
    X(GetPTXSize, (ms_nvrtc_program program, size_t *bytes)) \
    X(GetPTX, (ms_nvrtc_program program, char *ptx)) \
    X(GetCUBINSize, (ms_nvrtc_program program, size_t *bytes)) \
    X(GetCUBIN, (ms_nvrtc_program program, char *cubin)) \
    X(GetProgramLogSize, (ms_nvrtc_program program, size_t *bytes)) \
    X(GetProgramLog, (ms_nvrtc_program program, char *log))
// clang-format on

typedef struct ms_nvrtc {
    void *library;
    int major, minor;
#define MS_NVRTC_MEMBER(name, parameters) ms_nvrtc_result(*name) parameters;
    MS_NVRTC_FUNCTIONS(MS_NVRTC_MEMBER)
#undef MS_NVRTC_MEMBER
} ms_nvrtc;

/* Opens the newest NVRTC where the system's linker and CUDA's and Python's packages keep it. Errors: UNSUPPORTED. */
msw_result ms_nvrtc_open(ms_nvrtc *nvrtc, msw_diag *diag);
void ms_nvrtc_close(ms_nvrtc *nvrtc);

/* Which file would be opened, with its size and time: that takes 0.1 ms, where opening it takes 8. 0: it is not known where the file is, if there is
 * any. */
int ms_nvrtc_identify(char *text, size_t bytes);

/* Compiles a kernel for arch: a cubin for "sm_90", PTX for "compute_90" (its NUL counted); NULL is compute_75. An architecture that this NVRTC
 * does not know yet gets PTX of the last before it. *log: what the compiler said, "" if nothing; both are freed with ms_free, the log of
 * strlen + 1 bytes. Errors: COMPILE with the log's first error, OUT_OF_MEMORY, UNSUPPORTED. */
msw_result ms_nvrtc_compile(const ms_nvrtc *nvrtc, const msw_plan_kernel *kernel, const char *arch, const msw_allocator *allocator, void **code,
                            size_t *code_bytes, char **log, msw_diag *diag);

#endif
