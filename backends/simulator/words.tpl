$ -- The words of posts, each read and written by one atomic access, which orders nothing else but for flags.
$ if word_bytes > 4 then
struct Word {
    uint $(payload_fields), tag;
};

$(buffer("Posts", "Word", word_bytes))

Word load_word(Posts posts, u64 index)
{
    Word word;
    ms_machine_running->load(__LINE__, (u64)&posts.at[index], &word, sizeof word, MS_RELAXED);
    return word;
}

void store_word(Posts posts, u64 index, Word word)
{
    ms_machine_running->store(__LINE__, (u64)&posts.at[index], &word, sizeof word, MS_RELAXED);
}
$ if word_bytes == 8 then

// Stores `desired` if the word still equals `expected`, atomically.
void compare_exchange_word(Posts posts, u64 index, Word expected, Word desired)
{
    ms_machine_running->update(__LINE__, (u64)&posts.at[index], sizeof desired, MS_COMPARE_EXCHANGE, (u64)desired.tag << 32 | desired.x,
                               (u64)expected.tag << 32 | expected.x, MS_RELAXED);
}
$ end
$ else
$(buffer("Posts", "uint", 4))

uint load_word(Posts posts, u64 index)
{
    uint word;
    ms_machine_running->load(__LINE__, (u64)&posts.at[index], &word, sizeof word, MS_RELAXED);
    return word;
}

void store_word(Posts posts, u64 index, uint word)
{
    ms_machine_running->store(__LINE__, (u64)&posts.at[index], &word, sizeof word, MS_RELAXED);
}

// Acquire: a thread that reads the flag also sees what was stored before it.
uint load_flag(Posts posts, u64 index)
{
    uint flag;
    ms_machine_running->load(__LINE__, (u64)&posts.at[index], &flag, sizeof flag, MS_ACQUIRE);
    return flag;
}

void store_flag(Posts posts, u64 index, uint flag)
{
    ms_machine_running->store(__LINE__, (u64)&posts.at[index], &flag, sizeof flag, MS_RELEASE);
}
$ end
