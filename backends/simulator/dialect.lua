-- dialect.lua - C11 for a simulated machine (machine.h), which the tests run: the C family with what C lacks.

local file = ...

local dialect = file "gen/emit/c_dialect.lua" {
    language = "c",
    qualifier = "static ",
    constants = "static const ",
    functions = {
        u32_popcount = "__builtin_popcount", u64_popcount = "__builtin_popcountll", f32_isnan = "isnan", f64_isnan = "isnan", f32_abs = "fabsf",
            f64_abs = "fabs",
    },
    helpers = file "backends/simulator/helpers.h" .. "\n" .. file "backends/c/helpers.h",
    reserved = file "backends/simulator/reserved.lua",
    update = function(memory, what, place, operand)
        return ("ms_machine_running->update(__LINE__, (u64)&%s, sizeof %s, MS_%s, %s, 0u, MS_RELAXED)"):format(place, place, what:upper(), operand)
    end,
    construct = function(type_name, list) return "(" .. type_name .. "){" .. list .. "}" end,
    kernel_head = function(entry) return ("MS_KERNEL void %s(Parameters params)"):format(entry) end,
}

-- GLSL and C++ call a type's name to make a value of it, and have constants; here macros do that.
local function in_c(text)
    return (("\n" .. text)
        :gsub("\nconst %l+%d* ([A-Z_0-9]+) = (.-);", "\n#define %1 (%2)")
        :gsub("\n(struct ([%a_][%w_]*) {)", "\ntypedef struct %2 %2;\n%1")
        :gsub("\n(typedef [^\n]- %*([%a_][%w_]*);)", "\n%1\n#define %2(address) ((%2)(address))")
        :sub(2))
end

local function buffer_type(_, name, element)
    return ("struct %s {\n    %s *at;\n};\n#define %s(address) ((%s){(%s *)(address)})"):format(name, element, name, name, element)
end

return function(device)
    local d = dialect(device)
    local arrays = 0
    function d:shared_memory(type_name, name, count)
        arrays = arrays + 1
        return ("#define %s (%s(%s *)ms_machine_running->shared(__LINE__, %du, (%s) * sizeof(%s)))"):format(name, count and "" or "*", type_name,
            arrays - 1, count or "1", type_name)
    end
    d.buffer_type = buffer_type
    local qualified = d.finished
    function d:finished(lines) return in_c(qualified(self, lines)) end
    return d
end
