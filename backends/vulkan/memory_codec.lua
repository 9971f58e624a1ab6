-- memory_codec.lua - values in memory and in registers.
--
-- How a group of `vector` items of a type lies in memory: each as itself, or all as words that pack and unpack their leaves (padded types,
-- and 8- and 16-bit ones where the device cannot store them). Groups of whole 8 or 16 bytes can be moved by as many at once, those
-- of a word by a word. `align` is what the array's address must be a multiple of.
return function(d, T, vector)
    local codec = { type_name = d:type_name(T), bytes = vector * T.size, group_words = vector * T.size // 4, spans = {} }
    local direct = not T.padded
    for _, leaf in ipairs(T.leaves) do
        local memory = d:memory_type(leaf.scalar)
        direct = direct and memory and (T.kind == "scalar" or memory == d:scalar_name(leaf.scalar))
    end
    if direct then
        local scalar = T.kind == "scalar" and T.scalar
        codec.memory_type = scalar and d:memory_type(scalar) or codec.type_name
        function codec.from_memory(text) return scalar and d:from_memory(scalar, text) or text end
        function codec.to_memory(text) return scalar and d:to_memory(scalar, text) or text end
    else
        codec.words = (codec.bytes + 3) // 4 -- of a group that begins with a word
    end
    codec.align = direct and T.align or math.max(T.align, 4)
    codec.quad_words = codec.bytes % 16 == 0 and 4 or codec.bytes % 8 == 0 and 2 or direct and T.size < 4 and codec.bytes % 4 == 0 and 1 or nil
    for k = 1, codec.group_words do codec.spans[k] = { first = 4 * (k - 1) // T.size, last = (4 * k - 1) // T.size } end

    function codec.offset(base, k) return k == 0 and base or ("%s + %du"):format(base, k) end
    -- Word k of a group that has been read as quads of quad_words.
    function codec.quad_word(k)
        if codec.quad_words == 1 then return "word" .. k end
        return ("word%d.%s"):format(k // codec.quad_words, ("xyzw"):sub(k % codec.quad_words + 1, k % codec.quad_words + 1))
    end
    local function bytes_of(scalar) return tonumber(scalar:sub(2)) // 8 end
    -- Item v of the group whose word k is the text word(k).
    function codec.unpack(v, word)
        local texts = {}
        for i, leaf in ipairs(T.leaves) do
            local at = v * T.size + leaf.offset
            texts[i] = d:from_words(leaf.scalar, { word(at // 4), bytes_of(leaf.scalar) == 8 and word(at // 4 + 1) or nil }, at % 4 * 8)
        end
        return d:build(T, texts)
    end
    -- Word k, from 1, of the group called `group`; or of the single item called `item`.
    function codec.pack(k, item)
        local terms = {}
        for v = 0, vector - 1 do
            for i, leaf in ipairs(T.leaves) do
                local at = v * T.size + leaf.offset
                for w, text in ipairs(bytes_of(leaf.scalar) + at > 4 * (k - 1) and at < 4 * k
                    and d:to_words(leaf.scalar, d:leaf(T, item or ("group.at[%d]"):format(v), i)) or {}) do
                    if at // 4 + w == k then
                        local shift = at % 4 * 8
                        terms[#terms + 1] = shift == 0 and text or ("(%s << %du)"):format(text, shift)
                    end
                end
            end
        end
        return #terms > 0 and table.concat(terms, " | ") or "0u"
    end
    return codec
end
