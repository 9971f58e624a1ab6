#include "compilations.h"
#include "c_locale.h"
#include "jit_cache.h"
#include "../threads.h"

#include <string.h>
#include <time.h>

struct ms_compilations {
    msw_allocator allocator;
    size_t bytes; /* of this block, which ends with arch */
    const ms_compiler *compiler;
    const char *arch; /* or NULL */
    pthread_mutex_t lock;
    pthread_cond_t progress; /* a kernel has a result */
    /* Sets of kernels, as bits: not begun; of these the ones that somebody waits for, and that threads take by themselves; with a result. */
    uint64_t waiting, urgent, wanted, done;
    uint32_t working;   /* threads that look for work */
    uint32_t compiling; /* kernels that are being compiled */
    uint32_t thread_count;
    pthread_t threads[MSW_MAX_KERNELS];
    msw_plan_kernel kernels[MSW_MAX_KERNELS]; /* a block each for entry and text */
    size_t text_bytes[MSW_MAX_KERNELS];       /* of such a block; 0: there is none */
    ms_compilation results[MSW_MAX_KERNELS];
};

/* ---- one text ---- */

static double processor_seconds(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void compile_kernel(const ms_compilations *c, uint32_t kernel, ms_compilation *made)
{
    const ms_c_locale locale = ms_c_locale_enter();
    const double start = processor_seconds();
    made->result = c->compiler->compile(&c->kernels[kernel], c->arch, NULL, &made->code, &made->code_bytes, &made->diag);
    made->seconds = processor_seconds() - start;
    ms_c_locale_leave(locale);
}

/* ---- which is next; under the lock ---- */

static uint32_t count_bits(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

/* Of these the longest; there is one. Texts are about as long to compile as they are to read. */
static uint32_t longest_of(const ms_compilations *c, uint64_t kernels)
{
    uint32_t longest = 0;
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++)
        if (kernels >> k & 1u && (!(kernels >> longest & 1u) || c->text_bytes[k] > c->text_bytes[longest])) longest = k;
    return longest;
}

/* Compiles one of these, which nobody has begun. The lock is given up meanwhile. */
static void compile_one(ms_compilations *c, uint64_t kernels)
{
    const uint32_t kernel = longest_of(c, kernels);
    c->waiting &= ~(UINT64_C(1) << kernel);
    c->urgent &= c->waiting;
    c->wanted &= c->waiting;
    c->compiling++;
    pthread_mutex_unlock(&c->lock);
    compile_kernel(c, kernel, &c->results[kernel]);
    pthread_mutex_lock(&c->lock);
    c->compiling--;
    c->done |= UINT64_C(1) << kernel;
    pthread_cond_broadcast(&c->progress);
}

static void *compile_while_wanted(void *user)
{
    ms_compilations *c = user;
    pthread_mutex_lock(&c->lock);
    while (c->urgent || c->wanted) compile_one(c, c->urgent ? c->urgent : c->wanted);
    c->working--;
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* As many threads as there is work for, and processors beside those that the calling thread keeps busy (0 or 1). */
static void add_threads(ms_compilations *c, uint32_t kernels, uint32_t busy)
{
    const uint32_t processors = ms_processors() - busy;
    const uint32_t useful = kernels < processors ? kernels : processors;
    while (c->working < useful && c->thread_count < MSW_MAX_KERNELS) {
        if (!ms_thread_start(&c->threads[c->thread_count], compile_while_wanted, c)) break;
        c->thread_count++;
        c->working++;
    }
}

/* Those that are not done and that somebody wants. */
static uint32_t count_work(const ms_compilations *c) { return c->compiling + count_bits(c->urgent | c->wanted); }

/* ---- the interface ---- */

static size_t text_bytes(const char *text) { return text ? strlen(text) + 1 : 0; }

ms_compilations *ms_compilations_create(const msw_allocator *allocator, uint32_t backend, const char *arch)
{
    const size_t bytes = sizeof(ms_compilations) + text_bytes(arch);
    ms_compilations *c = ms_alloc(allocator, bytes);
    if (!c) return NULL;
    if (allocator) c->allocator = *allocator;
    c->bytes = bytes;
    c->compiler = ms_jit_compiler(backend);
    c->arch = arch ? memcpy(c + 1, arch, text_bytes(arch)) : NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->progress, NULL);
    return c;
}

int ms_compilations_add(ms_compilations *c, uint32_t kernel, const msw_plan_kernel *described)
{
    const size_t entry_bytes = text_bytes(described->entry), bytes = entry_bytes + text_bytes(described->text);
    char *texts = ms_alloc(&c->allocator, bytes);
    if (!texts) return 0;
    c->kernels[kernel] = *described;
    c->kernels[kernel].entry = memcpy(texts, described->entry, entry_bytes);
    c->kernels[kernel].text = memcpy(texts + entry_bytes, described->text, bytes - entry_bytes);
    pthread_mutex_lock(&c->lock);
    c->text_bytes[kernel] = bytes;
    c->waiting |= UINT64_C(1) << kernel;
    pthread_mutex_unlock(&c->lock);
    return 1;
}

void ms_compilations_start(ms_compilations *c, uint64_t kernels)
{
    pthread_mutex_lock(&c->lock);
    c->wanted |= kernels & c->waiting;
    add_threads(c, count_work(c), 0);
    pthread_mutex_unlock(&c->lock);
}

void ms_compilations_hurry(ms_compilations *c, uint64_t kernels)
{
    pthread_mutex_lock(&c->lock);
    c->urgent |= kernels & c->waiting;
    add_threads(c, count_work(c), 1);
    pthread_mutex_unlock(&c->lock);
}

void ms_compilations_finish(ms_compilations *c, uint64_t kernels)
{
    pthread_mutex_lock(&c->lock);
    c->urgent |= kernels & c->waiting;
    if (c->urgent & kernels) add_threads(c, count_work(c) - 1, 1); /* one is the calling thread's */
    while (c->urgent & kernels) compile_one(c, c->urgent & kernels);
    while (kernels & ~c->done) pthread_cond_wait(&c->progress, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

uint64_t ms_compilations_done(ms_compilations *c)
{
    pthread_mutex_lock(&c->lock);
    const uint64_t done = c->done;
    pthread_mutex_unlock(&c->lock);
    return done;
}

ms_compilation *ms_compilations_of(ms_compilations *c, uint32_t kernel) { return &c->results[kernel]; }

void ms_compilations_stop(ms_compilations *c)
{
    pthread_mutex_lock(&c->lock);
    c->urgent = c->wanted = 0;
    pthread_mutex_unlock(&c->lock);
    while (c->thread_count > 0) pthread_join(c->threads[--c->thread_count], NULL);
}

void ms_compilations_destroy(ms_compilations *c)
{
    if (!c) return;
    ms_compilations_stop(c);
    pthread_cond_destroy(&c->progress);
    pthread_mutex_destroy(&c->lock);
    const msw_allocator allocator = c->allocator;
    for (uint32_t k = 0; k < MSW_MAX_KERNELS; k++) {
        ms_free(NULL, c->results[k].code, c->results[k].code_bytes);
        if (c->text_bytes[k]) ms_free(&allocator, (void *)(uintptr_t)c->kernels[k].entry, c->text_bytes[k]);
    }
    ms_free(&allocator, c, c->bytes);
}
