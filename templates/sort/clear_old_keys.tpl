$ -- Uses old_keys.tpl.
// Ping-pong posts may lie where keys of other launches went through the scratch, and those look like posts.
void clear_old_keys($(Address) scratch, $(Index) n)
{
    const $(Index) end = min(KeysEnd(address_at(scratch, KEYS_END_OFFSET)).at[0], zeroed_count(scratch));
    for ($(Index) unit = first_post_unit(scratch, n) + block_id(); unit < end; unit += block_count()) {
        Words words = Words(address_after(scratch, unit, 256u));
        const uint first = unit == SPARE_UNITS / 16u ? SPARE_UNITS % 16u * 4u : 0u;
        for (uint w = first + thread_id(); w < 64u; w += BLOCK) words.at[w] = 0u;
    }
}
