/* The JIT glue, the one file that sees generator and runtime: spec -> program -> code -> kernel, and the oracle as a kernel. */
#include "../gen/program.h"
#include "objects.h"

#include <pthread.h>
#include <string.h>

static const ms_compiler *compiler_of(uint32_t backend) { return backend == MSW_BACKEND_CUDA ? &ms_compiler_nvrtc : &ms_compiler_glslang; }

/* One kernel's compilation. It allocates by malloc: a caller's allocator need not stand several threads. */
typedef struct compilation {
    const ms_compiler *compiler;
    const msw_plan_kernel *kernel;
    const char *arch;
    void *code;
    size_t code_bytes;
    msw_result result;
    msw_diag diag;
    pthread_t thread;
    int has_thread;
} compilation;

static void *compile_kernel(void *user)
{
    compilation *c = user;
    c->result = c->compiler->compile(c->kernel, c->arch, NULL, &c->code, &c->code_bytes, &c->diag);
    return NULL;
}

/* The kernels that have no code yet, each in a thread of its own but the first. */
static uint32_t compile_all(const msw_program *program, compilation *compilations)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < program->plan.kernel_count; k++) {
        if (program->plan.kernels[k].code) continue;
        compilations[count++] = (compilation){.compiler = compiler_of(program->plan.backend), .kernel = &program->plan.kernels[k], .arch = program->arch};
    }
    for (uint32_t c = 1; c < count; c++) compilations[c].has_thread = !pthread_create(&compilations[c].thread, NULL, compile_kernel, &compilations[c]);
    for (uint32_t c = 0; c < count; c++)
        if (!compilations[c].has_thread) compile_kernel(&compilations[c]);
    for (uint32_t c = 1; c < count; c++)
        if (compilations[c].has_thread) pthread_join(compilations[c].thread, NULL);
    return count;
}

/* The code becomes the program's. */
static msw_result keep(msw_program *program, const compilation *c, msw_diag *diag)
{
    msw_plan_kernel *kernel = &program->plan.kernels[c->kernel - program->plan.kernels];
    if (c->result != MSW_OK) {
        if (diag) *diag = c->diag;
        return c->result;
    }
    void *kept = ms_arena_alloc(&program->arena, c->code_bytes);
    if (!kept) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "compile", "msw_program_compile: out of memory");
    memcpy(kept, c->code, c->code_bytes);
    kernel->code = kept;
    kernel->code_bytes = c->code_bytes;
    return MSW_OK;
}

msw_result msw_program_compile(msw_program *program, msw_diag *diag)
{
    compilation compilations[MSW_MAX_KERNELS];
    msw_result result = MSW_OK;
    if (!program) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "compile", "msw_program_compile: program is NULL");
    const uint32_t count = compile_all(program, compilations);
    for (uint32_t c = 0; c < count; c++) {
        if (result == MSW_OK) result = keep(program, &compilations[c], diag);
        if (compilations[c].result == MSW_OK) ms_free(NULL, compilations[c].code, compilations[c].code_bytes);
    }
    return result == MSW_OK ? ms_ok(diag) : result;
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
    msw_op_info info;
    msw_spec_op(k->spec, k->op, &info);
    for (uint32_t b = 0; b < info.buffer_count; b++) {
        if (info.buffers[b].is_output) outputs[output_count++] = host_pointer(desc->buffers[b]);
        else inputs[input_count++] = host_pointer(desc->buffers[b]);
    }
    return msw_spec_evaluate(k->spec, k->op, n, inputs, outputs, host_pointer(desc->carry_in), host_pointer(desc->carry_out), NULL, diag);
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
    msw_plan plan = {.format = MSW_PLAN_FORMAT, .backend = MSW_BACKEND_HOST, .kernel_count = 1, .step_count = 1, .variant_count = 1, .scratch_alignment_bytes = 16};
    host_kernel *k = ms_alloc(&context->allocator, sizeof *k);
    msw_op_info info;
    if (!k) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "launch", "msw_kernel_create: out of memory");
    *k = *made;
    k->owned_spec = NULL; /* until the kernel owns it */
    const ms_host_program program = {host_run, k};
    msw_spec_op(k->spec, k->op, &info);
    plan.name = info.name;
    plan.buffer_count = info.buffer_count;
    plan.carry_bytes = info.carry.size_bytes;
    for (uint32_t b = 0; b < info.buffer_count; b++) {
        const msw_op_buffer *buffer = &info.buffers[b];
        plan.buffers[b] = (msw_plan_buffer){buffer->name, buffer->type.size_bytes, buffer->type.alignment_bytes, buffer->length, buffer->is_output};
        *(buffer->is_output ? &plan.bytes_written_per_item : &plan.bytes_read_per_item) += buffer->length == MSW_LENGTH_N ? buffer->type.size_bytes : 0;
    }
    plan.kernels[0] = (msw_plan_kernel){.entry = "oracle", .code = &program, .code_bytes = sizeof program, .block_threads = 1, .subgroup_size = 1};
    plan.steps[0] = (msw_plan_step){.tile_items = 1, .max_blocks = 1};
    plan.variants[0] = (msw_plan_variant){.n_max = UINT64_MAX, .step_count = 1, .serves_in_place = 1, .strategy = "oracle"};
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

