$ -- Groups of VECTOR items between memory and registers: array (a buffer type), group (a struct of VECTOR values), type; reads, writes.
$ -- load_full and store_full take whole groups at an address that is_vector_aligned, the others stop at n. From one reference to another it
$ -- goes by way of the address: SwiftShader's compiler dies of a direct cast.
$ local codec = memory_codec(type)
$ local nonprivate = is_ordered and "nonprivate " or "" -- else no barrier orders it
$ assert(not codec.words or codec.words == codec.group_words, "a group of items is whole words")
$ local name = group:lower()
$ local quad = codec.quad_words
$ local quad_name = quad and ({ "uint", "uvec2", [4] = "uvec4" })[quad]
$ local function first_of(count) return "start / VECTOR" .. (count > 1 and " * " .. count .. "u" or "") end
$ local function word_name(k) return "word" .. k end
$ local function counted(count, noun) return count .. " " .. noun .. (count == 1 and "" or "s") end
$ if codec.words then
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer $(array) {
    $(nonprivate)uint word[]; // $(counted(codec.words, "word")) for $(counted(VECTOR, "element")) of $(counted(type.size, "byte"))
};
$ else
layout(buffer_reference, scalar, buffer_reference_align = $(type.align)) buffer $(array) {
    $(nonprivate)$(codec.memory_type) at[];
};
$ end

$ if group ~= "Elements" then
$ if quad then
layout(buffer_reference, scalar, buffer_reference_align = $(4 * quad)) buffer $(array)Words {
    $(nonprivate)$(quad_name) at[];
};

$ end
struct $(group) {
    $(codec.type_name) at[VECTOR];
};

$ if reads then
// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
$(group) load_full_$(name)($(array) items, $(Index) start)
{
    $(group) group;
$ if quad then
    $(array)Words words = $(array)Words($(Address)(items));
    const uint first = $(first_of(codec.group_words // quad));
$ for k = 0, codec.group_words // quad - 1 do
    const $(quad_name) word$(k) = words.at[first$(k > 0 and " + " .. k .. "u" or "")];
$ end
$ for v = 0, VECTOR - 1 do
    group.at[$(v)] = $(codec.unpack(v, codec.quad_word));
$ end
$ elseif codec.words then
    const uint first = $(first_of(codec.words));
$ for k = 0, codec.words - 1 do
    const uint word$(k) = items.word[$(codec.offset("first", k))];
$ end
$ for v = 0, VECTOR - 1 do
    group.at[$(v)] = $(codec.unpack(v, word_name));
$ end
$ else
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = $(codec.from_memory("items.at[start + v]"));
$ end
    return group;
}

$ end
$ if writes then
// Items start .. start + VECTOR - 1, all below n; the address of the first item is_vector_aligned.
void store_full_$(name)($(array) items, $(Index) start, $(group) group)
{
$ if quad then
    $(array)Words words = $(array)Words($(Address)(items));
    const uint first = $(first_of(codec.group_words // quad));
$ for k = 0, codec.group_words // quad - 1 do
$     local packed = {}
$     for w = 1, quad do packed[w] = codec.pack(quad * k + w) end
    words.at[first$(k > 0 and " + " .. k .. "u" or "")] = $(quad == 1 and packed[1] or quad_name .. "(" .. table.concat(packed, ", ") .. ")");
$ end
$ elseif codec.words then
    const uint first = $(first_of(codec.words));
$ for k = 0, codec.words - 1 do
    items.word[$(codec.offset("first", k))] = $(codec.pack(k + 1));
$ end
$ else
    UNROLL for (uint v = 0u; v < VECTOR; v++) items.at[start + v] = $(codec.to_memory("group.at[v]"));
$ end
}

$ end
$ end
$ if reads then
// Items start .. start + VECTOR - 1; those from n on are not read.
$(group) load_$(name)($(array) items, $(Index) start, $(Index) n)
{
    $(group) group;
$ if codec.words then
    const uint first = $(first_of(codec.words));
$ for k, span in ipairs(codec.spans) do
    const uint word$(k - 1) = $(codec.offset("start", span.first)) < n ? items.word[$(codec.offset("first", k - 1))] : 0u;
$ end
$ for v = 0, VECTOR - 1 do
    group.at[$(v)] = $(codec.unpack(v, word_name));
$ end
$ else
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) group.at[v] = $(codec.from_memory("items.at[start + v]"));
    }
$ end
    return group;
}

// The first item alone.
$(codec.type_name) load_first_$(name)($(array) items)
{
$ if codec.words then
    return load_$(name)(items, 0u, 1u).at[0];
$ else
    return $(codec.from_memory("items.at[0]"));
$ end
}

$ end
$ if writes then
// Items start .. start + VECTOR - 1 but for those from n on.
void store_$(name)($(array) items, $(Index) start, $(Index) n, $(group) group)
{
$ if codec.words then
    const uint first = $(first_of(codec.words));
$ local function is_whole(k) return codec.spans[k] and codec.spans[k].first == codec.spans[k].last and codec.spans[k].last end
$ for k, span in ipairs(codec.spans) do
$ if not (is_whole(k) and is_whole(k) == is_whole(k - 1)) then
    if ($(codec.offset("start", span.last)) < n) {
$ end
        items.word[$(codec.offset("first", k - 1))] = $(codec.pack(k));
$ if span.first ~= span.last then
    } else if ($(codec.offset("start", span.first)) < n) {
        // The last word of the array: what lies behind it stays.
$     local items = type.size == 1 and "n - start" or ("(n - start) * %du"):format(type.size)
$     local bytes = ("(%s%s)"):format(items, k > 1 and " - " .. 4 * (k - 1) .. "u" or "")
        const uint mask = (1u << (8u * $(bytes))) - 1u;
        atomicAnd(items.word[$(codec.offset("first", k - 1))], ~mask);
        atomicOr(items.word[$(codec.offset("first", k - 1))], ($(codec.pack(k))) & mask);
$ end
$ if not (is_whole(k) and is_whole(k) == is_whole(k + 1)) then
    }
$ end
$ end
$ else
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        if (start + v < n) items.at[start + v] = $(codec.to_memory("group.at[v]"));
    }
$ end
}

void store_first_$(name)($(array) items, $(codec.type_name) item)
{
$ if codec.words then
    $(group) group;
    group.at[0] = item;
    store_$(name)(items, 0u, 1u, group);
$ else
    items.at[0] = $(codec.to_memory("item"));
$ end
}
$ end
