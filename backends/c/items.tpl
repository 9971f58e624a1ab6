$ -- Single items between memory and registers: array (items in memory, by their address), name, type; reads, writes.
$ local codec = memory_codec(type)
$ local item = codec.type_name
$(buffer(array, (writes and "" or "const ") .. item, type.align))

$ if reads then
$(item) load_$(name)($(array) items, $(Index) i)
{
    return items.at[i];
}

$ end
$ if writes then
$ if type.padded then
// An item as it is written: the bytes that belong to no field are zero.
struct $(array)Item {
$ for _, field in ipairs(codec.fields) do
    $(field.type_name) $(field.name)$(field.count and "[" .. field.count .. "]" or "");
$ end
};

$ end
void store_$(name)($(array) items, $(Index) i, $(item) item)
{
$ if type.padded then
    (($(array)Item *)items.at)[i] = $(codec.padded_item(array .. "Item", "item"));
$ else
    items.at[i] = item;
$ end
}
$ end
