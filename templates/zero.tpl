$ -- Zeroes a scratch of params.n bytes, before its first launch, and notes how large it is.
$(buffer("Words", "uint", 4))

$(kernel("zero"))
{
    const $(Index) words = launch_bound(params.n) / 4u;
    const uint step = block_count() * BLOCK;
    for ($(Index) i = block_id() * BLOCK + thread_id(); i < words; i += step) Words(params.scratch).at[i] = i == 1u ? uint(words / 64u) : 0u;
}