static msw_result load_program(msw_context *context, const msw_kernel_desc *desc, msw_spec *spec, uint32_t op, msw_kernel **kernel, msw_diag *diag)
{
    msw_target target = context->info.target;
    const msw_program_desc wanted = {.struct_size = sizeof wanted, .op = op, .target = &target, .knobs = desc->knobs, .knob_count = desc->knob_count};
    msw_program *program;
    if (desc->subgroup_size) target.subgroup_size = desc->subgroup_size;
    msw_result result = msw_program_create(spec, &wanted, &program, diag);
    if (result != MSW_OK) return result;
    result = msw_program_compile(program, diag);
    if (result == MSW_OK) result = msw_kernel_load(context, &program->plan, kernel, diag);
    msw_program_destroy(program);
    return result;
}

static msw_result create(msw_context *context, const msw_kernel_desc *desc, msw_spec *spec, msw_spec *owned, msw_kernel **kernel, msw_diag *diag)
{
    const int op = msw_spec_find(spec, desc->op);
    if (op < 0)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", desc->op ? "the spec has no operation '%s'" : "the spec has several operations; name one of them in op%s",
                       desc->op ? desc->op : "");
    if (context->info.backend == MSW_BACKEND_HOST) return load_host(context, &(host_kernel){context->allocator, spec, owned, (uint32_t)op}, kernel, diag);
    return load_program(context, desc, spec, (uint32_t)op, kernel, diag);
}

static msw_result check_desc(const msw_context *context, const msw_kernel_desc *desc, msw_diag *diag)
{
    if (!context || !desc) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", "msw_kernel_create: %s is NULL", context ? "desc" : "context");
    const msw_result result = ms_check_struct_size("msw_kernel_desc", desc->struct_size, sizeof *desc, diag);
    if (result != MSW_OK) return result;
    if (!desc->spec && !desc->spec_text && !desc->spec_file)
        return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", "msw_kernel_desc: there is no spec; give spec_text, spec_file or spec");
    return ms_knobs_check(desc->knobs, desc->knob_count, diag);
}

msw_result msw_kernel_create(msw_context *context, const msw_kernel_desc *desc, msw_kernel **kernel, msw_diag *diag)
{
    msw_spec *owned = NULL;
    if (!kernel) return ms_fail(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", "msw_kernel_create: kernel is NULL");
    *kernel = NULL;
    msw_result result = check_desc(context, desc, diag);
    if (result != MSW_OK) return result;
    if (!desc->spec) {
        const msw_spec_desc read = {.struct_size = sizeof read, .text = desc->spec_text, .file = desc->spec_file, .allocator = &context->allocator};
        if ((result = msw_spec_create(&read, &owned, diag)) != MSW_OK) return result;
    }
    result = create(context, desc, owned ? owned : desc->spec, owned, kernel, diag);
    if (result != MSW_OK || context->info.backend != MSW_BACKEND_HOST) msw_spec_destroy(owned);
    return result;
}
