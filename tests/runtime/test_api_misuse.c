/* Every public function with nothing at all in its arguments, and every sized struct of a size that no version has, with no byte behind its
 * struct_size: a code and a message, or an answer that says nothing, never a crash. */
#include "api_checks.h"
#include "public_functions.h"

#include <sys/mman.h>
#include <unistd.h>

/* ---- nothing at all ---- */

static struct handles {
    msw_spec *spec;
    msw_program *program;
    msw_context *context;
    msw_buffer *buffer;
    msw_kernel *kernel;
    msw_verification *verification;
    const char *text;
} made;

/* That fail, and what they would have made; NULL: nothing. */
// clang-format off
#define REFUSING(X) \
    X(msw_spec_create, &made.spec, (NULL, &made.spec, fresh())) \
    X(msw_spec_op, NULL, (NULL, 0, NULL)) \
    X(msw_spec_evaluate, NULL, (NULL, 0, 0, NULL, NULL, NULL, NULL, fresh())) \
    X(msw_program_create, &made.program, (NULL, NULL, &made.program, fresh())) \
    X(msw_program_compile, NULL, (NULL, fresh())) \
    X(msw_program_tuning_class, NULL, (NULL, NULL, fresh())) \
    X(msw_header_text, &made.text, (NULL, NULL, &made.text, fresh())) \
    X(msw_context_create, NULL, (NULL, NULL, fresh())) \
    X(msw_devices, NULL, (NULL, NULL, 0, NULL, fresh())) \
    X(msw_buffer_create, &made.buffer, (NULL, 0, &made.buffer, fresh())) \
    X(msw_buffer_write, NULL, (NULL, 0, NULL, 0, fresh())) \
    X(msw_buffer_read, NULL, (NULL, 0, NULL, 0, fresh())) \
    X(msw_buffer_copy, NULL, (NULL, NULL, 0, NULL, fresh())) \
    X(msw_kernel_load, &made.kernel, (NULL, NULL, &made.kernel, fresh())) \
    X(msw_kernel_load_any, &made.kernel, (NULL, NULL, &made.kernel, fresh())) \
    X(msw_kernel_create, &made.kernel, (NULL, NULL, &made.kernel, fresh())) \
    X(msw_kernel_wait, NULL, (NULL, 0, 0, fresh())) \
    X(msw_kernel_run, NULL, (NULL, NULL, NULL, fresh())) \
    X(msw_kernel_profile, NULL, (NULL, NULL, NULL, fresh())) \
    X(msw_kernel_run_host, NULL, (NULL, 0, NULL, NULL, NULL, fresh())) \
    X(msw_backend_check, NULL, (NULL, MSW_BACKEND_AUTO, fresh())) \
    X(msw_compiler_check, NULL, (MSW_BACKEND_AUTO, fresh())) \
    X(msw_plan_serves, NULL, (NULL, NULL, 0, fresh())) \
    X(msw_plan_launch, NULL, (NULL, 0, 0, NULL, fresh())) \
    X(msw_spec_cuts, &made.text, (NULL, NULL, 1, MSW_CUT_DOT, &made.text, fresh())) \
    X(msw_spec_predict, NULL, (NULL, NULL, 1, NULL, fresh())) \
    X(msw_spec_stage, NULL, (NULL, 0, 0, NULL)) \
    X(msw_verification_create, &made.verification, (NULL, &made.verification, fresh())) \
    X(msw_verification_probe, NULL, (NULL, NULL, NULL, fresh())) \
    X(msw_verification_expect, NULL, (NULL, 0, NULL, fresh())) \
    X(msw_verification_judge, NULL, (NULL, NULL, NULL, NULL, fresh())) \
    X(msw_vulkan_requirements, NULL, (NULL, NULL, NULL, NULL, fresh())) \
    X(msw_vulkan_enqueue, NULL, (NULL, NULL, NULL, fresh())) \
    X(msw_vulkan_scratch_init, NULL, (NULL, NULL, 0, 0, fresh())) \
    X(msw_vulkan_scratch_reserve, NULL, (NULL, NULL, 0, fresh())) \
    X(msw_cuda_enqueue, NULL, (NULL, NULL, NULL, fresh())) \
    X(msw_cuda_scratch_init, NULL, (NULL, NULL, 0, 0, fresh())) \
    X(msw_cuda_scratch_reserve, NULL, (NULL, NULL, 0, fresh()))
