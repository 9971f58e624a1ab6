#include "jit_cache.h"
#include "../plan_record.h"

#include "embedded.h"

#include <stddef.h>

const ms_compiler *ms_jit_compiler(uint32_t backend) { return backend == MSW_BACKEND_CUDA ? &ms_compiler_nvrtc : &ms_compiler_glslang; }

ms_cache_key ms_jit_base_key(uint32_t backend)
{
    char identity[MS_COMPILER_IDENTITY_BYTES];
    ms_cache_key key = {{0}};
    ms_jit_compiler(backend)->identity(identity);
    ms_cache_key_add_text(&key, ms_sources_digest);
    ms_cache_key_add_text(&key, identity);
    return key;
}

ms_cache_key ms_jit_code_key(const ms_cache_key *base, const msw_plan_kernel *kernel, const char *arch)
{
    ms_cache_key key = *base;
    ms_cache_key_add_text(&key, "code");
    ms_cache_key_add_text(&key, arch);
    ms_cache_key_add_text(&key, kernel->text);
    return key;
}

/* The device's name and driver stand for what the target does not say of it. */
static void add_device(ms_cache_key *key, const msw_device_info *info)
{
    const msw_target *target = &info->target;
    ms_cache_key_add(key, target, offsetof(msw_target, is_cpu) + sizeof target->is_cpu);
    ms_cache_key_add_text(key, target->arch);
    ms_cache_key_add_text(key, info->name);
    ms_cache_key_add_text(key, info->driver);
}

ms_cache_key ms_jit_plan_key(const ms_cache_key *base, const msw_context *context, const msw_kernel_desc *desc, const ms_source *source)
{
    const size_t plan_bytes = sizeof(msw_plan); /* 32- and 64-bit programs may share a directory */
    ms_cache_key key = *base;
    ms_cache_key_add_text(&key, "plan");
    ms_cache_key_add(&key, &plan_bytes, sizeof plan_bytes);
    add_device(&key, &context->info);
    ms_cache_key_add(&key, source->identity, source->identity_bytes);
    ms_cache_key_add_text(&key, desc->op);
    const uint32_t skips_laws = desc->spec ? desc->spec->skips_laws : 0; /* else it would be taken for one whose laws hold, and is planned as that */
    ms_cache_key_add(&key, &skips_laws, sizeof skips_laws);
    ms_cache_key_add(&key, &desc->subgroup_size, sizeof desc->subgroup_size);
    for (uint32_t i = 0; i < desc->knob_count; i++) {
        ms_cache_key_add_text(&key, desc->knobs[i].name);
        ms_cache_key_add_text(&key, desc->knobs[i].value);
    }
    ms_cache_key_add_text(&key, desc->tuning);
    return key;
}

msw_result ms_jit_load(msw_context *context, const ms_cache_key *key, msw_kernel **kernel)
{
    ms_cache_key keys[MSW_MAX_KERNELS];
    ms_cache_block record, codes[MSW_MAX_KERNELS] = {{0}};
    msw_plan plan;
    msw_result result = MSW_ERROR_IO;
    uint32_t k = 0;
    if (!ms_cache_load(&context->cache, key, &record)) return result;
    if (ms_plan_record_read(record.data, record.bytes, &plan, keys)) {
        for (; k < plan.kernel_count && ms_cache_load(&context->cache, &keys[k], &codes[k]); k++) {
            plan.kernels[k].code = codes[k].data;
            plan.kernels[k].code_bytes = codes[k].bytes;
        }
        if (k == plan.kernel_count) result = msw_kernel_load(context, &plan, kernel, NULL);
    }
    while (k-- > 0) ms_cache_release(&context->cache, &codes[k]);
    ms_cache_release(&context->cache, &record);
    return result;
}

void ms_jit_store(msw_context *context, const ms_cache_key *key, const msw_plan *plan, const ms_cache_key codes[MSW_MAX_KERNELS])
{
    const size_t bytes = ms_plan_record_bytes(plan);
    void *record = ms_alloc(&context->allocator, bytes);
    if (!record) return;
    ms_plan_record_write(plan, codes, record);
    ms_cache_store(&context->cache, key, record, bytes);
    ms_free(&context->allocator, record, bytes);
}
