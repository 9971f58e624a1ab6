/* The JIT glue, which with jit_cache.c alone sees generator and runtime: spec -> program -> code -> kernel, and the oracle as a kernel. */
#include "compilations.h"
#include "jit_cache.h"
#include "rest.h"

#include <string.h>

/* ---- programs ---- */

/* The code becomes the program's. */
static msw_result keep(msw_program *program, uint32_t k, const void *code, size_t code_bytes, msw_diag *diag)
{
    void *kept = ms_arena_alloc(&program->arena, code_bytes);
    if (!kept) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "compile", "msw_program_compile: out of memory");
    memcpy(kept, code, code_bytes);
    program->plan.kernels[k].code = kept;
    program->plan.kernels[k].code_bytes = code_bytes;
    return MSW_OK;
}

/* Code that is in the cache is taken from there. */
static msw_result load_code(msw_program *program, uint32_t k, ms_cache *cache, const ms_cache_key *key, msw_diag *diag)
{
    ms_cache_block block;
    if (program->plan.kernels[k].code || !ms_cache_load(cache, key, &block)) return MSW_OK;
    const msw_result result = keep(program, k, block.data, block.bytes, diag);
    ms_cache_release(cache, &block);
    return result;
}

static uint64_t kernels_without_code(const msw_plan *plan)
{
    uint64_t kernels = 0;
    for (uint32_t k = 0; k < plan->kernel_count; k++) kernels |= (uint64_t)!plan->kernels[k].code << k;
    return kernels;
}

/* What came of these becomes the program's. All codes that there are go to the cache, whatever failed. */
static msw_result keep_codes(msw_program *program, ms_compilations *compilations, uint64_t kernels, ms_cache *cache, const ms_cache_key *keys,
                             msw_diag *diag)
{
    msw_result result = MSW_OK;
    for (uint32_t k = 0; k < program->plan.kernel_count; k++) {
        const ms_compilation *c = ms_compilations_of(compilations, k);
        if (!(kernels >> k & 1)) continue;
        if (result == MSW_OK && c->result != MSW_OK && diag) *diag = c->diag;
        if (result == MSW_OK) result = c->result != MSW_OK ? c->result : keep(program, k, c->code, c->code_bytes, diag);
        program->compile_seconds[k] = c->result == MSW_OK ? c->seconds : 0;
        if (c->result == MSW_OK) ms_cache_store(cache, &keys[k], c->code, c->code_bytes);
    }
    return result;
}

/* Where there are none yet they are made. */
static msw_result add_kernel(ms_compilations **compilations, const msw_program *program, const msw_allocator *allocator, uint32_t k, msw_diag *diag)
{
    if (!*compilations) *compilations = ms_compilations_create(allocator, program->plan.backend, program->arch);
    if (*compilations && ms_compilations_add(*compilations, k, &program->plan.kernels[k])) return MSW_OK;
    return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "compile", "compiling %.64s: out of memory", program->plan.name);
}

static msw_result compile_all(msw_program *program, msw_diag *diag)
{
    static const ms_cache_key keys[MSW_MAX_KERNELS];
    ms_cache none = {.is_open = 0};
    const uint64_t kernels = kernels_without_code(&program->plan);
    ms_compilations *compilations = NULL;
    msw_result result = MSW_OK;
    for (uint32_t k = 0; k < program->plan.kernel_count && result == MSW_OK; k++)
        if (kernels >> k & 1) result = add_kernel(&compilations, program, &program->arena.allocator, k, diag);
    if (compilations && result == MSW_OK) {
        ms_compilations_finish(compilations, kernels);
        result = keep_codes(program, compilations, kernels, &none, keys, diag);
    }
    ms_compilations_destroy(compilations);
    return result == MSW_OK ? ms_ok(diag) : result;
}

/* For the provenance of code that leaves the process. */
static msw_result note_compiler(msw_program *program, msw_diag *diag)
{
    char version[64];
    ms_jit_compiler(program->plan.backend)->version(version);
    program->compiler = ms_arena_strdup(&program->arena, version);
    return program->compiler ? MSW_OK : ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "compile", "msw_program_compile: out of memory");
}

