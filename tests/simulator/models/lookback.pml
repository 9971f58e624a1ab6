/* lookback.pml - the protocol of templates/scan/lookback.tpl for a few blocks: tickets, tagged posts, look-back, fallback.
 *
 * Values are intervals of tiles that end with a known one: the aggregate of tile k begins with k, its inclusive prefix with 0, and only
 * neighbours may be combined. A post is WORDS words, each moved at once, with its tag. What a block stores waits in a buffer of its own, where
 * the block sees it, and reaches memory word by word, in any order. At the beginning memory holds posts of an earlier launch.
 *
 *   BLOCKS, TILES, WORDS, WINDOW (1 or 2 descriptors looked at together)
 *   FALLBACK  1: a block that finds a tile missing SPIN times sums it up itself
 *   STUCK     1: one block, any, stops anywhere and for ever; what it has stored by then may get lost
 *   ONE_POST  1: a tile's prefix overwrites its aggregate; each word tells which of the two it is of. Who falls back posts an aggregate by
 *             compare-and-swap then, of one word
 *   BUFFERED  0: stores reach memory at once
 *   MUTANT    1: tags are ignored; 2: one word's tag is taken for all; 3: a missing aggregate is posted as a prefix; 4: an aggregate in a
 *             prefix's place; 5: one post, a missing aggregate by a store
 *
 * Safety: what a block takes for its prefix begins with tile 0, nothing left out, nothing twice; no aggregate overwrites a prefix. Termination: every block that does not get
 * stuck ends, if it and the memory are given turns (weak fairness).
 * Sources: Merrill & Garland 2016; fallback: Smith, Levien & Owens 2025. */
#ifndef MUTANT
#define MUTANT 0
#endif
#ifndef BUFFERED
#define BUFFERED 1
#endif
#ifndef ONE_POST
#define ONE_POST 0
#endif
#define SPIN 1
#define ROUNDS ((TILES + BLOCKS - 1) / BLOCKS)

/* A word of a post: where the post's interval begins, with one post for both 4 more for a prefix, or: */
#define OLD 14  /* of an earlier launch */
#define NONE 15 /* in a buffer: nothing is on its way; as a value: nothing posted */

#define AGGREGATE 0
#define PREFIX 1
#if ONE_POST
#define SLOTS (TILES * WORDS)
#define SLOT(tile, kind, word) ((tile) * WORDS + (word))
#define CODE(kind, first) ((kind) * 4 + (first))
#else
#define SLOTS (TILES * 2 * WORDS)
#define SLOT(tile, kind, word) (((tile) * 2 + (kind)) * WORDS + (word))
#define CODE(kind, first) (first)
#endif

byte memory[SLOTS];
byte buffer[BLOCKS * SLOTS];
byte on_the_way = 0; /* words in buffers */
byte ticket = 0;
byte ended = 0;
byte victim;
bool is_stuck = false;

inline store(at, value)
{
    if
    :: !BUFFERED -> memory[at] = value
    :: else ->
        if
        :: buffer[id * SLOTS + at] == NONE -> on_the_way++
        :: else
        fi;
        buffer[id * SLOTS + at] = value
    fi
}

inline publish(tile_of, kind, value)
{
    d_step {
        k = 0;
        do
        :: k < WORDS -> store(SLOT(tile_of, kind, k), CODE(kind, value)); k++
        :: else -> k = 0; break
        od
    }
}

/* A word as its block sees it now. */
#define WORD(at) (buffer[id * SLOTS + (at)] != NONE -> buffer[id * SLOTS + (at)] : memory[at])

/* The aggregate of a tile whose own block may post as well. */
inline publish_missing(tile_of, value)
{
#if ONE_POST && MUTANT != 5
    d_step {
        if
        :: WORD(SLOT(tile_of, AGGREGATE, 0)) == OLD && memory[SLOT(tile_of, AGGREGATE, 0)] == OLD ->
            memory[SLOT(tile_of, AGGREGATE, 0)] = CODE(AGGREGATE, value)
        :: else
        fi
    }
#else
    publish(tile_of, AGGREGATE, value)
#endif
}

/* value becomes what two words say, or NONE. */
inline post_of(value, word0, word1)
{
    if
    :: MUTANT == 1 -> value = word0
    :: MUTANT == 2 -> value = (word0 == OLD -> NONE : (word1 == OLD -> OLD : word0 / 4 * 4 + word1 % 4))
    :: MUTANT != 1 && MUTANT != 2 -> value = (word0 == OLD || word1 == OLD || word0 != word1 -> NONE : word0)
    fi
}

