/* The simulator itself: small kernels by hand that are right or wrong in one way each; it must tell which, under every scheduler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../backends/simulator/compiled.h"

#include <stdio.h>
#include <string.h>

#define HEAD                                                                                                                           \
    "#include \"machine.h\"\n"                                                                                                         \
    "#define m ms_machine_running\n"                                                                                                   \
    "#define lane (m->place.lane_id)\n"                                                                                                \
    "#define block (m->place.block_id)\n"                                                                                              \
    "#define thread (m->place.subgroup_id * 4 + lane)\n"                                                                               \
    "#define barrier() m->block_barrier(__LINE__)\n"                                                                                   \
    "#define barrier_all() m->block_barrier_all_memory(__LINE__)\n"                                                                    \
    "#define meet() m->subgroup_barrier(__LINE__)\n"                                                                                   \
    "#define begin() m->begin_signals(__LINE__, 2)\n"                                                                                  \
    "#define give(signal) m->give(__LINE__, signal)\n"                                                                                 \
    "#define await(signal, times) m->wait(__LINE__, signal, times)\n"                                                                  \
    "#define stage array(1, 128)\n"                                                                                                    \
    "#define fill(to, from, bytes) m->copy_in(__LINE__, to, from, bytes, 0)\n"                                                         \
    "#define leave(at, bytes) m->copy_out(__LINE__, (uint64_t)&out[block * 16], &stage[at], bytes)\n"                                  \
    "#define ready() m->ready_copies(__LINE__)\n"                                                                                      \
    "#define end() m->end_copies(__LINE__)\n"                                                                                          \
    "#define await_copies(groups) m->wait_for_copies(__LINE__, groups)\n"                                                              \
    "#define pause() m->pause(__LINE__)\n"                                                                                             \
    "#define begin_cluster() m->begin_cluster(__LINE__, 2)\n"                                                                          \
    "#define await_cluster() m->wait_for_cluster(__LINE__)\n"                                                                          \
    "#define expect(signal, bytes) m->expect(__LINE__, signal, bytes)\n"                                                               \
    "#define send_word(to, place, word, signal) m->send(__LINE__, to, place, &(uint32_t){word}, 4, signal)\n"                          \
    "#define counts array(2, 64)\n"                                                                                                    \
    "static inline uint32_t *array(uint32_t index, uint32_t bytes) { return m->shared(__LINE__, index, bytes); }\n"                    \
    "#define shared array(0, 4 * 16)\n"                                                                                                \
    "#define out ((uint32_t *)p.buffer[0])\n"                                                                                          \
    "#define here (block * 16 + thread)\n"                                                                                             \
    "#define mine out[here]\n"                                                                                                         \
    "#define words p.buffer[1]\n"                                                                                                      \
    "#define data ((uint32_t *)(words + 64))\n"                                                                                        \
    "typedef struct { uint64_t n, n_address, scratch, carry_in, carry_out, buffer[8], argument, reserved; } P;\n"                      \
    "static inline uint32_t get(uint64_t at, ms_order order) { uint32_t v; m->load(__LINE__, at, &v, 4, order); return v; }\n"         \
    "static inline void put(uint64_t at, uint32_t v, ms_order order) { m->store(__LINE__, at, &v, 4, order); }\n"                      \
    "static inline uint32_t add(uint64_t at, uint32_t v) { return (uint32_t)m->update(__LINE__, at, 4, MS_ADD, v, 0, MS_RELAXED); }\n" \
    "static inline uint32_t shuffled(uint32_t x, uint32_t from) { uint32_t y; m->shuffle(__LINE__, &x, &y, 4, from); return y; }\n"    \
    "MS_KERNEL void KERNEL(P p) {\n"

/* Blocks of a cluster exchange keys, in two rounds: all have read their keys, as their counts tell, then keys come in their place. */
#define ROUNDS(...)                                                  \
    HEAD "stage[thread] = here; begin_cluster(); await_cluster();\n" \
         "for (uint32_t r = 0, x; r < 2; r++) {\n" __VA_ARGS__ "} mine = stage[thread]; }"
#define READ "x = stage[thread];\n"
#define BARRIER "barrier();\n"
#define EXPECT "if (thread == 0) { expect(0, 16); expect(1, 64); }\n"
#define COUNT "if (thread < 4) send_word(thread, &counts[block], r, 0);\n"
#define COUNTED "await(0, r); if (counts[lane] != r) out[99] = 0;\n"
#define MOVE "send_word(thread / 4, &stage[block * 4 + lane], x, 1);\n"
#define MOVED "await(1, r);\n"

/* 4 blocks of 16 threads, subgroups of 4. Buffers: 0 is 64 words out, 1 is 64 words of zeros. */
enum { BLOCKS = 4, THREADS = 16, SUBGROUP = 4, WORDS = 64, SEEDS = 18 };

enum { FAIR_ONLY = 1, SOMETIMES = 2, TEAM = 4, CLUSTER = 8 };

