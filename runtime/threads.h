/* threads.h - threads of the library's own, in which it compiles (private). They take none of the program's signals. */
#ifndef MS_THREADS_H
#define MS_THREADS_H

#include <pthread.h>
#include <stdint.h>

/* Processors that this thread may run on; at least 1. */
uint32_t ms_processors(void);

/* 1: the thread runs, and is to be joined. */
int ms_thread_start(pthread_t *thread, void *(*work)(void *), void *user);

enum { MS_MOST_THREADS = 32 };

/* Calls work(user, i) for every i < count, in that order, in as many threads as there are processors, of which the caller's is one. */
void ms_threads_run(uint32_t count, void (*work)(void *user, uint32_t i), void *user);

#endif
