$ -- Tile descriptors in the scratch: an aggregate and an inclusive prefix a tile. A post says by itself that it is of this launch: nothing
$ -- is reset between launches, and no fence is needed. descriptor "tagged": 64-bit words of payload and tag, each moved at once;
$ -- "flagged": 32-bit words, then their tag with release and acquire.
$ local payload = payload_words("x")
const uint DESCRIPTORS_OFFSET = $(descriptors_offset)u; // bytes, in the scratch
const uint WORDS = $(#payload)u; // of a value

// Begins the scratch, zero before the first launch. Each counter has a cache line of its own.
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Counters {
    uint launch; // launches that have ended
    uint zeroed; // of the scratch, before the first launch: so many times 256 bytes
    uint other1[30];
    uint ticket; // tiles taken
    uint other2[31];
    uint finished; // blocks that have taken their last tile
};

// The tag of this launch's posts: never 0.
uint launch_tag(uvec2 scratch)
{
    return atomicLoad(Counters(scratch).launch, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed) + 1u;
}

// So many times 256 bytes of the scratch were zeroed.
uint zeroed_count(uvec2 scratch)
{
    return Counters(scratch).zeroed;
}

uint take_ticket(uvec2 scratch)
{
    return atomicAdd(Counters(scratch).ticket, 1u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// One thread of each block calls it, after the block's last ticket: the last block readies the counters for the next launch.
void end_launch(uvec2 scratch)
{
    Counters counters = Counters(scratch);
    const uint others = atomicAdd(counters.finished, 1u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    if (others != block_count() - 1u) return;
    const uint launch = launch_tag(scratch);
    atomicStore(counters.launch, launch == 0xffffffffu ? 0u : launch, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    atomicStore(counters.ticket, 0u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    atomicStore(counters.finished, 0u, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
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
    uint64_t word[]; // payload, tag; of a tile the aggregate's, then the prefix's
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

$ local function all_there(name)
$     local terms = {}
$     for w = 1, #payload do terms[w] = ("%s%d.y == tag"):format(name, w - 1) end
$     return table.concat(terms, " && ")
$ end
$ local function value(name)
$     local texts = {}
$     for w = 1, #payload do texts[w] = ("%s%d.x"):format(name, w - 1) end
$     return from_payload(texts)
$ end
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
