#include "progress.h"
#include "cli/pages.h"

#include <stdlib.h>
#include <string.h>

/* Polls of a thread: fewer than the 65535 rounds after which lavapipe ends a thread's loops, and tens of milliseconds of a GPU, far below the seconds
 * after which a driver takes it for hung. */
enum { BLOCK = 256, POLLS = 40000, HOLD = 4096, LOOKS = 32, ROUNDS = 4, MOST_BLOCKS = 32768 };

/* Words of the state, which progress.tpl reads and writes. */
enum { PATTERN, STARTED, ARRIVED, GAVE_UP, WAITED, STATE_WORDS };

/* Of the fastest run of a number of blocks: more are not tried then. */
static const double most_seconds = 0.15;

static const char *const names[MS_WAITINGS][2] = {
    {"earlier_started", "a block waits for the one that began before it"},
    {"earlier", "a block waits for the one of the index before"},
    {"later", "a block waits for the one of the next index"},
    {"all", "all blocks wait for each other"},
};

typedef struct probe {
    msw_kernel *kernel;
    msw_buffer *posts, *state;
    uint32_t *zeros; /* MOST_BLOCKS */
    uint32_t most_blocks;
} probe;

ms_exit ms_progress_text(const msw_target *target, char **text)
{
    static const char *const languages[] = {[MSW_BACKEND_VULKAN] = "glsl", [MSW_BACKEND_CUDA] = "cuda"};
    char numbers[512];
    const char *const values[] = {numbers};
    size_t bytes;
    const uint32_t block = target->max_block_threads < BLOCK ? target->max_block_threads : BLOCK;
    snprintf(numbers, sizeof numbers,
             "BLOCK=%u POLLS=%d HOLD=%d LOOKS=%d IS_CPU=%u ROUNDS=%d EARLIER_STARTED=%d EARLIER=%d LATER=%d ALL=%d "
             "PATTERN=%d STARTED=%d ARRIVED=%d GAVE_UP=%d WAITED=%d",
             block, POLLS, HOLD, LOOKS, target->is_cpu, ROUNDS, MS_WAIT_EARLIER_STARTED, MS_WAIT_EARLIER, MS_WAIT_LATER, MS_WAIT_ALL, PATTERN,
             STARTED, ARRIVED, GAVE_UP, WAITED);
    return ms_lua_make("gen/cli/measure/progress.lua", "kernel", &languages[target->backend], values, 1, MS_EXIT_FAILED, text, &bytes);
}

static ms_exit make_kernel(msw_context *context, const char *text, probe *p)
{
    const msw_target *target = &msw_context_device(context)->target;
    const msw_plan plan = {
        .format = MSW_PLAN_FORMAT,
        .backend = target->backend,
        .name = "progress",
        .buffer_count = 2,
        .kernel_count = 1,
        .step_count = 1,
        .variant_count = 1,
        .scratch_alignment_bytes = 16,
        .buffers = {{"posts", sizeof(uint32_t), 16, MSW_LENGTH_N, MSW_ROLE_OUT, 0, 0},
                    {"state", sizeof(uint32_t), 16, MSW_LENGTH_FIXED + STATE_WORDS, MSW_ROLE_OUT, 0, 0}},
        .kernels = {{.entry = "progress",
                     .text = text,
                     .block_threads = target->max_block_threads < BLOCK ? target->max_block_threads : BLOCK,
                     .subgroup_size = 1,
                     .shared_bytes = sizeof(uint32_t)}},
        .steps = {{.tile_items = 1, .max_blocks = p->most_blocks}},
        .variants = {{.n_max = p->most_blocks, .step_count = 1, .strategy = "progress"}},
    };
    const msw_kernel_desc desc = {.struct_size = sizeof desc, .plan = &plan};
    msw_diag diag;
    return msw_kernel_create(context, &desc, &p->kernel, &diag) ? ms_complain_diag(&diag) : MS_EXIT_DONE;
}

static ms_exit open_probe(msw_context *context, probe *p)
{
    const msw_target *target = &msw_context_device(context)->target;
    char *text = NULL;
    msw_diag diag;
    p->most_blocks = target->max_blocks < MOST_BLOCKS ? target->max_blocks : MOST_BLOCKS;
    p->zeros = calloc(MOST_BLOCKS, sizeof *p->zeros);
    if (!p->zeros) return ms_complain(MS_EXIT_FAILED, "out of memory; close other programs");
    ms_exit code = ms_progress_text(target, &text);
    if (!code) code = make_kernel(context, text, p);
    free(text);
    if (!code && msw_buffer_create(context, p->most_blocks * sizeof *p->zeros, &p->posts, &diag)) code = ms_complain_diag(&diag);
    if (!code && msw_buffer_create(context, STATE_WORDS * sizeof(uint32_t), &p->state, &diag)) code = ms_complain_diag(&diag);
    return code;
}