// clang-format on

/* That answer. */
// clang-format off
#define ANSWERING(X) \
    X(msw_version, msw_version()[0] != '\0') \
    X(msw_feature_name, msw_feature_name(32) == NULL) \
    X(msw_result_text, msw_result_text((msw_result)-1)[0] != '\0') \
    X(msw_spec_op_count, msw_spec_op_count(NULL) == 0) \
    X(msw_spec_find, msw_spec_find(NULL, NULL) == -1) \
    X(msw_spec_name, msw_spec_name(NULL)[0] == '\0') \
    X(msw_spec_summary, msw_spec_summary(NULL)[0] == '\0') \
    X(msw_spec_json, msw_spec_json(NULL)[0] == '\0') \
    X(msw_strategy_get, msw_strategy_get(MSW_OP_SCAN, 0, NULL) == MSW_ERROR_INVALID_ARGUMENT) \
    X(msw_kind_get, msw_kind_get(0, NULL) == MSW_ERROR_INVALID_ARGUMENT) \
    X(msw_knob_get, msw_knob_get(0, NULL) == MSW_ERROR_INVALID_ARGUMENT) \
    X(msw_program_plan, msw_program_plan(NULL) == NULL) \
    X(msw_program_summary, msw_program_summary(NULL)[0] == '\0') \
    X(msw_program_json, msw_program_json(NULL)[0] == '\0') \
    X(msw_program_compile_seconds, msw_program_compile_seconds(NULL, 0) == 0) \
    X(msw_verification_is_bitwise, !msw_verification_is_bitwise(NULL)) \
    X(msw_verification_state_spec, msw_verification_state_spec(NULL) == NULL) \
    X(msw_verification_destroy, (msw_verification_destroy(NULL), 1)) \
    X(msw_context_device, msw_context_device(NULL) == NULL) \
    X(msw_buffer_address, msw_buffer_address(NULL) == 0) \
    X(msw_vulkan_buffer, msw_vulkan_buffer(NULL) == VK_NULL_HANDLE) \
    X(msw_kernel_plan, msw_kernel_plan(NULL) == NULL) \
    X(msw_kernel_is_cached, !msw_kernel_is_cached(NULL)) \
    X(msw_kernel_is_ready, !msw_kernel_is_ready(NULL, 1, 0)) \
    X(msw_scratch_bytes, msw_scratch_bytes(NULL, 1) == 0 && msw_scratch_bytes(&(msw_plan){0}, UINT64_MAX) == 0) \
    X(msw_scratch_bytes_ping_pong, msw_scratch_bytes_ping_pong(NULL, 1) == 0 && msw_scratch_bytes_ping_pong(&(msw_plan){0}, UINT64_MAX) == 0) \
    X(msw_ends_in_inputs, msw_ends_in_inputs(NULL, 1) == -1 && msw_ends_in_inputs(&(msw_plan){0}, UINT64_MAX) == -1) \
    X(msw_vulkan_scratch_release, (msw_vulkan_scratch_release(NULL, NULL), 1)) \
    X(msw_cuda_scratch_release, (msw_cuda_scratch_release(NULL, NULL), 1)) \
    X(msw_spec_destroy, (msw_spec_destroy(NULL), 1)) \
    X(msw_program_destroy, (msw_program_destroy(NULL), 1)) \
    X(msw_context_destroy, (msw_context_destroy(NULL), 1)) \
    X(msw_buffer_destroy, (msw_buffer_destroy(NULL), 1)) \
    X(msw_kernel_destroy, (msw_kernel_destroy(NULL), 1))
// clang-format on

