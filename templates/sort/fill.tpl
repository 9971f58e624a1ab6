$ -- Writes every key as often as it was counted, the last step of a sort by counting: of keys alone whose image is all there is of them, none is moved.
$ -- Source: Seward 1954, "Information Sorting in the Application of Electronic Digital Computers to Business Operations" (counting sort).
$ assert(strategy == "counting" and ITEMS % VECTOR == 0)
$ local by_digit = passes == 1 -- the values of one digit, which have been counted as digits are
$ include "parts/operators"

$ include "sort/digits"

$ include "parts/counters"

$ include(by_digit and "sort/digit_table" or "sort/value_table")

$ include "bits"

$ include("memory", {array = "Out", group = "Outputs", type = key, reads = false, writes = true})

const uint GROUPS = $(ITEMS // VECTOR)u; // of VECTOR items, of a thread and tile
const uint LAST_VALUE = $((1 << (by_digit and digit_bits or key_bits)) - 1)u;

$ if by_digit then
$(shared(Index, "value_starts", "LAST_VALUE + 2u")) // where the keys of each value begin; behind the last, where they end

$(Index) start_of(uint value)
{
    return value_starts[value];
}
$ else
$(Index) start_of(uint value, $(Address) scratch, $(Index) n)
{
    return value > LAST_VALUE ? n : ValueStarts(address_at(scratch, VALUE_STARTS_OFFSET)).at[value];
}
$ end
$ local more_parameters = by_digit and "" or (", %s scratch, %s n"):format(Address, Index)
$ local function start_of(value, here) return by_digit and ("start_of(%s)"):format(value) or ("start_of(%s, %s, n)"):format(value, here and "params.scratch" or "scratch") end
$ local function value_at(place, least, most) return ("value_at(%s, %s, %s%s)"):format(place, least, most, by_digit and "" or ", params.scratch, n") end

// The key's value at a place, which is one of least .. most: the last one that begins there or before.
uint value_at($(Index) place, uint least, uint most$(more_parameters))
{
    uint value = least;
    ROLL for (uint step = most == least ? 0u : 1u << (bit_width(most - least) - 1u); step > 0u; step /= 2u) {
        if (value + step <= most && $(start_of "value + step") <= place) value += step;
    }
    return value;
}

$(kernel("sort_fill"))
{
$ include "parts/begin"
    const $(Index) n = element_count(params.n, params.n_address);
    if (!is_given(params.buffers[$(keys_out_index)])) return;
$ if by_digit then
    Starts starts = Starts(address_at(params.scratch, STARTS_OFFSET));
    UNROLL for (uint first = 0u; first < LAST_VALUE + 2u; first += BLOCK) {
        const uint value = first + thread_id();
        if (value < LAST_VALUE + 2u) value_starts[value] = value <= LAST_VALUE ? starts.at[value] : n;
    }
    block_barrier();
$ end
    Out out_items = Out(params.buffers[$(keys_out_index)]);
    const bool is_aligned = is_vector_aligned(params.buffers[$(keys_out_index)]);
    const $(Index) tiles = (n + (TILE - 1u)) / TILE;
    for ($(Index) tile = block_id(); tile < tiles; tile += block_count()) {
        const $(Index) start = tile * TILE;
        const uint least = $(value_at("start", "0u", "LAST_VALUE"));
        const uint most = $(value_at("min(start + TILE, n) - 1u", "least", "LAST_VALUE"));
        ROLL for (uint g = 0u; g < GROUPS; g++) {
            const $(Index) first = start + (g * BLOCK + thread_id()) * VECTOR;
            Outputs group;
            if (least == most) {
                UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = $(key_of_image "least");
            } else {
$ if has_long_loops then
                uint value = $(value_at("first", "least", "most"));
                $(Index) end = $(start_of("value + 1u", true));
$ end
                UNROLL for (uint v = 0u; v < VECTOR; v++) {
$ if has_long_loops then
                    if (end <= first + v && value < most) { // mostly the next value's keys follow
                        value++;
                        end = $(start_of("value + 1u", true));
                        if (end <= first + v && value < most) {
                            value = $(value_at("first + v", "value", "most"));
                            end = $(start_of("value + 1u", true));
                        }
                    }
$ else
                    const uint value = $(value_at("first + v", "least", "most"));
$ end
                    group.at[v] = $(key_of_image "value");
                }
            }
            if (is_aligned && start + TILE <= n) store_full_outputs(out_items, first, group);
            else store_outputs(out_items, first, n, group);
        }
    }
}
