// Numbers below 65536 of a thread's items, two to a word.
struct ItemRanks {
    uint pairs[(ROWS + 1u) / 2u];
};

uint item_rank(ItemRanks ranks, uint row)
{
    return ranks.pairs[row / 2u] >> (row % 2u * 16u) & 0xffffu;
}
