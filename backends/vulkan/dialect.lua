-- dialect.lua - types, constants and operations in GLSL 4.60 for Vulkan, on devices with and without 8-, 16- and 64-bit types.
--
-- Values in registers: 8- and 16-bit integers are uint or int, always in their range; a 64-bit type that the device lacks is the uvec2 of its
-- words, an f16 a uint with its bits. The chunk is called with a function that gives embedded files: a .lua file's value, another's text.
--
--   local d = new_dialect { int8 = true, int16 = true, int64 = true, float16 = true, float64 = true }  -- what the device has
--
-- What cannot be emulated is error { unsupported = "float64", what = "f64 addition" }.

local file = ...
local clike = file "gen/clike.lua"
local operations = file "backends/vulkan/operations.lua"
local reserved = file "backends/vulkan/reserved.lua"
local atom, call, parse, anywhere, member = clike.atom, clike.call, clike.parse, clike.anywhere, clike.member

local EXTENSION = "GL_EXT_shader_explicit_arithmetic_types_"
local FEATURES = { "float16", "float64", "int16", "int64", "int8" }
-- double is in GLSL itself
local EXTENSION_OF = { int8 = "int8", int16 = "int16", int64 = "int64", float16 = "float16" }
local FEATURE_OF = { u8 = "int8", i8 = "int8", u16 = "int16", i16 = "int16", u64 = "int64", i64 = "int64", f16 = "float16", f64 = "float64" }
local NATIVE = {
    bool = "bool", u8 = "uint8_t", i8 = "int8_t", u16 = "uint16_t", i16 = "int16_t", u32 = "uint", i32 = "int",
    u64 = "uint64_t", i64 = "int64_t", f16 = "float16_t", f32 = "float", f64 = "double",
}
local VECTOR = { uint = "uvec", int = "ivec", float = "vec", double = "dvec", uint64_t = "u64vec", int64_t = "i64vec", float16_t = "f16vec" }
local SMALL = { u8 = "uint", i8 = "int", u16 = "uint", i16 = "int" }

local SHUFFLES = { uint = true, int = true, float = true, uvec2 = true }

-- index: the scalar type of item indices; qualifier: what stands before every function.
local dialect = { language = "glsl", index = "u32", address = "uvec2", qualifier = "" }
dialect.__index = dialect

-- ---- features, helpers, names ----

-- Whether the device has the type; it counts as used then.
function dialect:has(scalar)
    local feature = FEATURE_OF[scalar]
    if not feature then return true end
    if not self.device[feature] or (scalar == "f16" and not self:has("u16")) then return false end -- an f16's bits are a u16
    self.used_features[feature] = true
    return true
end

function dialect:unsupported(scalar, what) error { unsupported = FEATURE_OF[scalar], what = what } end

function dialect:helper(name, ...)
    self.used_helpers[name] = true
    return call(name, ...)
end

