$ -- The words of posts, each read and written by one atomic access of the device's scope, which orders nothing else.
$ assert(word_bytes == 8 or word_bytes == 16)
struct alignas($(word_bytes)) Word {
    uint $(payload_fields), tag;
};

$(buffer("Posts", "Word", word_bytes))

$ if word_bytes == 16 then
Word load_word(Posts posts, u64 index)
{
    u64 low, high;
    asm volatile("{.reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word;}"
                 : "=l"(low), "=l"(high)
                 : "l"(__cvta_generic_to_global(posts.at + index)));
    return Word{(uint)low, (uint)(low >> 32), (uint)high, (uint)(high >> 32)};
}

void store_word(Posts posts, u64 index, Word word)
{
    const u64 low = word.x | (u64)word.y << 32, high = word.z | (u64)word.tag << 32;
    asm volatile("{.reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word;}" ::"l"(__cvta_generic_to_global(posts.at + index)),
                 "l"(low), "l"(high));
}
$ else
Word load_word(Posts posts, u64 index)
{
    u64 bits;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(__cvta_generic_to_global(posts.at + index)));
    return Word{(uint)bits, (uint)(bits >> 32)};
}

void store_word(Posts posts, u64 index, Word word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(posts.at + index)), "l"(word.x | (u64)word.tag << 32));
}

// Stores `desired` if the word still equals `expected`, atomically.
void compare_exchange_word(Posts posts, u64 index, Word expected, Word desired)
{
    atomicCAS((u64 *)(posts.at + index), expected.x | (u64)expected.tag << 32, desired.x | (u64)desired.tag << 32);
}
$ end