static void check_refusal(const char *name, msw_result result, const void *handle, int has_diag)
{
    if (has_diag) expect_refusal(name, result, MSW_ERROR_INVALID_ARGUMENT, "");
    else assert_int_equal(result, MSW_ERROR_INVALID_ARGUMENT);
    if (handle && memcmp(handle, &(void *){NULL}, sizeof(void *)) != 0) fail_msg("%s leaves a handle as it was", name);
}

static void test_nothing(void **state)
{
    (void)state;
#define REFUSE(name, handle, arguments)                                              \
    memset(&made, 0x5a, sizeof made);                                                \
    fresh();                                                                         \
    {                                                                                \
        const msw_result result = name arguments;                                    \
        check_refusal(#name, result, handle, strstr(#arguments, "fresh()") != NULL); \
    }
    REFUSING(REFUSE)
#define ANSWER(name, is_harmless) \
    if (!(is_harmless)) fail_msg("%s", #name);
    ANSWERING(ANSWER)
}

static void expect_row(void *user, const char *name)
{
#define REFUSING_NAME(name, handle, arguments) #name,
#define ANSWERING_NAME(name, is_harmless) #name,
    static const char *const names[] = {REFUSING(REFUSING_NAME) ANSWERING(ANSWERING_NAME)};
    (void)user;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (!strcmp(names[n], name)) return;
    fail_msg("%s has no row", name);
}

static void test_every_function_has_a_row(void **state)
{
    (void)state;
    assert_true(for_public_functions(expect_row, NULL) > 40);
}

/* ---- descriptions of other sizes ---- */

static msw_spec *spec, *pipeline;
static msw_program *program;
static msw_context *host, *vulkan;
static msw_kernel *on_host, *on_vulkan;

static const char pipeline_text[] = "return pipeline(function(p)\n"
                                    "  local x = p.input('x', u32)\n"
                                    "  local y = p.map({ x }, function(v) return v * 3 end)\n"
                                    "  p.output('s', p.scan { monoid = sum(u32), input = y })\n"
                                    "end, { name = 'tripled' })\n";

/* user: the bytes that are held. */
static void *counting_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    uint64_t *held_bytes = user;
    void *moved = new_bytes ? realloc(block, new_bytes) : NULL;
    if (!new_bytes) free(block);
    else if (!moved) return NULL;
    *held_bytes += new_bytes - (block ? old_bytes : 0);
    return moved;
}

static msw_result give_spec(void *desc) { return msw_spec_create(desc, &made.spec, fresh()); }
static msw_result give_program(void *desc) { return msw_program_create(spec, desc, &made.program, fresh()); }
static msw_result give_header(void *desc) { return msw_header_text(spec, desc, &made.text, fresh()); }
static msw_result give_context(void *desc) { return msw_context_create(desc, &made.context, fresh()); }
static msw_result give_kernel_on_host(void *desc) { return msw_kernel_create(host, desc, &made.kernel, fresh()); }
static msw_result give_kernel_on_vulkan(void *desc) { return msw_kernel_create(vulkan, desc, &made.kernel, fresh()); }
static msw_result run_on_host(void *desc) { return msw_kernel_run(on_host, desc, NULL, fresh()); }
static msw_result run_on_vulkan(void *desc) { return msw_kernel_run(on_vulkan, desc, NULL, fresh()); }
static msw_result enqueue(void *desc) { return msw_vulkan_enqueue(on_vulkan, (VkCommandBuffer)poison, desc, fresh()); } /* never touched */

static msw_result list_devices(void *desc)
{
    uint32_t count;
    return msw_devices(desc, NULL, 0, &count, fresh());
}

static msw_result check_backend(void *desc) { return msw_backend_check(desc, MSW_BACKEND_HOST, fresh()); }

static msw_result give_target(void *target)
{
    return msw_program_create(spec, &(msw_program_desc){.struct_size = sizeof(msw_program_desc), .target = target}, &made.program, fresh());
}

static msw_result give_vulkan_device(void *vendor)
{
    return msw_context_create(&(msw_context_desc){.struct_size = sizeof(msw_context_desc), .device = "vulkan", .vendor = vendor}, &made.context,
                              fresh());
}

static msw_result give_cuda_device(void *vendor)
{
    return msw_context_create(&(msw_context_desc){.struct_size = sizeof(msw_context_desc), .device = "cuda", .vendor = vendor}, &made.context,
                              fresh());
}

static msw_result launch_info(void *info) { return msw_plan_launch(msw_program_plan(program), 1, 0, info, fresh()); }

static msw_result cut_by(const msw_target *target, msw_cut_form form)
{
    return msw_spec_cuts(pipeline, &(msw_program_desc){.struct_size = sizeof(msw_program_desc), .target = target}, 1 << 20, form, &made.text,
                         fresh());
}

static msw_result cut_for_target(void *target) { return cut_by(target, MSW_CUT_BRIEF); }

static msw_result cut_by_desc(void *desc) { return msw_spec_cuts(pipeline, desc, 1 << 20, MSW_CUT_BRIEF, &made.text, fresh()); }

#define DESCRIPTION(type, call)   \
    {                             \
#type, sizeof(type), call \
    }
static const struct {
    const char *name;
    size_t bytes;
    msw_result (*call)(void *desc);
} descriptions[] = {
    DESCRIPTION(msw_spec_desc, give_spec),
    DESCRIPTION(msw_program_desc, give_program),
    DESCRIPTION(msw_program_desc, cut_by_desc),
    DESCRIPTION(msw_target, give_target),
    DESCRIPTION(msw_target, cut_for_target),
    DESCRIPTION(msw_header_desc, give_header),
    DESCRIPTION(msw_context_desc, give_context),
    DESCRIPTION(msw_context_desc, list_devices),
    DESCRIPTION(msw_kernel_desc, give_kernel_on_host),
    DESCRIPTION(msw_kernel_desc, give_kernel_on_vulkan),
    DESCRIPTION(msw_enqueue_desc, run_on_host),
    DESCRIPTION(msw_enqueue_desc, run_on_vulkan),
    DESCRIPTION(msw_enqueue_desc, enqueue),
    DESCRIPTION(msw_vulkan_device, give_vulkan_device),
    DESCRIPTION(msw_cuda_device, give_cuda_device),
    DESCRIPTION(msw_launch_info, launch_info),
    DESCRIPTION(msw_context_desc, check_backend),
};

/* The last 8 bytes before memory that may not be touched. */
static void *open_edge(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = aligned_alloc(page, 2 * page);
    assert_non_null(pages);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    return pages + page - 8;
}

static void close_edge(void *edge)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(mprotect((char *)edge + 8, page, PROT_READ | PROT_WRITE), 0);
    free((char *)edge + 8 - page);
}

