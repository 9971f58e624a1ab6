$ -- From shared memory to an array: plain stores of one item, lanes shifted so that each subgroup writes whole lines.
$ -- y: the output (gen/emit/packed.lua): k, size, type, room; name, Array, store: of the function that is defined, of the array, of what stores an item;
$ -- own, width: who of how many threads writes; most: items at most; has_low: the room may begin before what is written; room(y), staged(y, i):
$ -- what is declared first, or false, and item i of the room. Uses COPIES. Each store makes the array of its address: with one made before the loop
$ -- NVVM 13.0 does not come to an end over some types of items (bench/NOTES.md).
$ local line = 128 % y.size == 0 and 128 // y.size or 1
$ local is_continued = y.k == continued_output
$ local by_rounds = has_low and stages and not is_continued -- whole rounds of all threads, then item by item
$ local function at_room(at) return staged(y, has_low and in_tile("first - low") .. " + " .. at or at) end
// Writes `count` $(has_low and "packed " or "")items, the array's from `first` on$(has_low and ("; item `low` is, or would be, the %s's first"):format(stage_parameter ~= "" and "stage" or "room") or ""). $(line > 1 and "Each subgroup writes whole lines. " or "")The whole
// block calls it.
void $(name)($(stage_parameter)$(Address) array, $(has_low and Place .. " low, " or "")$(Place) first, uint count$(y.is_numbered and ", " .. Index .. " start" or "")$(is_continued and ", " .. T .. " before" or ""))
{
$ if room then
    $(room(y))
$ end
$ if line > 1 or not by_rounds then
    const uint lead = $(line > 1 and (is_wide and "uint((first + place_in_line(array) / %du) %% %du)" or "(first + place_in_line(array) / %du) %% %du"):format(y.size, line) or "0u");
$ end
$ if not has_low then
    const $(Index) line = $(as_index("first")) - lead;
$ end
$ if by_rounds then
$ if line == 1 then
    uint at = $(own);
$ elseif line <= BLOCK then
    uint at = ($(own) < lead ? $(own) + $(width) : $(own)) - lead; // lanes before the first item begin a turn later
$ else
    uint at = $(own); // lanes before the first item begin later
    while (at < lead) at += $(width);
    at -= lead;
$ end
    for (; at + (COPIES - 1u) * $(width) < count; at += COPIES * $(width)) {
        $(type_name(y.type)) moved[COPIES];
        const $(Index) place = $(as_index("first")) + at; // in 64 bits, where addresses have them: so the copies' differ by constants
        UNROLL for (uint c = 0u; c < COPIES; c++) moved[c] = $(at_room("(at + c * " .. width .. ")"));
        UNROLL for (uint c = 0u; c < COPIES; c++) $(store)($(Array)(array), place + c * $(width), moved[c]);
    }
    ROLL for (; at < count; at += $(width)) $(store)($(Array)(array), $(as_index("first")) + at, $(at_room("at")));
}
$ else
$ local lane_place = stages and "place" or "round + " .. own
$ if stages then
    for (uint place = $(own); place < lead + count; place += COPIES * $(width)) { // subgroups that have nothing to write are done
$ elseif has_long_loops then
    for (uint round = 0u; round < lead + count; round += COPIES * $(width)) {
$ else
    for (uint round = 0u; round < $(most + line)u; round += COPIES * $(width)) { // llvmpipe loses what stands behind loops that threads leave by and by
        if (round >= lead + count) continue;
$ end
        $(type_name(y.type)) moved[COPIES];
$ if not has_low then
        const $(Index) place = line + round + $(own); // in 64 bits, where addresses have them: so the copies' differ by constants
        if (round > 0u && lead + count - round >= COPIES * $(width)) { // all of the round's items
            const uint first_at = round + $(own) - lead;
            UNROLL for (uint c = 0u; c < COPIES; c++) moved[c] = $(at_room("first_at + c * " .. width));
            UNROLL for (uint c = 0u; c < COPIES; c++) $(store)($(Array)(array), place + c * $(width), moved[c]);
            continue;
        }
$ end
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            const uint at = $(lane_place) + c * $(width) - lead;
$ if is_continued then
            if (at < count) {
                moved[c] = $(at_room("at"));
                if (first + at == low) moved[c] = $(continued("before", "moved[c]")); // of a run that began before the tile
            }
$ else
            if (at < count) moved[c] = $(at_room("at"));
$ end
        }
$ if has_low then
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            const uint at = $(lane_place) + c * $(width) - lead;
            if (at < count) $(store)($(Array)(array), first + at, moved[c]);
        }
$ else
        UNROLL for (uint c = 0u; c < COPIES; c++) {
            if (round + c * $(width) + $(own) - lead < count) $(store)($(Array)(array), place + c * $(width), moved[c]);
        }
$ end
    }
}
$ end

