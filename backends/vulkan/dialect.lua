-- dialect.lua - types, constants and operations in GLSL 4.60 for Vulkan, on devices with and without 8-, 16- and 64-bit types.
--
-- Values in registers: 8- and 16-bit integers are uint or int, always in their range; a 64-bit type that the device lacks is the uvec2 of its
-- words, an f16 a uint with its bits. The chunk is called with a function that returns embedded files: a .lua file's value, another's text.
--
--   local d = new_dialect { int8 = true, int16 = true, int64 = true, float16 = true, float64 = true, long_loops = true } -- what the device has
--
-- What cannot be emulated is error { unsupported = "float64", what = "f64 addition" }.

local file = ...
local base = file "gen/emit/dialect.lua"
local clike = file "gen/emit/clike.lua"
local operations = file "backends/vulkan/operations.lua"
local literals = file "backends/vulkan/literals.lua"
local reserved = file "backends/vulkan/reserved.lua"
local call, parse, anywhere, member = clike.call, clike.parse, clike.anywhere, clike.member

local EXTENSION = "GL_EXT_shader_explicit_arithmetic_types_"
local FEATURES = { "atomic64", "float16", "float64", "int16", "int64", "int8" }
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

local dialect = base.derive { language = "glsl", moves_whole_items = true, index = "u32", address = "uvec2" }

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