static void test_sizes(void **state)
{
    void *edge = open_edge();
    (void)state;
    for (size_t d = 0; d < sizeof descriptions / sizeof *descriptions; d++) {
        const uint32_t bytes = (uint32_t)descriptions[d].bytes, sizes[] = {0, 1, 4, 8, bytes - 8, bytes - 1, (1 << 14) + 1, UINT32_MAX};
        char words[64];
        snprintf(words, sizeof words, "set it to sizeof(%s)", descriptions[d].name);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            if (sizes[s] == bytes) continue; /* 8 bytes in all */
            memcpy(edge, &sizes[s], sizeof sizes[s]);
            memset(&made, 0, sizeof made);
            expect_refusal(descriptions[d].name, descriptions[d].call(edge), MSW_ERROR_VERSION, words);
        }
    }
    close_edge(edge);
}

/* Programs that a header cannot be made of. */
static void test_headers(void **state)
{
    const msw_program *const none[] = {NULL};
    msw_header_desc desc = {.struct_size = sizeof desc};
    (void)state;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_header_text(spec, NULL, &made.text, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_header_text(NULL, &desc, &made.text, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "there is no program", msw_header_text(spec, &desc, &made.text, fresh()));
    desc.program_count = 1;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "there is no program", msw_header_text(spec, &desc, &made.text, fresh()));
    memcpy(&desc.programs, &(const void *){none}, sizeof desc.programs);
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "NULL", msw_header_text(spec, &desc, &made.text, fresh()));
    desc.programs = &program;
    desc.form = 3;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "no form 3", msw_header_text(spec, &desc, &made.text, fresh()));
}