msw_result msw_program_compile(msw_program *program, msw_diag *diag)
{
    if (!program) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "compile", "msw_program_compile: program is NULL");
    if (program->plan.backend == MSW_BACKEND_HOST)
        return ms_fail(diag, MSW_ERROR_UNSUPPORTED, "compile", "msw_program_compile: texts in C are not compiled; take another backend");
    const msw_result result = compile_all(program, diag);
    return result == MSW_OK ? note_compiler(program, diag) : result;
}

msw_result msw_compiler_check(uint32_t backend, msw_diag *diag)
{
    if (backend == MSW_BACKEND_AUTO || backend > MSW_BACKEND_CUDA)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "compile", "msw_compiler_check: there is no backend %u; see msw_backend_kind", backend);
    const ms_compiler *compiler = ms_jit_compiler(backend);
    return backend == MSW_BACKEND_HOST || !compiler->check ? ms_ok(diag) : compiler->check(diag);
}

/* ---- the oracle as a kernel ---- */

typedef struct host_kernel {
    msw_allocator allocator;
    msw_spec *spec, *owned_spec; /* owned: made from a text or a file for this kernel */
    uint32_t op;
} host_kernel;

static void *host_pointer(uint64_t address) { return (void *)(uintptr_t)address; }

static msw_result host_run(void *user, const msw_enqueue_desc *desc, uint64_t n, msw_diag *diag)
{
    const host_kernel *k = user;
    const void *inputs[MSW_MAX_BUFFERS];
    void *outputs[MSW_MAX_BUFFERS];
    uint32_t input_count = 0, output_count = 0;
    msw_op_info info = {.struct_size = sizeof info};
    msw_spec_op(k->spec, k->op, &info);
    for (uint32_t b = 0; b < info.buffer_count; b++) {
        if (info.buffers[b].role == MSW_ROLE_OUT) outputs[output_count++] = host_pointer(desc->buffers[b]);
        else inputs[input_count++] = host_pointer(desc->buffers[b]);
    }
    return msw_spec_evaluate(k->spec, k->op, n, inputs, outputs, host_pointer(desc->carry_in), host_pointer(desc->carry_out), diag);
}

static void free_host_kernel(void *owned)
{
    host_kernel *k = owned;
    msw_spec_destroy(k->owned_spec);
    const msw_allocator allocator = k->allocator;
    ms_free(&allocator, k, sizeof *k);
}

static msw_result load_host(msw_context *context, const host_kernel *made, msw_kernel **kernel, msw_diag *diag)
{
    msw_plan plan = {.format = MSW_PLAN_FORMAT,
                     .backend = MSW_BACKEND_HOST,
                     .kernel_count = 1,
                     .step_count = 1,
                     .variant_count = 1,
                     .scratch_alignment_bytes = 16};
    host_kernel *k = ms_alloc(&context->allocator, sizeof *k);
    if (!k) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "msw_kernel_create: out of memory");
    *k = *made;
    k->owned_spec = NULL; /* until the kernel owns it */
    const ms_host_program program = {host_run, k};
    const ms_operation *op = &k->spec->operations[k->op];
    plan.name = op->name;
    ms_plan_describe_buffers(op, &plan);
    plan.carry_bytes = op->info.carry.size_bytes;
    plan.kernels[0] = (msw_plan_kernel){.entry = "oracle", .code = &program, .code_bytes = sizeof program, .block_threads = 1, .subgroup_size = 1};
    plan.steps[0] = (msw_plan_step){.tile_items = 1, .max_blocks = 1};
    const int is_apart = op->near || op->pipeline || ms_operation_has_places(op); /* as plans for devices have it */
    const int has_narrow_index = op->gives_index && op->value->scalar == MSW_U32;
    plan.variants[0] = (msw_plan_variant){.n_max = has_narrow_index ? UINT64_C(1) << 32 : UINT64_MAX,
                                          .step_count = 1,
                                          .read_bytes_per_item = plan.bytes_read_per_item,
                                          .written_bytes_per_item = plan.bytes_written_per_item,
                                          .serves_in_place = !is_apart   ? MSW_SERVES_IN_PLACE
                                                             : op->carry ? MSW_SERVES_ONE_CARRY
                                                                         : 0,
                                          .strategy = "oracle"};
    const msw_result result = msw_kernel_load(context, &plan, kernel, diag);
    if (result != MSW_OK) {
        free_host_kernel(k);
        return result;
    }
    k->owned_spec = made->owned_spec;
    (*kernel)->owned = k;
    (*kernel)->owned_free = free_host_kernel;
    return MSW_OK;
}

