$ -- Between which buffers a pass moves keys and values. Passes in which all keys have one digit are left out; the last that runs writes the
$ -- caller's outputs, the first reads the caller's inputs, those between take turns with the scratch. In place an even number must run.
$ -- Ping-pong inputs and outputs take turns, and the result is where it would be if all passes ran.
$ assert(tile_descriptor_bytes % 16 == 0)
$ local function tiles(n) return ("%stile_count(%s)"):format(pass_tile and "pass_" or "", n) end
const uint IN_PLACE = 0x10000u; // added to the argument of a pass: outputs may be inputs
const uint PING_PONG = 0x20000u; // or inputs are there to be overwritten
const uint SPARE_OFFSET = $(descriptors_offset)u; // bytes, in the scratch
$ if may_lack_keys then
const uint TILE_KEY_BYTES = $(((pass_tile or BLOCK * ITEMS) * key.size + 7) // 8 * 8)u; // of a tile's keys there
$ end
$ if takes_value then
const uint TILE_VALUE_BYTES = $((pass_tile or BLOCK * ITEMS) * value.size)u; // and values
$ end
const uint DESCRIPTOR_BYTES = $(tile_descriptor_bytes)u; // of a tile
$ if pass_tile then
const uint PASS_TILE = $(pass_tile)u; // items of a pass's tile, which those above are of

uint pass_tile_count($(Index) n)
{
    return uint((n + (PASS_TILE - 1u)) / PASS_TILE);
}
$ end

struct Route {
    bool runs;
    bool is_first;
    bool is_last;
    bool to_outputs; // else to the scratch
};

$ if is_partition_pass then
// Of a pass by a digit of the window: the first moves the caller's inputs to the scratch, the second, if there is one, from there to the caller's
// outputs. Buckets are sorted from where the last has left them. Ping-pong inputs and outputs take turns.
Route route_of_partition(uint argument, uint window_bits)
{
    Route route;
    const uint pass = argument % $(pass_numbers);
    route.runs = pass == 0u || !is_one_digit(window_bits);
    route.is_first = pass == 0u;
    route.is_last = false;
    route.to_outputs = argument >= PING_PONG ? route.is_first : !route.is_first;
    return route;
}

$ end
$ if joins_passes then

// The passes that run, a bit each: those that sort by a digit that varies, and the first of the others where their number is to be another.
uint running_passes($(Address) scratch, uint argument)
{
    Varies varies = Varies(address_at(scratch, VARIES_OFFSET));
    uint running = 0u;
    uint varied = 0u;
    for (uint p = 0u; p < PASSES; p++) {
        const uint varies_here = varies.at[p];
        running |= varies_here << p;
        varied += varies_here;
    }
    uint more = varied == 0u ? 1u : 0u; // pass beyond the last digit: the keys stay in order
    if (argument >= IN_PLACE && (varied + more) % 2u != (argument >= PING_PONG ? PASSES % 2u : 0u)) more++;
    for (uint p = 0u; p <= PASSES; p++) {
        if (more > 0u && (running >> p & 1u) == 0u) {
            running |= 1u << p;
            more--;
        }
    }
    return running;
}

uint count_passes(uint running)
{
    uint count = 0u;
    for (uint p = 0u; p <= PASSES; p++) count += running >> p & 1u;
    return count;
}

// Of the index-th of so many passes that run.
Route route_of(uint argument, uint index, uint count)
{
    Route route;
    route.runs = true;
    route.is_first = index == 0u;
    route.is_last = index + 1u == count;
    route.to_outputs = argument >= PING_PONG ? index % 2u == 0u : (count - index) % 2u == 1u;
    return route;
}
$ elseif skips_passes then
Route route_of($(Address) scratch, uint argument)
{
    Varies varies = Varies(address_at(scratch, VARIES_OFFSET));
    const uint pass = argument % $(pass_numbers);
    const bool is_ping_pong = argument >= PING_PONG;
    uint varied = 0u;
    for (uint p = 0u; p < PASSES; p++) varied += varies.at[p];
    // How many of the passes that would be left out run all the same: the first of them do.
    uint more = varied == 0u ? 1u : 0u;
    if (argument >= IN_PLACE && (varied + more) % 2u != (is_ping_pong ? PASSES % 2u : 0u)) more++;
    uint before = 0u;
    uint skipped = 0u; // up to this one
    for (uint p = 0u; p < PASSES; p++) {
        if (p < pass) {
            before += varies.at[p];
            skipped += 1u - varies.at[p];
        }
    }
    const bool varies_here = pass < PASSES && varies.at[min(pass, PASSES - 1u)] != 0u;
    if (pass > PASSES) skipped += pass - PASSES;
    before += min(skipped, more);
    Route route;
    route.runs = varies_here || skipped < more;
    route.is_first = before == 0u;
    route.is_last = before + 1u == varied + more;
    route.to_outputs = is_ping_pong ? before % 2u == 0u : (varied + more - before) % 2u == 1u;
    return route;
}
$ else
// All passes run.
Route route_of($(Address) scratch, uint argument)
{
    const uint pass = argument % $(pass_numbers);
    const uint passes = argument >= IN_PLACE ? PASSES + PASSES % 2u : PASSES;
    Route route;
    route.runs = true;
    route.is_first = pass == 0u;
    route.is_last = pass + 1u == passes;
    route.to_outputs = (passes - pass) % 2u == 1u;
    return route;
}
$ end

$ if skips_passes then
// Whether the part of the scratch that was zeroed has room for this number of tiles. Their posts lie at its end.
bool has_room($(Address) scratch, $(Index) tiles, bool is_ping_pong)
{
$ if has_temporary then
    const uint tile_units = $(tile_descriptor_bytes // 16)u;
$ else
    const uint tile_units = is_ping_pong ? $(tile_descriptor_bytes // 16)u : $((tile_descriptor_bytes + tile_spare_bytes) // 16)u;
$ end
    // in units of 256 bytes$(Index == "uint" and ", of which 32 bits count enough" or "")
    return tiles / 16u * tile_units + (tiles % 16u * tile_units + SPARE_OFFSET / 16u + 15u) / 16u <= zeroed_count(scratch);
}

$ end
$ if has_temporary then
// Keys and values on their way, in memory that other stages have, too, and the descriptors at the scratch's end.
$ else
// Keys and values on their way$(skips_passes and ", and the descriptors behind them: at the scratch's end, so that keys of one launch never look like posts to another" or "").
$ end
struct Spares {
    $(Address) keys;
$ if may_lack_keys then
    $(Address) more_keys; // instead of keys_out where that is not given
$ end
$ if value then
    $(Address) values;
$ end
$ if takes_value then
    $(Address) more_values; // instead of values_out
$ end
$ if skips_passes then
    $(Address) descriptors;
$ end
};

Spares spares_of($(Address) scratch, $(has_temporary and Address .. " temporary, " or "")$(Index) n)
{
$ if may_lack_keys or skips_passes then
    const $(Index) tiles = $(tiles "n");
$ end
    Spares spares;
    spares.keys = $(has_temporary and "temporary" or "address_at(scratch, SPARE_OFFSET)");
$ if may_lack_keys then
    spares.more_keys = address_after(spares.keys, tiles, TILE_KEY_BYTES);
$ end
$ if value then
    spares.values = address_after(spares.more_keys, tiles, TILE_KEY_BYTES);
$ end
$ if takes_value then
    spares.more_values = address_after(spares.values, tiles, TILE_VALUE_BYTES);
$ end
$ if skips_passes then
    const $(Index) units = tiles * (DESCRIPTOR_BYTES / 16u); // of 16 bytes: of posts 32 bits count them, of a scratch they may not
    spares.descriptors = address_at(address_after(scratch, zeroed_count(scratch) - units / 16u - 1u, 256u), (16u - units % 16u) * 16u);
$ end
    return spares;
}
