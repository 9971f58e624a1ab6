$ -- Tile descriptors in the scratch: an aggregate and an inclusive prefix a tile. A post says by itself that it is of this launch: nothing
$ -- is reset between launches, and no fence is needed. descriptor "tagged": 64-bit words of payload and tag, each moved at once;
$ -- "flagged": 32-bit words, then their tag with release and acquire.
$ local payload = payload_words("x")
#define DESCRIPTORS_OFFSET $(descriptors_offset)u // bytes, in the scratch
#define WORDS $(#payload)u // of a value

// Begins the scratch, zero before the first launch. Each counter has a cache line of its own.
#define LAUNCH_OFFSET 0u // launches that have ended
#define TICKET_OFFSET 128u // tiles taken
#define FINISHED_OFFSET 256u // blocks that have taken their last tile

uint load_word(int line, u64 address, ms_order order)
{
    uint word;
    ms_machine_running->load(line, address, &word, 4u, order);
    return word;
}

void store_word(int line, u64 address, uint word, ms_order order)
{
    ms_machine_running->store(line, address, &word, 4u, order);
}

// The tag of this launch's posts: never 0.
uint launch_tag(u64 scratch)
{
    return load_word(__LINE__, scratch + LAUNCH_OFFSET, MS_RELAXED) + 1u;
}

uint take_ticket(u64 scratch)
{
    return (uint)ms_machine_running->update(__LINE__, scratch + TICKET_OFFSET, 4u, MS_ADD, 1u, 0u, MS_RELAXED);
}

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
void end_launch(u64 scratch)
{
    const uint others = (uint)ms_machine_running->update(__LINE__, scratch + FINISHED_OFFSET, 4u, MS_ADD, 1u, 0u, MS_RELAXED);
    if (others != block_count() - 1u) return;
    const uint launch = launch_tag(scratch);
    store_word(__LINE__, scratch + LAUNCH_OFFSET, launch == 0xffffffffu ? 0u : launch, MS_RELAXED);
    store_word(__LINE__, scratch + TICKET_OFFSET, 0u, MS_RELAXED);
    store_word(__LINE__, scratch + FINISHED_OFFSET, 0u, MS_RELAXED);
}

#define EMPTY 0u
#define AGGREGATE 1u
#define PREFIX 2u

struct Descriptor {
    $(T) value;
    uint state;
};

$ if descriptor == "tagged" then
$(buffer("Posts", "u64", 8))

// Words of payload and tag; of a tile the aggregate's, then the prefix's.
void publish(Posts posts, uint first, uint tag, $(T) x)
{
$ for w, word in ipairs(payload) do
    const u64 word$(w - 1) = (u64)tag << 32 | (uint)($(word));
    ms_machine_running->store(__LINE__, (u64)&posts.at[first + $(w - 1)u], &word$(w - 1), 8u, MS_RELAXED);
$ end
}

u64 post_word(Posts posts, uint index)
{
    u64 word;
    ms_machine_running->load(__LINE__, (u64)&posts.at[index], &word, 8u, MS_RELAXED);
    return word;
}

$ local function all_there(name)
$     local terms = {}
$     for w = 1, #payload do terms[w] = ("%s%d >> 32 == tag"):format(name, w - 1) end
$     return table.concat(terms, " && ")
$ end
$ local function value(name)
$     local texts = {}
$     for w = 1, #payload do texts[w] = ("(uint)%s%d"):format(name, w - 1) end
$     return from_payload(texts)
$ end
// What a tile has posted: its inclusive prefix if that is there, else its aggregate.
Descriptor poll(Posts posts, uint tile, uint tag)
{
    const uint first = tile * 2u * WORDS;
$ for w = 0, #payload - 1 do
    const u64 aggregate$(w) = post_word(posts, first + $(w)u);
    const u64 prefix$(w) = post_word(posts, first + WORDS + $(w)u);
$ end
    Descriptor descriptor;
    descriptor.state = EMPTY;
    if ($(all_there("prefix"))) {
        descriptor.state = PREFIX;
        descriptor.value = $(value("prefix"));
    } else if ($(all_there("aggregate"))) {
        descriptor.state = AGGREGATE;
        descriptor.value = $(value("aggregate"));
    }
    return descriptor;
}

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
    const bool has_aggregate = is_posted(posts, aggregate, tag);
    const bool has_prefix = is_posted(posts, prefix, tag);
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
    publish(posts, tile * 2u * $(stride), tag, x);
}

void publish_prefix(Posts posts, uint tile, uint tag, $(T) x)
{
    publish(posts, (tile * 2u + 1u) * $(stride), tag, x);
}
