#define _GNU_SOURCE /* sched_getaffinity */
#include "threads.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

uint32_t ms_processors(void)
{
    cpu_set_t allowed;
    const long count = sched_getaffinity(0, sizeof allowed, &allowed) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&allowed);
    return count > 1 ? (uint32_t)count : 1;
}

int ms_thread_start(pthread_t *thread, void *(*work)(void *), void *user)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(thread, NULL, work, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

typedef struct crowd {
    void (*work)(void *user, uint32_t i);
    void *user;
    uint32_t count;
    atomic_uint next;
} crowd;

static void *take_turns(void *user)
{
    crowd *c = user;
    for (uint32_t i; (i = atomic_fetch_add(&c->next, 1)) < c->count;) c->work(c->user, i);
    return NULL;
}

void ms_threads_run(uint32_t count, void (*work)(void *user, uint32_t i), void *user)
{
    crowd c = {work, user, count, 0};
    pthread_t threads[MS_MOST_THREADS];
    const uint32_t processors = ms_processors(), useful = count < processors ? count : processors;
    uint32_t started = 0;
    while (started + 1 < useful && started < MS_MOST_THREADS && ms_thread_start(&threads[started], take_turns, &c)) started++;
    take_turns(&c);
    while (started > 0) pthread_join(threads[--started], NULL);
}
