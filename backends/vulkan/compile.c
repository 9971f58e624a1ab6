/* GLSL to SPIR-V: glslang's C interface, then SPIRV-Tools. */
#include "../../runtime/backend.h"
#include "spirv.h"

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/build_info.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* glslang's process-wide tables: made once, kept. */
static pthread_once_t glslang_once = PTHREAD_ONCE_INIT;

static void start_glslang(void) { glslang_initialize_process(); }

extern const glslang_resource_t *glslang_default_resource(void);

typedef struct output {
    const msw_allocator *allocator;
    void *code;
    size_t bytes;
} output;

static int keep(void *user, const uint32_t *words, size_t count)
{
    output *o = user;
    o->bytes = count * sizeof *words;
    o->code = ms_alloc(o->allocator, o->bytes);
    if (!o->code) return -1;
    memcpy(o->code, words, o->bytes);
    return 0;
}

static msw_result optimise(glslang_program_t *program, const msw_plan_kernel *kernel, output *o, msw_diag *diag)
{
    char message[512] = "out of memory";
    glslang_spv_options_t options = {.disable_optimizer = true}; /* nor is it validated there: ms_spirv_optimise does */
    glslang_program_SPIRV_generate_with_options(program, GLSLANG_STAGE_COMPUTE, &options);
    if (ms_spirv_optimise(glslang_program_SPIRV_get_ptr(program), glslang_program_SPIRV_get_size(program), keep, o, message, sizeof message))
        return ms_fail(diag, MSW_ERROR_COMPILE, "compile", "kernel '%.64s': SPIR-V: %s", kernel->entry, message);
    return ms_ok(diag);
}

static msw_result link_and_optimise(glslang_shader_t *shader, const msw_plan_kernel *kernel, output *o, msw_diag *diag)
{
    msw_result result;
    glslang_program_t *program = glslang_program_create();
    if (!program) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "compile", "glslang: out of memory");
    glslang_program_add_shader(program, shader);
    if (glslang_program_link(program, GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT)) result = optimise(program, kernel, o, diag);
    else result = ms_fail(diag, MSW_ERROR_COMPILE, "compile", "kernel '%.64s': %.900s", kernel->entry, glslang_program_get_info_log(program));
    glslang_program_delete(program);
    return result;
}

static msw_result compile(const msw_plan_kernel *kernel, const char *arch, const msw_allocator *allocator, void **code, size_t *code_bytes,
                          msw_diag *diag)
{
    (void)arch; /* SPIR-V is the same for all */
    const glslang_input_t input = {.language = GLSLANG_SOURCE_GLSL,
                                   .stage = GLSLANG_STAGE_COMPUTE,
                                   .client = GLSLANG_CLIENT_VULKAN,
                                   .client_version = GLSLANG_TARGET_VULKAN_1_3,
                                   .target_language = GLSLANG_TARGET_SPV,
                                   .target_language_version = GLSLANG_TARGET_SPV_1_5,
                                   .code = kernel->text,
                                   .default_version = 460,
                                   .default_profile = GLSLANG_NO_PROFILE,
                                   .messages = GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT,
                                   .resource = glslang_default_resource()};
    output o = {allocator, NULL, 0};
    msw_result result;
    pthread_once(&glslang_once, start_glslang);
    glslang_shader_t *shader = glslang_shader_create(&input);
    if (!shader) return ms_fail(diag, MSW_ERROR_OUT_OF_MEMORY, "compile", "glslang: out of memory");
    if (glslang_shader_preprocess(shader, &input) && glslang_shader_parse(shader, &input)) result = link_and_optimise(shader, kernel, &o, diag);
    else result = ms_fail(diag, MSW_ERROR_COMPILE, "compile", "kernel '%.64s': %.900s", kernel->entry, glslang_shader_get_info_log(shader));
    glslang_shader_delete(shader);
    *code = o.code;
    *code_bytes = o.bytes;
    return result;
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
static const char glslang[] = "glslang " TEXT(GLSLANG_VERSION_MAJOR) "." TEXT(GLSLANG_VERSION_MINOR) "." TEXT(GLSLANG_VERSION_PATCH);

static void version(char text[64])
{
    const char *tools = ms_spirv_version();
    const size_t name = strcspn(tools, " "), number = tools[name] ? 1 + strcspn(tools + name + 1, " ") : 0; /* what follows has a date in it */
    snprintf(text, 64, "%s, %.*s", glslang, (int)(name + number), tools);
}

static void identity(char text[MS_COMPILER_IDENTITY_BYTES]) { snprintf(text, MS_COMPILER_IDENTITY_BYTES, "%s, %.200s", glslang, ms_spirv_version()); }

const ms_compiler ms_compiler_glslang = {MSW_BACKEND_VULKAN, compile, version, NULL, identity};