-- The GLSL extensions of a kernel, sorted. subgroup 1: it has no subgroup operations.
function dialect:extensions(subgroup)
    local names = { "GL_EXT_buffer_reference_uvec2", "GL_EXT_control_flow_attributes", "GL_EXT_scalar_block_layout", "GL_KHR_memory_scope_semantics" }
    if subgroup > 1 then
        for _, name in ipairs { "ballot", "basic", "shuffle", "shuffle_relative" } do names[#names + 1] = "GL_KHR_shader_subgroup_" .. name end
        if self.device.uniform_control_flow then names[#names + 1] = "GL_EXT_subgroup_uniform_control_flow" end
    end
    for _, feature in ipairs(FEATURES) do
        if self.used_features[feature] and EXTENSION_OF[feature] then names[#names + 1] = EXTENSION .. EXTENSION_OF[feature] end
    end
    if self.used_features.atomic64 then names[#names + 1] = "GL_EXT_shader_atomic_int64" end
    table.sort(names)
    return names
end

-- What in a text needs a line of its head.
local NEEDED_FOR = {
    ["#extension GL_EXT_control_flow_attributes : require\n"] = "UNROLL for", ["#define UNROLL [[unroll]]\n"] = "UNROLL for",
    ["#extension GL_KHR_shader_subgroup_ballot : require\n"] = "subgroupBallot(",
        ["#extension GL_KHR_shader_subgroup_basic : require\n"] = "gl_Subgroup",
    ["#extension GL_KHR_shader_subgroup_shuffle : require\n"] = "subgroupShuffle(",
    ["#extension GL_KHR_shader_subgroup_shuffle_relative : require\n"] = "subgroupShuffleUp(",
}

local UNIFORM_CONTROL_FLOW = { "#extension GL_EXT_subgroup_uniform_control_flow : require\n", "[[subgroup_uniform_control_flow]]\n" }

local function without(text, line)
    local first, last = text:find(line, 1, true)
    return first and text:sub(1, first - 1) .. text:sub(last + 1) or text
end

-- Without those lines that nothing needs.
function dialect:finished(lines)
    local text = base.finished(self, lines)
    for line, use in pairs(NEEDED_FOR) do
        if not text:find(use, 1, true) then text = without(text, line) end
    end
    self.used_features.uniform_control_flow = self.device.uniform_control_flow and text:find("subgroup%u%a*%(") ~= nil
    if not self.used_features.uniform_control_flow then
        for _, line in ipairs(UNIFORM_CONTROL_FLOW) do text = without(text, line) end
    end
    return text
end

-- GLSL keeps every "gl_" to itself too, and extensions are macros.
function dialect:is_reserved(name) return base.is_reserved(self, name) or name:find("^[gG][lL]_") ~= nil end
function dialect:identifier(name) return base.identifier(self, (name:gsub("^([gG][lL])_+", "%1"))) end

-- ---- types ----

function dialect:scalar_name(scalar)
    if SMALL[scalar] then return SMALL[scalar] end
    if self:has(scalar) then return NATIVE[scalar] end
    return scalar == "f16" and "uint" or "uvec2"
end

function dialect:type_name(T)
    if T.kind == "struct" then return self:struct_name(T) end
    local scalar = self:scalar_name(T.scalar)
    if T.kind == "scalar" then return scalar end
    return VECTOR[scalar] and VECTOR[scalar] .. T.length or scalar .. "[" .. T.length .. "]"
end

function dialect:is_vector(T)
    return T.kind == "vec" and not SMALL[T.scalar] and self:has(T.scalar)
end

function dialect:component(T, e, i)
    if VECTOR[self:scalar_name(T.scalar)] then return base.component(self, T, e, i) end
    return parse(anywhere(e) .. "[" .. i - 1 .. "]")
end

-- ---- tables of constants ----

local PACKED = { u8 = 2, i8 = 2, u16 = 1, i16 = 1, f16 = 1 } -- log2 of how many are in a word
local BITS = { f32 = { "uint", "u32", "word" }, f64 = { "uvec2", "u64", "pair" } } -- type, scalar, how it is held (operations.lua)

-- Narrow entries are packed: a driver may copy an array to where it is indexed.
local function packed_form(self, t)
    local log2, is_signed = PACKED[t.type], t.type:find "^i" ~= nil
    local form = { type_name = "uint", per_word = 1 << log2, literal = function(word) return clike.atom(("0x%08xu"):format(word)) end }
    function form.accessor(name, array)
        local word = ("%s[i >> %du]"):format(array, log2)
        return ("%s %s(uint i)\n{\n    return bitfieldExtract(%s, int(i & %du) << %d, %d);\n}\n"):format(is_signed and "int" or "uint", name,
            is_signed and "int(" .. word .. ")" or word, (1 << log2) - 1, 5 - log2, 32 >> log2)
    end
    if t.type == "f16" then form.decode = function(e) return self:expression("bitcast", "f16", "u16", { e }) end end
    return form
end

function dialect:table_form(t, is_plain)
    local scalar = t.type
    if PACKED[scalar] then return packed_form(self, t) end
    local is_held_as_bits = BITS[scalar] and self:has(scalar) and not is_plain
    if not is_held_as_bits then
        return { type_name = self:scalar_name(scalar), literal = function(bits) return self:literal(scalar, bits) end }
    end
    local type_name, integer, held = table.unpack(BITS[scalar])
    return { type_name = type_name, literal = function(bits) return literals(integer, held, bits) end,
        decode = function(e) return self:from_bits(scalar, e) end }
end

-- Of a const array glslang makes a look-up table, which GPUs' drivers keep in constant memory. llvmpipe, the only device without long loops, copies
-- it wherever it is indexed, and takes minutes to compile that; a variable it fills once a thread.
function dialect:constant_array(type_name, name, count)
    return ("%s%s %s[%d]"):format(self.device.long_loops and "const " or "", type_name, name, count)
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

-- The value with these bits; a narrow scalar's begin at bit `shift` of its word (none: 0), whose other bits are ignored.
function dialect:from_words(scalar, texts, shift)
    local word = parse(texts[1])
    if operations.is_wide(scalar) then word = call("uvec2", word, parse(texts[2])) end
    return anywhere(operations.value_of(self, scalar, word, shift))
end

dialect.memory_codec = file "backends/vulkan/memory_codec.lua"

-- ---- kernels ----

function dialect:kernel_head()
    return self.device.uniform_control_flow and "void main()\n[[subgroup_uniform_control_flow]]" or "void main()"
end

-- A type of arrays at a device address: NAME(address).at[i].
function dialect:struct_value(name, fields) return ("%s(%s)"):format(name, fields) end

function dialect:buffer_type(name, element, alignment)
    return ("layout(buffer_reference, scalar, buffer_reference_align = %d) buffer %s {\n    %s at[];\n};"):format(alignment, name, element)
end

-- Descriptors of 64-bit words, and counters of them, need these.
function dialect:use_wide_atomics()
    self.used_features.atomic64, self.used_features.int64 = true, true
end

function dialect:update(memory, what, place, operand)
    return ("atomic%s(%s, %s, %s, gl_StorageSemanticsNone, gl_SemanticsRelaxed)"):format(what == "add" and "Add" or "Max", place, operand,
        memory == "shared" and "gl_ScopeWorkgroup" or "gl_ScopeDevice")
end

function dialect:shared_memory(type_name, name, count) return ("shared %s %s%s;"):format(type_name, name, count and "[" .. count .. "]" or "") end

-- Whether subgroups shuffle the type as it is held in registers; else its parts, a scalar's bits.
function dialect:can_shuffle(T)
    if T.kind == "struct" then return false end
    local scalar = self:scalar_name(T.scalar)
    return SHUFFLES[scalar] and (T.kind == "scalar" or VECTOR[scalar]) and true or false
end

-- ---- expressions ----

-- One operation; arguments and result are expressions of clike.lua, an argument that is a literal has its `bits`.
function dialect:expression(op, result, operand, arguments) return operations.apply(self, op, result, operand, arguments) end

function dialect:veiled_constant(scalar, e) return operations.veiled_constant(self, scalar, e) end

function dialect:literal(scalar, bits)
    local e = operations.literal(self, scalar, bits)
    e.bits = bits
    return e
end

-- On a function `precise` covers all that its result is made of.
function dialect:function_head(type_name, name, parameters, exact)
    return (exact and "precise " or "") .. base.function_head(self, type_name, name, parameters)
end

return function(device) return base.new(dialect, device, file "backends/vulkan/helpers.glsl", reserved) end
