$ -- Tile descriptors in the scratch. A post says by itself that it is of this launch: nothing is reset between launches, and no fence is needed.
$ -- descriptor "tagged": words of 8 bytes, 4 of them payload and 4 a tag; "wide": of 16 bytes, 12 and 4. Each word is read and written by one
$ -- atomic access.
$ -- "flagged": words of 4 bytes, payload alone, after their tag, which is stored with release and loaded with acquire.
$ -- The lowest bit of a tag is 1 for an inclusive prefix, 0 for an aggregate. Normally a tile has one post: the prefix overwrites the aggregate. With a
$ -- fallback another block may post the same aggregate; one post is then possible only if it is a single 8-byte word, replaced by compare-and-swap.
$ -- Otherwise, and always when flagged, a tile has two posts. A Descriptor is a post as poll reads it. Uses words.tpl of the backend.
$ local flagged, wide = descriptor == "flagged", descriptor == "wide"
$ assert(flagged or wide or descriptor == "tagged")
$ local payload = payload_words("x")
$ local in_word = wide and 3 or 1
$ local words = (#payload + in_word - 1) // in_word
$ local one_post = not flagged and (not fallback or (words == 1 and not wide))
$ local word_bytes = flagged and 4 or wide and 16 or 8
$ local post_units = (flagged and words + 1 or words) * (one_post and 1 or 2) * word_bytes // 8
$ local function plus(base, k) return k == 0 and base or ("%s + %du"):format(base, k) end
$ local function word_of(w)
$     local fields = {}
$     for i = 1, in_word do fields[i] = payload[w * in_word + i] or "0u" end
$     return struct_value("Word", table.concat(fields, ", ") .. ", tag")
$ end
$ local function value_of(name)
$     local fields = {}
$     for i = 0, #payload - 1 do fields[i + 1] = ("%s%d.%s"):format(name, i // in_word, ("xyz"):sub(i % in_word + 1, i % in_word + 1)) end
$     return from_payload(fields)
$ end
$ local function all_tags(name, first, tag)
$     local terms = {}
$     for w = first, words - 1 do terms[#terms + 1] = ("%s%d.tag == %s"):format(name, w, tag) end
$     return table.concat(terms, " && ")
$ end
const uint DESCRIPTORS_OFFSET = $(descriptors_offset)u; // bytes, in the scratch
$ if flagged then
const uint WORDS = $(words + 1)u; // of a post: its tag, its payload
$ else
const uint WORDS = $(words)u; // of a post
$ end

$ include "parts/counters"
$ if segments then

$ include "parts/segment_firsts"
$ end

$ assert(not most_parts or post_units * 8 == post_bytes)
$ include("parts/zeroed", {post_units = post_units})

const uint EMPTY = 0u;
const uint AGGREGATE = 1u;
const uint PREFIX = 2u;

struct Descriptor {
    $(T) value;
    uint state;
};

$ include("words", {word_bytes = word_bytes, payload_fields = wide and "x, y, z" or "x"})

void publish(Posts posts, $(Index) first, uint tag, $(T) x)
{
$ if flagged then
$ for w, word in ipairs(payload) do
    store_word(posts, first + $(w)u, $(word));
$ end
    store_flag(posts, first, tag);
$ else
$ for w = 0, words - 1 do
    store_word(posts, $(plus("first", w)), $(word_of(w)));
$ end
$ end
}

$ if flagged then
$ local texts = {}
$ for w = 1, #payload do texts[w] = ("load_word(posts, first + %du)"):format(w) end
// What a tile has posted: its inclusive prefix if that is there, else its aggregate.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const $(Index) aggregate = $(as_index("tile")) * 2u * WORDS;
    const $(Index) prefix = aggregate + WORDS;
    const bool has_aggregate = load_flag(posts, aggregate) == tag << 1;
    const bool has_prefix = load_flag(posts, prefix) == (tag << 1 | 1u);
    const $(Index) first = has_prefix ? prefix : aggregate;
    Descriptor descriptor;
    descriptor.state = has_prefix ? PREFIX : has_aggregate ? AGGREGATE : EMPTY;
    descriptor.value = $(from_payload(texts));
    return descriptor;
}
$ elseif one_post then
// What a tile has posted.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const $(Index) first = $(as_index("tile")) * WORDS;
$ for w = 0, words - 1 do
    const Word word$(w) = load_word(posts, $(plus("first", w)));
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
    const $(Index) first = $(as_index("tile")) * 2u * WORDS;
$ for w = 0, words - 1 do
    const Word aggregate$(w) = load_word(posts, $(plus("first", w)));
    const Word prefix$(w) = load_word(posts, $(plus("first + WORDS", w)));
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

void publish_aggregate(Posts posts, uint tile, uint tag, $(T) x)
{
    publish(posts, $(as_index("tile"))$(one_post and "" or " * 2u") * WORDS, tag << 1, x);
}

void publish_prefix(Posts posts, uint tile, uint tag, $(T) x)
{
    publish(posts, $(one_post and as_index("tile") or "(" .. as_index("tile") .. " * 2u + 1u)") * WORDS, tag << 1 | 1u, x);
}
$ if fallback then

// The aggregate of a tile whose own block may post as well.
void publish_missing(Posts posts, uint tile, uint tag, $(T) x)
{
$ if one_post then
    const Word there = load_word(posts, tile);
    if (there.tag >> 1 == tag) return;
    // If it has changed since, it has been posted.
    compare_exchange_word(posts, tile, there, $(struct_value("Word", payload[1] .. ", tag << 1")));
$ else
    publish_aggregate(posts, tile, tag, x);
$ end
}
$ end