/* ---- msw_kernel_create ---- */

/* What a kernel is to be made of, and where it is kept. */
typedef struct creation {
    msw_context *context;
    const msw_kernel_desc *desc;
    ms_source source;
    ms_cache_key base, key; /* where the cache is open */
} creation;

/* Which of the plan's kernels are to be there when the call returns. */
static msw_result find_needed(const creation *c, const msw_plan *plan, uint64_t *kernels, msw_diag *diag)
{
    const uint64_t n = c->desc->first_n;
    *kernels = ms_all_kernels(plan);
    if (!n) return MSW_OK;
    const msw_result result = ms_check_n(plan, &c->context->info, n, diag);
    return result == MSW_OK ? ms_kernels_for(plan, n, c->desc->first_flags, ms_max_cluster_blocks(c->context), kernels, diag) : result;
}

/* A program whose kernels are compiled while the generator makes the others' texts. */
typedef struct making {
    const creation *c;
    uint64_t needed;                    /* kernels that are to be there when the call returns */
    ms_compilations *compilations;      /* NULL until a code is missing */
    ms_cache_key keys[MSW_MAX_KERNELS]; /* of codes; not used where the cache is closed */
} making;

static msw_result plan_is_made(void *user, msw_program *program, uint64_t *first, msw_diag *diag)
{
    making *m = user;
    const msw_result result = find_needed(m->c, &program->plan, &m->needed, diag);
    *first = m->needed;
    return result;
}

/* The kernel's code is in the cache, or is to be compiled. */
static msw_result take_kernel(making *m, msw_program *program, uint32_t k, msw_diag *diag)
{
    const msw_result result = load_code(program, k, &m->c->context->cache, &m->keys[k], diag);
    if (result != MSW_OK || program->plan.kernels[k].code) return result;
    return add_kernel(&m->compilations, program, &m->c->context->allocator, k, diag);
}

static msw_result text_is_made(void *user, msw_program *program, uint32_t k, msw_diag *diag)
{
    making *m = user;
    if (m->c->context->cache.is_open) m->keys[k] = ms_jit_code_key(&m->c->base, &program->plan.kernels[k], program->arch);
    const msw_result result = take_kernel(m, program, k, diag);
    if (m->compilations) ms_compilations_hurry(m->compilations, m->needed & UINT64_C(1) << k);
    return result;
}

/* Waits for what is needed, and loads what has code then. The rest is left to the kernel, and so are the compilations. */
static msw_result finish(making *m, msw_program *program, msw_kernel **kernel, msw_diag *diag)
{
    const uint64_t missing = kernels_without_code(&program->plan), needed = m->needed;
    msw_context *context = m->c->context;
    msw_result result = MSW_OK;
    if (missing) ms_compilations_finish(m->compilations, missing & needed);
    if (missing) result = keep_codes(program, m->compilations, missing & needed, &context->cache, m->keys, diag);
    if (result == MSW_OK)
        result =
            missing ? ms_kernel_load_some(context, &program->plan, needed, kernel, diag) : msw_kernel_load(context, &program->plan, kernel, diag);
    if (result == MSW_OK) (*kernel)->is_cached = !(missing & needed);
    if (result != MSW_OK || !(missing & ~needed)) return result;
    result = ms_rest_add(*kernel, m->compilations, missing & ~needed, m->keys, m->c->desc->rest, diag);
    m->compilations = NULL;
    if (result == MSW_OK) return result;
    msw_kernel_destroy(*kernel);
    *kernel = NULL;
    return result;
}