/* Verifications of backends that there are not, and of outputs that are not given: of bits, of bounds, of sorts. */
static void test_verifications(void **state)
{
    static const char *const texts[] = {"return scan { monoid = sum(u32) }", "return reduce { monoid = sum(f32) }",
                                        "return sort { key = u32, value = 'index' }",
                                        "return sort { key = f32, map = function(x) return exp(x) end, value = 'index' }"};
    static const char *const words[] = {"output 'out' is NULL", "output 'out' is NULL", "output 'keys_out' is NULL", "output 'keys_out' is NULL"};
    const uint32_t in[2] = {1, 2};
    msw_verification *verification;
    msw_verification_report report = {.struct_size = sizeof report};
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        msw_spec *of = read_text(texts[t]);
        msw_verification_desc desc = {.struct_size = sizeof desc, .spec = of, .backend = 77};
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "no backend 77", verification, msw_verification_create, &desc);
        desc.backend = MSW_BACKEND_CUDA + 1;
        REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "no backend 4", verification, msw_verification_create, &desc);
        desc.backend = MSW_BACKEND_CUDA;
        expect_ok(msw_verification_create(&desc, &verification, fresh()));
        expect_ok(msw_verification_expect(verification, 2, (const void *[]){in, in}, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, words[t], msw_verification_judge(verification, (const void *[]){NULL, NULL}, NULL, &report, fresh()));
        if (t >= 2)
            REFUSED(MSW_ERROR_INVALID_ARGUMENT, "_out' is NULL",
                    msw_verification_judge(verification, (const void *[]){in, NULL}, NULL, &report, fresh()));
        msw_verification_destroy(verification);
        msw_spec_destroy(of);
    }
}

