/* machine.h - what a kernel in the C dialect asks of the machine that runs its lanes: the vocabulary's ground floor.
 *
 * The machine hands its table to the compiled text before the first launch and calls the kernel once for every lane. `line` is a line of that
 * text, for reports. Addresses are real; ordinary loads and stores of the text are reported through access() where the text is compiled for it. */
#ifndef MS_MACHINE_H
#define MS_MACHINE_H

#include <stdint.h>

/* Where the running lane is. */
typedef struct ms_place {
    uint32_t block_id, block_count, subgroup_id, lane_id;
} ms_place;

/* MS_RELAXED_BEFORE_STORES: of a load that must be ordered before each store to its place by the same launch. */
typedef enum ms_order { MS_RELAXED, MS_RELAXED_BEFORE_STORES, MS_ACQUIRE, MS_RELEASE, MS_ACQUIRE_RELEASE } ms_order;

typedef enum ms_update { MS_ADD, MS_AND, MS_OR, MS_MIN, MS_MAX, MS_EXCHANGE, MS_COMPARE_EXCHANGE } ms_update;

typedef struct ms_machine {
    ms_place place;

    /* The block's team, its first threads or all, as it was launched, or the whole subgroup calls these from one line. shuffle: *other becomes
     * lane `lane`'s *value, any bytes where there is no such lane. ballot: bit i of the 4 words is lane i's condition. Barriers order what lanes do
     * in shared memory; block_barrier_all_memory, and block_barrier once signals have begun, what they do in device memory, too. */
    void (*block_barrier)(int line);
    void (*block_barrier_all_memory)(int line);
    void (*subgroup_barrier)(int line);
    void (*shuffle)(int line, const void *value, void *other, uint32_t bytes, uint32_t lane);
    void (*ballot)(int line, int condition, uint32_t words[4]);

    /* Memory of the running lane's block, the same for one index, not initialised. */
    void *(*shared)(int line, uint32_t index, uint32_t bytes);

    /* Atomic accesses, of 4, 8 or 16 bytes and so aligned; update: 4 or 8 bytes, returns what was there. */
    void (*load)(int line, uint64_t address, void *value, uint32_t bytes, ms_order order);
    void (*store)(int line, uint64_t address, const void *value, uint32_t bytes, ms_order order);
    uint64_t (*update)(int line, uint64_t address, uint32_t bytes, ms_update how, uint64_t operand, uint64_t compare, ms_order order);

    /* Signals of the running lane's block, from begin_signals on, which the whole block calls from one line. give: who waits for it sees what
     * the lane wrote before. wait: until the signal has been given once more than `times`; at that time it has been given no fewer times, and
     * no more than once more, since devices tell turns by one bit. */
    void (*begin_signals)(int line, uint32_t count);
    void (*give)(int line, uint32_t signal);
    void (*wait)(int line, uint32_t signal, uint32_t times);

    /* Copies that happen by themselves, of whole 16 bytes. copy_in: to shared memory, gives the signal when it has come; may begin and end in the
     * middle of 16 bytes of device memory, in the same place in those of shared memory, beside what is there and others may write. copy_out: from
     * shared memory, of what lanes wrote before ready_copies and a block barrier. end_copies ends a group of these, wait_for_copies waits until all
     * groups but the last `count` have been read. One lane of a block calls these three. */
    void (*copy_in)(int line, void *to, uint64_t from, uint32_t bytes, uint32_t signal);
    void (*ready_copies)(int line);
    void (*copy_out)(int line, uint64_t to, const void *from, uint32_t bytes);
    void (*end_copies)(int line);
    void (*wait_for_copies)(int line, uint32_t groups);

    /* A launch of one cluster: its blocks run at once and reach each other's shared memory. begin_cluster: begin_signals, and others may send to
     * the block from now on. wait_for_cluster: each lane that sends calls it once, after begin_cluster; waits until all blocks have begun, and
     * sees what they did before. expect: one lane of a block calls it once a turn of the signal; the turn is given when it has been called and
     * this number of bytes has come. send: stores 4, 8 or 16 bytes, aligned to their size, to a block's shared memory, where `place` lies in the
     * running lane's own, and counts them for that block's signal. A lane that waits for the turn sees them, and what the sending lane saw and
     * wrote before. cluster_barrier: all threads of all blocks call it from one line, each block's threads as often; orders what they do in device
     * and shared memory. */
    void (*begin_cluster)(int line, uint32_t signals);
    void (*wait_for_cluster)(int line);
    void (*cluster_barrier)(int line);
    void (*expect)(int line, uint32_t signal, uint32_t bytes);
    void (*send)(int line, uint32_t block, const void *place, const void *value, uint32_t bytes, uint32_t signal);

    void (*pause)(int line); /* in a loop that waits for others */

    void (*access)(const void *address, uint64_t bytes, int is_write); /* before an ordinary load or store */
    void (*fault)(int line, const char *what);                         /* the text does what it must not */
} ms_machine;

#define MS_KERNEL __attribute__((visibility("default")))

extern MS_KERNEL const ms_machine *ms_machine_running; /* defined beside the kernels */

#endif
