$ -- What the blocks of a launch that has several passes tell each other. Uses counters.tpl.
const uint DONE = 80u; // a counter as those of counters.tpl: tiles that are done. In FINISHED's line, whose time comes when nobody waits any more

// The tag of the launch's pass, of a number of them from 0 on.
uint tag_of_pass(uint tag, uint pass)
{
    return (tag - 1u + pass) % 0x7fffffffu + 1u;
}

// One thread of a block calls it, when all have done so many more tiles, which later passes wait for.
void end_tiles($(Address) scratch, uint tiles)
{
    release_counter(scratch, DONE, tiles);
}

// Waits until so many tiles are done. Their blocks have begun to run. What they have stored is visible then.
void wait_for_tiles($(Address) scratch, uint tiles)
{
    wait_for_counter(scratch, DONE, tiles);
}

// One thread of each block calls it, after the block's last tile: as end_launch, which counts one pass.
void end_passes($(Address) scratch, uint passes)
{
    if (!is_last_block(scratch, finish_block(scratch))) return;
    store_counter(scratch, LAUNCH, tag_of_pass(launch_tag(scratch), passes) - 1u);
    store_counter(scratch, TICKET, 0u);
    store_counter(scratch, DONE, 0u);
}
