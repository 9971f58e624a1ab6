-- objects.lua - what the vocabulary's modules share: objects with private records, messages, lists of keys.

local rawtype, format = type, string.format

return function(v)
    local c = v.c

    function v.fail(...) c.fail(format(...)) end

    local RECORD = {} -- the private key

    -- An object of a class (a metatable) with its record.
    function v.new_object(class, record)
        record.class = class
        record.object = setmetatable({ [RECORD] = record }, class)
        return record.object
    end

    -- The record of an object of that class (any, when it is nil), else nil.
    function v.record_of(x, class)
        local record = rawtype(x) == "table" and rawget(x, RECORD) or nil
        if record and (class == nil or record.class == class) then return record end
    end

    -- { __metatable = name }, with a spec's assignments refused.
    function v.new_class(name)
        local class = { __metatable = name, kind = name, [c.class_mark] = true }
        function class.__newindex() v.fail("%s %s cannot be changed; build a new one", v.find(name, "^[aeiou]") and "an" or "a", name) end
        return class
    end

    function v.sorted_keys(t)
        local keys = {}
        for key in c.next, t do
            local kind = rawtype(key)
            if kind ~= "number" and kind ~= "string" then
                v.fail("a table with a %s as a key has no order; use numbers or texts as keys", kind)
            end
            keys[#keys + 1] = key
        end
        table.sort(keys, function(a, b)
            if rawtype(a) ~= rawtype(b) then return rawtype(a) == "number" end
            return a < b
        end)
        return keys
    end

    -- Insertions, deletions and replacements that make b of a (Levenshtein 1965).
    local function distance(a, b)
        local row = {}
        for j = 0, #b do row[j] = j end
        for i = 1, #a do
            local diagonal = row[0]
            row[0] = i
            for j = 1, #b do
                local replaced = diagonal + (a:sub(i, i) == b:sub(j, j) and 0 or 1)
                diagonal = row[j]
                row[j] = math.min(replaced, row[j] + 1, row[j - 1] + 1)
            end
        end
        return row[#b]
    end

    -- The word of the list that is nearest; nil: each differs in half of its letters.
    function v.closest(word, known)
        local best, least
        word = word:sub(1, 64)
        for _, candidate in ipairs(known) do
            local d = distance(word, candidate)
            if 2 * d <= #candidate and (not least or d < least) then best, least = candidate, d end
        end
        return best
    end

    -- Fails when t is no table or has a key that is not known. meant: keys that are no slip of the pen, as words of other operations; nil: none.
    function v.check_keys(what, t, known, meant)
        if rawtype(t) ~= "table" or v.record_of(t) then v.fail("%s: expected a table, not %s; write %s { .. }", what, v.describe(t), what) end
        for _, key in ipairs(v.sorted_keys(t)) do
            local found
            for _, name in ipairs(known) do found = found or name == key end
            local near = not found and not (meant and meant[key]) and v.closest(tostring(key), known)
            if near then v.fail("%s has no parameter '%s'; did you mean '%s'?", what, tostring(key), near) end
            if not found then v.fail("%s has no parameter '%s'; it has %s", what, tostring(key), table.concat(known, ", ")) end
        end
    end

    function v.flag(t, key)
        local value = t[key]
        if value ~= nil and rawtype(value) ~= "boolean" then v.fail("%s is true or false, not %s; write %s = true", key, v.describe(value), key) end
        return value or false
    end

    local NAMES = { ["nil"] = "nothing", table = "a table", ["function"] = "a function", userdata = "an expression" }

    -- Other languages' names of types, and ours.
    local FOREIGN <const> = {
        char = "i8", byte = "u8", uchar = "u8", short = "i16", ushort = "u16", int = "i32", uint = "u32", unsigned = "u32", long = "i64",
        ulong = "u64", size_t = "u64", half = "f16", float = "f32", double = "f64", float16 = "f16", float32 = "f32", float64 = "f64",
    }
    for bits = 3, 6 do -- int8, uint8_t ..
        for name, own in c.next, { int = "i", uint = "u" } do
            FOREIGN[name .. (1 << bits)], FOREIGN[name .. (1 << bits) .. "_t"] = own .. (1 << bits), own .. (1 << bits)
        end
    end
    local FOREIGN_VECS <const> = { vec = "f32", uvec = "u32", ivec = "i32", dvec = "f64" }

    -- What another language's type is called here, "i32", "vec(f32, 2)"; nil: the name is none.
    function v.own_type(name)
        local base, length = v.match(name, "^(%l+)([234])$")
        local scalar = base and (FOREIGN[base] or FOREIGN_VECS[base])
        return FOREIGN[name] or scalar and ("vec(%s, %s)"):format(scalar, length)
    end

    local TYPES <const> = "of the types u8, i8, u16, i16, u32, i32, u64, i64, f16, f32, f64, vec(T, n), structs"

    local absent = {} -- what the spec read last that has no value, and where

    -- A name that has no value. As an item of a table it would be gone without a word; elsewhere `or` may give another value.
    function v.note_absent(name)
        absent.name, absent.line = name, c.line()
        local is_item, key = c.is_item(name)
        if not is_item then return end
        local near, shown, type_ = v.closest_global(name), name:sub(1, 64), v.own_type(name)
        if type_ then v.fail("%s%s: no type has this name; write %s, %s", key and key .. " = " or "an item of a list: ", shown, type_, TYPES) end
        v.fail("%s%s has no value; %swrite \"%s\" for a text, define it or give it with -D, write '%s or nil' if it may be missing",
            key and key .. " = " or "an item of a list: ", shown, near and ("did you mean '%s'? Else "):format(near) or "", shown, shown)
    end

    -- What to do where nothing came of a line that has brackets: a Lua table has no entry under an expression. nil: it has none.
    function v.index_advice(text)
        return v.find(text, "[%w_%])]%s*%[") and "a Lua table has no entry under an expression: make it table_of(T, { .. }), which has" or nil
    end

    -- What a nil is, and what to do: two texts. The name is what the line read last, if that had no value.
    function v.describe_nothing()
        if absent.line ~= c.line() then return "nothing", v.index_advice(v.text_of(c.line())) or "give it a value" end
        local near, type_ = v.closest_global(absent.name), v.own_type(absent.name)
        if type_ then return ("nothing (no type is called '%s')"):format(absent.name), ("write %s, %s"):format(type_, TYPES) end
        return ("nothing ('%s' has no value here)"):format(absent.name), near and ("define it, give it with -D, or did you mean '%s'?"):format(near)
            or "define it, or give it with -D"
    end

    -- A parameter's value that is none of its words: '"upward"', "a number".
    function v.shown_word(x) return rawtype(x) == "string" and '"' .. string.sub(x, 1, 32) .. '"' or v.describe(x) end

    -- "a number", "f32", "the monoid sum(u32)"
    function v.describe(x)
        if x == nil and absent.line == c.line() and v.own_type(absent.name) then
            return ("nothing (no type is called '%s': write %s)"):format(absent.name, v.own_type(absent.name))
        end
        if x == nil and absent.line == c.line() then return ("nothing ('%s' has no value here)"):format(absent.name) end
        local T = v.type_of(x)
        if T then return T.name end
        local record = v.record_of(x)
        if record then
            return record.name and ("the %s %s"):format(record.class.kind, record.name) or (v.find(record.class.kind, "^[aeiou]") and "an " or "a ")
                .. record.class.kind
        end
        return NAMES[rawtype(x)] or "a " .. rawtype(x)
    end

    function v.check_identifier(what, name)
        if rawtype(name) ~= "string" then v.fail("%s: name is %s, not a text; write name = \"..\"", what, v.describe(name)) end
        if not name:find("^[%a_][%w_]*$") or #name > 64 then
            v.fail("%s: name '%s' is not an identifier; use letters, digits and _, at most 64", what, name:sub(1, 64):gsub("%c", "?"))
        end
        return name
    end
end