static const struct program {
    const char *name, *text;
    const char *expected; /* in the failure; "" : every lane writes its number */
    int how;              /* FAIR_ONLY: not under schedulers without progress; SOMETIMES: fails under some seed, not under all;
                             TEAM: of the first 12 threads; CLUSTER: the blocks are one */
} programs[] = {
    {"nothing wrong", HEAD "out[block * 16 + thread] = block * 16 + thread; }", "", 0},
    {"neighbours through shared memory",
     HEAD "shared[thread] = thread; barrier(); out[block * 16 + thread] = block * 16 + (shared[15 - thread] ^ 15); }", "", 0},
    {"no barrier after the stores", HEAD "shared[thread] = 0; barrier(); shared[thread] = thread; out[block * 16 + thread] = shared[thread ^ 8]; }",
     "race", SOMETIMES},
    {"no barrier before the next stores",
     HEAD "for (int i = 0; i < 2; i++) { shared[thread] = thread; barrier(); out[block * 16 + thread] = shared[thread ^ 1]; } }", "race", SOMETIMES},
    {"subgroup barrier suffices inside a subgroup",
     HEAD "shared[thread] = thread; m->subgroup_barrier(__LINE__); out[block * 16 + thread] = block * 16 + (shared[thread ^ 3] ^ 3); }", "", 0},
    {"subgroup barrier does not suffice beyond it",
     HEAD "shared[thread] = 0; barrier(); shared[thread] = thread; m->subgroup_barrier(__LINE__); out[block * 16 + thread] = shared[thread ^ 4]; }",
     "race", SOMETIMES},
    {"shared memory that nobody wrote", HEAD "if (thread < 15) shared[thread] = thread; barrier(); out[block * 16 + thread] = shared[thread]; }",
     "uninitialised: a load of shared memory+60", 0},
    {"device memory that nobody wrote", HEAD "out[block * 16 + thread] = out[63]; }", "uninitialised", SOMETIMES},
    {"behind the end", HEAD "out[block * 16 + thread + 1] = 0; }", "out of bounds: a store of 4 bytes at out+256", SOMETIMES},
    {"far from everything", HEAD "out[(1ull << 34) + thread] = 0; }", "out of bounds", 0},
    {"behind a shared array", HEAD "shared[thread + 1] = 0; barrier(); out[block * 16 + thread] = 0; }",
     "out of bounds: a store of 4 bytes at shared memory+64", SOMETIMES},
    {"a barrier for some", HEAD "if (thread != 5) barrier();\nout[block * 16 + thread] = 0; }", "divergence", 0},
    {"two barriers", HEAD "if (thread < 8) barrier();\n else barrier();\n out[block * 16 + thread] = 0; }", "divergence: a block barrier at line", 0},
    {"two kinds of barriers", HEAD "if (thread < 8) barrier(); else barrier_all();\n out[block * 16 + thread] = 0; }", "divergence: a block barrier",
     0},
    {"a barrier after some have ended", HEAD "out[block * 16 + thread] = 0; if (thread == 0) return; barrier(); }", "divergence", 0},
    {"a shuffle for some", HEAD "uint32_t x = lane; if (lane != 2) x = shuffled(x, 0); out[block * 16 + thread] = x; }", "divergence", 0},
    {"a shuffle beside a barrier", HEAD "uint32_t x = lane; if (lane != 2) x = shuffled(x, 0); else barrier(); out[block * 16 + thread] = x; }",
     "divergence", 0},
    {"shuffles", HEAD "out[block * 16 + thread] = block * 16 + thread - lane + (shuffled(lane, lane ^ 3) ^ 3); }", "", 0},
    {"ballots",
     HEAD "uint32_t w[4]; m->ballot(__LINE__, lane % 2, w); out[block * 16 + thread] = block * 16 + thread - 10 + w[0] + w[1] + w[2] + w[3]; }",

     "", 0},
    {"a flag for a waiting block, released",
     HEAD "if (block == 0) out[thread] = data[thread] = thread; barrier_all();\nif (block == 0 && thread == 3) put(words, 1, MS_RELEASE);\n"
          "if (block == 1) { if (thread == 2) while (!get(words, MS_ACQUIRE)) pause(); barrier_all();\n"
          "out[16 + thread] = 16 + (data[thread ^ 7] ^ 7); }\n"
          "if (block > 1) out[16 * block + thread] = 16 * block + thread; }",
     "", FAIR_ONLY},
    {"a flag that is not released",
     HEAD "if (block == 0) out[thread] = data[thread] = thread; barrier_all();\nif (block == 0 && thread == 3) put(words, 1, MS_RELAXED);\n"
          "if (block == 1) { if (thread == 2) while (!get(words, MS_ACQUIRE)) pause(); barrier_all();\n"
          "out[16 + thread] = 16 + (data[thread ^ 7] ^ 7); } }",
     "race", FAIR_ONLY},
    {"a flag that is not acquired",
     HEAD "if (block == 0) out[thread] = data[thread] = thread; barrier_all();\nif (block == 0 && thread == 3) put(words, 1, MS_RELEASE);\n"
          "if (block == 1) { if (thread == 2) while (!get(words, MS_RELAXED)) pause(); barrier_all();\n"
          "out[16 + thread] = 16 + (data[thread ^ 7] ^ 7); } }",
     "race", FAIR_ONLY},
    {"no barrier before the release",
     HEAD "if (block == 0) out[thread] = data[thread] = thread;\nif (block == 0 && thread == 3) put(words, 1, MS_RELEASE);\n"
          "if (block == 1) { if (thread == 2) while (!get(words, MS_ACQUIRE)) pause(); barrier_all();\n"
          "out[16 + thread] = 16 + (data[thread ^ 7] ^ 7); } }",
     "race", FAIR_ONLY},
    {"no barrier after the acquisition",
     HEAD "if (block == 0) out[thread] = data[thread] = thread; barrier_all();\nif (block == 0 && thread == 3) put(words, 1, MS_RELEASE);\n"
          "if (block == 1) { if (thread == 2) while (!get(words, MS_ACQUIRE)) pause();\n"
          "out[16 + thread] = 16 + (data[thread ^ 7] ^ 7); } }",
     "race", FAIR_ONLY},
    {"a barrier of shared memory before the release",
     HEAD "if (block == 0) out[thread] = data[thread] = thread; barrier();\nif (block == 0 && thread == 3) put(words, 1, MS_RELEASE);\n"
          "if (block == 1) { if (thread == 2) while (!get(words, MS_ACQUIRE)) pause(); barrier_all();\n"
          "out[16 + thread] = 16 + (data[thread ^ 7] ^ 7); } }",
     "race", FAIR_ONLY},
    {"a barrier of shared memory after the acquisition",
     HEAD "if (block == 0) out[thread] = data[thread] = thread; barrier_all();\nif (block == 0 && thread == 3) put(words, 1, MS_RELEASE);\n"
          "if (block == 1) { if (thread == 2) while (!get(words, MS_ACQUIRE)) pause(); barrier();\n"
          "out[16 + thread] = 16 + (data[thread ^ 7] ^ 7); } }",
     "race", FAIR_ONLY},
    {"stores to device memory after others' loads",
     HEAD "mine = here; barrier_all(); uint32_t x = out[here ^ 5]; barrier_all(); out[here] = x ^ 5; }", "", 0},
    {"a barrier of shared memory between loads and stores",
     HEAD "mine = here; barrier_all(); uint32_t x = out[here ^ 5]; barrier(); out[here] = x ^ 5; }", "a store of out", 0},
    {"a barrier of shared memory between stores and loads",
     HEAD "mine = here; barrier(); uint32_t x = out[here ^ 5]; barrier_all(); out[here] = x ^ 5; }", "a load of out", 0},
    {"a subgroup's barrier between loads and stores of device memory",
     HEAD "mine = here; barrier_all(); uint32_t x = out[here ^ 1]; meet(); out[here] = x ^ 1; }", "a store of out", 0},
    {"a word that is loaded before a store",
     HEAD
     "mine = here; if (block == 1) get(words, MS_RELAXED_BEFORE_STORES); barrier_all(); if (block == 1 && thread == 3) put(words, 1, MS_RELAXED); }",
     "", 0},
    {"a word that may be loaded after a store",
     HEAD "if (block == 1) get(words, MS_RELAXED_BEFORE_STORES); barrier(); if (block == 1 && thread == 3) put(words, 1, MS_RELAXED); }",
     "nothing orders after a load by block 1", 0},
    {"a word that another block may load after a store",
     HEAD "if (block < 2) get(words, MS_RELAXED_BEFORE_STORES); barrier_all(); if (block == 1 && thread == 3) put(words, 1, MS_RELAXED); }",
     "nothing orders after a load by block 0", SOMETIMES},
    {"relaxed words in order",
     HEAD "if (block == 0 && thread == 0) { put(words + 4, 7, MS_RELAXED); put(words, 1, MS_RELAXED); }\n"
          "if (block == 1 && thread == 0) { while (!get(words, MS_RELAXED)) pause(); if (get(words + 4, MS_RELAXED) != 7) out[99] = 0; }\n"
          "out[16 * block + thread] = 16 * block + thread; }",
     "out of bounds", FAIR_ONLY | SOMETIMES},
    {"one relaxed word only grows",
     HEAD "if (block == 0 && thread == 0) for (uint32_t i = 1; i <= 5; i++) put(words, i, MS_RELAXED);\n"
          "if (block == 1 && thread == 0) for (uint32_t i = 0, last = 0; i < 20; i++) {\n"
          "uint32_t w = get(words, MS_RELAXED); if (w < last) out[99] = 0; last = w; }\n"
          "out[16 * block + thread] = 16 * block + thread; }",
     "", 0},
    {"two lanes need not agree on a relaxed word",
     HEAD "if (block == 0 && thread == 0) { put(words, 1, MS_RELAXED); }\n"
          "if (block == 1) { if (thread == 0) { while (!get(words, MS_RELAXED)) pause(); shared[0] = 1; } m->subgroup_barrier(__LINE__);\n"
          "if (thread == 1 && shared[0] && !get(words, MS_RELAXED)) out[99] = 0; }\n"
          "out[16 * block + thread] = 16 * block + thread; }",
     "out of bounds", FAIR_ONLY | SOMETIMES},
    {"tickets",
     HEAD "if (thread == 0) shared[0] = add(words, 1); barrier(); uint32_t ticket = shared[0]; out[16 * ticket + thread] = 16 * ticket + thread; }",
     "", 0},
    {"an update that is not one",
     HEAD "if (thread == 0) { shared[0] = get(words, MS_RELAXED); put(words, shared[0] + 1, MS_RELAXED); } barrier();\n"
          "uint32_t ticket = shared[0]; out[16 * ticket + thread] = 16 * ticket + thread; }",
     "race", SOMETIMES},
    {"waiting for one who is not there", HEAD "if (block == 2) while (!get(words, MS_RELAXED)) pause(); out[16 * block + thread] = 0; }", "dead-lock",
     0},
    {"waiting for later blocks",
     HEAD "if (thread == 0) { add(words, 1); while (get(words, MS_RELAXED) != 4) pause(); } out[16 * block + thread] = 16 * block + thread; }",
     "dead-lock", SOMETIMES},
    {"ordinary and atomic",
     HEAD "if (block == 0 && thread == 0) *(uint32_t *)words = 1;\nif (block == 1) get(words, MS_RELAXED);\n out[16 * block + thread] = 0; }", "race",
     SOMETIMES},

    {"a signal tells what was written",
     HEAD "begin(); if (thread == 5) { shared[0] = block * 16; give(1); } await(1, 0); mine = shared[0] + thread; }", "", 0},
    {"a signal that nobody waits for",
     HEAD "if (thread == 5) shared[0] = 1; begin(); if (thread == 5) { shared[0] = 2; give(0); } mine = shared[0]; }", "race", 0},
    {"a signal before what it should tell",
     HEAD "if (thread == 5) shared[0] = 1; begin(); if (thread == 5) { give(0); shared[0] = 2; } await(0, 0); mine = shared[0]; }", "race", 0},
    {"a signal in turns",
     HEAD "begin(); for (uint32_t i = 0; i < 5; i++) { if (thread == 3) { if (i) await(1, i - 1); shared[0] = i; give(0); }\n"
          "if (thread == 9) { await(0, i); if (shared[0] != i) out[99] = 0; give(1); } } mine = here; }",
     "", 0},
    {"a turn that is not waited for",
     HEAD "begin(); for (uint32_t i = 0; i < 5; i++) { if (thread == 3) give(0);\n if (thread == 9) await(0, i); } }", "times where one waits for it",
     SOMETIMES},
    {"a turn that has not begun", HEAD "begin(); if (thread == 3) { give(0); give(0); } if (thread == 9) await(0, 1);\n mine = 0; }",
     "where one waits for it after 1", SOMETIMES},
    {"a signal that is not given", HEAD "begin(); if (thread == 9) await(0, 0);\n mine = 0; }", "dead-lock", 0},
    {"a signal before signals begin", HEAD "if (thread == 9) give(0);\n begin(); mine = 0; }", "signal 0, of 0", 0},
    {"a barrier hands on what a signal told",
     HEAD "begin(); if (thread == 5) { shared[0] = block * 16; give(0); } if (thread == 12) await(0, 0);\n"
          "barrier(); mine = shared[0] + thread; }",
     "", 0},
    {"a subgroup barrier hands on what a signal told",
     HEAD "if (thread == 5) shared[0] = 0; begin(); if (thread == 5) { shared[0] = 1; give(0); } if (thread == 12) await(0, 0);\n"
          "if (thread >= 12) { meet(); if (shared[0] != 1) out[99] = 0; } mine = here; }",
     "", 0},
    {"a shuffle does not hand on what a signal told",
     HEAD "if (thread == 5) shared[0] = 0; begin(); if (thread == 5) { shared[0] = 1; give(0); } if (thread == 12) await(0, 0);\n"
          "if (thread >= 12) { shuffled(lane, 0); mine = shared[0]; } }",
     "race", 0},
    {"one lane tells that its subgroup has read",
     HEAD "shared[thread] = thread; begin(); if (thread >= 12) { mine = here + shared[0]; meet();\n"
          "if (lane == 0) give(0); } else { if (thread == 0) { await(0, 0); shared[0] = 9; } mine = here; } }",
     "", 0},
    {"one lane tells that it has read",
     HEAD "shared[thread] = thread; begin(); if (thread >= 12) { mine = shared[0]; shuffled(lane, 0);\n"
          "if (lane == 0) give(0); } if (thread == 0) { await(0, 0); shared[0] = 9; } }",
     "race", 0},
    {"a team's barrier",
     HEAD "begin(); if (thread < 12) { shared[thread] = thread; barrier(); mine = block * 16 + (shared[11 - thread] ^ (11 - thread)) + thread; }\n"
          "else mine = here; }",
     "", TEAM},
    {"a team's barrier does not tell of others",
     HEAD "shared[thread] = 0; begin(); if (thread == 13) shared[0] = 1; if (thread < 12) { barrier(); mine = shared[0]; } }", "race", TEAM},
    {"a team's barrier does not tell others",
     HEAD "shared[thread] = 0; begin(); if (thread == 3) shared[0] = 1; if (thread < 12) barrier(); else mine = shared[0]; }", "race", TEAM},
    {"a team's barrier before there are signals", HEAD "if (thread < 12) barrier(); begin(); mine = here; }", "before its signals begin", TEAM},
    {"others at a team's barrier", HEAD "begin(); barrier(); mine = 0; }", "divergence: a block barrier", TEAM},
    {"a barrier where signals begin", HEAD "if (thread < 8) begin(); else barrier(); mine = 0; }", "divergence", 0},
    {"what only one of others acquired",
     HEAD "if (block == 0) out[thread] = data[thread] = thread; begin(); if (block == 0 && thread == 13) put(words, 1, MS_RELEASE);\n"
          "if (block == 1) { if (thread == 13) while (!get(words, MS_ACQUIRE)) pause();\n"
          "if (thread < 12) barrier(); out[16 + thread] = data[thread]; } }",
     "race", TEAM | FAIR_ONLY},

    {"a copy to shared memory", HEAD "begin(); if (thread == 7) fill(stage, words, 64); await(0, 0); mine = here + stage[thread]; }", "", 0},
    {"a copy to shared memory that is not waited for",
     HEAD "stage[thread] = 0; begin(); if (thread == 7) fill(stage, words, 64); mine = stage[thread]; if (thread == 8) await(0, 0); }", "race", 0},
    {"a copy to shared memory that nobody waits for", HEAD "begin(); if (thread == 7) fill(stage, words, 64); mine = 0; }", "ends while a copy",
     SOMETIMES},
    {"a copy to shared memory that others still read",
     HEAD "stage[thread] = 0; begin(); mine = stage[thread]; if (thread == 7) fill(stage, words, 64); await(0, 0); }", "race", 0},
    {"a second copy for one signal", HEAD "begin(); if (thread == 7) { fill(stage, words, 64); fill(stage, words, 64); } mine = 0; }", "a copy", 0},
    {"a copy of what another block writes",
     HEAD "begin(); if (block == 0) ((uint32_t *)words)[thread] = 1; if (thread == 7) fill(stage, words, 64); await(0, 0); mine = 0; }", "race", 0},
    {"a copy to where there is no room", HEAD "begin(); if (thread == 7) fill(&stage[20], words, 64);\n mine = 0; }", "out of bounds", 0},
    {"a copy of 12 bytes", HEAD "begin(); if (thread == 7) fill(stage, words, 12);\n mine = 0; }", "a copy of 12 bytes", 0},
    {"a copy from the middle of 16 bytes",
     HEAD "begin(); if (thread == 7) fill(&stage[1], words + 4, 64); await(0, 0); mine = here + stage[1 + thread]; }", "", 0},
    {"a copy to another place in 16 bytes", HEAD "begin(); if (thread == 7) fill(stage, words + 4, 64);\n mine = 0; }", "other places in 16 bytes",
     0},
    {"a copy to an address that is not aligned",
     HEAD "begin(); stage[thread] = 0; ready(); barrier(); if (thread == 7) m->copy_out(__LINE__, words + 4, stage, 32); }", "multiple of 16", 0},
    {"a copy of nothing", HEAD "begin(); if (thread == 7) fill(stage, (uint64_t)out, 64); await(0, 0); mine = stage[thread]; }", "uninitialised",
     SOMETIMES},
    {"a copy from shared memory",
     HEAD "begin(); stage[thread] = here; ready(); barrier(); if (thread == 7) { leave(0, 64); end(); await_copies(0); } }", "", 0},
    {"a copy from shared memory beside what is not ready",
     HEAD
     "begin(); stage[thread] = here; ready(); stage[16 + thread] = here; barrier(); if (thread == 7) { leave(0, 64); end(); await_copies(0); } }",
     "", 0},
    {"a copy from shared memory of what is not ready",
     HEAD "begin(); stage[thread] = here; if (thread != 6) ready(); barrier(); if (thread == 7) { leave(0, 64); end(); await_copies(0); } }",
     "thread 6 wrote and did not ready", 0},
    {"readied too late", HEAD "begin(); stage[thread] = here; barrier(); ready(); if (thread == 7) { leave(0, 64); end(); await_copies(0); } }",
     "did not ready", 0},
    {"a copy from shared memory before the barrier",
     HEAD "begin(); stage[thread] = here; ready(); if (thread == 7) { leave(0, 64); end(); await_copies(0); } }", "race", SOMETIMES},
    {"a copy from shared memory that is not waited for",
     HEAD "begin(); stage[thread] = here; ready(); barrier(); if (thread == 7) { leave(0, 64); end(); } }", "ends while a copy", 0},
    {"a group of copies that does not end",
     HEAD "begin(); stage[thread] = block; ready(); barrier();\n"
          "if (thread == 7) { leave(0, 64); await_copies(0); } }",
     "ends while a copy", 0},
    {"the last but one copy is waited for",
     HEAD "begin(); stage[thread] = block; stage[16 + thread] = here; ready(); barrier();\n"
          "if (thread == 7) { leave(16, 64); end(); end(); await_copies(1); }\n"
          "barrier(); stage[16 + thread] = 0; if (thread == 7) await_copies(0); }",
     "", 0},
    {"the last copy is not waited for",
     HEAD "begin(); stage[thread] = stage[16 + thread] = 0; ready(); barrier();\n"
          "if (thread == 7) { leave(0, 64); end(); await_copies(1); } barrier(); stage[thread] = 0; if (thread == 7) await_copies(0); }",
     "race", 0},
    {"two lanes copy from shared memory",
     HEAD "begin(); stage[thread] = 0; ready(); barrier(); if (thread == 7 || thread == 8) { leave(0, 64); end(); await_copies(0); } }", "two lanes",
     0},
    {"what is copied is read again",
     HEAD "begin(); stage[thread] = 0; ready(); barrier(); if (thread == 7) { leave(0, 64); end(); await_copies(0);\n"
          "if (out[block * 16]) out[99] = 0; } }",
     "race", 0},

    {"an exchange in a cluster", ROUNDS(READ BARRIER EXPECT COUNT COUNTED BARRIER MOVE MOVED), "", CLUSTER},
    {"bytes may come before they are expected",
     ROUNDS(READ BARRIER "if (thread == 0) expect(0, 16);\n" COUNT COUNTED BARRIER MOVE "if (thread == 9) expect(1, 64);\n" MOVED), "", CLUSTER},
    {"a barrier hands on that keys have come", ROUNDS(READ BARRIER EXPECT COUNT COUNTED BARRIER MOVE "if (thread == 15)" MOVED BARRIER), "", CLUSTER},
    {"sends of 8 and 16 bytes",
     HEAD "begin_cluster(); await_cluster(); if (thread == 0) expect(1, 64);\n"
          "const uint32_t first = thread < 2 ? 4 * thread : 2 * thread + 4, x = (block ^ 1) * 16 + first;\n"
          "if (thread < 6) m->send(__LINE__, block ^ 1, &stage[first], (uint32_t[]){x, x + 1, x + 2, x + 3}, thread < 2 ? 16 : 8, 1);\n"
          "await(1, 0); mine = stage[thread]; }",
     "", CLUSTER},
    {"copies in and out in a cluster",
     HEAD "begin_cluster(); if (thread == 7) fill(stage, words, 64); await(0, 0); stage[16 + thread] = here + stage[thread]; ready(); barrier();\n"
          "if (thread == 7) { leave(16, 64); end(); await_copies(0); } }",
     "", CLUSTER},
    {"keys come before others have read theirs", ROUNDS(READ BARRIER "if (thread == 0) expect(1, 64);\n" MOVE MOVED), "race", CLUSTER},
    {"counts tell of reads that no barrier ended", ROUNDS(READ EXPECT COUNT COUNTED BARRIER MOVE MOVED), "race", CLUSTER},
    {"a lane reads after it told", ROUNDS("if (thread > 3)" READ BARRIER EXPECT COUNT "if (thread < 4)" READ COUNTED BARRIER MOVE MOVED), "race",
     CLUSTER},
    {"one lane waits for counts, others send", ROUNDS(READ BARRIER EXPECT COUNT "if (thread == 0) await(0, r);\n" MOVE MOVED), "race", CLUSTER},
    {"counts come over counts that are being read", ROUNDS(READ BARRIER EXPECT COUNT COUNTED MOVE MOVED), "race", CLUSTER},
    {"keys are read before they have come", ROUNDS(READ BARRIER EXPECT COUNT COUNTED BARRIER MOVE "if (thread == 15)" MOVED), "race", CLUSTER},
    {"two keys for one place", ROUNDS(READ BARRIER EXPECT COUNT COUNTED BARRIER "send_word(thread / 4, &stage[block * 4], x, 1);\n" MOVED), "race",
     CLUSTER},
    {"what a lane sent to its own block has not come yet",
     ROUNDS(READ BARRIER EXPECT COUNT COUNTED BARRIER MOVE "if (thread / 4 == block && stage[thread] > 99) out[99] = 0;\n" MOVED), "race", CLUSTER},
    {"a signal tells what its senders heard from others",
     HEAD "stage[thread] = thread; begin_cluster(); await_cluster(); uint32_t x = stage[thread]; barrier();\n"
          "if (thread == 0) { expect(1, 4); if (block) await(1, 0); send_word((block + 1) % 4, &stage[block == 3 ? 5 : 16], 5, 1); }\n"
          "if (block == 0) { await(1, 0); if (stage[5] != 5) out[99] = 0; } mine = x + block * 16; }",
     "", CLUSTER},
    {"a signal does not tell what its senders did not hear",
     HEAD "stage[thread] = thread; begin_cluster(); await_cluster(); uint32_t x = stage[thread];\n"
          "if (thread == 0) { expect(1, 4); if (block) await(1, 0); send_word((block + 1) % 4, &stage[block == 3 ? 5 : 16], 5, 1); }\n"
          "if (block == 0) { await(1, 0); if (stage[5] != 5) out[99] = 0; } mine = x + block * 16; }",
     "race", CLUSTER},
    {"a wait tells nothing of the next turn, of which some bytes have come",
     HEAD "begin_cluster(); await_cluster(); if (here == 4) { expect(0, 4); send_word(1, stage, 0, 1); await(0, 0); data[0] = 1;\n"
          "send_word(1, &stage[1], 0, 1); }\n"
          "if (here == 20) { expect(1, 4); await(1, 0); send_word(0, stage, 0, 0); } if (here == 25) { await(1, 0); mine = data[0]; }\n"
          "barrier(); if (here == 20) { expect(1, 4); await(1, 1); } }",
     "race", CLUSTER},
    {"sends tell what was acquired, releases what sends told",
     HEAD "begin_cluster(); await_cluster(); if (block == 0) data[thread] = thread;\n"
          "barrier(); if (here == 3) put(words, 1, MS_RELEASE);\n"
          "if (here == 18) { while (!get(words, MS_ACQUIRE)) pause(); send_word(2, stage, 0, 0); }\n"
          "if (here == 33) { expect(0, 4); await(0, 0); put(words + 4, 1, MS_RELEASE); }\n"
          "if (block == 3) { while (!get(words + 4, MS_ACQUIRE)) pause(); if (data[thread ^ 7] != (thread ^ 7)) out[99] = 0; } mine = here; }",
     "", CLUSTER},
    {"sends do not tell what was seen and not acquired",
     HEAD "begin_cluster(); await_cluster(); if (block == 0) data[thread] = thread;\n"
          "barrier(); if (here == 3) put(words, 1, MS_RELEASE);\n"
          "if (here == 18) { while (!get(words, MS_RELAXED)) pause(); send_word(2, stage, 0, 0); }\n"
          "if (here == 33) { expect(0, 4); await(0, 0); mine = data[7]; } }",
     "race", CLUSTER},
    {"sends tell of updates",
     HEAD "begin_cluster(); await_cluster(); if (here == 4) { add(words, 1); send_word(1, stage, 0, 0); }\n"
          "if (here == 20) { expect(0, 4); await(0, 0); put(words, 0, MS_RELAXED); } mine = here; }",
     "", CLUSTER},
    {"sends do not tell of updates after them",
     HEAD "begin_cluster(); await_cluster(); if (here == 4) { send_word(1, stage, 0, 0); add(words, 1); }\n"
          "if (here == 20) { expect(0, 4); await(0, 0); put(words, 0, MS_RELAXED); } mine = here; }",
     "a store that nothing orders after an update by block 0", CLUSTER | SOMETIMES},
    {"the beginning of a cluster tells what was before",
     HEAD "if (thread == 5) data[block] = block; begin_cluster(); await_cluster(); mine = here + (data[block ^ 1] ^ 1) - block; }", "", CLUSTER},
    {"the beginning of a cluster tells those who wait for it",
     HEAD "if (thread == 5) data[block] = block; begin_cluster(); if (thread != 9) await_cluster(); mine = data[block ^ 1]; }", "race", CLUSTER},
    {"sends tell of device memory",
     HEAD "begin_cluster(); await_cluster(); if (thread < 8) data[block * 8 + thread] = 7; barrier();\n"
          "if (thread == 4) { expect(0, 4); send_word(block ^ 1, stage, 0, 0); }\n"
          "await(0, 0); mine = here + data[(block ^ 1) * 8 + thread % 8] - 7; }",
     "", CLUSTER},
    {"sends do not tell of device memory after them",
     HEAD "begin_cluster(); await_cluster();\n"
          "if (thread == 4) { expect(0, 4); send_word(block ^ 1, stage, 0, 0); } if (thread < 8) data[block * 8 + thread] = 7; barrier();\n"
          "await(0, 0); mine = data[(block ^ 1) * 8 + thread % 8]; }",
     "race", CLUSTER},
    {"a send to a block that may not have begun", HEAD "begin_cluster(); if (thread == 4) send_word(block ^ 1, stage, 0, 0);\n mine = 0; }",
     "does not know to have begun", CLUSTER},
    {"a send before one's own block has begun", HEAD "if (thread == 4) send_word(block, stage, 0, 0);\n mine = 0; }", "does not know to have begun",
     CLUSTER},
    {"a lane waits for a cluster that has not begun", HEAD "await_cluster(); begin_cluster(); mine = 0; }", "before its block begins", CLUSTER},
    {"a lane waits for the cluster twice", HEAD "begin_cluster(); await_cluster(); if (thread == 4) await_cluster(); mine = 0; }", "a second time",
     CLUSTER},
    {"a cluster begins where there is none", HEAD "begin_cluster(); mine = 0; }", "in a launch that is none", 0},
    {"a send to a block that may have ended", HEAD "begin_cluster(); await_cluster(); if (here == 4) send_word(1, stage, 0, 0);\n mine = 0; }",
     "has ended", CLUSTER},
    {"a block ends before its bytes have come", HEAD "begin_cluster(); await_cluster(); if (here == 4) expect(0, 4);\n mine = 0; }",
     "block 0 has ended in the middle of a turn", CLUSTER},
    {"a block ends without a wait for its bytes",
     HEAD "begin_cluster(); await_cluster(); if (thread == 4) { expect(0, 4); send_word(block, stage, 0, 0); } mine = 0; }",
     "nobody has waited for bytes of its signal 0", CLUSTER},
    {"more bytes than a turn expects",
     HEAD "begin_cluster(); await_cluster(); if (thread == 4) { expect(0, 4); uint64_t x = 0; m->send(__LINE__, block ^ 1, stage, &x, 8, 0); }\n"
          "await(0, 0); mine = 0; }",
     "8 bytes have come in a turn of signal 0", CLUSTER},
    {"bytes for a turn that may not have begun",
     HEAD "begin_cluster(); await_cluster(); if (thread == 4) { expect(0, 8); for (int i = 0; i < 3; i++) send_word(block ^ 1, &stage[i], 0, 0); }\n"
          "await(0, 0); mine = 0; }",
     "signal 0 of block", CLUSTER},
    {"two expectations of one turn", HEAD "begin_cluster(); await_cluster(); if (thread == 4) { expect(0, 8); expect(0, 8); } mine = 0; }",
     "a second time in one turn", CLUSTER},
    {"a turn that only some wait for",
     HEAD "begin_cluster(); await_cluster(); if (thread == 4) for (uint32_t r = 0; r < 3; r++) { expect(0, 4); expect(1, 4);\n"
          "send_word(block ^ 1, &stage[r], r, 1); await(1, r); send_word(block ^ 1, &counts[r], r, 0); await(0, r); }\n"
          "if (thread == 9) await(1, 0);\n mine = 0; }",
     "times where one waits for it", CLUSTER | SOMETIMES},
    {"a signal that is given beside its bytes", HEAD "begin_cluster(); await_cluster(); if (thread == 4) { expect(0, 8); give(0); } mine = 0; }",
     "in another way", CLUSTER},
    {"a send to a block that is not there", HEAD "begin_cluster(); await_cluster(); if (here == 4) send_word(4, stage, 0, 0);\n mine = 0; }",
     "a send to block 4 of a cluster of 4", CLUSTER},
    {"a send of 12 bytes", HEAD "begin_cluster(); await_cluster(); if (here == 4) m->send(__LINE__, 1, stage, &p, 12, 0);\n await(0, 0); mine = 0; }",
     "a send of 12 bytes", CLUSTER},
    {"a send of 8 bytes to an odd word",
     HEAD "begin_cluster(); await_cluster(); if (here == 4) m->send(__LINE__, 1, &stage[1], &p, 8, 0);\n await(0, 0); mine = 0; }",
     "a send of 8 bytes is not aligned: shared memory+4", CLUSTER},
    {"a send of 16 bytes to where there is no room",
     HEAD "begin_cluster(); await_cluster(); if (here == 4) m->send(__LINE__, 1, &stage[32], &p, 16, 0);\n await(0, 0); mine = 0; }",
     "out of bounds: a send of 16 bytes", CLUSTER},
    {"a send to device memory", HEAD "begin_cluster(); await_cluster(); if (here == 4) send_word(1, out, 0, 0);\n await(0, 0); mine = 0; }",
     "a send whose place is not in shared memory: out+0", CLUSTER},
};
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

