$ -- A tile's aggregate, in the order of its items. A scan of each row would have all lanes combine, however few of the results are of use. Here two
$ -- lanes deal out their rows, half to each, then pairs of lanes, until a lane has one row left: so all that is combined is of use.
$ -- Uses tiles.tpl (folds), block.tpl; defines reduce_tile.
// Of two lanes whose numbers differ in one bit, each with an upper and a lower value: the one without the bit gets the lower ones joined, the other
// the upper ones. All lanes of the subgroup call it.
$(T) deal($(T) lower, $(T) upper, uint bit)
{
    const bool is_later = (lane_id() & bit) != 0u;
    $(T) given = upper;
    if (is_later) given = lower;
    const $(T) taken = shuffle(given, lane_id() ^ bit);
    $(T) earlier = lower, later = taken;
    if (is_later) {
        earlier = taken;
        later = upper;
    }
    return $(join("earlier", "later"));
}

// What the tile adds up to. The whole block calls it, and every thread gets it.
$(T) reduce_tile($(takes_inputs)$(Index) start, $(Index) n)
{
    Tile tile = load_tile($(hands_inputs("is_aligned"))start, n);
$ local rows, bit = ROWS, 1
$ while rows > 1 and bit < LANES do
$     local half = (rows + 1) // 2
    // Of $(rows) rows a lane keeps $(half)$(rows % 2 > 0 and ", or one less" or ""): the later ones if its number has bit $(bit).
$     for row = 0, half - 1 do
    tile.rows[$(row)] = deal(tile.rows[$(row)], $(row + half < rows and ("tile.rows[%d]"):format(row + half) or "identity()"), $(bit)u);
$     end
$     rows, bit = half, 2 * bit
$ end
    $(T) total = tile.rows[0];
$ for row = 1, rows - 1 do
    total = $(join("total", ("tile.rows[%d]"):format(row)));
$ end
$ if bit < LANES then
    // Across the lanes that have parts of one row. Those are of use whose number has no bit of a step so far.
    UNROLL for (uint step = $(bit)u; step < LANES; step *= 2u) {
        const $(T) later = shuffle(total, lane_id() ^ step);
        total = $(join("total", "later"));
    }
$ end
$ if bit > 1 then
    // Across rows, from the bit that dealt them out last.
    UNROLL for (uint step = $(bit // 2)u; step > 0u; step /= 2u) {
        const $(T) later = shuffle(total, lane_id() ^ step);
        total = $(join("total", "later"));
    }
$ end
    return block_scan(shuffle(total, 0u)).total;
}
