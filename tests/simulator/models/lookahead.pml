/* lookahead.pml - the hand-shake of templates/scan/lookahead.tpl for a few blocks that all run: stages in turn, signals, posts ahead.
 *
 * A block's team is one process here (its barriers are not looked at); others are the subgroup that looks for what comes before its tiles, and the
 * copies to and from each stage, which happen when they like. A signal is an mbarrier: who waits for it sees the parity of its turns only. What is
 * in a stage, or in a stage's total or prefix, is known by the round that it belongs to, and must be what its reader means.
 *
 *   BLOCKS, TILES, STAGES, AHEAD
 *   STRAY     1: the first tile comes to no stage, as the last, partial one does in a scan from the end
 *   MUTANT    1: a stage is filled while its tile may be leaving; 2: a stray tile gives no signal, and none is waited for; 3: the team does not wait for what comes before;
 *             4: a stage is filled one tile early; 5: a total may be read after the signal that lets it go
 *
 * Safety: what is read is right, no wait ends for another turn than its own, and none lasts for ever. Termination: every block ends, if all
 * processes are given turns (weak fairness). */
#ifndef MUTANT
#define MUTANT 0
#endif
#ifndef STRAY
#define STRAY 0
#endif

#define NONE 255
#define ITEMS(round) (round)
#define RESULTS(round) (128 + (round))

#define OWN ((TILES + BLOCKS - 1 - id) / BLOCKS) /* tiles of a block */
#define TILE(round) (id + (round) * BLOCKS)
#define PLACE(round) (id * STAGES + (round) % STAGES)
#define IS_STAGED(round) (!STRAY || TILE(round) > 0)

byte stage[BLOCKS * STAGES];
byte coming[BLOCKS * STAGES];  /* rounds of copies on their way */
byte leaving[BLOCKS * STAGES];
byte total[BLOCKS * STAGES];
byte prefix[BLOCKS * STAGES];
byte come[BLOCKS * STAGES];    /* signals: how often they have been given */
byte summed[BLOCKS * STAGES];
byte preceded[BLOCKS * STAGES];
bool is_posted[TILES];
byte ended = 0;

/* Until the signal has been given `times` + 1 times. */
inline wait(signal, times)
{
    atomic {
        (signal) % 2 != (times) % 2 ->
        assert(signal == (times) + 1)
    }
}

/* To the stage of round `at`. */
inline fill(at, items)
{
    atomic {
        if
        :: TILE(items) >= TILES
        :: TILE(items) < TILES && IS_STAGED(items) ->
            assert(coming[PLACE(at)] == NONE);
            coming[PLACE(at)] = items
        :: TILE(items) < TILES && !IS_STAGED(items) ->
            come[PLACE(at)] = come[PLACE(at)] + (MUTANT == 2 -> 0 : 1)
        fi
    }
}

proctype team(byte id)
{
    byte round = 0, earlier = 0;
    do
    :: round < STAGES - 1 -> fill(round, round); round++
    :: else -> break
    od;
    if
    :: MUTANT == 4 -> fill(round, round)
    :: else
    fi;
    round = 0;
    do
    :: round == OWN + AHEAD -> break
    :: else ->
        if
        :: round < OWN ->
            if
            :: IS_STAGED(round) || MUTANT != 2 -> wait(come[PLACE(round)], round / STAGES)
            :: else
            fi;
            assert(!IS_STAGED(round) || stage[PLACE(round)] == ITEMS(round));
            is_posted[TILE(round)] = true;
            total[PLACE(round)] = round;
            summed[PLACE(round)]++
        :: else
        fi;
        if
        :: round >= AHEAD ->
            earlier = round - AHEAD;
            if
            :: MUTANT != 3 -> wait(preceded[PLACE(earlier)], earlier / STAGES)
            :: else
            fi;
            assert(prefix[PLACE(earlier)] == earlier);
            if
            :: IS_STAGED(earlier) ->
                assert(stage[PLACE(earlier)] == ITEMS(earlier));
                atomic { stage[PLACE(earlier)] = RESULTS(earlier); leaving[PLACE(earlier)] = earlier }
            :: else
            fi;
            MUTANT == 1 || earlier == 0 || leaving[PLACE(earlier - 1)] != earlier - 1;
            if
            :: MUTANT == 4 -> fill(earlier, earlier + STAGES)
            :: else -> fill(earlier + STAGES - 1, earlier + STAGES - 1)
            fi
        :: else
        fi;
        round++
    od;
    round = 0;
    do
    :: round < STAGES -> leaving[PLACE(round)] == NONE; round++
    :: else -> break
    od;
    ended++
}

proctype looker(byte id)
{
    byte round = 0, next = 0;
    do
    :: round == OWN -> break
    :: else ->
        do
        :: next < TILE(round) -> is_posted[next]; next++
        :: else -> break
        od;
        next = TILE(round) + 1;
        prefix[PLACE(round)] = round;
        preceded[PLACE(round)]++;
        if
        :: MUTANT == 5 && round > 0 -> assert(total[PLACE(round - 1)] == round - 1)
        :: else
        fi;
        wait(summed[PLACE(round)], round / STAGES);
        assert(MUTANT == 5 || total[PLACE(round)] == round);
        round++
    od;
    ended++
}

proctype copier(byte place)
{
end:
    do
    :: atomic {
        coming[place] != NONE ->
        stage[place] = ITEMS(coming[place]);
        coming[place] = NONE;
        come[place]++
    }
    :: atomic {
        leaving[place] != NONE ->
        assert(stage[place] == RESULTS(leaving[place]));
        leaving[place] = NONE
    }
    od
}

init
{
    byte i = 0;
    atomic {
        do
        :: i < BLOCKS * STAGES ->
            stage[i] = NONE; coming[i] = NONE; leaving[i] = NONE; total[i] = NONE; prefix[i] = NONE;
            run copier(i);
            i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < BLOCKS -> run team(i); run looker(i); i++
        :: else -> break
        od;
        i = 0
    }
}

#ifdef TERMINATION
ltl terminates { <> (ended == 2 * BLOCKS) }
#endif
