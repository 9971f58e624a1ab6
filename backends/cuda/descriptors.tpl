$ -- Tile descriptors in the scratch. A post says by itself that it is of this launch: nothing is reset between launches, and no fence is needed.
$ -- descriptor "tagged": 8-byte words of 4 bytes of payload and a tag; "wide": 16-byte words of 12 and a tag. Each word moves at once.
$ -- The lowest bit of a tag tells an inclusive prefix from an aggregate. A tile has one post, which its prefix overwrites. With a fallback, where
$ -- other blocks post too, that takes a compare-and-swap of all words: 8 bytes; other tiles have two posts then.
$ assert(descriptor == "tagged" or descriptor == "wide")
$ local wide = descriptor == "wide"
$ local payload = payload_words("x")
$ local in_word = wide and 3 or 1
$ local words = (#payload + in_word - 1) // in_word
$ local one_post = not fallback or (words == 1 and not wide)
$ local Word = wide and "uint4" or "uint2"
$ local tag_field = wide and "w" or "y"
$ local function field(index) return ("xyz"):sub(index % in_word + 1, index % in_word + 1) end
$ local function word_of(w)
$     local texts = {}
$     for i = 0, in_word - 1 do texts[i + 1] = payload[w * in_word + i + 1] or "0u" end
$     return Word .. "{" .. table.concat(texts, ", ") .. ", tag}"
$ end
$ local function value_of(name)
$     local texts = {}
$     for i = 0, #payload - 1 do texts[i + 1] = ("%s%d.%s"):format(name, i // in_word, field(i)) end
$     return from_payload(texts)
$ end
$ local function all_tags(name, first, tag)
$     local terms = {}
$     for w = first, words - 1 do terms[#terms + 1] = ("%s%d.%s == %s"):format(name, w, tag_field, tag) end
$     return table.concat(terms, " && ")
$ end
constexpr uint DESCRIPTORS_OFFSET = $(descriptors_offset)u; // bytes, in the scratch
constexpr uint WORDS = $(words)u; // of a post

$ include "counters"

// Whether the posts of so many tiles lie in what was zeroed of the scratch.
bool has_posts_of(u64 scratch, uint tiles)
{
    return DESCRIPTORS_OFFSET + (u64)tiles * $(words * (one_post and 1 or 2) * (wide and 16 or 8))u <= zeroed_count(scratch) * 256u;
}

constexpr uint EMPTY = 0u;
constexpr uint AGGREGATE = 1u;
constexpr uint PREFIX = 2u;

struct Descriptor {
    $(T) value;
    uint state;
};

$(buffer("Posts", Word, wide and 16 or 8))

$ if wide then
uint4 load_word(const uint4 *word)
{
    u64 low, high;
    asm volatile("{.reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word;}"
                 : "=l"(low), "=l"(high)
                 : "l"(__cvta_generic_to_global(word)));
    return uint4{(uint)low, (uint)(low >> 32), (uint)high, (uint)(high >> 32)};
}

void store_word(uint4 *word, uint4 value)
{
    const u64 low = value.x | (u64)value.y << 32, high = value.z | (u64)value.w << 32;
    asm volatile("{.reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word;}" ::"l"(__cvta_generic_to_global(word)),
                 "l"(low), "l"(high));
}
$ else
uint2 load_word(const uint2 *word)
{
    u64 value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(word)));
    return uint2{(uint)value, (uint)(value >> 32)};
}

void store_word(uint2 *word, uint2 value)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(value.x | (u64)value.y << 32));
}
$ end

void publish($(Word) *post, uint tag, $(T) x)
{
$ for w = 0, words - 1 do
    store_word(post$(w > 0 and " + " .. w or ""), $(word_of(w)));
$ end
}

$ if not one_post then
// What a tile has posted: its inclusive prefix if that is there, else its aggregate.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const $(Word) *post = posts.at + (u64)tile * (2u * WORDS);
$ for w = 0, words - 1 do
    const $(Word) aggregate$(w) = load_word(post$(w > 0 and " + " .. w or ""));
    const $(Word) prefix$(w) = load_word(post + $(words + w));
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

void publish_aggregate(Posts posts, uint tile, uint tag, $(T) x)
{
    publish(posts.at + (u64)tile * (2u * WORDS), tag << 1, x);
}

void publish_prefix(Posts posts, uint tile, uint tag, $(T) x)
{
    publish(posts.at + (u64)tile * (2u * WORDS) + WORDS, tag << 1 | 1u, x);
}
$ else
// What a tile has posted.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const $(Word) *post = posts.at + (u64)tile * WORDS;
$ for w = 0, words - 1 do
    const $(Word) word$(w) = load_word(post$(w > 0 and " + " .. w or ""));
$ end
    Descriptor descriptor;
    descriptor.state = EMPTY;
    if (word0.$(tag_field) >> 1 == tag$(words > 1 and " && " .. all_tags("word", 1, "word0." .. tag_field) or "")) {
        descriptor.state = word0.$(tag_field) % 2u == 0u ? AGGREGATE : PREFIX;
        descriptor.value = $(value_of("word"));
    }
    return descriptor;
}

void publish_aggregate(Posts posts, uint tile, uint tag, $(T) x)
{
    publish(posts.at + (u64)tile * WORDS, tag << 1, x);
}

void publish_prefix(Posts posts, uint tile, uint tag, $(T) x)
{
    publish(posts.at + (u64)tile * WORDS, tag << 1 | 1u, x);
}
$ end
$ if fallback then

// The aggregate of a tile whose own block may post as well.
void publish_missing(Posts posts, uint tile, uint tag, $(T) x)
{
$ if one_post then
    const uint2 there = load_word(posts.at + tile);
    if (there.y >> 1 == tag) return;
    const uint payload = $(payload[1]);
    // If it has changed since, it has been posted.
    atomicCAS((u64 *)(posts.at + tile), there.x | (u64)there.y << 32, payload | (u64)tag << 33);
$ else
    publish_aggregate(posts, tile, tag, x);
$ end
}
$ end
