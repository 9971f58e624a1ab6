$ -- Scan in one pass: a block takes a tile, publishes its aggregate, looks back for what comes before it, publishes its inclusive prefix.
$ -- lookback: decoupled look-back. chained_scan, a baseline: inclusive prefixes only, each tile waits for the one before it.
$ -- Sources: Merrill & Garland 2016, "Single-pass Parallel Prefix Scan with Decoupled Look-back"; Yan, Long & Zhang 2013 (chained).
$ assert(ITEMS % VECTOR == 0 and BLOCK % LANES == 0)
$ assert(strategy == "lookback" or strategy == "chained_scan")
$ include "operators"

$ include "subgroup"

$ include "block"

$ include("memory", {array = "In", group = "Inputs", type = input, reads = true, writes = false})

$ include("memory", {array = "Out", group = "Outputs", type = output, reads = false, writes = true})

$ include("carry", {takes = true, leaves = true})

$ include "tiles"

$ include "tile_scan"

$ if fallback then
$ include "tile_reduce"

$ end
$ include "descriptors"

$ include "look_back"

$(shared("uint", "ticket", 1))
$(shared(T, "tile_prefix", 1))
$ if fallback then
$(shared("uint", "missing_tile", 1))
$ end

$(kernel("scan"))
{
    const $(Index) n = element_count(params.n, params.n_address);
    In in_items = In(params.buffers[0]);
    Out out_items = Out(params.buffers[1]);
    const bool in_is_aligned = is_vector_aligned(params.buffers[0]);
    const bool out_is_aligned = $(output_reads_input and "in_is_aligned && " or "")is_vector_aligned(params.buffers[1]);
    Posts posts = Posts(address_at(params.scratch, DESCRIPTORS_OFFSET));
    const uint tag = launch_tag(params.scratch);
    const uint tiles = tile_count(n);
    const uint rounds = (tiles + block_count() - 1u) / block_count();

    for (uint round = 0u; round < rounds; round++) {
        // Tiles are taken in the order in which blocks come to run: every tile before this one has been begun.
        if (thread_id() == 0u) ticket[0] = take_ticket(params.scratch);
        block_barrier();
        const uint tile = ticket[0];
        if (tile >= tiles) break;

        const $(Index) start = tile_start(tile, n);
        const TileScan scan = scan_tile(load_tile(in_items, in_is_aligned, start, n));
        const BlockScan block = block_scan(scan.total);

$ local posts_it = withhold == "block" and "block_id() != 0u" or withhold and ("tile %% %du != %du"):format(withhold, withhold - 1)
        LookBack look;
        look.aggregate = identity();
        look.end = $(lookback_lanes == 1 and "lane_id() == 0u ? tile : 0u" or "tile");
        look.missing = NO_TILE;
        if (tile == 0u && thread_id() == 0u) look.aggregate = starting_prefix(params.carry_in); // by one: carry-in may be carry-out
$ if strategy == "lookback" then
        if (tile > 0u && thread_id() == 0u$(posts_it and " && " .. posts_it or "")) publish_aggregate(posts, tile, tag, block.total);
$ end
$ if fallback then
        uint missing = NO_TILE;
        do {
            if (subgroup_id() == 0u) {
                look = look_back(posts, tag, look);
                const uint waiting_lane = last_lane(look.missing != NO_TILE);
                if (lane_id() == (waiting_lane < LANES ? waiting_lane : 0u)) missing_tile[0] = look.missing;
            }
            block_barrier();
            missing = missing_tile[0];
            if (missing != NO_TILE) {
                // Its block may not run before this one ends: sum it up in its place, by the same tree, and post that.
                const $(T) aggregate = reduce_tile(in_items, in_is_aligned, tile_start(missing, n), n);
                if (thread_id() == 0u) {
                    const $(T) first = starting_prefix(params.carry_in);
                    if (missing == 0u) publish_prefix(posts, missing, tag, $(join("first", "aggregate")));
                    else publish_missing(posts, missing, tag, aggregate);
                }
                block_barrier();
            }
        } while (missing != NO_TILE);
        if (thread_id() == 0u) {
            tile_prefix[0] = look.aggregate;
            const $(T) inclusive = $(join("look.aggregate", "block.total"));
            $(posts_it and "if (" .. posts_it .. ") " or "")publish_prefix(posts, tile, tag, inclusive);
        }
$ else
        if (subgroup_id() == 0u) {
            look = look_back(posts, tag, look);
            if (lane_id() == 0u) {
                tile_prefix[0] = look.aggregate;
                const $(T) inclusive = $(join("look.aggregate", "block.total"));
                $(posts_it and "if (" .. posts_it .. ") " or "")publish_prefix(posts, tile, tag, inclusive);
            }
        }
$ end
        block_barrier();
        const $(T) prefix = tile_prefix[0];
        const $(T) subgroup_prefix = $(join("prefix", "block.before"));
        if (is_given(params.buffers[1])) store_tile(out_items, $(output_reads_input and "in_items, " or "")out_is_aligned, scan, subgroup_prefix, start, n);
        if (tile == tiles - 1u && thread_id() == 0u) store_carry(params.carry_out, $(join("prefix", "block.total")));
    }
    if (thread_id() != 0u) return;
    if (tiles == 0u && block_id() == 0u) store_carry(params.carry_out, starting_prefix(params.carry_in));
    end_launch(params.scratch);
}