static void close_probe(probe *p)
{
    msw_kernel_destroy(p->kernel);
    msw_buffer_destroy(p->posts);
    msw_buffer_destroy(p->state);
    free(p->zeros);
}

/* One launch. *has_ended: every wait ended with a post. */
static ms_exit run(const probe *p, ms_waiting waiting, uint32_t blocks, double *least_seconds, uint32_t *waited, int *has_ended)
{
    uint32_t state[STATE_WORDS] = {[PATTERN] = waiting};
    const msw_enqueue_desc desc = {.struct_size = sizeof desc, .n = blocks, .buffers = {msw_buffer_address(p->posts), msw_buffer_address(p->state)}};
    double seconds = 0;
    msw_diag diag;
    msw_result result = msw_buffer_write(p->posts, 0, p->zeros, blocks * sizeof *p->zeros, &diag);
    if (!result) result = msw_buffer_write(p->state, 0, state, sizeof state, &diag);
    if (!result) result = msw_kernel_run(p->kernel, &desc, &seconds, &diag);
    if (!result) result = msw_buffer_read(p->state, 0, state, sizeof state, &diag);
    if (result) return ms_complain_diag(&diag);
    *has_ended = state[STARTED] == blocks && !state[GAVE_UP] && (waiting != MS_WAIT_ALL || state[ARRIVED] == ROUNDS * blocks);
    *waited += state[WAITED];
    if (seconds < *least_seconds) *least_seconds = seconds;
    return MS_EXIT_DONE;
}

/* All runs of a number of blocks; a run in which one gives up is the last. */
static ms_exit try_blocks(const probe *p, ms_waiting waiting, uint32_t blocks, ms_progress_seen *seen, int *has_ended)
{
    uint32_t waited = 0;
    double least_seconds = 1e9;
    ms_exit code = MS_EXIT_DONE;
    *has_ended = 1;
    for (int r = 0; !code && *has_ended && r < MS_PROGRESS_RUNS; r++) code = run(p, waiting, blocks, &least_seconds, &waited, has_ended);
    if (code) return code;
    if (!*has_ended) seen->failed_blocks = blocks;
    else seen->blocks = blocks, seen->waited = waited, seen->seconds = least_seconds;
    return code;
}

/* Twice as many blocks each time, until one gives up; then what is between, where all must run at once: how many do. */
static ms_exit try_waiting(const probe *p, ms_waiting waiting, ms_progress_seen *seen)
{
    ms_exit code = MS_EXIT_DONE;
    int has_ended = 1;
    *seen = (ms_progress_seen){.name = names[waiting][0], .summary = names[waiting][1]};
    for (uint32_t blocks = 2; !code && has_ended && blocks <= p->most_blocks && seen->seconds < most_seconds; blocks *= 2)
        code = try_blocks(p, waiting, blocks, seen, &has_ended);
    while (!code && waiting == MS_WAIT_ALL && seen->blocks && seen->failed_blocks > seen->blocks + 1)
        code = try_blocks(p, waiting, seen->blocks + (seen->failed_blocks - seen->blocks) / 2, seen, &has_ended);
    return code;
}

ms_exit ms_progress_probe(msw_context *context, ms_progress_seen seen[MS_WAITINGS])
{
    probe p = {0};
    memset(seen, 0, MS_WAITINGS * sizeof *seen);
    if (msw_context_device(context)->backend == MSW_BACKEND_HOST) return MS_EXIT_DONE;
    ms_exit code = open_probe(context, &p);
    for (int w = 0; !code && w < MS_WAITINGS; w++) code = try_waiting(&p, (ms_waiting)w, &seen[w]);
    close_probe(&p);
    return code;
}

int ms_progress_serves_lookback(const ms_progress_seen seen[MS_WAITINGS])
{
    const ms_progress_seen *earlier = &seen[MS_WAIT_EARLIER_STARTED];
    return earlier->name && earlier->blocks && !earlier->failed_blocks && earlier->waited;
}