/* Of a program whose texts are all there, and whose codes have the keys of `m`. The plan may be anybody's. */
static msw_result load_program(making *m, msw_program *program, msw_kernel **kernel, msw_diag *diag)
{
    if (!ms_plan_is_whole(&program->plan)) return msw_kernel_load(m->c->context, &program->plan, kernel, diag); /* says why */
    msw_result result = find_needed(m->c, &program->plan, &m->needed, diag);
    for (uint32_t k = 0; k < program->plan.kernel_count && result == MSW_OK; k++) result = take_kernel(m, program, k, diag);
    if (result == MSW_OK) result = finish(m, program, kernel, diag);
    ms_compilations_destroy(m->compilations);
    return result;
}

static msw_result create_on_device(const creation *c, msw_spec *spec, uint32_t op, msw_kernel **kernel, msw_diag *diag)
{
    msw_target target = c->context->info.target;
    const msw_program_desc wanted = {.struct_size = sizeof wanted,
                                     .op = op,
                                     .target = &target,
                                     .knobs = c->desc->knobs,
                                     .knob_count = c->desc->knob_count,
                                     .tuning = c->desc->tuning,
                                     .tuning_name = c->desc->tuning_name};
    making m = {.c = c};
    const ms_program_watcher watcher = {plan_is_made, text_is_made, &m};
    msw_program *program;
    if (c->desc->subgroup_size) target.subgroup_size = c->desc->subgroup_size;
    msw_result result = ms_program_create(spec, &wanted, &watcher, &program, diag);
    if (result == MSW_OK) result = finish(&m, program, kernel, diag);
    ms_compilations_destroy(m.compilations);
    if (result == MSW_OK) (*kernel)->is_cached = 0; /* the generator ran */
    if (result == MSW_OK && c->context->cache.is_open) ms_jit_store(c->context, &c->key, &program->plan, m.keys);
    msw_program_destroy(program);
    return result;
}

static msw_result create(const creation *c, msw_spec *spec, msw_spec *owned, msw_kernel **kernel, msw_diag *diag)
{
    const char *name = c->desc->op;
    const int op = msw_spec_find(spec, name);
    if (op < 0)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan",
                       name ? "the spec has no operation '%s'" : "the spec has several operations; name one of them in op%s", name ? name : "");
    const msw_result result = ms_operation_check(&spec->operations[op], diag);
    if (result != MSW_OK) return result;
    if (c->context->info.backend == MSW_BACKEND_HOST)
        return load_host(c->context, &(host_kernel){c->context->allocator, spec, owned, (uint32_t)op}, kernel, diag);
    return create_on_device(c, spec, (uint32_t)op, kernel, diag);
}

/* Of a plan that was made before. Whatever fails: the kernel is to be made. */
static msw_result load_cached(const creation *c, msw_kernel **kernel)
{
    ms_jit_record record;
    msw_result result = MSW_ERROR_IO;
    if (ms_jit_load(c->context, &c->key, &record)) {
        msw_program program = {.plan = record.plan, .arch = c->context->info.target.arch};
        making m = {.c = c};
        memcpy(m.keys, record.keys, sizeof m.keys);
        ms_arena_init(&program.arena, &c->context->allocator, 0);
        result = load_program(&m, &program, kernel, NULL);
        ms_arena_free(&program.arena);
    }
    ms_jit_release(c->context, &record);
    return result;
}

/* From the cache, or from the spec, which is read unless the caller has. */
static msw_result load_or_create(creation *c, msw_kernel **kernel, msw_diag *diag)
{
    msw_context *context = c->context;
    const msw_kernel_desc *desc = c->desc;
    msw_spec *owned = NULL;
    if (context->cache.is_open) {
        c->key = ms_jit_plan_key(&c->base, context, desc, &c->source);
        if (load_cached(c, kernel) == MSW_OK) return ms_ok(diag);
    }
    if (desc->spec) return create(c, desc->spec, NULL, kernel, diag);
    const msw_spec_desc read = {.struct_size = sizeof read,
                                .text = c->source.text,
                                .text_bytes = c->source.text_bytes,
                                .file = desc->spec_file,
                                .allocator = &context->allocator,
                                .op = desc->op};
    msw_result result = msw_spec_create(&read, &owned, diag);
    if (result != MSW_OK) return result;
    result = create(c, owned, owned, kernel, diag);
    if (result != MSW_OK || context->info.backend != MSW_BACKEND_HOST) msw_spec_destroy(owned);
    return result;
}

