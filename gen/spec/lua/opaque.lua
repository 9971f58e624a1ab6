-- opaque.lua - opaque functions: their text is given, a body for each kind of kernel.
--
--   combine = source {
--       glsl = [[ while (b != 0u) { uint r = a % b; a = b; b = r; } return a; ]],
--       cuda = [[ .. ]],
--       host = function(a, b) while b ~= 0 do a, b = b, a % b end return a end,
--   }
--
-- for combine, map or output. What a body may rely on: its parameters have the names of host's, without a host those of the default (combine
-- a, b; map x, i; output s, x, i; of a reduction s), or the names, as many as it wants, of `parameters = { "x" }`. They are values of their
-- types as the kernel's text has them (GLSL: uint for u8, u16, u32; int for i8, i16, i32; uint64_t, or uvec2 without 64-bit integers; structs
-- by their names, with their fields' names; CUDA: float for f32 and so on, a vec is a struct f32x2{x, y}) and may be assigned to; it returns the
-- result's type. `type` is the result's type; an output must say it. A body that lacks the kernel's language is an error when the operation
-- is planned.
--
-- host runs on plain Lua numbers (u64 as Lua's integers have the bits; values of structs and vecs with their fields), in Lua's arithmetic; its
-- result is wrapped to its type. It serves the oracle and the laws. Without it combine needs laws = "trusted", and nothing can be verified.

local rawtype = type

return function(v)
    local c, spec, fail, describe = v.c, v.spec, v.fail, v.describe
    local Source = v.new_class "source"

    function Source.__call() fail("a source cannot be called from another function; write the whole function as a source, or this one in Lua") end

    function v.source_of(x) return v.record_of(x, Source) end

    local function check_body(t, key)
        local body = t[key]
        if body ~= nil and rawtype(body) ~= "string" then fail("source: %s is %s, not a text; write %s = [[..]]", key, describe(body), key) end
        return body
    end

    local function check_parameters(list)
        if rawtype(list) ~= "table" or v.record_of(list) then fail("source: parameters is %s; give a list of names", describe(list)) end
        local names, known = {}, {}
        for i = 1, rawlen(list) do
            names[i] = v.check_identifier("source: parameters", list[i])
            if known[names[i]] then fail("source: parameter '%s' appears twice; rename one", names[i]) end
            known[names[i]] = true
        end
        return names
    end

    function spec.source(t)
        v.check_keys("source", t, { "cuda", "glsl", "host", "parameters", "type" })
        local source = { cuda = check_body(t, "cuda"), glsl = check_body(t, "glsl"), host = t.host, line = c.line() }
        if not source.cuda and not source.glsl then fail("source: no body; give cuda = [[..]], glsl = [[..]] or both") end
        if source.host ~= nil and rawtype(source.host) ~= "function" then
            fail("source: host is %s; write host = function(a, b) .. end", describe(source.host))
        end
        if t.type ~= nil then source.type = v.stored_type(t.type, "source: type") end
        if t.parameters ~= nil then source.parameters = check_parameters(t.parameters) end
        return v.new_object(Source, source)
    end

    local function parameters_of(name, source, parameter_names, types)
        local names = source.parameters
        if not names and source.host then
            local count
            count, names = c.parameters(source.host)
            if #names < count then names = nil end
        end
        names = names or parameter_names
        local wanted = name == "combine" and #types or math.min(#types, math.max(1, #names))
        if #names > #types and names ~= parameter_names or name == "combine" and #names ~= wanted then
            fail("%s: its source has %d parameters; it takes %d", name, #names, #types)
        end
        return table.move(names, 1, wanted, 1, {})
    end

    -- Like v.trace, for a source's record.
    function v.opaque(name, source, parameter_names, types, result)
        result = result or source.type
        if not result then fail("%s: a source says nothing of its result; add type = ..", name) end
        if source.type and not v.same_type(source.type, result) then
            fail("%s: its source gives %s, expected %s; correct its type", name, source.type.name, result.name)
        end
        local names, params, used = parameters_of(name, source, parameter_names, types), {}, {}
        for p = 1, #names do params[p], used[p] = { names[p], types[p].handle }, types[p] end
        local line = source.host and c.line_range(source.host)
        local call = source.host and function(...)
            c.at_line(line)
            return v.run_plain(source.host, used, { ... }, result)
        end
        return c.source(name, params, result.handle, source.glsl, source.cuda, call), result
    end
end
