#include "target.h"
#include "diag.h"

#include <string.h>

typedef struct cuda_arch {
    const char *number;
    uint32_t shared_kilobytes, multiprocessors, cluster_blocks;
} cuda_arch;

/* The most shared memory of a block (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"), the multiprocessors of its
 * largest common device, and the blocks of a cluster: 16 where that has been seen, else 8, which all take that have clusters. */
static const cuda_arch *find_arch(const char *arch)
{
    static const cuda_arch known[] = {{"75", 64, 72, 1},    {"80", 163, 108, 1},  {"86", 99, 84, 1},    {"87", 163, 16, 1}, {"89", 99, 142, 1},
                                      {"90", 227, 132, 16}, {"100", 227, 148, 8}, {"103", 227, 148, 8}, {"120", 99, 188, 8}};
    const char *number = arch ? strchr(arch, '_') : NULL;
    const size_t digits = number ? strspn(number + 1, "0123456789") : 0;
    for (size_t i = 0; number && i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].number) == digits && !strncmp(known[i].number, number + 1, digits)) return &known[i];
    return NULL;
}

static void fill(msw_target *target)
{
    if (!target->backend) target->backend = MSW_BACKEND_VULKAN;
    const int cuda = target->backend == MSW_BACKEND_CUDA;
    const cuda_arch *arch = cuda ? find_arch(target->arch) : NULL;
    if (!target->subgroup_size) target->subgroup_size = 32;
    if (!target->max_block_subgroups && target->backend == MSW_BACKEND_VULKAN) target->max_block_subgroups = 32;
    if (!target->max_block_threads) target->max_block_threads = cuda ? 1024 : target->backend == MSW_BACKEND_HOST ? 1 : 256;
    if (!target->shared_bytes) target->shared_bytes = arch ? arch->shared_kilobytes << 10 : cuda ? 48 << 10 : 32768;
    if (!target->compute_units && arch) target->compute_units = arch->multiprocessors;
    if (!target->max_blocks) target->max_blocks = cuda ? INT32_MAX : 65535;
    if (!target->max_cluster_blocks) target->max_cluster_blocks = arch ? arch->cluster_blocks : 1;
    if (target->max_cluster_blocks > MSW_MAX_CLUSTER_BLOCKS) target->max_cluster_blocks = MSW_MAX_CLUSTER_BLOCKS;
    if (cuda && (!target->arch || (arch && arch->cluster_blocks == 1))) target->max_cluster_blocks = 1;
    if (!target->progress && cuda) target->progress = MSW_PROGRESS_PARALLEL;
    if (!target->has_features) target->features = ~(uint32_t)MSW_FEATURE_UNIFORM_CONTROL_FLOW;
}

msw_result ms_target_read(const msw_target *given, msw_target *target, msw_diag *diag)
{
    *target = (msw_target){.struct_size = sizeof *target};
    const msw_result result = given ? MS_SIZED_READ(msw_target, given, target, "plan", diag) : MSW_OK;
    if (result) return result;
    if (target->backend > MSW_BACKEND_CUDA)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_target: backend is %u, no msw_backend_kind", target->backend);
    if (target->progress > MSW_PROGRESS_NONE)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_target: progress is %u, no msw_progress", target->progress);
    fill(target);
    return MSW_OK;
}

ms_target_mode ms_target_mode_of(const msw_target *target)
{
    if (target->backend == MSW_BACKEND_VULKAN || target->backend == MSW_BACKEND_CUDA) return MS_TARGET_DEVICE;
    if (target->arch) return MS_TARGET_NONE; /* of C's family the device "host" alone has an arch */
    return target->max_block_threads == 1 ? MS_TARGET_LOOP : MS_TARGET_SIMULATOR;
}
