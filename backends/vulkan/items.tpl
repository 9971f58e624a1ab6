$ -- Single items between memory and registers: array (a buffer type), name, type; reads, writes.
$ local codec = memory_codec(type)
$ local function word_name(k) return "word" .. k end
$ if codec.words then
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer $(array) {
    uint word[]; // $(codec.words) of an item of $(type.size) bytes
};
$ else
layout(buffer_reference, scalar, buffer_reference_align = $(type.align)) buffer $(array) {
    $(codec.memory_type) at[];
};
$ end

$ if reads then
$(codec.type_name) load_$(name)($(array) items, $(Index) i)
{
$ if codec.words then
    const uint first = i * $(codec.words)u;
$ for k = 0, codec.words - 1 do
    const uint word$(k) = items.word[$(codec.offset("first", k))];
$ end
    return $(codec.unpack(0, word_name));
$ else
    return $(codec.from_memory("items.at[i]"));
$ end
}

$ end
$ if writes then
void store_$(name)($(array) items, $(Index) i, $(codec.type_name) item)
{
$ if codec.words then
    const uint first = i * $(codec.words)u;
$ for k = 0, codec.words - 1 do
    items.word[$(codec.offset("first", k))] = $(codec.pack(k + 1, "item"));
$ end
$ else
    items.at[i] = $(codec.to_memory("item"));
$ end
}
$ end
