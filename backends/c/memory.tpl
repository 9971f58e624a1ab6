$ -- Groups of VECTOR items between memory and registers: array (items in memory, by their address), group (a struct of VECTOR values), type;
$ -- reads, writes. load_full and store_full move whole groups at an address that is_vector_aligned, the others stop at n.
$ local codec = memory_codec(type)
$ local item, name = codec.type_name, group:lower()
$(buffer(array, (writes and "" or "const ") .. item, type.align))

$ if group ~= "Elements" then
struct $(group) {
    $(codec.group_align > type.align and "alignas(" .. codec.group_align .. ") " or "")$(item) at[VECTOR];
};

$ end
$ if writes and type.padded then
// An item as it is written: the bytes that belong to no field are zero.
struct $(array)Item {
$ for _, field in ipairs(codec.fields) do
    $(field.type_name) $(field.name)$(field.count and "[" .. field.count .. "]" or "");
$ end
};

void store_$(name)_item($(array) items, $(Index) place, $(item) item)
{
    (($(array)Item *)items.at)[place] = $(codec.padded_item(array .. "Item", "item"));
}

$ end
$ if reads and group ~= "Elements" then
// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
$(group) load_full_$(name)($(array) items, $(Index) start)
{
    return *(const $(group) *)(items.at + start);
}

$ end
$ if writes and group ~= "Elements" then
// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_$(name)($(array) items, $(Index) start, $(group) group)
{
$ if type.padded then
    UNROLL for (uint v = 0u; v < VECTOR; v++) store_$(name)_item(items, start + v, group.at[v]);
$ else
    *($(group) *)(items.at + start) = group;
$ end
}

$ end
$ if reads then
// Items start .. start + VECTOR - 1; those from n on are not read.
$(group) load_$(name)($(array) items, $(Index) start, $(Index) n)
{
    $(group) group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = items.at[start + v];
    }
    return group;
}

// The first item alone.
$(item) load_first_$(name)($(array) items)
{
    return items.at[0];
}

$ end
$ if writes then
// Items start .. start + VECTOR - 1 but for those from n on.
void store_$(name)($(array) items, $(Index) start, $(Index) n, $(group) group)
{
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
$ if type.padded then
        if (start + v < n) store_$(name)_item(items, start + v, group.at[v]);
$ else
        if (start + v < n) items.at[start + v] = group.at[v];
$ end
    }
}

void store_first_$(name)($(array) items, $(item) item)
{
$ if type.padded then
    store_$(name)_item(items, 0u, item);
$ else
    items.at[0] = item;
$ end
}
$ end
