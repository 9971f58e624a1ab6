$ -- Groups of VECTOR items between memory and registers: array (a buffer type), group (a struct of VECTOR values), type; reads, writes.
$ local codec = memory_codec(type)
$ local name = group:lower()
$ if codec.words then
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer $(array) {
    uint word[]; // $(VECTOR) elements of $(type.size) bytes in $(codec.words)
};
$ else
layout(buffer_reference, scalar, buffer_reference_align = $(type.align)) buffer $(array) {
    $(codec.memory_type) at[];
};
$ end

$ if group ~= "Elements" then
struct $(group) {
    $(codec.type_name) at[VECTOR];
};

$ end
$ if reads then
// Items start .. start + VECTOR - 1; those from n on are not read.
$(group) load_$(name)($(array) items, uint start, uint n)
{
    $(group) group;
$ if codec.words then
    const uint first = start / VECTOR * $(codec.words)u;
    uint words[$(codec.words)];
$ for k, span in ipairs(codec.spans) do
    words[$(k - 1)] = $(codec.offset("start", span.first)) < n ? items.word[$(codec.offset("first", k - 1))] : 0u;
$ end
$ for v = 0, VECTOR - 1 do
    group.at[$(v)] = $(codec.unpack(v));
$ end
$ else
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = $(codec.from_memory("items.at[start + v]"));
    }
$ end
    return group;
}

$ end
$ if writes then
// Items start .. start + VECTOR - 1 but for those from n on.
void store_$(name)($(array) items, uint start, uint n, $(group) group)
{
$ if codec.words then
    const uint first = start / VECTOR * $(codec.words)u;
$ for k, span in ipairs(codec.spans) do
    if ($(codec.offset("start", span.last)) < n) {
        items.word[$(codec.offset("first", k - 1))] = $(codec.pack(k));
$ if span.first ~= span.last then
    } else if ($(codec.offset("start", span.first)) < n) {
        // The last word of the array: what lies behind it stays.
        const uint mask = (1u << (8u * ((n - start) * $(type.size)u - $(4 * (k - 1))u))) - 1u;
        atomicAnd(items.word[$(codec.offset("first", k - 1))], ~mask);
        atomicOr(items.word[$(codec.offset("first", k - 1))], ($(codec.pack(k))) & mask);
$ end
    }
$ end
$ else
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = $(codec.to_memory("group.at[v]"));
    }
$ end
}
$ end