/* A buffer of one context where another's is wanted; one device's scratch, too small by a byte, is in enqueue_cases.h. */
static void test_foreign_handles(void **state)
{
    msw_buffer *a, *b;
    (void)state;
    expect_ok(msw_buffer_create(host, 64, &a, fresh()));
    expect_ok(msw_buffer_create(vulkan, 64, &b, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "", msw_buffer_copy(a, b, 64, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "", msw_buffer_copy(b, a, 64, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "", msw_vulkan_enqueue(on_host, (VkCommandBuffer)poison, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "", msw_cuda_enqueue(on_vulkan, NULL, NULL, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "", msw_cuda_scratch_init(on_vulkan, NULL, 0, 0, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "", msw_vulkan_scratch_init(on_host, (VkCommandBuffer)poison, 0, 0, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "one of 'vulkan", msw_cuda_scratch_reserve(on_vulkan, NULL, 64, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "one of 'host'", msw_vulkan_scratch_reserve(on_host, (VkCommandBuffer)poison, 64, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "commands is NULL", msw_vulkan_scratch_reserve(on_vulkan, NULL, 64, fresh()));
    REFUSED(MSW_ERROR_OUT_OF_MEMORY, "", msw_vulkan_scratch_reserve(on_vulkan, (VkCommandBuffer)poison, UINT64_MAX, fresh()));
    msw_vulkan_scratch_release(on_vulkan, (VkCommandBuffer)poison);
    msw_cuda_scratch_release(on_vulkan, NULL);
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "desc is NULL", msw_vulkan_enqueue(on_vulkan, (VkCommandBuffer)poison, NULL, fresh()));
    msw_buffer_destroy(a);
    msw_buffer_destroy(b);
}

static msw_buffer *open_buffer(msw_enqueue_desc *desc, uint32_t b)
{
    msw_buffer *made_buffer;
    expect_ok(msw_buffer_create(vulkan, 1 << 16, &made_buffer, fresh()));
    *(b < MSW_MAX_BUFFERS ? &desc->buffers[b] : &desc->scratch) = msw_buffer_address(made_buffer);
    return made_buffer;
}

/* A scratch that ends beyond the address space, which its initialisation would walk through. */
static void test_scratch_without_end(void **state)
{
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = 100, .flags = MSW_SCRATCH_DIRTY};
    msw_buffer *const buffers[] = {open_buffer(&desc, 0), open_buffer(&desc, 1), open_buffer(&desc, MSW_MAX_BUFFERS)};
    msw_kernel *const kernels[] = {on_vulkan, make_kernel(vulkan, pipeline_text)};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        desc.scratch_bytes = UINT64_MAX;
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "leaves the address space", msw_kernel_run(kernels[k], &desc, NULL, fresh()));
        REFUSED(MSW_ERROR_INVALID_ARGUMENT, "leaves the address space",
                msw_vulkan_scratch_init(kernels[k], (VkCommandBuffer)poison, desc.scratch, UINT64_MAX, fresh()));
        desc.scratch_bytes = 1 << 16;
        expect_ok(msw_kernel_run(kernels[k], &desc, NULL, fresh()));
    }
    msw_kernel_destroy(kernels[1]);
    for (size_t b = 0; b < 3; b++) msw_buffer_destroy(buffers[b]);
}

/* A pipeline does not run in place, and no message says how it would. */
static void test_pipelines_in_place(void **state)
{
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = 100};
    msw_buffer *const x = open_buffer(&desc, 0);
    msw_kernel *const kernel = make_kernel(vulkan, pipeline_text);
    msw_launch_info info = {.struct_size = sizeof info};
    (void)state;
    desc.buffers[1] = desc.buffers[0];
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "'x' and 's' share memory; a pipeline does not run in place: keep them apart",
            msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc.flags = MSW_IN_PLACE;
    REFUSED(MSW_ERROR_UNSUPPORTED, "does not run in place", msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc.buffers[1] += 64;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "a pipeline does not run in place", msw_kernel_run(kernel, &desc, NULL, fresh()));
    REFUSED(MSW_ERROR_UNSUPPORTED, "does not run in place", msw_plan_launch(msw_kernel_plan(kernel), 100, MSW_IN_PLACE, &info, fresh()));
    REFUSED(MSW_ERROR_UNSUPPORTED, "does not run in place", msw_kernel_wait(kernel, 100, MSW_IN_PLACE, fresh()));
    assert_false(msw_kernel_is_ready(kernel, 100, MSW_IN_PLACE));
    expect_ok(msw_kernel_wait(kernel, 100, 0, fresh()));
    msw_kernel_destroy(kernel);
    msw_buffer_destroy(x);
}

static void test_pipelines_in_place_on_host(void **state)
{
    _Alignas(16) uint32_t x[100] = {0};
    msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = 100, .buffers = {(uint64_t)(uintptr_t)x, (uint64_t)(uintptr_t)x}};
    msw_kernel *const kernel = make_kernel(host, pipeline_text);
    (void)state;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "'x' and 's' share memory, and 'tripled' does not run in place: keep them apart",
            msw_kernel_run(kernel, &desc, NULL, fresh()));
    desc.flags = MSW_IN_PLACE;
    REFUSED(MSW_ERROR_UNSUPPORTED,
            "'tripled' does not run in place: it reads what is near an element, puts elements elsewhere than they were, or is a pipeline",
            msw_kernel_run(kernel, &desc, NULL, fresh()));
    msw_kernel_destroy(kernel);
}

/* What a plan does not serve in place is not waited for either, whichever kernels it would take. */
static void test_packed_in_place(void **state)
{
    static const char text[] = "return compact { input = u32, keep = function(x) return ne(x, 0) end }";
    msw_kernel_desc desc = {.struct_size = sizeof desc, .spec_text = text, .first_n = 100, .first_flags = MSW_IN_PLACE};
    msw_launch_info info = {.struct_size = sizeof info};
    msw_kernel *kernel;
    (void)state;
    REFUSED(MSW_ERROR_UNSUPPORTED, "does not run in place", msw_kernel_create(vulkan, &desc, &kernel, fresh()));
    assert_null(kernel);
    desc.first_n = 0;
    desc.first_flags = 64;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "first_flags are 0x40", msw_kernel_create(vulkan, &desc, &kernel, fresh()));
    desc.first_flags = MSW_IN_PLACE | MSW_PING_PONG;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "first_flags are 0x", msw_kernel_create(vulkan, &desc, &kernel, fresh()));
    kernel = make_kernel(vulkan, text);
    REFUSED(MSW_ERROR_UNSUPPORTED, "does not run in place", msw_plan_launch(msw_kernel_plan(kernel), 100, MSW_IN_PLACE, &info, fresh()));
    REFUSED(MSW_ERROR_UNSUPPORTED, "does not run in place", msw_kernel_wait(kernel, 100, MSW_IN_PLACE, fresh()));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "flags 0x40 are not known", msw_kernel_wait(kernel, 100, 64, fresh()));
    assert_false(msw_kernel_is_ready(kernel, 100, MSW_IN_PLACE));
    expect_ok(msw_kernel_wait(kernel, 100, 0, fresh()));
    msw_kernel_destroy(kernel);
}

