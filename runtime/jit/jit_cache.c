#include "jit_cache.h"
#include "../plan_record.h"

#include "embedded.h"

#include <stddef.h>
#include <string.h>

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
    ms_cache_key_add(key, &target->max_cluster_blocks, sizeof target->max_cluster_blocks);
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

/* Of a kernel's text, where its code is still to come. */
static ms_cache_key text_key(const ms_cache_key *code)
{
    ms_cache_key key = *code;
    ms_cache_key_add_text(&key, "text");
    return key;
}

/* Its code, or else its text. */
static int load_kernel(ms_cache *cache, ms_jit_record *r, uint32_t k)
{
    msw_plan_kernel *kernel = &r->plan.kernels[k];
    ms_cache_block *block = &r->blocks[k];
    if (ms_cache_load(cache, &r->keys[k], block)) {
        kernel->code = block->data;
        kernel->code_bytes = block->bytes;
        return 1;
    }
    const ms_cache_key key = text_key(&r->keys[k]);
    if (!ms_cache_load(cache, &key, block)) return 0;
    kernel->text = block->data;
    return block->bytes > 0 && !kernel->text[block->bytes - 1];
}

int ms_jit_load(msw_context *context, const ms_cache_key *key, ms_jit_record *r)
{
    ms_cache *cache = &context->cache;
    *r = (ms_jit_record){0};
    int is_whole = ms_cache_load(cache, key, &r->record) && ms_plan_record_read(r->record.data, r->record.bytes, &r->plan, r->keys);
    for (uint32_t k = 0; is_whole && k < r->plan.kernel_count; k++) is_whole = load_kernel(cache, r, k);
    return is_whole;
}

void ms_jit_release(msw_context *context, ms_jit_record *r)
{
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++) ms_cache_release(&context->cache, &r->blocks[k]);
    ms_cache_release(&context->cache, &r->record);
}

void ms_jit_store(msw_context *context, const ms_cache_key *key, const msw_plan *plan, const ms_cache_key codes[MSW_MAX_KERNELS])
{
    const size_t bytes = ms_plan_record_bytes(plan);
    for (uint32_t k = 0; k < plan->kernel_count; k++) {
        const ms_cache_key text = text_key(&codes[k]);
        if (!plan->kernels[k].code) ms_cache_store(&context->cache, &text, plan->kernels[k].text, strlen(plan->kernels[k].text) + 1);
    }
    void *record = ms_alloc(&context->allocator, bytes);
    if (!record) return;
    ms_plan_record_write(plan, codes, record);
    ms_cache_store(&context->cache, key, record, bytes);
    ms_free(&context->allocator, record, bytes);
}
