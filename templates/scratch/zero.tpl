$ -- Zeroes a scratch of params.n bytes, before its first launch, and notes how large it is.
$(buffer("Words", "uint", 4))

$(kernel("zero"))
{
    const uint chunks = chunks_of_65536(params.n);
    const uint rest = uint($(launch_n) % 65536u) / 4u; // words of the last chunk
    for (uint chunk = block_id(); chunk <= chunks; chunk += block_count()) {
        Words words = Words(address_after(params.scratch, chunk, 65536u));
        const uint count = chunk < chunks ? 16384u : rest;
        for (uint i = thread_id(); i < count; i += BLOCK) words.at[i] = chunk == 0u && i == 1u ? chunks * 256u + rest / 64u : 0u;
    }
}