/* ---- targets ---- */

/* Each function that takes a target refuses one that is none. */
static void test_no_targets(void **state)
{
    static const struct {
        uint32_t backend, progress;
        const char *words;
    } none[] = {{MSW_BACKEND_CUDA + 1, 0, "backend is 4, no msw_backend_kind"},
                {99, 0, "backend is 99"},
                {UINT32_MAX, 0, "backend is 4294967295"},
                {MSW_BACKEND_VULKAN, MSW_PROGRESS_NONE + 1, "progress is 4, no msw_progress"},
                {MSW_BACKEND_CUDA, 77, "progress is 77"}};
    struct {
        msw_target target;
        uint64_t later;
    } longer = {{.struct_size = sizeof longer}, 1};
    (void)state;
    for (size_t t = 0; t < sizeof none / sizeof *none; t++) {
        msw_target target = {.struct_size = sizeof target, .backend = none[t].backend, .progress = none[t].progress};
        memset(&made, 0x5a, sizeof made);
        expect_refusal("msw_program_create", give_target(&target), MSW_ERROR_INVALID_ARGUMENT, none[t].words);
        expect_refusal("msw_spec_cuts", cut_for_target(&target), MSW_ERROR_INVALID_ARGUMENT, none[t].words);
        assert_null(made.program);
        assert_null(made.text);
    }
    expect_refusal("msw_program_create", give_target(&longer), MSW_ERROR_VERSION, "msw_target");
    expect_refusal("msw_spec_cuts", cut_for_target(&longer), MSW_ERROR_VERSION, "msw_target");
    longer.later = 0;
    expect_ok(cut_for_target(&longer));
}

static void expect_cut(const char *expected, msw_target target)
{
    target.struct_size = sizeof target;
    expect_ok(cut_for_target(&target));
    assert_string_equal(made.text, expected);
}

/* What a target does not say is the backend's common denominator, of which lavapipe is not. */
static void test_zero_targets(void **state)
{
    static const uint32_t lavapipe = 0xff & ~MSW_FEATURE_LONG_LOOPS;
    const msw_target zero = {.struct_size = sizeof zero, .backend = MSW_BACKEND_VULKAN};
    (void)state;
    expect_ok(cut_for_target((void *)&zero));
    const char *by_denominator = made.text;
    expect_cut(by_denominator, (msw_target){.backend = MSW_BACKEND_AUTO});
    expect_cut(by_denominator, (msw_target){.backend = MSW_BACKEND_VULKAN, .has_features = 1, .features = 0xff});
    expect_cut(by_denominator, (msw_target){.backend = MSW_BACKEND_VULKAN, .features = lavapipe}); /* which is not used */
    expect_ok(cut_for_target(&(msw_target){.struct_size = sizeof zero, .backend = MSW_BACKEND_VULKAN, .has_features = 1, .features = lavapipe}));
    assert_string_not_equal(made.text, by_denominator);
}

