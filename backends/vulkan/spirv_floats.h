/* spirv_floats.h - SPIR-V's float arithmetic, which drivers and optimisers leave as it stands where it is decorated with NoContraction. C++ only. */
#ifndef MS_VK_SPIRV_FLOATS_H
#define MS_VK_SPIRV_FLOATS_H

#include "spirv.h" /* ms_spirv_count_loose */

#include <cstdint>
#include <vector>

/* The module with the decoration on each of its float operations, whoever wrote them. A valid module, and one again. */
std::vector<uint32_t> ms_spirv_keep_floats(const std::vector<uint32_t> &words);

#endif