static sim *machine;
static sim_compiled *compiled;

static int compile_all(void **state)
{
    static char message[1 << 16];
    sim_text texts[PROGRAM_COUNT];
    (void)state;
    for (int i = 0; i < PROGRAM_COUNT; i++) texts[i] = (sim_text){programs[i].text, "KERNEL"};
    machine = sim_create();
    if (machine) compiled = sim_compile(machine, texts, PROGRAM_COUNT, 0, message, sizeof message);
    if (!compiled) print_error("%s\n", message);
    return !compiled;
}

static int release_all(void **state)
{
    (void)state;
    sim_compiled_destroy(compiled);
    sim_destroy(machine);
    return 0;
}

/* Whether it failed as expected (1), not at all (0); anything else fails the test. */
static int run_once(int index, const sim_options *options)
{
    const struct program *p = &programs[index];
    const sim_kernel kernel = {.name = p->name,
                               .run = sim_compiled_entry(compiled, (uint32_t)index),
                               .block_threads = THREADS,
                               .subgroup_size = SUBGROUP,
                               .team_threads = p->how & TEAM ? 12 : 0,
                               .cluster_blocks = p->how & CLUSTER ? BLOCKS : 0};
    const uint32_t zeros[WORDS] = {0};
    msw_params params = {.n = WORDS};
    sim_reset(machine, options);
    params.buffer[0] = sim_memory(machine, "out", sizeof zeros, 0);
    params.buffer[1] = sim_memory(machine, "words", sizeof zeros, 0);
    sim_write(machine, params.buffer[1], zeros, sizeof zeros);
    if (sim_dispatch(machine, &kernel, BLOCKS, &params)) {
        if (!p->expected[0] || !strstr(sim_failure(machine), p->expected)) fail_msg("expected '%s', but: %s", p->expected, sim_failure(machine));
        return 1;
    }
    for (uint32_t i = 0; !p->expected[0] && i < WORDS; i++) {
        const uint32_t got = ((const uint32_t *)(uintptr_t)params.buffer[0])[i];
        if (got != i)
            fail_msg("%s: word %u is %u, scheduler %s, seed %u", p->name, i, got, sim_scheduler_name(options->scheduler), (unsigned)options->seed);
    }
    return 0;
}