-- The helpers in the file's order, which has each before its users: { name =, text = }.
local function read_helpers(text)
    local helpers = {}
    for paragraph in (text .. "\n\n"):gmatch("(.-)\n\n") do
        local name = ("\n" .. paragraph):match("\n%a[%w_ ]- ([%w_]+)%(")
        if name then helpers[#helpers + 1] = { name = name, text = paragraph } end
    end
    return helpers
end

-- Texts of the helpers used so far and of those that they use.
function dialect:helpers()
    local needed, texts = {}, {}
    for name in pairs(self.used_helpers) do needed[name] = true end
    for i = #self.all_helpers, 1, -1 do
        local helper = self.all_helpers[i]
        if needed[helper.name] then
            for word in helper.text:gmatch("[%a_][%w_]*") do needed[word] = true end
            table.insert(texts, 1, helper.text)
        end
    end
    return #texts > 0 and table.concat(texts, "\n\n") .. "\n" or ""
end

-- { int64 = true, .. }: what the texts made so far need of the device.
function dialect:features() return self.used_features end

-- The GLSL extensions of a kernel, sorted. subgroup 1: it has no subgroup operations.
function dialect:extensions(subgroup)
    local names = { "GL_EXT_buffer_reference_uvec2", "GL_EXT_control_flow_attributes", "GL_EXT_scalar_block_layout", "GL_KHR_memory_scope_semantics" }
    if subgroup > 1 then
        for _, name in ipairs { "basic", "shuffle", "shuffle_relative" } do names[#names + 1] = "GL_KHR_shader_subgroup_" .. name end
    end
    for _, feature in ipairs(FEATURES) do
        if self.used_features[feature] and EXTENSION_OF[feature] then names[#names + 1] = EXTENSION .. EXTENSION_OF[feature] end
    end
    table.sort(names)
    return names
end

-- Names that users' identifiers must not take, besides GLSL's own and the helpers'.
function dialect:reserve(names)
    for _, name in ipairs(names) do self.reserved[name] = true end
end

-- A user's name as an identifier: GLSL keeps some words and every "__" and "gl_" to itself.
function dialect:identifier(name)
    local safe = name:gsub("__+", function(run) return "_" .. #run .. "_" end)
    if self.reserved[name] or name:find("^gl_") then return (safe:gsub("^gl_", "gl")) .. "_" end
    return safe
end

-- ---- types ----

function dialect:scalar_name(scalar)
    if SMALL[scalar] then return SMALL[scalar] end
    if self:has(scalar) then return NATIVE[scalar] end
    return scalar == "f16" and "uint" or "uvec2"
end

function dialect:type_name(T)
    if T.kind == "struct" then return self:identifier(T.name) end
    local scalar = self:scalar_name(T.scalar)
    if T.kind == "scalar" then return scalar end
    return VECTOR[scalar] and VECTOR[scalar] .. T.length or scalar .. "[" .. T.length .. "]"
end

-- Whether arithmetic on the vec is written as on its components, and a scalar in its constructor stands for all of them.
function dialect:is_vector(T)
    return T.kind == "vec" and not SMALL[T.scalar] and self:has(T.scalar)
end

-- Definitions of every struct in the types, each once, what it needs before it.
function dialect:definitions(types)
    local seen, texts = {}, {}
    local function visit(T)
        if T.kind ~= "struct" or seen[T] then return end
        seen[T] = true
        local lines = {}
        for _, field in ipairs(T.fields) do
            visit(field.type)
            lines[#lines + 1] = "    " .. self:type_name(field.type) .. " " .. self:identifier(field.name) .. ";\n"
        end
        texts[#texts + 1] = "struct " .. self:type_name(T) .. " {\n" .. table.concat(lines) .. "};\n"
    end
    for _, T in ipairs(types) do visit(T) end
    return table.concat(texts, "\n")
end

-- The parts of a type: { type =, access = function(e) -> expression } each; nil for a scalar.
function dialect:parts(T)
    if T.kind == "scalar" then return nil end
    local parts = {}
    for i = 1, T.kind == "vec" and T.length or #T.fields do
        local field = T.fields and T.fields[i]
        local name = field and self:identifier(field.name) or ("xyzw"):sub(i, i)
        local indexed = T.kind == "vec" and not VECTOR[self:scalar_name(T.scalar)]
        parts[i] = {
            type = field and field.type or T.element,
            access = function(e) return indexed and parse(anywhere(e) .. "[" .. i - 1 .. "]") or member(e, name) end,
        }
    end
    return parts
end

function dialect:leaf_expression(T, e, index)
    for _, part in ipairs(self:parts(T) or {}) do
        if index <= #part.type.leaves then return self:leaf_expression(part.type, part.access(e), index) end
        index = index - #part.type.leaves
    end
    return e
end

-- Text of leaf `index` (from 1) of the value `text`.
function dialect:leaf(T, text, index) return self:leaf_expression(T, parse(text), index).text end

-- The value with these leaves.
function dialect:build(T, texts)
    local next_leaf = 0
    local function build(U)
        local parts = self:parts(U)
        if not parts then
            next_leaf = next_leaf + 1
            return texts[next_leaf]
        end
        local built = {}
        for i, part in ipairs(parts) do built[i] = build(part.type) end
        return self:type_name(U) .. "(" .. table.concat(built, ", ") .. ")"
    end
    return build(T)
end

-- ---- memory ----

-- The type that has the scalar's bytes in a buffer (scalar layout), nil when there is none.
function dialect:memory_type(scalar)
    if self:has(scalar) then return NATIVE[scalar] end
    if scalar == "f16" and self:has("u16") then return "uint16_t" end
    return (scalar == "u64" or scalar == "i64" or scalar == "f64") and "uvec2" or nil
end

function dialect:from_memory(scalar, text)
    if SMALL[scalar] then return call(SMALL[scalar], parse(text)).text end
    if scalar == "f16" and not self:has("f16") then return call("uint", parse(text)).text end
    return text
end

function dialect:to_memory(scalar, text)
    if SMALL[scalar] then return call(self:memory_type(scalar), parse(text)).text end
    if scalar == "f16" and not self:has("f16") then return call("uint16_t", parse(text)).text end
    return text
end

-- A scalar's bits in a type that shuffles, as an expression: narrow ones zero-extended, 64 as a pair of words; and back.
function dialect:to_bits(scalar, e) return operations.bits_of(self, scalar, e) end
function dialect:from_bits(scalar, e) return operations.value_of(self, scalar, e) end

-- The scalar's bits as one or two uint, narrow ones zero-extended.
function dialect:to_words(scalar, text)
    local bits = self:to_bits(scalar, parse(text))
    if not operations.is_wide(scalar) then return { bits.text } end
    return { member(bits, "x").text, member(bits, "y").text }
end

-- The value with these bits; of a narrow scalar's word the upper bits are ignored.
function dialect:from_words(scalar, texts)
    local word = parse(texts[1])
    if operations.is_wide(scalar) then word = call("uvec2", word, parse(texts[2])) end
    return anywhere(self:from_bits(scalar, word))
end

-- ---- kernels ----

function dialect:kernel_head() return "void main()" end

function dialect:shared_array(type_name, name, count) return ("shared %s %s[%s];"):format(type_name, name, count) end

-- Whether subgroups shuffle the type as it is held in registers; else its parts, a scalar's bits.
function dialect:can_shuffle(T)
    if T.kind == "struct" then return false end
    local scalar = self:scalar_name(T.scalar)
    return SHUFFLES[scalar] and (T.kind == "scalar" or VECTOR[scalar]) and true or false
end

-- ---- expressions ----

-- One operation; arguments and result are expressions of clike.lua, an argument that is a literal has its `bits`.
function dialect:expression(op, result, operand, arguments) return operations.apply(self, op, result, operand, arguments) end

-- The same on texts, for use anywhere.
function dialect:apply(op, result, operand, texts)
    local arguments = {}
    for i, text in ipairs(texts) do arguments[i] = parse(text) end
    return anywhere(self:expression(op, result, operand, arguments))
end

function dialect:literal(scalar, bits)
    local e = operations.literal(self, scalar, bits)
    e.bits = bits
    return e
end

-- What stands before a function's body. `exact`: a product may meet a sum in it or in its callers, which must not become one fused operation;
-- on a function `precise` covers all that its result is made of.
function dialect:function_head(type_name, name, parameters, exact)
    return (exact and "precise " or "") .. type_name .. " " .. name .. "(" .. table.concat(parameters, ", ") .. ")"
end

return function(device)
    local d = setmetatable({ device = device, used_features = {}, used_helpers = {}, reserved = {} }, dialect)
    d.all_helpers = read_helpers(file "backends/vulkan/helpers.glsl")
    d:reserve(reserved)
    for _, helper in ipairs(d.all_helpers) do d.reserved[helper.name] = true end
    return d
end
