-- append.lua - append: each element makes a number of items of its own, which follow those of the elements before it.

local rawtype = type

return function(v)
    local fail, describe = v.fail, v.describe
    local MOST_ITEMS = 0x7fffffff -- in an array whose capacity the spec says

    local function function_of(t, name, parameters)
        local fn = t[name]
        if rawtype(fn) == "function" then return fn end
        fail("append: %s is %s; give %s = function(%s) .. end", name, fn == nil and "missing" or v.source_of(fn) and "a source" or describe(fn), name,
            parameters)
    end

    local function capacity_of(t)
        local capacity = t.capacity
        if capacity == nil then return -1 end
        if math.type(capacity) ~= "integer" or capacity < 1 or capacity > MOST_ITEMS then
            fail("append: capacity is %s; give a whole number from 1 to %d, or none for n",
                rawtype(capacity) == "number" and tostring(capacity) or describe(capacity), MOST_ITEMS)
        end
        return capacity
    end

    local IN_ANY = { input = false, any = true }

    -- Whether items may come in another order of elements than the input's.
    local function is_in_any_order(op, t)
        local order = t.order == nil and "input" or t.order
        if IN_ANY[order] == nil then fail("append: order is %s; give \"input\" or \"any\"", v.shown_word(order)) end
        if IN_ANY[order] and op.order > 0 then
            fail("append: deterministic, but with order = \"any\" timing decides which element's items come first; leave one of them out")
        end
        return IN_ANY[order]
    end

    v.new_kind("append", { "input", "inputs", "length", "item", "capacity", "order" }, function(op, t)
        local input = v.read_inputs("append", op, t)
        if not input then fail("append: input is missing; give the type of its elements, as in input = u32") end
        local length, item = function_of(t, "length", "x, i"), function_of(t, "item", "x, i, k")
        op.any_order = is_in_any_order(op, t)
        v.expansion(op, "append", { input = input, length = length, outputs = { { name = "out", item = item, length = capacity_of(t) } },
            numbers = { { "count", function(s) return s end } } })
    end)
end
