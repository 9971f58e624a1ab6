-- packed.lua - what templates are told of a sweep's outputs, of which some are packed: items that are kept lie together in shared memory before they
-- leave, each at its place in the array less the place `low`, one before the first that the tile's first item can have.

local file = ...
local clike = file "gen/emit/clike.lua"

-- fields: of the outputs; e: the environment, with totals_of; d: the dialect. Returns, of each output:
--   k, array, size, type    its number, the name of its array's address, an item's bytes and type
--   value                   of an item, in the record `result`; to: its place there, or nil: the item's own
--   limit                   of a scattered output's places
--   is_packed, is_kept      whether it is packed, and an item's condition
--   is_numbered             its values are made of the index alone, by item_of_index[k]
--   late                    its values are made when they leave: type, and texts scalar(s, x, i, near), what is packed, and value(scalar)
--   has_tails               an item may be at `low`: of a run that began before the tile
--   is_behind               it lies behind the output before it, in one room
--   first(state, at)        the place of the first item that is kept from the item `at` on, where `state` has come before
--   low(before, after, at)  `low` of a tile from the item `at` on, where `before` has come before and `after` with the tile
--   count(state)            how many items have been counted
return function(fields, is_record, e, d)
    local outs, packed = {}, 0
    -- A place that is no choice (gen/emit/keeps.lua): all are kept, or none.
    local function is_kept(field)
        if field.keeps then return "result." .. e.field_name(field.keeps) .. " != 0u" end
        return "result." .. e.field_name(field.place) .. " != " .. e.nowhere
    end
    for k, field in ipairs(fields) do
        local count = field.place and field.count
        local counted = count and e.field_name((count:gsub("^n %- ", "")))
        local is_rest = count and count:find "^n %- "
        local y = { k = k, array = "array" .. k, size = field.type.size, type = field.type, is_scattered = field.is_scattered,
            value = is_record and "result." .. e.field_name(field.name) or "result",
            limit = field.given and "!= NOWHERE" or field.is_scattered and "< " .. (field.length and field.length .. "u" or "out_items.n"),
            to = field.place and "result." .. e.field_name(field.place),
            is_packed = count ~= nil, is_kept = count and is_kept(field),
            is_numbered = e.item_of_index[k] ~= nil, late = e.late[k], has_tails = field.has_tails, is_behind = field.lies_behind, counted = counted }
        assert(not field.has_tails or not e.reverse)
        function y.count(state)
            local number = state .. "." .. counted
            return e.is_wide and number or d:expression("convert", "u32", "u64", { clike.atom(number) }).text
        end
        function y.first(state, at) return is_rest and ("%s(%s) - %s"):format(e.Place, at, y.count(state)) or y.count(state) end
        function y.low(before, after, at)
            local behind = y.is_behind and (" - (%s - %s)"):format(y.count(after), y.count(before)) or ""
            return y.first(before, at) .. behind .. " - 1u"
        end
        outs[k] = y
        if count then packed = packed + 1 end
    end
    return outs, packed
end
