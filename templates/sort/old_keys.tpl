$ -- Where keys of launches may lie in a scratch that ping-pong launches use as well, whose posts lie there, too. Uses counters.tpl.
const uint PING_PONG = 0x20000u; // the argument of launches whose keys do not go through the scratch
const uint KEYS_END_OFFSET = $(keys_end_offset)u; // where those of earlier launches end in the scratch, in units of 256 bytes
const uint SPARE_UNITS = $(descriptors_offset // 16)u; // before all that depends on n, of 16 bytes
const uint TILE_KEY_UNITS = $(tile_spare_bytes // 16)u; // of a tile's keys and values on their way
const uint TILE_POST_UNITS = $(most_descriptor_bytes // 16)u; // of a tile's posts, at most

$(buffer("KeysEnd", Index, 8))

$(buffer("Words", "uint", 4))

// Of a pass.
$(Index) tiles_of($(Index) n)
{
    return (n + $(pass_tile and (pass_tile - 1) .. "u" or "(TILE - 1u)")) / $(pass_tile and pass_tile .. "u" or "TILE");
}

// Units of 256 bytes that the scratch has before a tile: those before all that depends on n, then `units` of each tile. 32 bits count enough of them.
$(Index) units_before($(Index) tiles, uint tile_units)
{
    return tiles / 16u * tile_units + (tiles % 16u * tile_units + SPARE_UNITS + 15u) / 16u;
}

// Where the posts of ping-pong launches begin, at the earliest.
$(Index) first_post_unit($(Address) scratch, $(Index) n)
{
    const $(Index) units = zeroed_count(scratch), posts = units_before(tiles_of(n), TILE_POST_UNITS) - SPARE_UNITS / 16u;
    return posts + SPARE_UNITS / 16u < units ? units - posts : SPARE_UNITS / 16u;
}
