$ -- Scan in one pass: a block takes a tile, publishes its aggregate, looks back for what comes before it, publishes its inclusive prefix.
$ -- lookback: decoupled look-back. chained_scan, a baseline: inclusive prefixes only, each tile waits for the one before it.
$ -- recounts: what is made of the states (of a second scan, of what is kept) is scanned when they are known. A tile posts twice and looks back twice.
$ -- Sources: Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"; Yan, Long & Zhang 2013 (chained).
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ assert(strategy == "lookback" or strategy == "chained_scan")
$ assert(not recounts or not (fallback or balanced or packs or item or parks or segments))
$ local levels = recounts and 2 or 1 -- of posts
$ local function post_of(tile, level) return recounts and "2u * " .. tile .. (level == "0u" and "" or " + " .. level) or tile end
$ include "parts/operators"

$ include("parts/subgroup", of_tile {})
$ if tallies then

$ include("parts/subgroup", {nothing = "identity()"})
$ end

$ if balanced then
$ include "parts/balanced"
$ else
$ include("parts/block", of_tile {turns = 1})
$ end

$ include("parts/arrays", inputs)

$ include("parts/arrays", outputs)

$ include("scan/carry", {takes = true, leaves = true})

$ include "scan/tiles"

$ if part_items then
$ include "parts/posts"

$ include "scan/parts"

$ end
$ include(packs == "tile" and "scan/packed_tile" or packs and "scan/packed_rows" or chunk_items and "scan/tile_lengths" or "scan/tile_scan")

$ if recounts then
$ include "scan/tile_count"

$ end
$ if fallback then
$ include "scan/tile_reduce"

$ end
$ if not part_items then
$ include "parts/posts"

$ end
$ if segments then
$ include("scan/number_segments", {stores_empty = empty})

$ end
$ if recounts then
$ include("parts/look_back_window", {looks_for = "uint level; // whose posts: 0, of states; 1, of what is made of them", descriptor_index = function(tile) return post_of("(" .. tile .. ")", "look.level") end})
$ else
$ include(balanced and "parts/balanced_look_back" or "parts/look_back_window")
$ end

$(shared("uint", "ticket"))
$ if parks then
const uint PARKED = BLOCK / LANES + 1u; // of a tile: what comes before each subgroup in it, then what all items add up to
$(shared(T, "parked_sums", ahead and "2u * PARKED" or "PARKED"))
$ end
$ if balanced then
$(shared(T, "tile_before"))
$(shared(T, "tile_through"))
$ else
$(shared(T, "first_prefix")) // what comes before tile 0
$(shared(T, "tile_prefix"))
$ end
$ if fallback then
$(shared("uint", "missing_tile"))
$ end

// A tile that has been summed up and is to be finished.
struct Summed {
    uint tile;
$ if packs == "tile" and has_inputs then
    Items items;
$ end
$ if chunk_items then
    uint items;
    $(T) total;
$ else
    $(packs and "RowScan" or "TileScan") scan;
$ if not parks then
    BlockScan block;
$ end
$ end
};
$ local total = chunk_items and "summed.total" or parks and "block.total" or "summed.block.total"

