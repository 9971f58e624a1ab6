$ -- The words of posts, each read and written by one atomic access of the device's scope, which orders nothing else but for flags.
$ assert(word_bytes == 4 or word_bytes == 8)
$ local relaxed = "gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed"
$ if word_bytes == 8 then
struct Word {
    uint $(payload_fields), tag;
};

$(buffer("Posts", "uint64_t", 8))

Word load_word(Posts posts, uint index)
{
    const uvec2 word = unpackUint2x32(atomicLoad(posts.at[index], $(relaxed)));
    return Word(word.x, word.y);
}

void store_word(Posts posts, uint index, Word word)
{
    atomicStore(posts.at[index], packUint2x32(uvec2(word.x, word.tag)), $(relaxed));
}

// Stores `desired` if the word still equals `expected`, atomically.
void compare_exchange_word(Posts posts, uint index, Word expected, Word desired)
{
    atomicCompSwap(posts.at[index], packUint2x32(uvec2(expected.x, expected.tag)), packUint2x32(uvec2(desired.x, desired.tag)), gl_ScopeDevice,
                   gl_StorageSemanticsNone, gl_SemanticsRelaxed, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
$ else
$(buffer("Posts", "uint", 4))

uint load_word(Posts posts, uint index)
{
    return atomicLoad(posts.at[index], $(relaxed));
}

void store_word(Posts posts, uint index, uint word)
{
    atomicStore(posts.at[index], word, $(relaxed));
}

// Acquire: a thread that reads the flag also sees what was stored before it.
uint load_flag(Posts posts, uint index)
{
    return atomicLoad(posts.at[index], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
}

void store_flag(Posts posts, uint index, uint flag)
{
    atomicStore(posts.at[index], flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}
$ end
