$ -- Lines of a kernel that scans the histogram of every pass: where the keys of a bin go. The next sort counts in another.
    Histogram histogram = Histogram(address_at(params.scratch, HISTOGRAM_OFFSET));
    const uint digits_turn = 1u - sort_turn(params.scratch); // the next sort's begins when the keys have been counted
    Varies varies = Varies(address_at(params.scratch, VARIES_OFFSET));
    for (uint pass = block_id(); pass < PASSES; pass += block_count()) {
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
        $(one_bin_each and "const " .. T .. " count" or "count[b]") = $(is_bin and is_bin .. " ? " or "")$(T)(histogram.at[(digits_turn * PASSES + pass) * BINS + bin])$(is_bin and " : 0u" or "");
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