$ local posts_it = withhold == "block" and "block_id() != 0u" or withhold and ("tile %% %du != %du"):format(withhold, withhold - 1)
$ local arrays = has_inputs and ("In in_items, %sbool is_aligned, "):format(empty and "Out out_items, " or "") or ""
$ local if_posted = posts_it and "if (" .. posts_it .. ") " or ""
// Takes the next tile, sums it up and posts the sum; from tile_count(n) on there is none. Tiles are taken in the order in which blocks come to
// run: every tile before has been begun.$(ahead and " is_left: whether there can be one." or "") The whole block calls it.
Summed sum_next_tile($(arrays)Posts posts, uint tag, $(Index) n, $(Address) scratch, $(Address) carry_in$(ahead and ", bool is_left" or "")$(parks and ahead and ", uint turn" or ""))
{
    Summed summed;
    if (thread_id() == 0u) ticket = $(ahead and "is_left ? take_ticket(scratch) : NO_TILE" or "take_ticket(scratch)");
    block_barrier();
    const uint tile = ticket;
    summed.tile = tile;
$ if ahead then
    if (tile >= tile_count(n)) {
        if (thread_id() == 0u) end_launch(scratch);
        return summed;
    }
$ else
    if (tile >= tile_count(n)) return summed;
$ end

$ if segments then
    in_items.first = tile_start(tile, n);
    number_segments(in_items, $(empty and "out_items, true, " or "")scratch, n);
$ end
$ if packs then
$ if has_inputs then
    const Items items = load_items(in_items, is_aligned, tile_start(tile, n), n);
$ end
$ if packs == "tile" and has_inputs then
    summed.items = items;
$ end
    summed.scan = scan_items($(hands_items)tile_start(tile, n), n);
$ elseif chunk_items then
    const TileScan scan = scan_lengths(load_tile(in_items, is_aligned, tile_start(tile, n), n));
    summed.items = scan.total;
    summed.total = tile_length(scan.total, in_items, tile_start(tile, n), n);
    write_starts(scan);
$ else
    summed.scan = scan_tile(load_tile($(hands_inputs("is_aligned"))tile_start(tile, n), n));
$ end
$ if parks then
    const BlockScan block = block_scan(summed.scan.total);
    if (lane_id() == 0u) parked_sums[$(ahead and "turn * PARKED + " or "")subgroup_id()] = block.before;
    if (thread_id() == 0u) parked_sums[$(ahead and "turn * PARKED + " or "")PARKED - 1u] = block.total;
$ elseif not chunk_items then
    summed.block = block_scan(summed.scan.total);
$ end
    if (thread_id() == 0u && tile == 0u) { // by one: carry-in may be carry-out
        const $(T) first = starting_prefix(carry_in);
$ if balanced then
        publish_aggregate(posts, 0u, tag, first);
$ else
        first_prefix = first;
        $(if_posted)publish_prefix(posts, $(post_of("tile", "0u")), tag, $(after("first", total)));
$ end
    }
$ if balanced then
    if (thread_id() == 0u) publish_aggregate(posts, post_of(tile, 0u), tag, $(total));
$ elseif strategy == "lookback" then
    if (thread_id() == 0u && tile > 0u$(posts_it and " && " .. posts_it or "")) publish_aggregate(posts, $(post_of("tile", "0u")), tag, $(state_of(total)));
$ end
    return summed;
}

