/* refusals.h - for programs with vendored headers: each argument wrong in turn, and the code that an enqueue returns before anything is enqueued. */
#ifndef REFUSALS_H
#define REFUSALS_H

/* Makes the `which`-th mistake in an enqueue of `running` (n elements of u32) or `pairs` that would be right; the code, 0: there are no more. */
static inline int spoil_running(int which, running_arguments *a)
{
    switch (which) {
    case 0: a->in = 0; return MSW_LAUNCH_MISSING;
    case 1: a->in += 2; return MSW_LAUNCH_UNALIGNED;
    case 2: a->out += 1; return MSW_LAUNCH_UNALIGNED;
    case 3: a->n_address = a->carry_in + 4; return MSW_LAUNCH_UNALIGNED;
    case 4: a->carry_in += 8; return MSW_LAUNCH_UNALIGNED;
    case 5: a->carry_out += 4; return MSW_LAUNCH_UNALIGNED;
    case 6: a->scratch += 8; return MSW_LAUNCH_UNALIGNED;
    case 7: a->scratch = 0; return MSW_LAUNCH_TOO_SMALL;
    case 8: a->scratch_bytes = 15; return MSW_LAUNCH_TOO_SMALL;
    case 9: a->n = UINT64_MAX; return MSW_LAUNCH_UNSERVED;
    case 10: a->flags = MSW_PING_PONG; return MSW_LAUNCH_UNSERVED;
    case 11: a->flags = 1u << 30; return MSW_LAUNCH_INVALID;
    case 12: a->out = a->in; return MSW_LAUNCH_ALIASED; /* not declared */
    case 13:
        a->out = a->in + 4;
        a->flags = MSW_IN_PLACE;
        return MSW_LAUNCH_ALIASED;
    case 14: a->out = a->in + 4 * (a->n - 1); return MSW_LAUNCH_ALIASED;
    case 15: a->carry_out = a->in; return MSW_LAUNCH_ALIASED;
    case 16: a->scratch = a->in; return MSW_LAUNCH_ALIASED;
    case 17: a->n_address = a->scratch; return MSW_LAUNCH_ALIASED;
    default: return 0;
    }
}

static inline int spoil_pairs(int which, pairs_arguments *a)
{
    switch (which) {
    case 0: a->keys = 0; return MSW_LAUNCH_MISSING;
    case 1: a->values = 0; return MSW_LAUNCH_MISSING;
    case 2: a->values = a->values_out = 0; return MSW_LAUNCH_MISSING;
    case 3: a->values_out += 2; return MSW_LAUNCH_UNALIGNED;
    case 4: a->keys_out = a->values_out; return MSW_LAUNCH_ALIASED;
    case 5: a->keys_out = a->keys; return MSW_LAUNCH_ALIASED;
    case 6: a->scratch_bytes--; return MSW_LAUNCH_TOO_SMALL;
    case 7:
        a->flags = MSW_PING_PONG;
        a->keys_out = 0;
        return MSW_LAUNCH_MISSING;
    case 8: a->flags = MSW_PING_PONG | MSW_IN_PLACE; return MSW_LAUNCH_INVALID;
    case 9:
        a->scratch = a->values_out + 4 * a->n - 16;
        a->scratch &= ~(uint64_t)15;
        return MSW_LAUNCH_ALIASED;
    default: return 0;
    }
}

#endif
