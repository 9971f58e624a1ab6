$ -- The order of combination that n alone decides (parts/balanced.tpl), one element after the other. Defines Block and grow.
// 2^k elements from a multiple of 2^k on.
struct Block {
    $(T) total;
    $(T) before; // what comes before them
};

// What the first k elements come to, joined with element k. blocks: the last of each length.
$(T) grow(Block *blocks, $(Index) k, $(T) total, $(T) x)
{
    $(T) before = total;
    uint level = 0u;
    for (; (k >> level) % 2u != 0u; level++) {
        x = $(join("blocks[level].total", "x"));
        before = blocks[level].before;
    }
    blocks[level].total = x;
    blocks[level].before = before;
    return $(join("before", "x"));
}
