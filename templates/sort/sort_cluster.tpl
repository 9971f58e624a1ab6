$ -- Sorts what the shared memory of a cluster's blocks holds, in one launch: a digit after another, the lowest first. Each block sorts its own items by
$ -- the digit while the blocks tell each other how many of each they have; then each item goes to the block that has its place. Values stay where
$ -- they are until the end: each key carries its place. Places behind the last item have items, too, whose digits are the greatest: they stay there.
$ assert(cluster < 256 and cluster * ROWS * ROWS < 1 << 24 and digit_bits > 1)
$ assert(strategy == "single_cluster" and keeps_digits and rows_vary and BLOCK >= cluster and BLOCK % 4 == 0)
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/subgroup"

$ include("parts/block", {turns = 1})

$ include "sort/thread_scan"

const uint COUNTED = 0u; // what signals are for: the counts of all blocks have come, by turns; a tile's items have come
const uint MOVED = 2u;
const uint SIGNALS = 3u;

$ include "cluster"

$ include "sort/exchange"

$ include "sort/tile_rank"

$ include("sort/tile_items", {is_ordered = true})

$ include "sort/settled_tile"

$ -- Words of an item are sent four, two or one at a time: those of a piece lie together.
$ local words = words_of(key, "key")
$ if value then words[#words + 1] = "place" end
$ local pieces, sent = {}, {}
$ for at = 1, #words do
$     local piece = pieces[#pieces]
$     if not piece or at == piece.first + piece.count then
$         local left = #words - at + 1
$         piece = {first = at, count = left >= 4 and 4 or left >= 2 and 2 or 1}
$         pieces[#pieces + 1] = piece
$     end
$     local first = piece.first == 1 and "" or piece.first == 2 and "TILE + " or ("TILE * %du + "):format(piece.first - 1)
$     local own = at == piece.first and "" or (" + %du"):format(at - piece.first)
$     sent[at] = ("sent_words[%splace%s%s]"):format(first, piece.count > 1 and " * " .. piece.count .. "u" or "", own)
$ end
$ local ranking = exchange_size .. " + SUBGROUPS * BINS + LANES" -- words of the tile's order by the digit
// Two turns of the counts of all blocks: passes use them alternately.
$(launch_shared("block_counts", "2u * CLUSTER * BINS", "moved_words", ranking))
// Items that other blocks sent here.
$(launch_shared("sent_words", ("TILE * %du"):format(#words), "moved_words", ranking .. " + 2u * CLUSTER * BINS", true))
$(shared("uint", "bin_shifts", "BINS")) // from the block's order by the digit to the cluster's

uint count_place(uint turn, uint block, uint bin)
{
    return (turn * CLUSTER + block) * BINS + bin;
}

// Tells each block of the cluster how many of the block's items have the digit.
void send_count(uint turn, uint bin, uint count)
{
    UNROLL for (uint b = 0u; b < CLUSTER; b++) {
        send_word((block_id() + b) % CLUSTER, &block_counts[count_place(turn, block_id(), bin)], count, COUNTED + turn);
    }
}

// Of items with the digit, how many the cluster has, and how many are in blocks before this one.
struct ClusterCount {
    uint total;
    uint before;
};

ClusterCount sum_block_counts(uint turn, uint bin)
{
    ClusterCount count;
    count.total = 0u;
    count.before = 0u;
    UNROLL for (uint b = 0u; b < CLUSTER; b++) {
        const uint more = block_counts[count_place(turn, b, bin)];
        count.total += more;
        count.before += b < block_id() ? more : 0u;
    }
    return count;
}

const uint INVERSE_ONE = 1u << 24; // a division by rows is a multiplication: exact while CLUSTER * rows * rows is less than that

// Sends an item to its place in the cluster's order, in which each block has BLOCK * rows places. inverse: INVERSE_ONE / rows + 1.
void send_item(uint cluster_place, uint rows, uint inverse, $(Key) key$(value and ", uint item" or ""))
{
    const uint block = cluster_place / BLOCK * inverse / INVERSE_ONE;
    const uint place = cluster_place - block * BLOCK * rows;
$ for _, piece in ipairs(pieces) do
$     local list = table.concat(words, ", ", piece.first, piece.first + piece.count - 1):gsub("place", "item")
$ if piece.count == 4 then
    send_quad(block, &$(sent[piece.first]), $(list), MOVED);
$ elseif piece.count == 2 then
    send_pair(block, &$(sent[piece.first]), $(list), MOVED);
$ else
    send_word(block, &$(sent[piece.first]), $(list), MOVED);
$ end
$ end
}

$(Key) sent_key(uint place)
{
$ local key_words = table.move(sent, 1, #words - (value and 1 or 0), 1, {})
    return $(from_words(key, key_words));
}

$ if value then
uint sent_place(uint place)
{
    return $(sent[#words]);
}

$ end
$ local zeros = {}
$ for w = 1, #words_of(key, "key") do zeros[w] = "0u" end
$(kernel("sort_cluster"))
{
$ include "parts/begin"
    const uint n = uint(element_count(params.n, params.n_address));
    if (n == 0u) return;
    const uint rows = rows_of((n + CLUSTER - 1u) / CLUSTER);
    const uint start = block_id() * BLOCK * rows;
    const uint items = n <= start ? 0u : n - start < BLOCK * rows ? n - start : BLOCK * rows;
    const $(Address) keys_out = params.buffers[$(keys_out_index)];
    begin_cluster();
    TileKeys keys;
    if (items > 0u) {
        keys = load_keys(params.buffers[0], $(op_map and "true, " or "")start, items - 1u, rows);
    } else {
        $(for_rows)keys.at[row] = $(from_words(key, zeros));
    }
$ if value then
    const $(Address) values_out = params.buffers[$(values_out_index)];
    TilePlaces places;
    $(for_rows)places.at[row] = start + row_place(row, rows);
$ end
    const uint inverse = INVERSE_ONE / rows + 1u;
    wait_for_cluster();

    ROLL for (uint pass = 0u; pass < PASSES; pass++) {
        const Digit digit = digit_of_pass(pass);
        const uint turn = pass % 2u;
        clear_digit_counts();
        block_barrier();
        const TileDigits digits = count_digits(keys, digit, items, rows);
        block_barrier();
        ThreadBins bins = sum_thread_bins();
$ if one_bin_each then
        const uint bin = thread_id();
$ end
        if (thread_id() == 0u) expect_bytes(COUNTED + turn, CLUSTER * BINS * 4u);
$ enclosed(bins_loop, function()
        $(if_bin)send_count(turn, bin, bins.count$(of_bin));
$ end)
        bins = place_thread_bins(bins);
        block_barrier();
        $(value and "const TileRanks ranks = " or "")rank_items(keys, digits, rows);
        block_barrier();
        $(for_rows)keys.at[row] = load_exchanged_key(row * BLOCK + thread_id());
$ if value then
        block_barrier();
        $(for_rows)store_exchanged_place(rank_of(ranks, row), places.at[row]);
        block_barrier();
        $(for_rows)places.at[row] = load_exchanged_place(row * BLOCK + thread_id());
$ end

        wait_for_signal(COUNTED + turn, pass / 2u);
        ClusterCount counts$(bins_each);
        uint bin_start = 0u; // of a thread's first bin, in the cluster's order
$ enclosed(bins_loop, function()
        counts$(of_bin) = sum_block_counts(turn, $(is_bin and "min(bin, BINS - 1u)" or "bin"));
        bin_start += counts$(of_bin).total;
$ end)
        bin_start = thread_scan(bin_start);
$ enclosed(bins_loop, function()
        $(if_bin)bin_shifts[bin] = bin_start + counts$(of_bin).before - bins.start$(of_bin);
$ if not one_bin_each then
        bin_start += counts[b].total;
$ end
$ end)
        block_barrier();
        if (thread_id() == 0u) expect_bytes(MOVED, BLOCK * rows * $(#words * 4)u);
        $(for_rows){
            const uint place = row * BLOCK + thread_id();
            send_item(bin_shifts[row_digit(keys.at[row], place, items, digit)] + place, rows, inverse, keys.at[row]$(value and ", places.at[row]" or ""));
        }
        wait_for_signal(MOVED, pass);
        $(for_rows)keys.at[row] = sent_key(row_place(row, rows));
$ if value then
        $(for_rows)places.at[row] = sent_place(row_place(row, rows));
$ end
    }

$ include("sort/settled_items", {barrier = value and not gives_index and ("if (%s) cluster_barrier();"):format(is_value_output), place = "start + row_place(row, rows)"})
}
