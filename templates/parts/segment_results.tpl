$ -- Of segments by offsets, the results of those without elements, where the operation has such. Uses parts/arrays.tpl, of inputs and outputs.
$ if empty then
void store_empty(Out items, uint j)
{
    const $(type_name(outputs.type)) result = $(empty());
$ for k, field in ipairs(outputs.fields) do
    if (is_given(items.array$(k))) store_output$(k)(Out$(k)(items.array$(k)), j, result.$(field_name(field.name)));
$ end
}

$ end
$ if not outputs.is_single then
const uint CHUNK = $(chunk)u; // segments: where that many from a multiple on have no elements, all blocks share their results

// No item is in the chunk from segment `first` on: of those of which none has one, up to segment `end`, the one behind the last.
uint last_chunk(In items, uint first, uint end)
{
    const $(Index) offset = offset_at(items, first);
    uint low = 1u;
    uint high = (end - 1u - first) / CHUNK;
    while (low < high) {
        const uint middle = high - (high - low) / 2u;
        if (offset_at(items, first + middle * CHUNK) == offset) low = middle;
        else high = middle - 1u;
    }
    return first + low * CHUNK;
}
$ end
