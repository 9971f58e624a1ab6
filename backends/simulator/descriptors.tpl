$ -- Tile descriptors in the scratch. A post says by itself that it is of this launch: nothing is reset between launches, and no fence is needed.
$ -- descriptor "tagged": 8-byte words of 4 bytes of payload and a tag; "wide": 16-byte words of 12 and a tag, as CUDA has them. Each word moves
$ -- at once. "flagged": 4-byte words, then their tag with release and acquire. The lowest bit of a tag tells an inclusive prefix from an aggregate.
$ -- A tile has one post, which its prefix overwrites. With a fallback, where other blocks post too, that takes a compare-and-swap of all words: 8
$ -- bytes; other tiles have two posts then, as flagged ones always do.
$ assert(descriptor == "tagged" or descriptor == "wide" or descriptor == "flagged")
$ local wide = descriptor == "wide"
$ local payload = payload_words("x")
$ local in_word = wide and 3 or 1
$ local words = (#payload + in_word - 1) // in_word
$ local one_post = descriptor ~= "flagged" and (not fallback or (words == 1 and not wide))
$ local function field(index) return ("xyz"):sub(index % in_word + 1, index % in_word + 1) end
$ local function fields_of(w)
$     local texts = {}
$     for i = 0, in_word - 1 do texts[i + 1] = payload[w * in_word + i + 1] or "0u" end
$     return table.concat(texts, ", ")
$ end
$ local function value_of(name)
$     local texts = {}
$     for i = 0, #payload - 1 do texts[i + 1] = ("%s%d.%s"):format(name, i // in_word, field(i)) end
$     return from_payload(texts)
$ end
$ local function all_tags(name, first, tag)
$     local terms = {}
$     for w = first, words - 1 do terms[#terms + 1] = ("%s%d.tag == %s"):format(name, w, tag) end
$     return table.concat(terms, " && ")
$ end
#define DESCRIPTORS_OFFSET $(descriptors_offset)u // bytes, in the scratch
#define WORDS $(words)u // of a value

$ include "counters"

// Whether the posts of so many tiles lie in what was zeroed of the scratch.
bool has_posts_of(u64 scratch, uint tiles)
{
    return DESCRIPTORS_OFFSET + (u64)tiles * $(descriptor == "flagged" and 2 * 4 * (#payload + 1) or words * (one_post and 1 or 2) * (wide and 16 or 8))u <= zeroed_count(scratch) * 256u;
}

#define EMPTY 0u
#define AGGREGATE 1u
#define PREFIX 2u

struct Descriptor {
    $(T) value;
    uint state;
};

$ if descriptor ~= "flagged" then
// Moved at once.
struct Word {
    uint $(wide and "x, y, z" or "x");
    uint tag;
};

$(buffer("Posts", "Word", wide and 16 or 8))

void publish(Posts posts, uint first, uint tag, $(T) x)
{
$ for w = 0, words - 1 do
    const Word word$(w) = {$(fields_of(w)), tag};
    ms_machine_running->store(__LINE__, (u64)&posts.at[first + $(w)u], &word$(w), sizeof(Word), MS_RELAXED);
$ end
}

Word post_word(Posts posts, uint index)
{
    Word word;
    ms_machine_running->load(__LINE__, (u64)&posts.at[index], &word, sizeof word, MS_RELAXED);
    return word;
}

$ if one_post then
// What a tile has posted.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const uint first = tile * WORDS;
$ for w = 0, words - 1 do
    const Word word$(w) = post_word(posts, first + $(w)u);
$ end
    Descriptor descriptor;
    descriptor.state = EMPTY;
    if (word0.tag >> 1 == tag$(words > 1 and " && " .. all_tags("word", 1, "word0.tag") or "")) {
        descriptor.state = word0.tag % 2u == 0u ? AGGREGATE : PREFIX;
        descriptor.value = $(value_of("word"));
    }
    return descriptor;
}

$ else
// What a tile has posted: its inclusive prefix if that is there, else its aggregate.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const uint first = tile * 2u * WORDS;
$ for w = 0, words - 1 do
    const Word aggregate$(w) = post_word(posts, first + $(w)u);
    const Word prefix$(w) = post_word(posts, first + WORDS + $(w)u);
$ end
    Descriptor descriptor;
    descriptor.state = EMPTY;
    if ($(all_tags("prefix", 0, "(tag << 1 | 1u)"))) {
        descriptor.state = PREFIX;
        descriptor.value = $(value_of("prefix"));
    } else if ($(all_tags("aggregate", 0, "tag << 1"))) {
        descriptor.state = AGGREGATE;
        descriptor.value = $(value_of("aggregate"));
    }
    return descriptor;
}

$ end
$ else
$(buffer("Posts", "uint", 4))

// The tag, then the payload; of a tile the aggregate's, then the prefix's.
void publish(Posts posts, uint first, uint tag, $(T) x)
{
$ for w, word in ipairs(payload) do
    store_word(__LINE__, (u64)&posts.at[first + $(w)u], $(word), MS_RELAXED);
$ end
    store_word(__LINE__, (u64)&posts.at[first], tag, MS_RELEASE);
}

bool is_posted(Posts posts, uint first, uint tag)
{
    return load_word(__LINE__, (u64)&posts.at[first], MS_ACQUIRE) == tag;
}

uint post_word(Posts posts, uint index)
{
    return load_word(__LINE__, (u64)&posts.at[index], MS_RELAXED);
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
$ local stride = descriptor == "flagged" and "(WORDS + 1u)" or "WORDS"
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
    const Word there = post_word(posts, tile);
    if (there.tag >> 1 == tag) return;
    const uint payload = $(payload[1]);
    // If it has changed since, it has been posted.
    ms_machine_running->update(__LINE__, (u64)&posts.at[tile], sizeof(Word), MS_COMPARE_EXCHANGE, (u64)tag << 33 | payload,
                               (u64)there.tag << 32 | there.x, MS_RELAXED);
$ else
    publish_aggregate(posts, tile, tag, x);
$ end
}
$ end
