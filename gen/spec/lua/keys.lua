-- keys.lua - what a sort orders by: a scalar, or fields of an element, as one unsigned number of at most 128 bits, the key's image.
--
-- A key's record: { type = T, fields = { { name, path = { field, .. }, type, bits, skipped, base, descending }, .. }, first, last }. Of a field's
-- own image the bits skipped .. skipped + bits - 1 stand at bit base of the whole; of the whole the bits first .. last - 1 count. So the lowest
-- k bits of a signed integer order as unsigned ones, unless k is all it has.

local rawtype = type

return function(v)
    local c, spec, fail, describe = v.c, v.spec, v.fail, v.describe
    local Key = v.new_class "key"

    local MAX_BITS, WORD_BITS = 128, 32
    local COMPONENT = { x = 1, y = 2, z = 3, w = 4 }

    local function width_of(T) return tonumber(T.scalar:sub(2)) end

    -- ---- reading ----

    -- true: "descending"
    function v.descends(order, where)
        if order ~= nil and order ~= "ascending" and order ~= "descending" then
            fail("%s: order is %s; write \"ascending\" or \"descending\"", where, v.shown_word(order))
        end
        return order == "descending"
    end

    local function integer(x, where, remedy)
        local whole = rawtype(x) == "number" and math.tointeger(x)
        if not whole then fail("%s is %s; %s", where, rawtype(x) == "number" and tostring(x) or describe(x), remedy) end
        return whole
    end

    -- The scalar that "a" or "a.b" names in T, and the path to it.
    local function resolve(T, name)
        local U, path = T, {}
        for part in v.gmatch(name .. ".", "([^.]*)%.") do
            local place
            if U.kind == "struct" then place = U.index[part]
            elseif U.kind == "vec" then place = COMPONENT[part] end
            if not place or U.kind == "vec" and place > U.length then
                fail("by: %s has no field '%s'; it has %s", U.name, part:sub(1, 64), U.kind == "struct" and v.field_names(U)
                    or U.kind == "vec" and ("xyzw"):sub(1, U.length):gsub(".", "%0 ") or "none")
            end
            path[#path + 1], U = part, v.part_type(U, place)
        end
        if U.kind ~= "scalar" then
            fail("by: '%s' is %s, which has no order of its own; name a part of it, as in {\"%s.%s\"}", name, U.name, name,
                U.kind == "vec" and "x" or U.fields[1].name)
        end
        return U, path
    end

    local ORDERS <const> = { desc = "descending", descending = "descending", down = "descending", asc = "ascending", ascending = "ascending",
        up = "ascending" }

    -- An entry that has more than a name in its list: an order, bits, another field.
    local function refuse_second(name, second)
        local order = rawtype(second) == "string" and ORDERS[second]
        if order then fail("by: '%s': %s has no name; write {\"%s\", order = \"%s\"}", name, v.shown_word(second), name, order) end
        if rawtype(second) == "number" then fail("by: '%s': %s has no name; write {\"%s\", bits = %s}", name, second, name, second) end
        fail("by: '%s': %s stands beside it; an entry is one field, as {\"%s\"}, or {\"%s\", bits = 14, order = \"descending\"}", name,
            v.shown_word(second), name, name)
    end

    local function read_field(T, i, entry)
        local name = rawtype(entry) == "table" and not v.record_of(entry) and entry[1]
        if rawtype(name) ~= "string" then
            fail("by: entry %d is %s; write {\"field\"}, or {\"field\", bits = 14, order = \"descending\"}", i, describe(entry))
        end
        if entry[2] ~= nil then refuse_second(name:sub(1, 64), entry[2]) end
        local options = {}
        for key, value in c.next, entry do
            if key ~= 1 then options[key] = value end
        end
        v.check_keys("by: '" .. name:sub(1, 64) .. "'", options, { "bits", "order" })
        local U, path = resolve(T, name)
        local width = width_of(U)
        local bits = width
        if options.bits ~= nil then
            local where = ("by: bits of '%s'"):format(name)
            bits = integer(options.bits, where, "give a whole number")
            if bits < 1 or bits > width then fail("%s: %d is not from 1 to %d, what %s has; correct it", where, bits, width, U.name) end
        end
        return { name = name, path = path, type = U, bits = bits, skipped = v.is_float(U) and width - bits or 0,
            descending = v.descends(options.order, ("by: '%s'"):format(name)) }
    end

    local function read_fields(T, by)
        if by == nil then
            if T.kind ~= "scalar" then
                fail("key: %s is a %s; say what to order by, as in key { type = %s, by = { {\"%s\"} } }", T.name, T.kind, T.name,
                    T.kind == "vec" and "x" or T.fields[1].name)
            end
            return { { name = T.name, path = {}, type = T, bits = width_of(T), skipped = 0 } }
        end
        if T.kind == "scalar" then fail("key: %s has no fields to order by; leave out by", T.name) end
        if rawtype(by) ~= "table" or v.record_of(by) or rawlen(by) == 0
            then fail("key: by is %s; list fields, as in by = { {\"tile\", bits = 14}, {\"depth\"} }",
            rawtype(by) == "table" and not v.record_of(by) and "empty" or describe(by)) end
        local fields, known = {}, {}
        for i = 1, rawlen(by) do
            fields[i] = read_field(T, i, by[i])
            local name = fields[i].name
            if known[name] then fail("by: '%s' appears twice; its first place decides, leave out the other", name) end
            known[name] = true
        end
        for _, key in ipairs(v.sorted_keys(by)) do
            if rawtype(key) ~= "number" then fail("by has no parameter '%s'; it is a list of fields", tostring(key)) end
        end
        return fields
    end

    -- The half-open range { lo, hi } of the image, which has `total` bits.
    local function read_range(bits, total)
        if bits == nil then return 0, total end
        if rawtype(bits) ~= "table" or v.record_of(bits) or rawlen(bits) ~= 2
            then fail("key: bits is %s; write bits = {lo, hi}, from bit lo up to, and without, bit hi",
            rawtype(bits) == "table" and not v.record_of(bits) and ("a list of %d"):format(rawlen(bits)) or describe(bits)) end
        for _, key in ipairs(v.sorted_keys(bits)) do
            if rawtype(key) ~= "number" then fail("key: bits has no parameter '%s'; write bits = {lo, hi}", key) end
        end
        local first, last = integer(bits[1], "key: bits: lo", "give a whole number"), integer(bits[2], "key: bits: hi", "give a whole number")
        if first < 0 or last > total then fail("key: bits = {%d, %d}, but the key has %d bits; stay within {0, %d}", first, last, total, total) end
        if first >= last then fail("key: bits = {%d, %d} holds no bit; write bits = {lo, hi} with lo < hi", first, last) end
        return first, last
    end

    local function new_key(T, by, bits)
        local key = { type = T, fields = read_fields(T, by) }
        local total = 0
        for i = #key.fields, 1, -1 do
            key.fields[i].base = total
            total = total + key.fields[i].bits
        end
        if total > MAX_BITS then fail("key: its fields have %d bits together; give them bits = .. that come to at most %d", total, MAX_BITS) end
        key.first, key.last = read_range(bits, total)
        return key
    end

    function spec.key(t)
        v.check_keys("key", t, { "type", "by", "bits" })
        if t.type == nil then fail("key: type is missing; give one, as in key { type = u32 }") end
        return v.new_object(Key, new_key(v.stored_type(t.type, "key: type"), t.by, t.bits))
    end

    function v.is_key(x) return v.record_of(x, Key) ~= nil end

    -- The record of a sort's key: a key, or a scalar type.
    function v.key_of(x)
        if x == nil then fail("sort: key is missing; give one, as in key = u32") end
        if rawtype(x) == "table" and not v.record_of(x) then
            fail("sort: key is a table; name a type, and the order beside it, as in key = u32, order = \"descending\"; fields are "
                .. "key { type = T, by = { {\"a\", order = \"descending\"}, {\"b\"} } }")
        end
        return v.record_of(x, Key) or new_key(v.stored_type(x, "sort: key"))
    end

    -- ---- the image ----

    local function mask(bits) return (1 << bits) - 1 end

    -- A scalar's image as u32 nodes, the lowest first. Signed integers have the sign flipped; floats with a set sign all bits, else the sign.
    local function scalar_image(T, x)
        local width = width_of(T)
        local raw = T.scalar:sub(1, 1) == "u" and x or c.bitcast("u" .. width, x)
        local words = width > WORD_BITS and { c.convert("u32", raw), c.convert("u32", raw >> WORD_BITS) } or { c.convert("u32", raw) }
        local top, top_bits = #words, math.min(width, WORD_BITS)
        local sign = 1 << (top_bits - 1)
        if v.is_float(T) then
            local negative = -(words[top] >> (top_bits - 1)) -- all ones, or none
            if top == 2 then words[1] = words[1] ~ negative end
            if top_bits < WORD_BITS then negative = negative & mask(top_bits) end
            words[top] = words[top] ~ (negative | sign)
        elseif T.scalar:sub(1, 1) == "i" then
            words[top] = words[top] ~ sign
        end
        return words
    end

    -- Adds a chunk of `bits` bits at `position` to the words; of it, what stands at first .. last - 1. inverted: with its bits flipped.
    local function place(words, chunk, bits, position, first, last, inverted)
        if first >= last or position + bits <= first or position >= last then return end
        if position < first then
            chunk, bits, position = chunk >> (first - position), bits - (first - position), first
        end
        if position + bits > last then
            bits = last - position
            chunk = chunk & mask(bits)
        end
        if inverted then chunk = chunk ~ mask(bits) end
        local word, shift = position // WORD_BITS + 1, position % WORD_BITS
        local function add(i, part) words[i] = words[i] and words[i] | part or part end
        add(word, shift == 0 and chunk or chunk << shift)
        if shift + bits > WORD_BITS then add(word + 1, chunk >> (WORD_BITS - shift)) end
    end

    -- The function from a key to its image, u32 or a vec of u32, the most significant first, and the image's bits. A sort by it ascends:
    -- descending, it holds the bits flipped.
    function v.key_image(key, descending)
        local bits = key.last - key.first
        local count = (bits + WORD_BITS - 1) // WORD_BITS
        local u32 = v.scalars.u32
        local function image(x)
            local words, list = {}, {}
            for _, field in ipairs(key.fields) do
                local scalar = x
                for _, part in ipairs(field.path) do scalar = scalar[part] end
                local chunk_bits, origin = width_of(field.type), field.base - field.skipped - key.first
                local first, last = math.max(field.base - key.first, 0), math.min(field.base + field.bits, key.last) - key.first
                for i, chunk in ipairs(scalar_image(field.type, scalar)) do
                    place(words, chunk, math.min(chunk_bits - (i - 1) * WORD_BITS, WORD_BITS), origin + (i - 1) * WORD_BITS, first, last,
                        (field.descending or false) ~= descending)
                end
            end
            for i = 1, count do list[i] = words[count + 1 - i] end
            return count == 1 and list[1] or list
        end
        return v.trace("key_image", image, { "x" }, { key.type }, count == 1 and u32 or v.vec(u32, count), true), bits
    end

    -- The function from an image to the key that has it, of scalars of a word at most that are ordered by all their bits; nil of others.
    function v.key_of_image(key, descending)
        local field = key.fields[1]
        local T, width = field.type, key.type.kind == "scalar" and width_of(field.type) or nil
        if not width or width > WORD_BITS or key.last - key.first ~= width then return nil end
        local sign = 1 << (width - 1)
        local function from(x)
            local raw = (field.descending or false) ~= descending and x ~ mask(width) or x
            if v.is_float(T) then
                raw = raw ~ ((raw >> (width - 1)) - 1 & mask(width) | sign)
            elseif T.scalar:sub(1, 1) == "i" then
                raw = raw ~ sign
            end
            raw = c.convert("u" .. width, raw)
            return T.scalar:sub(1, 1) == "u" and raw or c.bitcast(T.scalar, raw)
        end
        return v.trace("key_of_image", from, { "x" }, { v.scalars.u32 }, T, true)
    end
end
