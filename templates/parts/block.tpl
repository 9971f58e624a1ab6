$ -- Exclusive scan of one value a subgroup over the block, in as many levels as the subgroups of the block need lanes. turns: 1, or 2 for a scan
$ -- that no barrier ends: calls with 0 and 1 as the last argument, by turns, have memory of their own.
$ assert(turns == 1 or turns == 2)
$ local turn_parameter = turns > 1 and ", uint turn" or ""
// What comes before a subgroup in its block, and what the whole block adds up to.
struct BlockScan {
    $(T) before;
    $(T) total;
};

$ if SUBGROUPS == 1 then
// The block is one subgroup.
BlockScan block_scan($(T) subgroup_total$(turns > 1 and ", uint" or ""))
{
    BlockScan scan;
    scan.before = $(nothing);
    scan.total = subgroup_total;
    return scan;
}
$ else
$ local levels, count, offset, width = {}, SUBGROUPS, 0, 1
$ while true do
$     levels[#levels + 1] = {count = count, offset = offset, width = width}
$     if count <= LANES then break end
$     offset, count, width = offset + count, (count + LANES - 1) // LANES, width * LANES
$ end
$ local top = levels[#levels]
$ local first = turns > 1 and "turn * TOTALS + " or ""
$ local function totals(level, index) return "subgroup_totals[" .. first .. (level.offset > 0 and level.offset .. "u + " or "") .. index .. "]" end
$ local function group(level) return level.width == 1 and "subgroup_id()" or ("(subgroup_id() / %du)"):format(level.width) end
$ local top_count = #levels == 1 and "TOTALS" or top.count .. "u"
const uint TOTALS = $(top.offset + top.count)u; // one for each subgroup$(#levels > 1 and ", then for each group of these" or "")
$(shared(T, "subgroup_totals", (turns > 1 and turns .. "u * " or "") .. "TOTALS"))

// Exclusive scan of one value a subgroup, the same in all its lanes. The whole block calls it.
BlockScan block_scan($(T) subgroup_total$(turn_parameter))
{
    BlockScan scan;
    if (lane_id() == 0u) subgroup_totals[$(first)subgroup_id()] = subgroup_total;
    block_barrier();

$ for l = 1, #levels - 1 do
$     local level, above = levels[l], levels[l + 1]
    // $(level.count) totals: $(above.count) subgroups scan $(LANES) each and hand their sums up.
    {
        const uint index = subgroup_id() * LANES + lane_id();
        $(T) total = $(nothing);
        if (index < $(level.count)u) total = $(totals(level, "index"));
        total = subgroup_scan(total);
        if (index < $(level.count)u) {
            $(totals(level, "index")) = total;
            if (lane_id() == LANES - 1u || index == $(level.count - 1)u) $(totals(above, "subgroup_id()")) = total;
        }
        block_barrier();
    }

$ end
    // $(top.count) totals: every subgroup scans them for itself.
    $(T) total = $(nothing);
    if (lane_id() < $(top_count)) total = $(totals(top, "lane_id()"));
    total = subgroup_scan_of(total, $(top_count));
    scan.before = shuffle(subgroup_shift(total), $(top.width == 1 and "subgroup_id()" or group(top):sub(2, -2)));
    scan.total = shuffle(total, $(#levels == 1 and "TOTALS - 1u" or top.count - 1 .. "u"));
$ for l = #levels - 1, 1, -1 do
    if ($(group(levels[l])) % LANES != 0u) {
        scan.before = $(join("scan.before", totals(levels[l], group(levels[l]) .. " - 1u")));
    }
$ end
$ if turns == 1 then
    block_barrier();
$ end
    return scan;
}
$ end
