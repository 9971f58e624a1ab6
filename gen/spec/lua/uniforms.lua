-- uniforms.lua - uniform("name", T): a value that the caller gives when an operation runs, in a buffer of one element.
--
-- In the graph its leaves are inputs that no parameter brings (gen/expr/expr.h), made once, outside of all traces: every function may use them. An
-- operation has a buffer for each uniform that its functions use. In runs on samples (gen/spec/lua/functions.lua) uniforms have sample numbers.

local rawequal = rawequal

return function(v)
    local c, spec, fail = v.c, v.spec, v.fail

    local PARAMETER = c.numbers.uniform_parameter

    local uniforms, scalars = {}, {} -- in the order of their making; the type of each leaf of them

    function spec.uniform(name, type)
        v.check_identifier("uniform", name)
        local T = v.stored_type(type, "uniform")
        if c.epoch() ~= 0 then fail("uniform: '%s' cannot be made inside of a traced function; make it outside, before", name) end
        for _, u in ipairs(uniforms) do
            if u.name == name then fail("uniform: two are called '%s'; make one, and use it in several places", name) end
        end
        return v.new_uniform(name, T).value
    end

    -- array: of a pipeline, which has the value (pipeline.lua); nil: the caller gives it.
    function v.new_uniform(name, T, array)
        local u = { name = name, type = T, first = #scalars, array = array }
        uniforms[#uniforms + 1] = u
        u.value = v.unflatten(T, function(S)
            scalars[#scalars + 1] = S.scalar
            return c.input(PARAMETER, #scalars - 1, S.scalar)
        end)
        return u
    end

    -- The uniform that x is: { name, type, value }; nil: it is none.
    function v.uniform_of(x)
        for _, u in ipairs(uniforms) do if rawequal(u.value, x) then return u end end
    end

    -- The caller's, or the pipeline's own value.
    function v.uniform_named(name, pipeline)
        for _, u in ipairs(uniforms) do if u.name == name and (not u.array or u.array.pipeline == pipeline) then return u end end
    end

    -- Numbers for all leaves of all uniforms: take(scalar type) each.
    function v.numbers_of_uniforms(take)
        local numbers = {}
        for i, scalar in ipairs(scalars) do numbers[i] = take(scalar) end
        return numbers
    end

    -- From now on uniforms are these numbers; nil: they have no values.
    function v.sample_uniforms(numbers) c.sample_uniforms(numbers and scalars, numbers) end

    local function has_no_value(leaf) return not pcall(c.number, leaf) end

    -- Where fn reaches uniforms, or what is made of them: { function or table, upvalue or key, value } each.
    function v.uniform_places(fn)
        local list = {}
        for _, place in ipairs(#uniforms > 0 and c.places(fn) or {}) do
            local x, is_varying = place[3], false
            if v.type_of(x) then
                for _, leaf in ipairs(v.flatten(x)) do is_varying = is_varying or has_no_value(leaf) end
            end
            if is_varying then list[#list + 1] = place end
        end
        return list
    end

    -- The uniforms that lie there; where only what is made of some does, all.
    function v.uniforms_among(places)
        local list = {}
        for _, u in ipairs(uniforms) do
            local lies = false
            for _, place in ipairs(places) do lies = lies or rawequal(place[3], u.value) end
            if lies then list[#list + 1] = u end
        end
        return (#list > 0 or #places == 0) and list or uniforms
    end

    -- Puts Lua numbers there, as uniforms are sampled now. Returns a function that undoes it.
    function v.make_plain(places)
        local changed = {}
        for _, place in ipairs(places) do
            local leaves, k = v.flatten(place[3]), 0
            local ok, plain = pcall(v.unflatten, v.type_of(place[3]), function()
                k = k + 1
                return c.number(leaves[k])
            end)
            if ok then -- else an argument of a call that is over
                c.set_place(place[1], place[2], plain)
                changed[#changed + 1] = place
            end
        end
        return function()
            for _, place in ipairs(changed) do c.set_place(place[1], place[2], place[3]) end
        end
    end

    -- Fails where the traced function depends on a uniform.
    function v.refuse_uniforms(what, handle, fn)
        for _, u in ipairs(uniforms) do
            if c.uses(handle, PARAMETER, u.first, u.type.leaves) then
                c.fail_at(fn and c.line_range(fn) or c.line(), ("%s uses the %s '%s', but a monoid or an order is the same in every run; "
                    .. "use it where elements are read or written"):format(what, u.array and "value" or "uniform", u.name))
            end
        end
    end

    -- x, after a failure where it is a pipeline's single value, which nobody knows before it runs.
    function v.known(what, x)
        local u = v.uniform_of(x)
        if u and u.array then
            fail("%s is '%s', which is known only when the pipeline runs; give a constant, or use it in map or output", what, u.name)
        end
        return x
    end

    -- The value, after a failure where it is made of uniforms.
    function v.constant(value)
        for _, leaf in ipairs(v.flatten(value)) do c.number(leaf) end
        return value
    end

    -- The number of segments that offsets describe.
    local segment_count
    function v.segment_count()
        segment_count = segment_count or spec.uniform("segment_count", spec.u64)
        return v.uniform_of(segment_count)
    end

    -- op learns of the uniforms that the functions use, and which of them are the lengths that op.length_names says; returns their names.
    function v.add_uniforms(op, functions)
        local fields, names = {}, {}
        op.uniform_leaves, op.given = {}, {}
        for _, u in ipairs(uniforms) do
            local is_used = false
            for _, fn in ipairs(functions) do is_used = is_used or c.uses(fn, PARAMETER, u.first, u.type.leaves) end
            if is_used then
                v.check_uniform_of_pipeline(u)
                fields[#fields + 1], names[#names + 1] = { u.name, u.type.object }, u.name
                op.uniform_leaves[#fields] = u.first
                if op.offsets and rawequal(u.value, segment_count) then op.segments_given = #fields end
                for k, name in ipairs(op.length_names or {}) do if name == u.name then op.given[k] = #fields end end
            end
        end
        for k in ipairs(op.length_names or {}) do op.given[k] = op.given[k] or 0 end
        if #fields > 0 then op.uniforms = v.structure("Uniforms", fields).handle end
        return names
    end
end
