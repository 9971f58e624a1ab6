#include "spirv.h"

#include "spirv_floats.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <set>
#include <spirv-tools/libspirv.h>
#include <spirv-tools/optimizer.hpp>
#include <vector>

namespace
{

const uint32_t MOST_ELEMENTS = 256; // of an array that becomes values

using spvtools::Optimizer;

/* SPIRV-Tools' performance passes (2023.1), up to what copies operations. First structs of like members become one type: simplification takes one for
 * another, and stores elements as the wrong one. Before that their names go: llvmpipe refuses copies between what was two structs of two names. */
void register_unrolling(Optimizer &o)
{
    o.RegisterPass(spvtools::CreateStripDebugInfoPass())
        .RegisterPass(spvtools::CreateRemoveDuplicatesPass())
        .RegisterPass(spvtools::CreateWrapOpKillPass())
        .RegisterPass(spvtools::CreateDeadBranchElimPass())
        .RegisterPass(spvtools::CreateMergeReturnPass())
        .RegisterPass(spvtools::CreateInlineExhaustivePass())
        .RegisterPass(spvtools::CreateEliminateDeadFunctionsPass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass())
        .RegisterPass(spvtools::CreatePrivateToLocalPass())
        .RegisterPass(spvtools::CreateLocalSingleBlockLoadStoreElimPass())
        .RegisterPass(spvtools::CreateLocalSingleStoreElimPass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass())
        .RegisterPass(spvtools::CreateScalarReplacementPass())
        .RegisterPass(spvtools::CreateLocalAccessChainConvertPass())
        .RegisterPass(spvtools::CreateLocalSingleBlockLoadStoreElimPass())
        .RegisterPass(spvtools::CreateLocalSingleStoreElimPass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass())
        .RegisterPass(spvtools::CreateSSARewritePass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass())
        .RegisterPass(spvtools::CreateCCPPass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass())
        .RegisterPass(spvtools::CreateLoopUnrollPass(true));
}

/* The rest of them, but for the first of two eliminations of redundancy, which takes a third of the time and leaves nothing that the second one
 * does not find (bench/NOTES.md). Only the inner of two loops is unrolled by now: the outer one must go too, so that arrays with an element for each
 * round become values. */
void register_folding(Optimizer &o)
{
    o.RegisterPass(spvtools::CreateDeadBranchElimPass())
        .RegisterPass(spvtools::CreateCombineAccessChainsPass())
        .RegisterPass(spvtools::CreateSimplificationPass())
        .RegisterPass(spvtools::CreateScalarReplacementPass())
        .RegisterPass(spvtools::CreateLocalAccessChainConvertPass())
        .RegisterPass(spvtools::CreateLocalSingleBlockLoadStoreElimPass())
        .RegisterPass(spvtools::CreateLocalSingleStoreElimPass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass())
        .RegisterPass(spvtools::CreateSSARewritePass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass())
        .RegisterPass(spvtools::CreateVectorDCEPass())
        .RegisterPass(spvtools::CreateDeadInsertElimPass())
        .RegisterPass(spvtools::CreateDeadBranchElimPass())
        .RegisterPass(spvtools::CreateSimplificationPass())
        .RegisterPass(spvtools::CreateIfConversionPass())
        .RegisterPass(spvtools::CreateCopyPropagateArraysPass())
        .RegisterPass(spvtools::CreateReduceLoadSizePass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass())
        .RegisterPass(spvtools::CreateBlockMergePass())
        .RegisterPass(spvtools::CreateDeadBranchElimPass())
        .RegisterPass(spvtools::CreateBlockMergePass())
        .RegisterPass(spvtools::CreateSimplificationPass())
        .RegisterPass(spvtools::CreateLoopUnrollPass(true));
}

void register_outer_folding(Optimizer &o)
{
    o.RegisterPass(spvtools::CreateScalarReplacementPass(MOST_ELEMENTS))
        .RegisterPass(spvtools::CreateLocalAccessChainConvertPass())
        .RegisterPass(spvtools::CreateSSARewritePass())
        .RegisterPass(spvtools::CreateCCPPass())
        .RegisterPass(spvtools::CreateSimplificationPass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass());
}

/* SPIRV-Tools leaves operations with NoContraction alone, but unrolls loops into copies without it (its issue 5902). So the copies are decorated
 * before a pass that folds sees them. */
bool optimise(std::vector<uint32_t> &words, const spvtools::MessageConsumer &keep_message)
{
    spvtools::OptimizerOptions options;
    options.set_run_validator(false);
    for (const auto register_passes : {register_unrolling, register_folding, register_outer_folding}) {
        Optimizer optimizer(SPV_ENV_VULKAN_1_3);
        std::vector<uint32_t> optimised;
        optimizer.SetMessageConsumer(keep_message);
        register_passes(optimizer);
        words = ms_spirv_keep_floats(words);
        if (!optimizer.Run(words.data(), words.size(), &optimised, options)) return false;
        words.swap(optimised);
    }
    return true;
}

enum { HEADER = 5, OP_FUNCTION = 54, DONT_INLINE = 2 };
const size_t LONG_WORDS = 2600;                         // of a spec's function: some 200 operations
const size_t MANY_CALLS = 64, MOST_COPIED_WORDS = 4000; // of what is called that often, a helper

// Of a spec's functions (gen/emit/emit.lua), by glslang's name for them, "combine(u1;u1;".
bool is_of_spec(const char *name)
{
    for (const char *own : {"combine(", "map_item(", "output_item(", "key_image("})
        if (!std::strncmp(name, own, std::strlen(own))) return true;
    return false;
}

// The module, in which a spec's long functions, and helpers that are called often, are not to be inlined: with a copy for each call, in loops that
// are unrolled, an operator of 900 operations takes 7 s and 260 MB, one of 100 remainders of an emulated type longer. A function stands before its
// callers.
std::vector<uint32_t> with_functions_kept(const uint32_t *words, size_t count)
{
    enum { OP_NAME = 5, OP_FUNCTION_END = 56, OP_CALL = 57 };
    std::vector<uint32_t> module(words, words + count);
    std::set<uint32_t> own;
    std::map<uint32_t, size_t> calls, copied; // copied: a function's words with what is inlined into it; 0 when it stays a function
    for (size_t at = HEADER; at < count && module[at] >> 16; at += module[at] >> 16) {
        const uint32_t op = module[at] & 0xffff;
        if (op == OP_NAME && is_of_spec(reinterpret_cast<const char *>(&module[at + 2]))) own.insert(module[at + 1]);
        if (op == OP_CALL) calls[module[at + 3]]++;
    }
    size_t begin = 0, length = 0;
    for (size_t at = HEADER; at < count && module[at] >> 16; at += module[at] >> 16) {
        const uint32_t op = module[at] & 0xffff;
        if (op == OP_FUNCTION) begin = at, length = 0;
        length += module[at] >> 16;
        if (op == OP_CALL) length += copied[module[at + 3]];
        if (op != OP_FUNCTION_END) continue;
        const uint32_t function = module[begin + 2];
        const size_t times = calls[function];
        const bool is_kept = own.count(function) ? length > LONG_WORDS : times > MANY_CALLS && times * length > MOST_COPIED_WORDS;
        copied[function] = is_kept ? 0 : length;
        if (is_kept) module[begin + 3] |= DONT_INLINE;
    }
    return module;
}

// What SPIRV-Tools was told is not for drivers: NVIDIA's (580.159) crashes over a long function that is not to be inlined.
void leave_inlining_to_drivers(std::vector<uint32_t> &module)
{
    for (size_t at = HEADER; at < module.size() && module[at] >> 16; at += module[at] >> 16)
        if ((module[at] & 0xffff) == OP_FUNCTION) module[at + 3] &= ~uint32_t{DONT_INLINE};
}

/* The validator makes names of its own of those that a module gives its ids, in quadratic time where many are alike, as glslang's are of arguments.
 * So it sees them only where it has something to say. */
bool is_valid(const spvtools::SpirvTools &tools, const uint32_t *words, size_t count)
{
    enum { OP_NAME = 5, OP_MEMBER_NAME = 6 };
    spvtools::ValidatorOptions options;
    options.SetScalarBlockLayout(true);
    std::vector<uint32_t> nameless(words, words + HEADER);
    for (size_t at = HEADER; at < count && words[at] >> 16 && words[at] >> 16 <= count - at; at += words[at] >> 16) {
        const uint32_t op = words[at] & 0xffff;
        if (op != OP_NAME && op != OP_MEMBER_NAME) nameless.insert(nameless.end(), words + at, words + at + (words[at] >> 16));
    }
    spvtools::SpirvTools quiet(SPV_ENV_VULKAN_1_3);
    return quiet.Validate(nameless.data(), nameless.size(), options) || tools.Validate(words, count, options);
}

} // namespace

int ms_spirv_optimise(const uint32_t *words, size_t count, int (*give)(void *user, const uint32_t *words, size_t count), void *user, char *message,
                      size_t message_bytes)
try {
    const auto keep_message = [=](spv_message_level_t level, const char *, const spv_position_t &, const char *text) {
        if (level <= SPV_MSG_ERROR) std::snprintf(message, message_bytes, "%s", text);
    };
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_3);
    tools.SetMessageConsumer(keep_message);
    if (!is_valid(tools, words, count)) return -1;
    std::vector<uint32_t> optimised = with_functions_kept(words, count);
    if (!optimise(optimised, keep_message)) return -1;
    leave_inlining_to_drivers(optimised);
    if (!is_valid(tools, optimised.data(), optimised.size())) return -1;
    if (const uint32_t loose = ms_spirv_count_loose(optimised.data(), optimised.size())) {
        std::snprintf(message, message_bytes, "%u float operations without NoContraction, which drivers may fuse or fold; report this", loose);
        return -1;
    }
    return give(user, optimised.data(), optimised.size());
} catch (const std::exception &error) {
    std::snprintf(message, message_bytes, "%s", error.what());
    return -1;
}

const char *ms_spirv_version(void) { return spvSoftwareVersionDetailsString(); }
