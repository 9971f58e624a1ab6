$ -- The words of posts, each loaded and stored at once by accesses that order nothing else but for flags.
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

// Stores `word` where there is still what was `there`.
void exchange_word(Posts posts, u64 index, Word there, Word word)
{
    ms_machine_running->update(__LINE__, (u64)&posts.at[index], sizeof word, MS_COMPARE_EXCHANGE, (u64)word.tag << 32 | word.x,
                               (u64)there.tag << 32 | there.x, MS_RELAXED);
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

// What was stored before the flag can be loaded after it.
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
