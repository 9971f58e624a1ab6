$ -- A launch of one cluster of blocks, which reach each other's shared memory: a block's rank in it is its block_id. Words are sent to the place of
$ -- another block's shared array that `place` is of one's own, and counted for a signal of that block (machine.h). Before: SIGNALS.
const uint CLUSTER = $(cluster)u; // blocks of the launch

// The whole block calls it, once: others may send to it.
#define begin_cluster() ms_machine_running->begin_cluster(__LINE__, SIGNALS)

// Every thread calls it, before it sends.
#define wait_for_cluster() ms_machine_running->wait_for_cluster(__LINE__)

// All threads of all blocks call it. It orders what they do in device memory, which signals do not.
#define cluster_barrier() ms_machine_running->cluster_barrier(__LINE__)

// Of the signal's next turn: it is given when this number of bytes has come, which may begin before the call. One thread calls it, once a turn.
#define expect_bytes(signal, bytes) ms_machine_running->expect(__LINE__, signal, bytes)

// A pair's place is 8-byte aligned, a quad's 16-byte aligned.
#define send_word(block, place, word, signal) ms_machine_running->send(__LINE__, block, place, (const uint[]){word}, 4u, signal)
#define send_pair(block, place, low, high, signal) ms_machine_running->send(__LINE__, block, place, (const uint[]){low, high}, 8u, signal)
#define send_quad(block, place, a, b, c, d, signal) ms_machine_running->send(__LINE__, block, place, (const uint[]){a, b, c, d}, 16u, signal)

// Waits until the signal has been given `times` + 1 times.
#define wait_for_signal(signal, times) ms_machine_running->wait(__LINE__, signal, times)
