$ -- What tiles of a balanced tree wait for first: a post before those of tiles. Uses posts.tpl. One subgroup calls it.
// The starting prefix, which tile 0 has posted.
$(T) posted_start(Posts posts, uint tag)
{
    Descriptor seen = poll(posts, 0u, tag);
    while (last_lane(seen.state == EMPTY) < LANES) seen = poll(posts, 0u, tag);
    return seen.value;
}