static void test_choices(void **state)
{
    const msw_target target = {.struct_size = sizeof target};
    msw_choice choice = {.struct_size = sizeof choice};
    msw_spec_desc desc = {.struct_size = sizeof desc, .text = sum_text, .reserved = 7};
    msw_spec *made_spec;
    (void)state;
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "form is 77, no msw_cut_form", cut_by(&target, (msw_cut_form)77));
    REFUSED(MSW_ERROR_INVALID_ARGUMENT, "form is 3", cut_by(&target, (msw_cut_form)(MSW_CUT_BRIEF + 1)));
    REFUSED_HANDLE(MSW_ERROR_INVALID_ARGUMENT, "reserved is 7; set it to 0", made_spec, msw_spec_create, &desc);
    for (uint32_t kind = MSW_OP_PIPELINE + 1; kind < 80; kind++)
        assert_int_equal(msw_strategy_get((msw_op_kind)kind, 0, &choice), MSW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(msw_strategy_get((msw_op_kind)UINT32_MAX, 0, &choice), MSW_ERROR_INVALID_ARGUMENT);
}

/* Of what a cut is searched by, a spec keeps the text alone. */
static void test_cuts_keep_texts_alone(void **state)
{
    enum { CALLS = 64, ARENA_BLOCK_BYTES = 32 << 10 };
    uint64_t held_bytes = 0;
    const msw_allocator allocator = {&held_bytes, counting_resize};
    const msw_spec_desc desc = {.struct_size = sizeof desc, .text = pipeline_text, .allocator = &allocator};
    const msw_target target = {.struct_size = sizeof target};
    const msw_program_desc cut = {.struct_size = sizeof cut, .target = &target};
    const char *texts[CALLS];
    msw_spec *of;
    uint64_t text_bytes = 0;
    (void)state;
    expect_ok(msw_spec_create(&desc, &of, fresh()));
    const uint64_t before_bytes = held_bytes;
    for (uint32_t c = 0; c < CALLS; c++) {
        expect_ok(msw_spec_cuts(of, &cut, 1 << 20, c % 2 ? MSW_CUT_DOT : MSW_CUT_BRIEF, &texts[c], fresh()));
        text_bytes += strlen(texts[c]) + 16;
    }
    for (uint32_t c = 2; c < CALLS; c++) assert_string_equal(texts[c], texts[c % 2]);
    if (held_bytes - before_bytes > text_bytes + ARENA_BLOCK_BYTES)
        fail_msg("%u texts of %u bytes in all: %u bytes", CALLS, (unsigned)text_bytes, (unsigned)(held_bytes - before_bytes));
    msw_spec_destroy(of);
    assert_int_equal(held_bytes, 0);
}

static int open_all(void **state)
{
    const msw_target target = {.struct_size = sizeof target};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    (void)state;
    spec = read_text(sum_text);
    pipeline = read_text(pipeline_text);
    host = open_device("host");
    vulkan = open_device("vulkan");
    on_host = make_kernel(host, sum_text);
    on_vulkan = make_kernel(vulkan, sum_text);
    expect_ok(msw_program_create(spec, &desc, &program, fresh()));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    msw_kernel_destroy(on_host);
    msw_kernel_destroy(on_vulkan);
    msw_context_destroy(host);
    msw_context_destroy(vulkan);
    msw_program_destroy(program);
    msw_spec_destroy(spec);
    msw_spec_destroy(pipeline);
    return validation_messages;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing),
                                       cmocka_unit_test(test_every_function_has_a_row),
                                       cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_headers),
                                       cmocka_unit_test(test_verifications),
                                       cmocka_unit_test(test_foreign_handles),
                                       cmocka_unit_test(test_scratch_without_end),
                                       cmocka_unit_test(test_pipelines_in_place),
                                       cmocka_unit_test(test_pipelines_in_place_on_host),
                                       cmocka_unit_test(test_packed_in_place),
                                       cmocka_unit_test(test_no_targets),
                                       cmocka_unit_test(test_zero_targets),
                                       cmocka_unit_test(test_choices),
                                       cmocka_unit_test(test_cuts_keep_texts_alone)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
