-- fold.lua - scan, reduce.

return function(v)
    local fail, describe = v.fail, v.describe

    local function fill(kind, op, t)
        local m = v.monoid_of(t.monoid)
        if not m then fail("%s: monoid is %s; give one, as in monoid = sum(u32)", kind, t.monoid == nil and "missing" or describe(t.monoid)) end
        op.monoid, op.reverse = m.handle, v.flag(t, "reverse")
        local direction = t.kind
        if direction ~= nil and direction ~= "inclusive" and direction ~= "exclusive" then
            fail("scan: kind is \"inclusive\" or \"exclusive\"; or leave it out")
        end
        op.exclusive = direction == "exclusive"
        local input, map, output, init = m.type, t.map, t.output, t.init
        if t.input ~= nil then input = v.stored_type(t.input, kind .. ": input") end
        op.input, op.output = input.handle, m.type.handle
        if map ~= nil then
            op.map = v.trace("map", map, { "x", "i" }, { input, v.scalars.u64 }, m.type)
        elseif not v.same_type(input, m.type) then
            local names = {}
            for i, field in ipairs(m.type.kind == "struct" and m.type.fields or {}) do names[i] = field.name .. " = .." end
            local element = #names > 0 and ("m.type { %s } end, where m is the monoid"):format(table.concat(names, ", ")) or m.type.name .. "(..) end"
            fail("%s: input is %s but the monoid's type is %s; give map = function(x, i) return %s", kind, input.name, m.type.name, element)
        end
        if output ~= nil then
            local result
            op.output_map, result = v.trace("output", output, { "s", "x", "i" }, kind == "scan" and { m.type, input, v.scalars.u64 } or { m.type })
            op.output = result.handle
        end
        if init ~= nil then op.init = v.flatten(v.coerce(m.type, init, "init")) end
    end

    v.new_kind("scan", { "monoid", "kind", "input", "map", "output", "init", "reverse" }, function(op, t) fill("scan", op, t) end)
    v.new_kind("reduce", { "monoid", "input", "map", "output", "init" }, function(op, t) fill("reduce", op, t) end)
end
