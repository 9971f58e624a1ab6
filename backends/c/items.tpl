$ -- Single items between memory and registers: array (items in memory, by their address), name, type; reads, writes. is_generic: the compiler is not
$ -- told in what memory they are.
$ local codec = memory_codec(type, 1)
$ local item = codec.type_name
$ local align = item_align(type)
$ local is_wrapped = align > type.align and not type.padded
$ if is_wrapped then
// Moved as a whole.
struct alignas($(align)) $(array)Item {
    $(item) item;
};

$ end
$ local function at(i) return ("items.at[%s]%s"):format(i, is_wrapped and ".item" or "") end
$(buffer(array, (writes and "" or "const ") .. (is_wrapped and array .. "Item" or item), align, not type.padded and not stages and not is_generic))

$ if reads then
$(item) load_$(name)($(array) items, $(Index) i)
{
    return $(at("i"));
}

$ end
$ if writes then
$ if type.padded then
// An item as it is written: the bytes that belong to no field are zero.
struct $(align > type.align and "alignas(" .. align .. ") " or "")$(array)Item {
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
    $(at("i")) = item;
$ end
}
$ end
