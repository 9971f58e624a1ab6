$ -- Radix sort as anybody would write it in plain C: all digits are counted in one read of the keys, then one thread moves keys and values by one
$ -- digit after the other, the lowest first, those digits left out that all keys share. bench compares devices with it.
$ assert(BLOCK == 1 and ITEMS == 1)
$(types)

$(functions)

$ include "sort/digits"

$ if op_map then
$ include("items", {array = "In", name = "input", type = input, reads = true, writes = false})

$ end
$ include("items", {array = "Keys", name = "key", type = key, reads = true, writes = true})

$ if value then
$ include("items", {array = "Values", name = "value", type = value, reads = true, writes = true})

$ end
$ if results then
$ include("parts/arrays", results)

$ end
$ -- What is read at the first move, and what at later ones.
$ local first_key = op_map and map("load_input(in_items, i)", "i") or "load_key(keys, i)"
$ local next_key = op_map and "is_first ? " .. first_key .. " : load_key(keys, i)" or first_key
$ local next_value = gives_index and ("is_first ? %s : load_value(values, i)"):format(index_value("i")) or "load_value(values, i)"
$ local function begin(array, index) return ("%s(params.buffers[%d])"):format(array, index) end
$(kernel())
{
    const $(Index) n = params.n;
$ if op_map then
    In in_items = $(begin("In", 0));
    Keys keys = $(begin("Keys", keys_out_index));
$ else
    Keys keys = $(begin("Keys", 0));
$ end
$ if value then
    Values values = $(begin("Values", gives_index and values_out_index or values_index));
    const $(Address) spare_values = address_at(params.scratch, (n * $(key.size)u + 15u) / 16u * 16u);
$ end
    $(Index) counts[PASSES * BINS];
    for (uint bin = 0u; bin < PASSES * BINS; bin++) counts[bin] = 0u;
    for ($(Index) i = 0u; i < n; i++) {
        const $(Key) key = $(first_key);
        for (uint pass = 0u; pass < PASSES; pass++) counts[pass * BINS + digit_of(key, digit_of_pass(pass))]++;
    }

    bool moves[PASSES]; // whether keys differ in the digit
    uint left = 0u;
    for (uint pass = 0u; pass < PASSES; pass++) {
        moves[pass] = true;
        for (uint bin = 0u; bin < BINS; bin++) {
            if (counts[pass * BINS + bin] == n) moves[pass] = false;
        }
        if (moves[pass]) left++;
    }
    if (left == 0u) { // then it is a copy
        moves[0] = true;
        left = 1u;
    }

$ if op_map or gives_index then
    bool is_first = true;
$ end
    for (uint pass = 0u; pass < PASSES; pass++) {
        if (!moves[pass]) continue;
        left--;
        Keys keys_out = Keys(left % 2u == 0u ? params.buffers[$(keys_out_index)] : params.scratch);
$ if value then
        Values values_out = Values(left % 2u == 0u ? params.buffers[$(values_out_index)] : spare_values);
$ end
        $(Index) places[BINS];
        $(Index) place = 0u;
        for (uint bin = 0u; bin < BINS; bin++) {
            places[bin] = place;
            place += counts[pass * BINS + bin];
        }
        const Digit digit = digit_of_pass(pass);
        for ($(Index) i = 0u; i < n; i++) {
            const $(Key) key = $(next_key);
            const $(Index) to = places[digit_of(key, digit)]++;
            store_key(keys_out, to, key);
$ if value then
            store_value(values_out, to, $(next_value));
$ end
        }
        keys = keys_out;
$ if value then
        values = values_out;
$ end
$ if op_map or gives_index then
        is_first = false;
$ end
    }
$ if results then
    if ($(results.is_given)) {
        Results results = $(results.value);
        for ($(Index) i = 0u; i < n; i++) store_result(results, i, $(result("load_key(keys, i)", "load_value(values, i)", "i")));
    }
$ end
}
