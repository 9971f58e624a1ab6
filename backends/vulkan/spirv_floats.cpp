#include "spirv_floats.h"

#include <cstddef>
#include <unordered_set>

namespace
{

/* SPIR-V 1.5, 2.3 (physical layout), 3.32 (instructions). */
enum { HEADER_WORDS = 5, DECORATE = 71, NO_CONTRACTION = 42, DECORATION_WORDS = 3 };

struct instruction {
    const uint32_t *words;
    uint32_t opcode;
    uint32_t result() const { return words[2]; } /* of those that is_float_operation names */
};

/* Calls visit with every instruction. */
template <typename Visit> void each(const uint32_t *words, std::size_t count, Visit visit)
{
    for (std::size_t at = HEADER_WORDS; at < count && words[at] >> 16; at += words[at] >> 16) { visit(instruction{words + at, words[at] & 0xffff}); }
}

bool is_float_operation(uint32_t opcode)
{
    enum { FNegate = 127, FAdd = 129, FSub = 131, FMul = 133, FDiv = 136, FRem = 140, FMod = 141, VectorTimesScalar = 142, Dot = 148 };
    if (opcode >= VectorTimesScalar && opcode <= Dot) return true; /* those of matrices are between */
    return opcode == FNegate || opcode == FAdd || opcode == FSub || opcode == FMul || opcode == FDiv || opcode == FRem || opcode == FMod;
}

/* Results that are decorated. */
std::unordered_set<uint32_t> kept(const uint32_t *words, std::size_t count)
{
    std::unordered_set<uint32_t> ids;
    each(words, count, [&](const instruction &i) {
        if (i.opcode == DECORATE && i.words[2] == NO_CONTRACTION) ids.insert(i.words[1]);
    });
    return ids;
}

/* Where further decorations may stand: before the first type. */
std::size_t end_of_decorations(const std::vector<uint32_t> &words)
{
    enum { FIRST_TYPE = 19, LAST_TYPE = 39 };
    std::size_t at = HEADER_WORDS;
    while (at < words.size() && words[at] >> 16 && ((words[at] & 0xffff) < FIRST_TYPE || (words[at] & 0xffff) > LAST_TYPE)) at += words[at] >> 16;
    return at;
}

} // namespace

std::vector<uint32_t> ms_spirv_keep_floats(const std::vector<uint32_t> &words)
{
    const std::unordered_set<uint32_t> already = kept(words.data(), words.size());
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(end_of_decorations(words));
    std::vector<uint32_t> result(words.begin(), end);
    each(words.data(), words.size(), [&](const instruction &i) {
        if (is_float_operation(i.opcode) && !already.count(i.result()))
            result.insert(result.end(), {DECORATION_WORDS << 16 | DECORATE, i.result(), NO_CONTRACTION});
    });
    result.insert(result.end(), end, words.end());
    return result;
}

uint32_t ms_spirv_count_loose(const uint32_t *words, size_t count)
{
    const std::unordered_set<uint32_t> ids = kept(words, count);
    uint32_t loose = 0;
    each(words, count, [&](const instruction &i) { loose += is_float_operation(i.opcode) && !ids.count(i.result()); });
    return loose;
}