static void test_program(void **state)
{
    const int index = (int)(intptr_t)*state;
    const struct program *p = &programs[index];
    int failed = 0, runs = 0;
    for (int scheduler = 0; scheduler < SIM_SCHEDULER_COUNT; scheduler++) {
        if ((p->how & FAIR_ONLY) && !sim_scheduler_is_fair((sim_scheduler)scheduler)) continue;
        for (uint64_t seed = 1; seed <= SEEDS; seed++, runs++) {
            const sim_options options = {.scheduler = (sim_scheduler)scheduler,
                                         .seed = seed,
                                         .resident_blocks = seed % 3 == 0 ? 2 : 0,
                                         .stale_percent = 10 * (uint32_t)(seed % 9)};
            failed += run_once(index, &options);
        }
    }
    const int all = p->expected[0] && !(p->how & SOMETIMES);
    if (all ? failed != runs : p->expected[0] ? failed == 0 : failed != 0) fail_msg("%s: %d of %d runs failed", p->name, failed, runs);
}

/* Blocks that must run at once are not launched where they do not, nor one after the other. */
static void test_cooperative_launch(void **state)
{
    static const sim_options options = {.scheduler = SIM_FAIR, .seed = 1, .resident_blocks = 1};
    sim_kernel kernel = {
        .name = "cooperative", .run = sim_compiled_entry(compiled, 0), .block_threads = THREADS, .subgroup_size = SUBGROUP, .is_cooperative = 1};
    msw_params params = {.n = WORDS};
    (void)state;
    for (uint32_t most = 4096 / THREADS, blocks = 1; blocks <= most + 1; blocks += most) {
        sim_reset(machine, &options);
        params.buffer[0] = sim_memory(machine, "out", (uint64_t)blocks * THREADS * 4, 0);
        assert_int_equal(sim_dispatch(machine, &kernel, blocks, &params), blocks > most);
    }
    assert_non_null(strstr(sim_failure(machine), "a cooperative launch of 257 blocks, of which 256 run at once"));
}

