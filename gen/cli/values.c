#include "values.h"
#include "measure/measure.h"

#include <stdlib.h>
#include <string.h>

int ms_is_one_of(const char *value, const char *const *values)
{
    for (; *values; values++)
        if (!strcmp(value, *values)) return 1;
    return 0;
}

/* One size, or a list without repetitions. */
ms_exit ms_parse_subgroup(const char *value, ms_options *options)
{
    uint32_t seen = 0;
    options->subgroup_count = 0;
    for (const char *text = value;; text++) {
        char *end;
        const unsigned long number = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || (*end && *end != ',') || number < 1 || number > 128 || (number & (number - 1)))
            return ms_complain(MS_EXIT_USAGE, "--subgroup %s: not a subgroup size; it is 1, 2, 4, 8, 16, 32, 64 or 128", value);
        if (seen & number) return ms_complain(MS_EXIT_USAGE, "--subgroup %s: %lu is given twice; leave one out", value, number);
        seen |= (uint32_t)number;
        options->subgroup_sizes[options->subgroup_count++] = (uint32_t)number;
        text = end;
        if (!*text) break;
    }
    options->subgroup_size = options->subgroup_sizes[0];
    return MS_EXIT_DONE;
}

ms_exit ms_parse_backends(const char *value, uint32_t *backends)
{
    for (const char *text = value;; text++) {
        const size_t length = strcspn(text, ",");
        if (length == 6 && !strncmp(text, "vulkan", 6)) *backends |= 1u << MSW_BACKEND_VULKAN;
        else if (length == 4 && !strncmp(text, "cuda", 4)) *backends |= 1u << MSW_BACKEND_CUDA;
        else return ms_complain(MS_EXIT_USAGE, "--backend %s: no such backend; it is vulkan, cuda or vulkan,cuda", value);
        text += length;
        if (!*text) return MS_EXIT_DONE;
    }
}

ms_exit ms_parse_embed(const char *value, const char **embed)
{
    static const char *const codes[] = {"ptx", "cubin", NULL};
    *embed = value;
    if (ms_is_one_of(value, codes)) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_USAGE, "--embed %s: no such code; it is ptx, for every later architecture, or cubin, for one", value);
}

ms_exit ms_parse_without(const char *flag, const char *value, uint32_t *without)
{
    while (*value) {
        const size_t length = strcspn(value, ",");
        const char *name;
        uint32_t f = 0;
        while ((name = msw_feature_name(f)) && (strlen(name) != length || strncmp(name, value, length))) f++;
        if (!name)
            return ms_complain(MS_EXIT_USAGE,
                               "%s %.*s: no such feature; there are int8, int16, int64, float16, float64 and those of "
                               "monosweep devices --verbose",
                               flag, (int)length, value);
        *without |= 1u << f;
        value += length + (value[length] == ',');
    }
    return MS_EXIT_DONE;
}

ms_exit ms_parse_progress(const char *value, uint32_t *progress)
{
    static const char *const models[] = {"parallel", "occupancy", "none", NULL};
    for (uint32_t i = 0; models[i]; i++)
        if (!strcmp(value, models[i])) return *progress = MSW_PROGRESS_PARALLEL + i, MS_EXIT_DONE;
    return ms_complain(MS_EXIT_USAGE, "--progress-model %s: no such model; it is parallel, occupancy or none", value);
}

const char *ms_cut_name(uint32_t cut)
{
    static const char *const names[] = {"optimum", "greedy", "fewest", "unfused"};
    return cut <= MSW_CUT_UNFUSED ? names[cut] : NULL;
}

ms_exit ms_parse_cut(const char *value, uint32_t *cut)
{
    for (uint32_t i = 0; ms_cut_name(i); i++)
        if (!strcmp(value, ms_cut_name(i))) return *cut = i, MS_EXIT_DONE;
    return ms_complain(MS_EXIT_USAGE, "--cut %s: no such method; it is optimum, greedy, fewest or unfused", value);
}

ms_exit ms_parse_device(const char *value, const char **device)
{
    static const char *const whole[] = {"auto", "host", "vulkan", "cuda", NULL};
    const size_t name = strcspn(value, ":"), digits = strspn(value + name + (value[name] == ':'), "0123456789");
    const int is_numbered = (name == 6 && !strncmp(value, "vulkan", 6)) || (name == 4 && !strncmp(value, "cuda", 4));
    *device = value;
    if (ms_is_one_of(value, whole) || (is_numbered && digits && !value[name + 1 + digits])) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_USAGE, "--device %s: no such device; it is auto, host, vulkan[:N] or cuda[:N] (monosweep devices lists them)", value);
}

