$ -- match_digit without subgroup operations: through shared memory, lane by lane.
$(shared("uint", "lane_digits", "BLOCK"))

// The whole block calls it.
Peers match_digit(uint digit)
{
    Peers peers;
    peers.before = 0u;
    peers.last = lane_id();
    lane_digits[lane_id()] = digit;
    block_barrier();
    for (uint lane = 0u; lane < LANES; lane++) {
        if (lane_digits[lane] == digit) {
            peers.before += lane < lane_id() ? 1u : 0u;
            peers.last = lane;
        }
    }
    block_barrier();
    return peers;
}
