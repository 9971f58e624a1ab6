/* The header in a second file of the program: declarations alone. */
#include "other.h"

uint64_t other_scratch_bytes(const running_kernel *kernel, uint64_t n) { return running_scratch_bytes(kernel, n); }