/* A plan of the caller's. What cannot be compiled msw_kernel_load takes as it is, or says why not. */
static msw_result create_from_plan(const creation *c, msw_kernel **kernel, msw_diag *diag)
{
    const msw_plan *plan = c->desc->plan;
    making m = {.c = c};
    int is_fit = plan->format == MSW_PLAN_FORMAT && plan->kernel_count <= MSW_MAX_KERNELS && plan->backend == c->context->info.backend &&
                 plan->backend != MSW_BACKEND_HOST;
    for (uint32_t k = 0; is_fit && k < plan->kernel_count; k++) is_fit = plan->kernels[k].entry && (plan->kernels[k].text || plan->kernels[k].code);
    if (!is_fit) return msw_kernel_load(c->context, plan, kernel, diag);
    msw_program program = {.plan = *plan, .arch = c->context->info.target.arch};
    ms_arena_init(&program.arena, &c->context->allocator, 0);
    for (uint32_t k = 0; c->context->cache.is_open && k < plan->kernel_count; k++)
        m.keys[k] = ms_jit_code_key(&c->base, &plan->kernels[k], program.arch);
    const msw_result result = load_program(&m, &program, kernel, diag);
    if (result == MSW_OK) (*kernel)->is_cached = 0;
    ms_arena_free(&program.arena);
    return result;
}

static msw_result read_desc(const msw_context *context, const msw_kernel_desc *given, msw_kernel_desc *desc, msw_diag *diag)
{
    if (!context || !given) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", "msw_kernel_create: %s is NULL", context ? "desc" : "context");
    const msw_result result = MS_SIZED_READ(msw_kernel_desc, given, desc, "plan", diag);
    if (result != MSW_OK) return result;
    if (!desc->plan && !desc->spec && !desc->spec_text && !desc->spec_file)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", "msw_kernel_desc: there is no spec; give spec_text, spec_file or spec, or a plan");
    if (desc->plan && (desc->spec || desc->spec_text || desc->spec_file))
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", "msw_kernel_desc: there is a spec and a plan; give one of them");
    if (desc->rest > MSW_REST_WHEN_ASKED)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", "msw_kernel_desc: rest is %u, no msw_rest", desc->rest);
    const uint32_t known = MSW_SCRATCH_DIRTY | MSW_IN_PLACE | MSW_PING_PONG, both = MSW_IN_PLACE | MSW_PING_PONG;
    if (desc->first_flags & ~known || (desc->first_flags & both) == both)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", "msw_kernel_desc: first_flags are 0x%x; give 0, MSW_IN_PLACE or MSW_PING_PONG",
                       desc->first_flags);
    return ms_knobs_check(desc->knobs, desc->knob_count, diag);
}

msw_result msw_kernel_create(msw_context *context, const msw_kernel_desc *given, msw_kernel **kernel, msw_diag *diag)
{
    msw_kernel_desc desc;
    ms_arena arena;
    if (!kernel) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", "msw_kernel_create: kernel is NULL");
    *kernel = NULL;
    msw_result result = read_desc(context, given, &desc, diag);
    if (result != MSW_OK) return result;
    creation c = {.context = context, .desc = &desc};
    if (context->cache.is_open) c.base = ms_jit_base_key(context->info.backend);
    if (desc.plan) return create_from_plan(&c, kernel, diag);
    ms_arena_init(&arena, &context->allocator, 0);
    if (desc.spec) c.source = desc.spec->source;
    else result = ms_source_read(&arena, &(msw_spec_desc){.text = desc.spec_text, .file = desc.spec_file}, &c.source, diag);
    if (result == MSW_OK) result = load_or_create(&c, kernel, diag);
    ms_arena_free(&arena);
    return result;
}