/* Reads the posts of a tile, word by word: state becomes AGGREGATE, PREFIX or NONE, value its beginning. */
#if WORDS == 1
#define SECOND 0 /* one word says it all, and aggregate and prefix are read at once */
#else
#define SECOND 1
#endif
inline poll(tile_of, state, value)
{
#if ONE_POST
#if WORDS == 2
    word_p0 = WORD(SLOT(tile_of, PREFIX, 0));
#endif
    d_step {
        word_p1 = WORD(SLOT(tile_of, PREFIX, SECOND));
#if WORDS == 1
        word_p0 = word_p1;
#endif
        post_of(value, word_p0, word_p1);
        state = (value == NONE -> NONE : (value == OLD -> PREFIX : value / 4));
        value = (value < OLD -> value % 4 : value);
        word_p0 = 0; word_p1 = 0
    }
#else
#if WORDS == 2
    word_a0 = WORD(SLOT(tile_of, AGGREGATE, 0));
    word_p0 = WORD(SLOT(tile_of, PREFIX, 0));
    word_a1 = WORD(SLOT(tile_of, AGGREGATE, 1));
#endif
    d_step {
        word_p1 = WORD(SLOT(tile_of, PREFIX, SECOND));
#if WORDS == 1
        word_a1 = WORD(SLOT(tile_of, AGGREGATE, 0));
        word_a0 = word_a1; word_p0 = word_p1;
#endif
        post_of(value, word_p0, word_p1);
        state = (value == NONE -> NONE : PREFIX);
        if
        :: state == NONE ->
            post_of(value, word_a0, word_a1);
            state = (value == NONE -> NONE : AGGREGATE)
        :: else
        fi;
        word_a0 = 0; word_a1 = 0; word_p0 = 0; word_p1 = 0
    }
#endif
}

/* The interval of tile end - 1 goes before what has been looked at. */
inline take(state, value)
{
    assert(value <= end - 1);
    assert(first == end);
    first = value;
    end = (state == PREFIX -> 0 : end - 1);
    assert(state == PREFIX || end == first)
}

#if STUCK
#define MAY_STOP                    \
    if                              \
    :: id == victim -> goto stopped \
    :: true                         \
    fi
#else
#define MAY_STOP skip
#endif

proctype block(byte id)
{
    byte round = 0, tile = 0, end = 0, first = 0, missing = NONE, polls = 0, k = 0;
    byte state1 = NONE, value1 = 0, state2 = NONE, value2 = 0;
    byte word_a0 = 0, word_a1 = 0, word_p0 = 0, word_p1 = 0;

    do
    :: round == ROUNDS -> break
    :: else ->
        /* whichever begins first is called 0; one that stops before it has a tile does not matter */
        d_step {
            round > 0 || ticket >= id ->
            tile = ticket;
            ticket++
        };
        if
        :: tile >= TILES -> break
        :: else
        fi;
        MAY_STOP;
        atomic {
            if
            :: tile > 0 -> publish(tile, (MUTANT == 4 -> PREFIX : AGGREGATE), tile)
            :: else
            fi;
            end = tile;
            first = tile
        };

        /* look back */
        do
        :: end == 0 -> break
        :: else ->
            MAY_STOP;
            if
            :: state1 == NONE -> poll(end - 1, state1, value1)
            :: else
            fi;
#if WINDOW == 2
            if
            :: end > 1 && state2 == NONE -> poll(end - 2, state2, value2)
            :: else
            fi;
#endif
            d_step {
                missing = NONE;
                if
                :: state1 == NONE -> missing = end - 1
#if WINDOW == 2
                :: state1 == AGGREGATE && end > 1 && state2 == NONE -> missing = end - 2
#endif
                :: else ->
                    take(state1, value1);
#if WINDOW == 2
                    if
                    :: end > 0 -> take(state2, value2)
                    :: else
                    fi;
#endif
                fi;
                if
                :: missing == NONE -> polls = 0; state1 = NONE; state2 = NONE; value1 = 0; value2 = 0
                :: missing != NONE && FALLBACK && polls < SPIN -> polls++
                :: else
                fi
            };
            if
            :: FALLBACK && missing != NONE && polls == SPIN ->
                MAY_STOP;
                if
                :: missing == 0 || MUTANT == 3 -> publish(missing, PREFIX, missing)
                :: else -> publish_missing(missing, missing)
                fi;
                d_step { polls = 0; state1 = NONE; state2 = NONE; value1 = 0; value2 = 0 }
            :: else
            fi
        od;
        assert(first == 0);
        MAY_STOP;
        atomic {
            publish(tile, PREFIX, 0);
            round++;
            tile = 0;
            first = 0
        }
    od;
    ended++;
    goto over;
stopped:
    is_stuck = true;
    d_step {
        tile = 0; end = 0; first = 0; missing = NONE; polls = 0; state1 = NONE; value1 = 0; state2 = NONE; value2 = 0
    };
over:
    skip
}

/* One word reaches memory; a stuck block's may get lost. */
proctype memory_process()
{
    byte i = 0, left = 0;
end:
    do
    :: atomic {
        on_the_way > 0 ->
        left = on_the_way;
        do
        :: buffer[i] == NONE -> i++
        :: buffer[i] != NONE && left > 1 -> left--; i++
        :: buffer[i] != NONE ->
            assert(!ONE_POST || memory[i % SLOTS] >= OLD || memory[i % SLOTS] / 4 <= buffer[i] / 4);
            memory[i % SLOTS] = buffer[i];
            break
        :: buffer[i] != NONE && is_stuck && i / SLOTS == victim -> break
        od;
        buffer[i] = NONE;
        on_the_way--;
        i = 0; left = 0
    }
    od
}

init
{
    byte i = 0;
    atomic {
        do
        :: i < SLOTS -> memory[i] = OLD; i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < BLOCKS * SLOTS -> buffer[i] = NONE; i++
        :: else -> break
        od;
        select(victim : 0 .. BLOCKS - 1);
        i = 0;
        do
        :: i < BLOCKS -> run block(i); i++
        :: else -> break
        od;
        i = 0;
        run memory_process()
    }
}

#ifdef TERMINATION
ltl terminates { <> (ended + is_stuck == BLOCKS) }
#endif