const ms_target_name *ms_target_find(const char *name)
{
    static const ms_target_name targets[] = {
        {"cuda", "cu", MSW_BACKEND_CUDA, 0, "sm_"},     {"ptx", "ptx", MSW_BACKEND_CUDA, 1, "compute_"},
        {"cubin", "cubin", MSW_BACKEND_CUDA, 1, "sm_"}, {"glsl", "comp", MSW_BACKEND_VULKAN, 0, NULL},
        {"spirv", "spv", MSW_BACKEND_VULKAN, 1, NULL},  {"header", "h", MSW_BACKEND_AUTO, 0, "sm_"},
        {"plans", "c", MSW_BACKEND_AUTO, 0, "sm_"},
    };
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        if (!strcmp(name, targets[t].name)) return &targets[t];
    return NULL;
}

/* The first that texts are for, and a bound above all that there will be soon: which of them a compiler knows it says itself. */
enum { FIRST_ARCH = 75, LAST_ARCH = 199 };

static int is_arch(const char *value)
{
    const char *digits = value + (strncmp(value, "sm_", 3) ? 0 : 3);
    const size_t count = digits == value ? 0 : strspn(digits, "0123456789");
    const int number = count >= 2 && count <= 3 && *digits != '0' ? atoi(digits) : 0, is_bare = count && !digits[count];
    const int is_special = count && (digits[count] == 'a' || digits[count] == 'f') && !digits[count + 1];
    return number >= FIRST_ARCH && number <= LAST_ARCH && (is_bare || is_special);
}

ms_exit ms_parse_target(const char *value, const ms_target_name **target)
{
    *target = ms_target_find(value);
    if (*target) return MS_EXIT_DONE;
    if (is_arch(value))
        return ms_complain(MS_EXIT_USAGE, "--target %s: this is an architecture; write --target cuda --arch %s (or ptx, cubin, header, plans)", value,
                           value);
    return ms_complain(MS_EXIT_USAGE, "--target %s: no such target; it is cuda, ptx, cubin, glsl, spirv, header or plans", value);
}

ms_exit ms_parse_arch(const char *value, char arch[16])
{
    if (!is_arch(value))
        return ms_complain(
            MS_EXIT_USAGE,
            "--arch %s: not an architecture; it is sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120 .. (sm_%d to sm_%d, also with a or f "
            "behind, as sm_90a)",
            value, FIRST_ARCH, LAST_ARCH);
    strcpy(arch, value);
    return MS_EXIT_DONE;
}

ms_exit ms_parse_n(const char *value, const char **text)
{
    uint64_t sizes[MS_MAX_SIZES];
    *text = value;
    if (ms_parse_sizes(value, sizes)) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_USAGE,
                       "--n %s: not sizes; write 2^16, 2^10..2^28, 2^10..2^20:2^0.25, or several (%d at most, up to 2^40) with commas between", value,
                       MS_MAX_SIZES);
}

ms_exit ms_parse_entropy(const char *value, const ms_entropy **entropy)
{
    for (*entropy = ms_entropies; (*entropy)->name; ++*entropy)
        if (!strcmp(value, (*entropy)->name)) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_USAGE, "--entropy %s: not one of those that there are: 1.0, 0.811, 0.544, 0.337, 0.201 and 0", value);
}

ms_exit ms_parse_rounds(const char *value, uint32_t *rounds)
{
    char *end;
    const unsigned long number = strtoul(value, &end, 10);
    *rounds = (uint32_t)number;
    if (*value >= '0' && *value <= '9' && !*end && number >= 1 && number <= MS_MAX_ROUNDS) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_USAGE, "--rounds %s: not a number of 1 to %d", value, MS_MAX_ROUNDS);
}

ms_exit ms_parse_budget(const char *value, double *seconds)
{
    char *end;
    *seconds = strtod(value, &end);
    if (*value >= '0' && *value <= '9' && !*end && *seconds >= 0.001 && *seconds <= 1e6) return MS_EXIT_DONE;
    return ms_complain(MS_EXIT_USAGE, "--budget %s: not a number of seconds, 0.001 to 1000000", value);
}
