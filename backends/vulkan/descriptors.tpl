$ -- Tile descriptors in the scratch. A post says by itself that it is of this launch: nothing is reset between launches, and no fence is needed.
$ -- descriptor "tagged": 64-bit words of payload and tag, each moved at once; "flagged": 32-bit words, then their tag with release and acquire.
$ -- The lowest bit of a tag tells an inclusive prefix from an aggregate. A tile has one post, which its prefix overwrites. With a fallback, where
$ -- other blocks post too, that takes a compare-and-swap of all words: one; other tiles have two posts then, as flagged ones always do.
$ local payload = payload_words("x")
$ local one_post = descriptor == "tagged" and (not fallback or #payload == 1)
const uint DESCRIPTORS_OFFSET = $(descriptors_offset)u; // bytes, in the scratch
const uint WORDS = $(#payload)u; // of a value

$ include "counters"

$ local post_words = descriptor == "tagged" and #payload * (one_post and 1 or 2) or #payload + 1 -- of 8 bytes
// Whether the posts of so many tiles lie in what was zeroed of the scratch.
bool has_posts_of(uvec2 scratch, uint tiles)
{
    return DESCRIPTORS_OFFSET / 8u + tiles$(post_words > 1 and " * " .. post_words .. "u" or "") <= zeroed_count(scratch) * 32u;
}

$ local function after(base, k) return k == 0 and base or ("%s + %du"):format(base, k) end
const uint EMPTY = 0u;
const uint AGGREGATE = 1u;
const uint PREFIX = 2u;

struct Descriptor {
    $(T) value;
    uint state;
};

$ if descriptor == "tagged" then
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Posts {
    uint64_t word[]; // payload, tag$(one_post and "" or "; of a tile the aggregate's, then the prefix's")
};

void publish(Posts posts, uint first, uint tag, $(T) x)
{
$ for w, word in ipairs(payload) do
    atomicStore(posts.word[$(after("first", w - 1))], packUint2x32(uvec2($(word), tag)), gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
$ end
}

uvec2 post_word(Posts posts, uint index)
{
    return unpackUint2x32(atomicLoad(posts.word[index], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed));
}

$ local function all_tags(name, first, tag)
$     local terms = {}
$     for w = first, #payload - 1 do terms[#terms + 1] = ("%s%d.y == %s"):format(name, w, tag) end
$     return table.concat(terms, " && ")
$ end
$ local function value(name)
$     local texts = {}
$     for w = 1, #payload do texts[w] = ("%s%d.x"):format(name, w - 1) end
$     return from_payload(texts)
$ end
$ if one_post then
// What a tile has posted.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const uint first = tile * WORDS;
$ for w = 0, #payload - 1 do
    const uvec2 word$(w) = post_word(posts, $(after("first", w)));
$ end
    Descriptor descriptor;
    descriptor.state = EMPTY;
    if (word0.y >> 1 == tag$(#payload > 1 and " && " .. all_tags("word", 1, "word0.y") or "")) {
        descriptor.state = word0.y % 2u == 0u ? AGGREGATE : PREFIX;
        descriptor.value = $(value("word"));
    }
    return descriptor;
}

$ else
// What a tile has posted: its inclusive prefix if that is there, else its aggregate.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const uint first = tile * 2u * WORDS;
$ for w = 0, #payload - 1 do
    const uvec2 aggregate$(w) = post_word(posts, $(after("first", w)));
    const uvec2 prefix$(w) = post_word(posts, $(after("first + WORDS", w)));
$ end
    Descriptor descriptor;
    descriptor.state = EMPTY;
    if ($(all_tags("prefix", 0, "(tag << 1 | 1u)"))) {
        descriptor.state = PREFIX;
        descriptor.value = $(value("prefix"));
    } else if ($(all_tags("aggregate", 0, "tag << 1"))) {
        descriptor.state = AGGREGATE;
        descriptor.value = $(value("aggregate"));
    }
    return descriptor;
}

$ end
$ else
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Posts {
    uint word[]; // tag, payload; of a tile the aggregate's, then the prefix's
};

void publish(Posts posts, uint first, uint tag, $(T) x)
{
$ for w, word in ipairs(payload) do
    atomicStore(posts.word[first + $(w)u], $(word), gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
$ end
    atomicStore(posts.word[first], tag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}

bool is_posted(Posts posts, uint first, uint tag)
{
    return atomicLoad(posts.word[first], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == tag;
}

uint post_word(Posts posts, uint index)
{
    return atomicLoad(posts.word[index], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

$ local texts = {}
$ for w = 1, #payload do texts[w] = ("post_word(posts, first + %du)"):format(w) end
// What a tile has posted: its inclusive prefix if that is there, else its aggregate.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const uint aggregate = tile * 2u * (WORDS + 1u);
    const uint prefix = aggregate + WORDS + 1u;
    const bool has_aggregate = is_posted(posts, aggregate, tag << 1);
    const bool has_prefix = is_posted(posts, prefix, tag << 1 | 1u);
    const uint first = has_prefix ? prefix : aggregate;
    Descriptor descriptor;
    descriptor.state = has_prefix ? PREFIX : has_aggregate ? AGGREGATE : EMPTY;
    descriptor.value = $(from_payload(texts));
    return descriptor;
}

$ end
$ local stride = descriptor == "tagged" and "WORDS" or "(WORDS + 1u)"
void publish_aggregate(Posts posts, uint tile, uint tag, $(T) x)
{
    publish(posts, $(one_post and "tile" or "tile * 2u") * $(stride), tag << 1, x);
}

void publish_prefix(Posts posts, uint tile, uint tag, $(T) x)
{
    publish(posts, $(one_post and "tile" or "(tile * 2u + 1u)") * $(stride), tag << 1 | 1u, x);
}
$ if fallback then

// The aggregate of a tile whose own block may post as well.
void publish_missing(Posts posts, uint tile, uint tag, $(T) x)
{
$ if one_post then
    const uvec2 there = post_word(posts, tile);
    if (there.y >> 1 == tag) return;
    // If it has changed since, it has been posted.
    atomicCompSwap(posts.word[tile], packUint2x32(there), packUint2x32(uvec2($(payload[1]), tag << 1)), gl_ScopeDevice,
                   gl_StorageSemanticsNone, gl_SemanticsRelaxed, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
$ else
    publish_aggregate(posts, tile, tag, x);
$ end
}
$ end
