/* Plans that are not what the generator made: words of a whole plan changed, a pointer missing. They are loaded on a fake CUDA driver or on the host,
 * where a call or an allocation may fail and no allocation gets more than MOST_BYTES, and run there when they load. Input: the plan, the missing
 * pointer, the failing call, the failing allocation, n, flags, addresses; then the changed words, each by its place (2 bytes) and number. */
#include "fake_driver.h"
#include "failing.h"
#include "../../runtime/backend.h"

#include "input.h"
#include "outcome.h"

enum { PLANS = 4, HOST_PLAN = 3, MOST_BYTES = 1 << 20 };

static msw_plan wholes[PLANS];
static char long_name[3000];

static msw_result run_nothing(void *user, const msw_enqueue_desc *desc, uint64_t n, msw_diag *diag)
{
    (void)user;
    return desc && n <= desc->n ? ms_ok(diag) : MSW_ERROR_DEVICE;
}

/* A plan of the generator's, never released. The kernels' names do for code: the fake driver looks for them. */
static msw_plan generate(const char *text)
{
    static char codes[PLANS][512];
    const msw_spec_desc read = {.struct_size = sizeof read, .text = text};
    const msw_target target = {.struct_size = sizeof target, .backend = MSW_BACKEND_CUDA, .arch = "sm_90"};
    const msw_program_desc desc = {.struct_size = sizeof desc, .target = &target};
    static msw_program *kept[PLANS];
    static int count;
    msw_spec *spec;
    msw_diag diag;
    check(msw_spec_create(&read, &spec, &diag), &diag);
    check(msw_program_create(spec, &desc, &kept[count], &diag), &diag);
    msw_spec_destroy(spec);
    msw_plan plan = *msw_program_plan(kept[count]);
    for (uint32_t k = 0; k < plan.kernel_count; k++) {
        strcat(strcat(codes[count], plan.kernels[k].entry), " ");
        plan.kernels[k].code = codes[count];
        plan.kernels[k].text = NULL; /* who lacks code would be compiled, which takes a thousand times as long as all the rest */
    }
    for (uint32_t k = 0; k < plan.kernel_count; k++) plan.kernels[k].code_bytes = strlen(codes[count]) + 1;
    count++;
    return plan;
}

static void set_up(void)
{
    static const ms_host_program program = {run_nothing, NULL};
    if (wholes[0].name) return;
    wholes[0] = make_plan(ptx, sizeof ptx);
    wholes[1] = generate("return scan { monoid = sum(u32) }");
    wholes[2] = generate("return sort { key = u32, value = u32 }");
    wholes[HOST_PLAN] =
        (msw_plan){.format = MSW_PLAN_FORMAT,
                   .backend = MSW_BACKEND_HOST,
                   .name = "host",
                   .buffer_count = 2,
                   .kernel_count = 1,
                   .step_count = 1,
                   .variant_count = 1,
                   .scratch_alignment_bytes = 16,
                   .buffers = {{"in", 4, 4, MSW_LENGTH_N, 0, 0, 0}, {"out", 4, 4, MSW_LENGTH_N, 1, 0, 0}},
                   .kernels = {{.entry = "oracle", .code = &program, .code_bytes = sizeof program, .block_threads = 1, .subgroup_size = 1}},
                   .steps = {{.tile_items = 1, .max_blocks = 1}},
                   .variants = {{.n_max = 1000, .step_count = 1, .strategy = "oracle"}}};
    memset(long_name, 'x', sizeof long_name - 1);
}

/* The pointers of the whole plan, but for one. Codes keep their sizes: nobody can tell that a size is wrong. */
static void repair(msw_plan *plan, const msw_plan *whole, unsigned missing)
{
    static const char *const others[2] = {NULL, long_name};
    const char *other = others[missing / 128];
    plan->name = whole->name;
    for (int b = 0; b < MSW_MAX_BUFFERS; b++) plan->buffers[b].name = whole->buffers[b].name;
    for (int v = 0; v < MSW_MAX_VARIANTS; v++) plan->variants[v].strategy = whole->variants[v].strategy;
    for (int k = 0; k < MSW_MAX_KERNELS; k++) {
        plan->kernels[k].entry = whole->kernels[k].entry;
        plan->kernels[k].text = whole->kernels[k].text;
        plan->kernels[k].code = whole->kernels[k].code;
        plan->kernels[k].code_bytes = whole->kernels[k].code_bytes;
    }
    const unsigned which = missing % 128 / 8, row = missing % 8;
    if (which == 1) plan->name = other;
    if (which == 2) plan->buffers[row].name = other;
    if (which == 3) plan->variants[row].strategy = other;
    if (which == 4) plan->kernels[row].entry = other;
    if (which == 5) plan->kernels[row].code = NULL;
    if (which == 6) plan->kernels[row].code_bytes = 0;
}

