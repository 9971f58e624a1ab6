$ -- Scans the table of an upsweep, bin by bin, in one block: where each block's items of a bin go.
$ include "parts/operators"

$ include "sort/digits"

$ include "sort/bin_table"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

$(kernel("sort_scan_bins"))
{
$ include "parts/begin"
$ if not may_lack_keys then
    if (!is_given(params.buffers[$(keys_out_index)])) return;
$ end
    const $(Index) bound = $(launch_n);
    const $(Index) tiles = bound / EARLIER_TILE + (bound % EARLIER_TILE != 0u ? 1u : 0u);
    const uint blocks = tiles < 1u ? 1u : tiles > EARLIER_BLOCKS ? EARLIER_BLOCKS : uint(tiles);
    const uint entries = BINS * blocks;
    const uint share = (entries + BLOCK - 1u) / BLOCK; // consecutive ones of a thread
    BinTable table = BinTable(params.scratch);
    $(T) sum = 0u;
    for (uint i = 0u; i < share; i++) {
        const uint entry = thread_id() * share + i;
        if (entry < entries) sum += table.at[entry];
    }
    $(T) place = thread_scan(sum);
    for (uint i = 0u; i < share; i++) {
        const uint entry = thread_id() * share + i;
        if (entry < entries) {
            const $(T) count = table.at[entry];
            table.at[entry] = place;
            place += count;
        }
    }
}