/* A cluster is launched whole, and all its blocks run at once. */
static void test_cluster_launch(void **state)
{
    static const struct {
        uint32_t cluster, blocks;
        const char *expected;
    } launches[] = {{4, 4, ""},
                    {4, 3, "a launch of 3 blocks of a kernel for one cluster of 4"},
                    {4, 8, "a launch of 8 blocks of a kernel for one cluster of 4"},
                    {257, 257, "a cluster of 257 blocks, of which 256 run at once"}};
    static const sim_options options = {.scheduler = SIM_ABANDON, .seed = 1, .resident_blocks = 1};
    msw_params params = {.n = WORDS};
    (void)state;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const sim_kernel kernel = {.name = "cluster",
                                   .run = sim_compiled_entry(compiled, 0),
                                   .block_threads = THREADS,
                                   .subgroup_size = SUBGROUP,
                                   .cluster_blocks = launches[i].cluster};
        sim_reset(machine, &options);
        params.buffer[0] = sim_memory(machine, "out", (uint64_t)launches[i].blocks * THREADS * 4, 0);
        assert_int_equal(sim_dispatch(machine, &kernel, launches[i].blocks, &params), *launches[i].expected != 0);
        assert_ptr_equal(strstr(sim_failure(machine), launches[i].expected), sim_failure(machine));
    }
}

int main(void)
{
    struct CMUnitTest tests[PROGRAM_COUNT + 2] = {[PROGRAM_COUNT] = cmocka_unit_test(test_cooperative_launch),
                                                  [PROGRAM_COUNT + 1] = cmocka_unit_test(test_cluster_launch)};
    for (int i = 0; i < PROGRAM_COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = programs[i].name, .test_func = test_program, .initial_state = (void *)(intptr_t)i};
    return cmocka_run_group_tests(tests, compile_all, release_all);
}
