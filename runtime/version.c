#include <monosweep/monosweep.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *msw_version(void) { return TEXT(MSW_VERSION_MAJOR) "." TEXT(MSW_VERSION_MINOR) "." TEXT(MSW_VERSION_PATCH); }

const char *msw_result_text(msw_result result)
{
    switch (result) {
    case MSW_OK: return "ok";
    case MSW_ERROR_INVALID_ARGUMENT: return "invalid argument";
    case MSW_ERROR_OUT_OF_MEMORY: return "out of memory";
    case MSW_ERROR_SPEC: return "spec error";
    case MSW_ERROR_UNSUPPORTED: return "unsupported";
    case MSW_ERROR_DEVICE: return "device error";
    case MSW_ERROR_COMPILE: return "kernel compilation failed";
    case MSW_ERROR_IO: return "input or output error";
    case MSW_ERROR_TOO_SMALL: return "buffer or scratch too small";
    case MSW_ERROR_VERSION: return "version mismatch";
    case MSW_ERROR_NOT_READY: return "kernel not on the device yet";
    }
    return "unknown result";
}

const char *msw_feature_name(uint32_t index)
{
    static const char *const names[] = {"int8", "int16", "int64", "float16", "float64", "atomic64", "subgroup", "long_loops", "uniform_control_flow"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}
