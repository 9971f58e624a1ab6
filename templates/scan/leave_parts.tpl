$ -- Items of a tile left to the next launch, in parts. Uses parts.tpl; defines leave_parts.
$ local has_turn = strategy == "lookback" or strategy == "chained_scan" -- read before a block ends the launch, which may be before its last tile
$ if not has_turn then
$(shared("uint", "left_turn")) // where this launch counts its parts

$ end
// Leaves the items of a tile to the next launch. The whole block calls it.
void leave_parts($(Address) scratch, $(has_turn and "uint turn, " or "")uint tile, uint first, uint count)
{
$ if not has_turn then
    if (thread_id() == 0u) left_turn = parts_turn(scratch); // it ends the block's launch later
    block_barrier();
$ end
    Parts parts = Parts(scratch);
    const uint end = count / PART + (count % PART != 0u ? 1u : 0u);
    for (uint p = thread_id(); p < end; p += BLOCK) {
        const Part part = $(struct_value("Part", "tile, p * PART, first, count"));
        parts.at[part_place(scratch, take_part(scratch, $(has_turn and "turn" or "left_turn")))] = part;
    }
$ if not has_turn and SUBGROUPS == 1 then
    block_barrier(); // all have read the turn; a block of several subgroups meets when it scans their totals
$ end
}