/* Addresses need not exist: nothing runs. */
static void run(msw_kernel *kernel, const msw_enqueue_desc *desc)
{
    msw_enqueue_desc own = *desc;
    msw_diag diag;
    double seconds;
    expect_outcome(msw_kernel_run(kernel, desc, &seconds, &diag), &diag);
    own.scratch = 0;
    expect_outcome(msw_kernel_run(kernel, &own, NULL, &diag), &diag);
    expect_outcome(msw_cuda_enqueue(kernel, NULL, desc, &diag), &diag);
    expect_outcome(msw_cuda_scratch_init(kernel, NULL, desc->scratch, desc->scratch_bytes, &diag), &diag);
}

static void load(msw_context *context, const msw_plan *plan, const msw_enqueue_desc *desc)
{
    const msw_plan *const plans[] = {plan, plan, NULL};
    const msw_kernel_desc create = {.struct_size = sizeof create, .plan = plan};
    msw_kernel *kernels[3];
    msw_diag diag;
    const msw_result result = expect_outcome(msw_kernel_load(context, plan, &kernels[0], &diag), &diag);
    expect_outcome(msw_kernel_load_any(context, plans, &kernels[1], &diag), &diag);
    expect_outcome(msw_kernel_create(context, &create, &kernels[2], &diag), &diag);
    if (!result != !!kernels[0]) abort();
    if (kernels[0]) run(kernels[0], desc);
    if (kernels[0] && msw_scratch_bytes(msw_kernel_plan(kernels[0]), desc->n) != msw_scratch_bytes(plan, desc->n)) abort();
    msw_kernel_destroy(kernels[0]);
    msw_kernel_destroy(kernels[1]);
    msw_kernel_destroy(kernels[2]);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    input in = {data, bytes};
    msw_context *context;
    msw_diag diag;
    reset(NULL);
    set_up();
    const unsigned which = take_below(&in, PLANS), missing = take_below(&in, 256);
    fake->fail_code = MS_CU_ERROR_OUT_OF_MEMORY;
    fake->spared = "cuCtxPushCurrent"; /* who cannot enter a context cannot release what is in it */
    fake->failing_call = (int64_t)take(&in, 1);
    fake->most_bytes = MOST_BYTES;
    failing memory = {.first = (int64_t)take(&in, 1), .count = 1, .most_bytes = MOST_BYTES};
    const msw_allocator allocator = {&memory, failing_resize};
    msw_enqueue_desc desc = describe(take_number(&in));
    desc.flags = (uint32_t)take(&in, 1);
    desc.buffers[1] += take(&in, 1); /* unaligned; or in place */
    if (desc.buffers[1] & 128) desc.buffers[1] = desc.buffers[0];
    msw_plan plan = wholes[which];
    change_words(&in, &plan, sizeof plan);
    repair(&plan, &wholes[which], missing);
    msw_scratch_bytes(&plan, desc.n);
    msw_scratch_bytes_ping_pong(&plan, desc.n);
    msw_ends_in_inputs(&plan, desc.n);
    msw_launch_info info = {.struct_size = sizeof info};
    const msw_device_info device = {.struct_size = sizeof device, .memory_bytes = take_number(&in), .max_allocation_bytes = take_number(&in)};
    if (expect_outcome(msw_plan_serves(&plan, NULL, desc.n, &diag), &diag) && !msw_plan_serves(&plan, &device, desc.n, &diag)) abort();
    expect_outcome(msw_plan_serves(&plan, &device, desc.n, &diag), &diag);
    expect_outcome(msw_plan_launch(&plan, desc.n, desc.flags, &info, &diag), &diag);
    const msw_context_desc host = {.struct_size = sizeof host, .device = "host", .allocator = &allocator};
    const msw_result opened =
        which == HOST_PLAN ? msw_context_create(&host, &context, &diag) : open_context("cuda", NULL, &allocator, &context, &diag);
    if (!expect_outcome(opened, &diag)) load(context, &plan, &desc);
    msw_context_destroy(context);
    expect_nothing_alive();
    if (memory.live_blocks || memory.live_bytes) abort();
    return 0;
}
