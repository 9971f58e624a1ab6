-- tables.lua - Lua's functions on tables for a spec: in Lua, where every step is counted. Those of the library loop within one instruction over
-- lengths that a spec makes up: `#t` of {1, 2, [4] = 1, [8] = 1, ..} is 2^62 with 64 entries.

local rawtype, tointeger = type, math.tointeger
local pack, unpack, join = table.pack, table.unpack, table.concat

local MAX_TEXT_BYTES, MAX_VALUES = 1 << 20, 250000

return function(v)
    local fail, describe = v.fail, v.describe
    local tables = { pack = pack }

    local function check_table(name, t)
        if rawtype(t) ~= "table" or v.record_of(t) then fail("table.%s: expected a table, not %s; give one", name, describe(t)) end
    end

    local function integer(name, x, otherwise)
        if x == nil then return otherwise end
        local whole = tointeger(x) or rawtype(x) == "string" and tointeger(tonumber(x))
        if not whole then fail("table.%s: expected an integer, not %s; round it", name, rawtype(x) == "number" and tostring(x) or describe(x)) end
        return whole
    end

    function tables.insert(t, ...)
        check_table("insert", t)
        local count, place, value = select("#", ...), ...
        local last = #t + 1
        if count == 1 then
            t[last] = place
            return
        end
        if count ~= 2 then fail("table.insert takes a table, a place and a value, not %d values; give them all", count + 1) end
        place = integer("insert", place)
        if place == nil or place < 1 or place > last then fail("table.insert: place %s is not from 1 to %d; correct it", tostring(place), last) end
        for i = last, place + 1, -1 do t[i] = t[i - 1] end
        t[place] = value
    end

    function tables.remove(t, place)
        check_table("remove", t)
        local length = #t
        place = integer("remove", place, length)
        if place ~= length and (place < 1 or place > length + 1) then
            fail("table.remove: place %d is not from 1 to %d; correct it", place, length + 1)
        end
        local removed = t[place]
        for i = place, length - 1 do t[i] = t[i + 1] end
        t[math.max(place, length)] = nil
        return removed
    end

    function tables.concat(t, separator, first, last)
        check_table("concat", t)
        separator = separator == nil and "" or separator
        if rawtype(separator) ~= "string" and rawtype(separator) ~= "number" then
            fail("table.concat: the separator is %s; give a text", describe(separator))
        end
        first, last = integer("concat", first, 1), integer("concat", last, nil) or #t
        local pieces, bytes, count = {}, 0, 0
        for i = first, last do
            local piece = t[i]
            local kind = rawtype(piece)
            if kind ~= "string" and kind ~= "number" then fail("table.concat: entry %d is %s; join texts and numbers only", i, describe(piece)) end
            count = count + 1
            pieces[count] = piece
            bytes = bytes + #tostring(piece) + (count > 1 and #tostring(separator) or 0)
            if bytes > MAX_TEXT_BYTES then fail("table.concat: more than 1 MiB; join less") end
        end
        return join(pieces, separator, 1, count)
    end

    function tables.unpack(t, first, last)
        first = integer("unpack", first, 1)
        last = integer("unpack", last, nil) or #t
        if first > last then return end
        if last - first < 0 or last - first >= MAX_VALUES then fail("table.unpack: more than %d values; take fewer", MAX_VALUES) end
        local list = {}
        for i = first, last do list[i - first + 1] = t[i] end
        return unpack(list, 1, last - first + 1)
    end

    local function less(a, b) return a < b end

    -- The runs from[low .. middle - 1] and from[middle .. high - 1] as one in `into`; of equal ones the left first.
    local function merge(from, into, low, middle, high, before)
        local left, right = low, middle
        for i = low, high - 1 do
            if left < middle and (right >= high or not before(from[right], from[left])) then
                into[i], left = from[left], left + 1
            else
                into[i], right = from[right], right + 1
            end
        end
    end

    -- Stable, so that the order of equal entries is the same everywhere.
    function tables.sort(t, before)
        check_table("sort", t)
        before = before == nil and less or before
        if rawtype(before) ~= "function" then fail("table.sort: the order is %s; give a function(a, b)", describe(before)) end
        local length, from, into = #t, {}, {}
        for i = 1, length do
            from[i] = t[i]
            if from[i] == nil then fail("table.sort: entry %d of %d has no value; fill the gap", i, length) end
        end
        local width = 1
        while width < length do
            for low = 1, length, 2 * width do
                merge(from, into, low, math.min(low + width, length + 1), math.min(low + 2 * width, length + 1), before)
            end
            from, into, width = into, from, 2 * width
        end
        for i = 1, length do t[i] = from[i] end
    end

    return tables
end
