$ -- Scans the histogram of every pass: where the keys of a bin go. The next sort counts in another.
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include "sort/digit_table"

$ if is_hybrid then
$ include "sort/bucket_table"

$ end
$ if can_ping_pong then
$ include "sort/old_keys"

$ end
$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$ if not one_bin_each then
const uint THREAD_BINS = (BINS + BLOCK - 1u) / BLOCK; // consecutive ones of a thread

$ end
$(shared("uint", "has_one_bin"))

$(kernel("sort_starts"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    Histogram histogram = Histogram(address_at(params.scratch, HISTOGRAM_OFFSET));
    const uint turn = 1u - sort_turn(params.scratch); // the next sort's begins when the keys have been counted
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    Varies varies = Varies(address_at(params.scratch, VARIES_OFFSET));
$ if is_hybrid then
    const uint passes = is_partitioned(params.scratch, n, params.argument) ? 0u : PASSES;
$ end

    for (uint pass = block_id(); pass < $(is_hybrid and "passes" or "PASSES"); pass += block_count()) {
        if (thread_id() == 0u) has_one_bin = 0u;
        block_barrier();
$ if one_bin_each then
        const uint bin = thread_id();
$ end
$ if not one_bin_each then
        $(T) count[THREAD_BINS];
        $(T) sum = 0u;
$ end
$ enclosed(bins_loop, function()
        $(one_bin_each and "const " .. T .. " count" or "count[b]") = $(is_bin and is_bin .. " ? " or "")histogram.at[(turn * PASSES + pass) * BINS + bin]$(is_bin and " : 0u" or "");
        if (count$(of_bin) == n) $(shared_max("has_one_bin", "1u"));
$ if not one_bin_each then
        sum += count[b];
$ end
$ end)
        $(one_bin_each and "const " or "")$(T) start = thread_scan($(one_bin_each and "count" or "sum"));
$ enclosed(bins_loop, function()
        $(if_bin)starts.at[pass * BINS + bin] = start;
$ if not one_bin_each then
        start += count[b];
$ end
$ end)
        block_barrier();
        if (thread_id() == 0u) varies.at[pass] = 1u - has_one_bin;
    }
$ if can_ping_pong then
    if (block_id() == 0u && thread_id() == 0u) {
        KeysEnd keys_end = KeysEnd(address_at(params.scratch, KEYS_END_OFFSET));
        const bool is_ping_pong = params.argument >= PING_PONG;
        const $(Index) bound = $(launch_n), there = keys_end.at[0];
        const $(Index) end = is_ping_pong ? first_post_unit(params.scratch, bound) : units_before(tiles_of(bound), TILE_KEY_UNITS);
        if (is_ping_pong ? end < there : end > there) keys_end.at[0] = end;
    }
$ end
}
