#include "spirv.h"

#include <cstdio>
#include <exception>
#include <spirv-tools/libspirv.h>
#include <spirv-tools/optimizer.hpp>
#include <vector>

static const uint32_t MOST_ELEMENTS = 256; // of such an array

int ms_spirv_optimise(const uint32_t *words, size_t count, int (*give)(void *user, const uint32_t *words, size_t count), void *user, char *message,
                      size_t message_bytes)
try {
    const auto keep_message = [=](spv_message_level_t level, const char *, const spv_position_t &, const char *text) {
        if (level <= SPV_MSG_ERROR) std::snprintf(message, message_bytes, "%s", text);
    };
    spvtools::ValidatorOptions validation;
    validation.SetScalarBlockLayout(true);
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_3);
    tools.SetMessageConsumer(keep_message);
    if (!tools.Validate(words, count, validation)) return -1;
    spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_3);
    optimizer.SetMessageConsumer(keep_message);
    optimizer.RegisterPerformancePasses();
    // They unroll the inner of two loops. The outer one must go too, so that arrays with an element for each round become values.
    optimizer.RegisterPass(spvtools::CreateLoopUnrollPass(true))
        .RegisterPass(spvtools::CreateScalarReplacementPass(MOST_ELEMENTS))
        .RegisterPass(spvtools::CreateLocalAccessChainConvertPass())
        .RegisterPass(spvtools::CreateSSARewritePass())
        .RegisterPass(spvtools::CreateCCPPass())
        .RegisterPass(spvtools::CreateSimplificationPass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass());
    spvtools::OptimizerOptions options;
    options.set_run_validator(false);
    std::vector<uint32_t> optimised;
    if (!optimizer.Run(words, count, &optimised, options)) return -1;
    if (!tools.Validate(optimised.data(), optimised.size(), validation)) return -1;
    return give(user, optimised.data(), optimised.size());
} catch (const std::exception &error) {
    std::snprintf(message, message_bytes, "%s", error.what());
    return -1;
}

const char *ms_spirv_version(void) { return spvSoftwareVersionDetailsString(); }