$ if parks then
$     total = "parked_sums[" .. (ahead and "parked + " or "") .. "PARKED - 1u]"
$ end
$ local handed = has_inputs and ("in_items, %sin_is_aligned, "):format(empty and "out_items, " or "") or ""
$ local function sum_next(more) return ("sum_next_tile(%sposts, tag, n, params.scratch, params.carry_in%s)"):format(handed,
$     ahead and ", " .. more .. (parks and ", round % 2u" or "") or "") end
$ local pack = ("if (%s) pack_tile(out_items, %s%ssummed.scan, summed.block, tile_start(summed.tile, n), n);"):format(outputs.is_given,
$     outputs.have_places and "" or "out_is_aligned, ", has_inputs and "summed.items, " or "")
$ local stage = ("if (%s) stage_tile(%ssummed.items, tile_start(summed.tile, n), n);"):format(outputs.is_given, hands_inputs("in_is_aligned"))
$(kernel("scan"))
{
    const $(Index) n = element_count(params.n, params.n_address);
$ if has_inputs then
    In in_items = $(inputs.value);
$ end
    Out out_items = $(outputs.value);
$ if has_inputs then
    const bool in_is_aligned = $(inputs.are_aligned);
$ end
$ if not item and not (packs and outputs.have_places) then
    const bool out_is_aligned = $(output_reads_input and has_inputs and "in_is_aligned && " or "")$(outputs.are_aligned);
$ end
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    const uint tag = launch_tag(params.scratch);
$ if part_items then
    const uint turn = parts_turn(params.scratch);
$ end
    const uint tiles = tile_count(n);
    if (!has_posts_of(params.scratch, $(balanced and "2u * tiles + 1u" or recounts and "2u * tiles" or "tiles"))$(segments and " || !has_firsts_of(params.scratch, tiles)" or "")) return;
    block_barrier_all_memory(); // all have read the tag before one of them ends the launch

$ if ahead then
    // Before a tile waits for what comes before it, the next one is summed up: its items come, and others learn its sum, in the meantime.
    Summed next;
    uint round = 0u; // it has no tile to finish
    do {
        const Summed summed = next;
$ if chunk_items or packs == "tile" then
        if (round > 0u) {
            $(chunk_items and stage or pack)
        }
$ end
$ if SUBGROUPS == 1 then
        block_barrier(); // all have read the ticket; a block of several subgroups meets when it scans their totals
$ end
        next = $(sum_next("round == 0u || tiles > block_count()"));
        round++;
        if (round == 1u) continue;
$ else
    const uint rounds = (tiles + block_count() - 1u) / block_count();
    for (uint round = 0u; round < rounds; round++) {
        const Summed summed = $(sum_next("true"));
        if (summed.tile >= tiles) break;
$ if chunk_items or packs == "tile" then
        $(chunk_items and stage or pack)
$ end
$ end

        const uint tile = summed.tile;
$ if parks and ahead then
        const uint parked = round % 2u * PARKED; // the next tile's are the others
$ end
$ if balanced then
        if (subgroup_id() == 0u) {
            const Ends found = tile_ends(posts, tag, tile, $(total));
            if (lane_id() == 0u) {
                tile_before = found.before;
                tile_through = found.through;
            }
        }
        block_barrier();
        Ends ends;
        ends.before = tile_before;
        ends.through = tile_through;
$ if segments and output_reads_input then
        in_items.first = tile_start(tile, n);
$ end
$ if segments and output_reads_input and (ahead or fallback) then
        number_segments(in_items, $(empty and "out_items, false, " or "")params.scratch, n); // other tiles' were numbered in the meantime
$ end
        const TileScan scan = descend(summed.scan, subgroup_ends(summed.block, ends));
        if ($(outputs.is_given)) store_tile(out_items, $(output_reads_input and has_inputs and "in_items, " or "")out_is_aligned, scan, tile_start(tile, n), n);
        const uint count = items_of(tile, n);
        if (count < TILE) {
            keep_tail(summed.scan, summed.block, count);
            ends.through = join_tail(ends.before, count);
        }
        if (tile == tiles - 1u && thread_id() == 0u) store_carry($(leaves), ends.through);
$ else
$ for level = 0, levels - 1 do
$     local look, level_total = level == 0 and "look" or "second_look", level == 0 and total or "made.total"
$ if level == 1 then
        // What is made of the tile's states, by itself; and then what comes before that.
        const TileScan made_scan = scan_tile(count_tile($(hands_recounted)summed.scan, subgroup_prefix, tile_start(tile, n), n));
$ if SUBGROUPS == 1 then
        block_barrier(); // all have read tile_prefix; a block of several subgroups meets when it scans their totals
$ end
        const BlockScan made = block_scan(made_scan.total);
$ if strategy == "lookback" then
        if (thread_id() == 0u && tile > 0u) publish_aggregate(posts, $(post_of("tile", "1u")), tag, made.total);
$ end
$ end
        LookBack $(look);
        $(look).aggregate = identity();
        $(look).end = $(lookback_lanes == 1 and "lane_id() == 0u ? tile : 0u" or "tile");
        $(look).missing = NO_TILE;
$ if recounts then
        $(look).level = $(level)u;
$ end
$ if level == 0 then
        if (tile == 0u && thread_id() == 0u) look.aggregate = first_prefix;
$ end
$ if fallback then
        uint missing = NO_TILE;
        do {
            if (subgroup_id() == 0u) {
                look = look_back(posts, tag, look);
                const uint waiting_lane = last_lane(look.missing != NO_TILE);
                if (lane_id() == (waiting_lane < LANES ? waiting_lane : 0u)) missing_tile = look.missing;
            }
            block_barrier();
            missing = missing_tile;
            if (missing != NO_TILE) {
                // Its block may not run before this one ends: sum it up in its place, by the same tree, and post that.
$ if segments then
                in_items.first = tile_start(missing, n);
                number_segments(in_items, $(empty and "out_items, false, " or "")params.scratch, n);
$ end
                const $(T) aggregate = $(state_of("reduce_tile(" .. hands_inputs("in_is_aligned") .. "tile_start(missing, n), n)"));
                if (thread_id() == 0u) {
                    const $(T) first = starting_prefix(params.carry_in);
                    if (missing == 0u) publish_prefix(posts, missing, tag, $(join("first", "aggregate")));
                    else publish_missing(posts, missing, tag, aggregate);
                }
                block_barrier();
            }
        } while (missing != NO_TILE);
$ else
        if (subgroup_id() == 0u) $(look) = look_back(posts, tag, $(look));
$ end
        if (thread_id() == 0u) {
            tile_prefix = $(look).aggregate;
            const $(T) inclusive = $(after(look .. ".aggregate", level_total));
            $(level == 0 and "if (tile > 0u" .. (posts_it and " && " .. posts_it or "") .. ") " or "")publish_prefix(posts, $(post_of("tile", level .. "u")), tag, inclusive);
        }
        block_barrier();
$ if segments and output_reads_input then
        in_items.first = tile_start(tile, n);
$ end
$ if segments and output_reads_input and (ahead or fallback) then
        number_segments(in_items, $(empty and "out_items, false, " or "")params.scratch, n); // other tiles' were numbered in the meantime
$ end
$ if level == 0 then
        const $(T) prefix = tile_prefix;
$ if packs ~= "tile" and not chunk_items then
        const $(T) subgroup_prefix = $(after("prefix", parks and "parked_sums[" .. (ahead and "parked + " or "") .. "subgroup_id()]" or "summed.block.before"));
$ end
$ else
        const $(T) made_before = tile_prefix;
        const $(T) subgroup_made = $(join("made_before", "made.before"));
$ end
$ end
$ if item or packs then
        const $(T) end = $(after("prefix", total));
$ end
$ if packs and packs ~= "tile" then
        const $(Index) start = tile_start(tile, n); // its items are read again: those of two tiles in registers would leave few blocks running
$ local items = has_inputs and "load_items(in_items, in_is_aligned, start, n), " or ""
        if ($(outputs.is_given)) store_items(out_items, $(outputs.have_places and "" or "out_is_aligned, ")$(items)summed.scan, subgroup_prefix, start, n);
        if (tile == tiles - 1u && thread_id() == 0u) store_carry($(leaves), end);
$ elseif packs then
        if ($(outputs.is_given)) leave_tile(out_items, tile_start(tile, n), min(tile_start(tile, n) + TILE, n), prefix, end$(outputs.have_tails and ", begins_run != 0u, ends_run != 0u" or ""));
        if (tile == tiles - 1u && thread_id() == 0u) store_carry($(leaves), end);
$ if ahead then
        block_barrier(); // the next tile's results take the place of these
$ end
$ elseif chunk_items then
        if ($(outputs.is_given)) leave_tile(out_items, summed.items, prefix, end, tile, params.scratch, turn);
        if (tile == tiles - 1u && thread_id() == 0u) store_carry($(leaves), end);
$ elseif item then
        if ($(outputs.is_given)) expand_tile($(has_inputs and "in_items, " or "")out_items, summed.scan, prefix, subgroup_prefix, end, $(part_items and "tile, tile_start(tile, n), params.scratch, turn" or "tile_start(tile, n)"));
        if (tile == tiles - 1u && thread_id() == 0u) store_carry($(leaves), end);
$ else
        if ($(outputs.is_given)) store_tile(out_items, $(output_reads_input and has_inputs and "in_items, " or "")out_is_aligned, summed.scan, subgroup_prefix, $(recounts and "made_scan, subgroup_made, " or "")tile_start(tile, n), n);
$ local end_text = after("prefix", total)
        if (tile == tiles - 1u && thread_id() == 0u) store_carry($(leaves), $(recounts and with_counts(end_text, join("made_before", "made.total")) or end_text));
$ end
$ end
$ if ahead then
    } while (next.tile < tiles);
    if (tiles == 0u && block_id() == 0u && thread_id() == 0u) store_carry($(leaves), starting_prefix(params.carry_in));
$ else
    }
    if (thread_id() != 0u) return;
    if (tiles == 0u && block_id() == 0u) store_carry($(leaves), starting_prefix(params.carry_in));
    end_launch(params.scratch);
$ end
}
