/* The public face of planning and emission: msw_program_*. */
#include "program.h"
#include "summary.h"
#include "emit/emit.h"
#include "c_locale.h"
#include "diag.h"

#include <string.h>

static const char *written(struct msw_program *program, void (*append)(ms_text *, const struct msw_program *))
{
    ms_text text = {.arena = &program->arena};
    append(&text, program);
    const char *copy = text.failed || !text.data ? NULL : ms_arena_strdup(&program->arena, text.data);
    ms_text_free(&text);
    return copy;
}

/* "items=4 block=64"; NULL: out of memory. */
static const char *list_knobs(ms_arena *arena, const msw_knob *knobs, uint32_t count)
{
    ms_text text = {.arena = arena};
    ms_text_append(&text, "%s", "");
    for (uint32_t k = 0; k < count; k++) ms_text_append(&text, "%s%s=%s", k ? " " : "", knobs[k].name, knobs[k].value);
    const char *copy = text.failed || !text.data ? NULL : ms_arena_strdup(arena, text.data);
    ms_text_free(&text);
    return copy;
}

/* Opaque functions need a text for the backend. */
static msw_result check_sources(const ms_operation *op, const msw_target *target, msw_diag *diag)
{
    const ms_function *functions[MS_MAX_FUNCTIONS];
    for (uint32_t p = 0; op->pipeline && p < ms_operation_part_count(op); p++)
        if (check_sources(ms_operation_part_of(op, p), target, diag)) return MSW_ERROR_UNSUPPORTED;
    const uint32_t count = ms_operation_functions(op, functions);
    const int is_cuda = target->backend == MSW_BACKEND_CUDA, is_host = target->backend == MSW_BACKEND_HOST;
    for (uint32_t i = 0; i < count; i++) {
        const ms_function *f = functions[i];
        if (!f->leaves && is_host)
            return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line, "%s: %s is a source, which has no text in C", op->name, f->name);
        if (f->leaves || (is_cuda ? f->source_cuda : f->source_glsl)) continue;
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", op->file, op->line, "%s: %s is a source without a text for %s; add %s = [[..]]", op->name,
                       f->name, is_cuda ? "CUDA" : "Vulkan", is_cuda ? "cuda" : "glsl");
    }
    return MSW_OK;
}

static msw_result build(struct msw_program *program, const msw_spec *spec, const msw_program_desc *desc, const ms_program_watcher *watcher,
                        msw_diag *diag)
{
    const ms_operation *op = &spec->operations[desc->op];
    const msw_target *target = desc->target;
    ms_kernel_shape *shapes = ms_arena_alloc(&program->arena, (op->pipeline ? MSW_MAX_KERNELS : MS_MAX_PART_KERNELS) * sizeof *shapes);
    const ms_target_mode mode = ms_target_mode_of(target);
    if (mode == MS_TARGET_NONE)
        return ms_diag(diag, MSW_ERROR_UNSUPPORTED, "plan", NULL, 0, "kernels are made for Vulkan and CUDA; choose one of them");
    if (target->arch) program->arch = ms_arena_strdup(&program->arena, target->arch);
    program->op = desc->op;
    program->tuning_class = ms_plan_class(ms_operation_part_of(op, 0), target, mode);
    program->tuning_class.arch = program->arch;
    program->shapes = shapes;
    program->part_count = ms_operation_part_count(op);
    program->tunings = ms_arena_alloc(&program->arena, program->part_count * sizeof *program->tunings);
    program->fixed = list_knobs(&program->arena, op->tune, op->tune_count);
    if (!program->tunings || !shapes || !program->fixed || (target->arch && !program->arch))
        return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    msw_result result = check_sources(op, target, diag);
    const ms_plan_wish wish = {target, mode, desc->knobs, desc->knob_count, desc->tuning_name, desc->tuning};
    if (!result) result = ms_plan_parts(&program->arena, op, &wish, program->tunings, &program->plan, shapes, diag);
    if (!result) result = ms_emit(program, op, target, shapes, watcher, diag);
    if (result) return result;
    if (!ms_estimate_registers(&program->arena, shapes, program->plan.kernel_count, program->registers))
        return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    program->summary = written(program, ms_append_summary);
    program->json = written(program, ms_append_json);
    if (!program->summary || !program->json) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}

static msw_result read_desc(const msw_spec *spec, const msw_program_desc *given, msw_program_desc *desc, msw_target *target, msw_diag *diag)
{
    if (!spec || !given) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_program_create: %s is NULL", spec ? "desc" : "spec");
    msw_result result = MS_SIZED_READ(msw_program_desc, given, desc, "plan", diag);
    if (!result) result = ms_target_read(desc->target, target, diag);
    if (result) return result;
    desc->target = target;
    if (!ms_spec_has(spec, desc->op))
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_program_create: the spec has no operation %u; it has %u", desc->op,
                       spec->operation_count);
    result = ms_operation_check(&spec->operations[desc->op], diag);
    return result ? result : ms_knobs_check(desc->knobs, desc->knob_count, diag);
}

msw_result ms_program_create(msw_spec *spec, const msw_program_desc *given, const ms_program_watcher *watcher, msw_program **program, msw_diag *diag)
{
    msw_program_desc desc;
    msw_target target;
    if (!program) return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_program_create: program is NULL");
    *program = NULL;
    msw_result result = read_desc(spec, given, &desc, &target, diag);
    if (result) return result;
    ms_arena arena;
    ms_arena_init(&arena, &spec->arena.allocator, 0);
    struct msw_program *made = ms_arena_alloc(&arena, sizeof *made);
    if (!made) return ms_diag(diag, MSW_ERROR_OUT_OF_MEMORY, "plan", NULL, 0, "out of memory");
    made->arena = arena;
    const ms_c_locale locale = ms_c_locale_enter();
    result = build(made, spec, &desc, watcher, diag);
    ms_c_locale_leave(locale);
    if (result) msw_program_destroy(made);
    else *program = made;
    return result;
}

msw_result msw_program_create(msw_spec *spec, const msw_program_desc *given, msw_program **program, msw_diag *diag)
{
    return ms_program_create(spec, given, NULL, program, diag);
}

void msw_program_destroy(msw_program *program)
{
    if (!program) return;
    ms_arena arena = program->arena; /* the program lies in its own arena */
    ms_arena_free(&arena);
}

const msw_plan *msw_program_plan(const msw_program *program) { return program ? &program->plan : NULL; }

double msw_program_compile_seconds(const msw_program *program, uint32_t index)
{
    return program && index < program->plan.kernel_count ? program->compile_seconds[index] : 0;
}

const char *msw_program_summary(const msw_program *program) { return program ? program->summary : ""; }

const char *msw_program_json(const msw_program *program) { return program ? program->json : ""; }

msw_result msw_program_tuning_class(const msw_program *program, msw_tuning_class *class_, msw_diag *diag)
{
    if (!program || !class_)
        return ms_diag(diag, MSW_ERROR_INVALID_ARGUMENT, "plan", NULL, 0, "msw_program_tuning_class: %s is NULL", program ? "class" : "program");
    const msw_result result = MS_SIZED_CHECK(msw_tuning_class, class_, "plan", diag);
    if (result) return result;
    const ms_tuning_class *own = &program->tuning_class;
    const msw_tuning_class found = {.bytes = own->bytes, .backend = own->backend, .arch = own->arch, .name = own->name, .fixed = program->fixed};
    ms_sized_write(class_, &found, sizeof found);
    return ms_diag(diag, MSW_OK, "", NULL, 0, "%s", "");
}
