-- monoids.lua - monoids: the user's, the ready-made ones, pairs, segmented ones. A record has type, name, commutative, identity (as the user
-- gave it), combine (a Lua function), handle.

local rawtype = type

return function(v)
    local c, spec, fail, describe = v.c, v.spec, v.fail, v.describe
    local Monoid = v.new_class "monoid"

    function v.monoid_of(x) return v.record_of(x, Monoid) end
    function Monoid.__index(object, key)
        local m = v.record_of(object, Monoid)
        if key == "type" then return m.type.object end
        fail("a monoid has no '%s'; it has type", tostring(key))
    end
    function Monoid.__tostring(object) return v.record_of(object, Monoid).name end

    -- known: the laws hold by construction, of functions that have been checked.
    local function new_monoid(m, known)
        local identity = v.flatten(v.coerce(m.type, m.identity, "identity"))
        local combine = v.trace("combine", m.combine, { "a", "b" }, { m.type, m.type }, m.type, known)
        v.refuse_uniforms("combine", combine, m.combine)
        m.handle = c.monoid {
            name = m.name, type = m.type.handle, identity = identity,
            combine = combine, commutative = m.commutative, laws = known and "known" or m.laws or "checked", samples = m.samples, members = m.members,
        }
        return v.new_object(Monoid, m)
    end
    v.new_monoid = new_monoid

    function spec.monoid(t)
        v.check_keys("monoid", t, { "type", "identity", "combine", "commutative", "laws", "sample", "name" })
        local m = { type = v.stored_type(t.type, "monoid: type"), identity = t.identity, combine = t.combine, laws = t.laws, name = t.name }
        if m.name == nil then m.name = "monoid" else v.check_identifier("monoid", m.name) end
        m.commutative = v.flag(t, "commutative")
        if m.identity == nil then fail("monoid: identity is missing; give the element that changes nothing") end
        if m.combine == nil then fail("monoid: combine is missing; write combine = function(a, b) .. end") end
        if m.laws ~= nil and m.laws ~= "trusted" and m.laws ~= "strict" then fail("monoid: laws is \"trusted\" or \"strict\"; or leave it out") end
        local source = v.source_of(m.combine)
        if source and not source.host and m.laws ~= "trusted" then
            fail("monoid: the laws of a source without host cannot be tested; add host = function(a, b) .. end, or say laws = \"trusted\"")
        end
        if t.sample ~= nil then m.samples = v.law_samples(m.type, t.sample) end
        return new_monoid(m)
    end

    -- ---- ready-made ----

    local function ready(name, identity, combine)
        spec[name] = v.apart(function(type)
            local T = v.stored_type(type, name)
            return new_monoid({ name = ("%s(%s)"):format(name, T.name), type = T, identity = identity(T, name), combine = combine,
                commutative = true }, true)
        end)
    end

    local function everywhere(T, name, number)
        if T.kind == "scalar" then return number(T) end
        if T.kind ~= "vec" then fail("%s: %s is a struct; write a monoid { .. } for it", name, T.name) end
        local parts = {}
        for i = 1, T.length do parts[i] = number(T.element) end
        return parts
    end
    local function constant(n) return function(T, name) return everywhere(T, name, function() return n end) end end
    local function greatest(T, name) return everywhere(T, name, function(S) return v.is_float(S) and S.object.inf or S.object.max end) end
    local function smallest(T, name) return everywhere(T, name, function(S) return v.is_float(S) and -S.object.inf or S.object.min end) end
    local function all_ones(T, name)
        if v.is_float(T) then fail("%s: %s is no integer; use an integer type", name, T.name) end
        return everywhere(T, name, function(S) return ~S.object(0) end)
    end

    ready("sum", constant(0), function(a, b) return a + b end)
    ready("product", constant(1), function(a, b) return a * b end)
    ready("minimum", greatest, v.min)
    ready("maximum", smallest, v.max)
    ready("bit_and", all_ones, function(a, b) return a & b end)
    ready("bit_or", constant(0), function(a, b) return a | b end)
    ready("bit_xor", constant(0), function(a, b) return a ~ b end)

    -- Of floats each pair has one place in the order, so that the laws hold of all of them: numbers by value, then NaN, then the identity, of equal
    -- ones that with the lower index. reaches: is_better, or equal.
    local function arg(name, is_better, reaches, identity)
        spec[name] = v.apart(function(type, index_type)
            local T, I = v.stored_type(type, name), v.stored_type(index_type or spec.u32, name)
            if T.kind ~= "scalar" then fail("%s: %s has no order; give a scalar type", name, T.name) end
            if I.scalar ~= "u32" and I.scalar ~= "u64" or I.kind ~= "scalar" then
                fail("%s: an index is u32 or u64, not %s; write %s(%s, u64)", name, I.name, name, T.name)
            end
            local Best = v.structure(name .. "_" .. T.name .. (I.name == "u32" and "" or "_" .. I.name), { { "value", T.object }, { "index",
                I.object } })
            local worst, last = identity(T, name), I.object.max
            -- Of floats: x is a number and not the identity, and y is a worse one, or NaN.
            local function comes_before(x, y)
                local is_number = v.lor(is_better(x.value, worst), v.land(v.eq(x.value, worst), v.ne(x.index, last)))
                return v.land(is_number, v.lnot(reaches(y.value, x.value)))
            end
            local function combine(a, b)
                local is_lower = v.le(a.index, b.index)
                if not v.is_float(T) then return v.where(v.lor(is_better(a.value, b.value), v.land(v.eq(a.value, b.value), is_lower)), a, b) end
                return v.where(v.lor(comes_before(a, b), v.land(v.lnot(comes_before(b, a)), is_lower)), a, b)
            end
            return new_monoid({ name = ("%s(%s)"):format(name, T.name), type = Best, commutative = true, identity = { worst, last },
                combine = combine }, true)
        end)
    end
    arg("argmin", v.lt, v.le, greatest)
    arg("argmax", v.gt, v.ge, smallest)

    -- ---- made of others ----

    -- The members and their names, of pair(m1, m2, ..) or pair { name = m, .. , order = { .. } }.
    local function members_of(...)
        local members, names, t = { ... }, {}, ...
        if select("#", ...) ~= 1 or rawtype(t) ~= "table" or v.record_of(t) then
            for i = 1, #members do names[i] = "_" .. i end
            return members, names
        end
        local order = t.order
        if order == nil or v.record_of(order) then
            order = v.sorted_keys(t)
        elseif rawtype(order) ~= "table" then
            fail("pair: order is %s; give the list of all names", describe(order))
        end
        members = {}
        local known = {}
        for i = 1, #order do
            local name = order[i]
            if rawtype(name) ~= "string" or t[name] == nil then fail("pair: no monoid is called '%s'; give each one a name", tostring(name)) end
            names[i], members[i], known[name] = name, t[name], true
        end
        for _, key in ipairs(v.sorted_keys(t)) do
            if not known[key] and (key ~= "order" or v.record_of(t[key])) then fail("pair: order leaves out '%s'; list every name", tostring(key)) end
        end
        return members, names
    end

    spec.pair = v.apart(function(...)
        local members, names = members_of(...)
        local fields, title, identity, handles, commutative = {}, {}, {}, {}, true
        if #members == 0 then fail("pair: no monoids; give at least one") end
        for i = 1, #members do
            local m = v.monoid_of(members[i])
            if not m then fail("pair: expected monoids, not %s; give as many as you like", describe(members[i])) end
            members[i], fields[i], title[i], identity[i] = m, { names[i], m.type.object }, m.name, m.identity
            handles[i], commutative = m.handle, commutative and m.commutative
        end
        local Pair = v.structure("Pair_" .. table.concat(names, "_"), fields)
        return new_monoid({ name = "pair(" .. table.concat(title, ", ") .. ")", type = Pair, identity = identity, commutative = commutative,
            members = handles,
            combine = function(a, b)
                local parts = {}
                for i, m in ipairs(members) do parts[i] = m.combine(a[names[i]], b[names[i]]) end
                return parts
            end }, true)
    end)

    spec.segmented = v.apart(function(object)
        local m = v.monoid_of(object)
        if not m then fail("segmented: expected a monoid, not %s; give one, as in segmented(sum(u32))", describe(object)) end
        local S = v.structure("Segmented_" .. m.type.name:gsub("%W+", "_"), { { "flag", spec.u32 }, { "value", m.type.object } })
        return new_monoid({ name = "segmented(" .. m.name .. ")", type = S, identity = { flag = 0, value = m.identity }, members = { m.handle },
            combine = function(a, b)
                local joined = v.coerce(m.type, m.combine(a.value, b.value), "combine: the result")
                return { flag = a.flag | b.flag, value = v.where(v.ne(b.flag, 0), b.value, joined) }
            end }, true)
    end)
end
