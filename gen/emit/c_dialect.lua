-- c_dialect.lua - the dialects of the C family: CUDA C++, and plain C. Structs lie in memory as they are held in registers.
--
-- Types: u8 i8 u16 i16 uint int u64 i64 f16 float double bool; the prelude defines those that the language lacks, f16 as the u16 of its bits.
-- A vec is a struct of its components, f32x3.
--
--   return new_family { .. }   -- a chunk's value: function(device) -> dialect
-- A language has
--   language     key of opaque bodies: "cuda"
--   qualifier    what stands before every function; long_qualifier: before one that is not to be inlined, where the language says so
--   functions    spelling of primitives, and of `max` for every `TYPE_max`; a primitive without one, or with false, is a helper of that name
--   products     { f32 = function, f64 = function } that rounds a product by itself; none: the operator does
--   quotients    { f32 = function, f64 = function } for divisions by a zero that is written out, of which the compiler warns; none: the operator does
--   narrowings   { i16 = helper } that makes one of any integer, as an int in its range; none: the cast does
--   helpers      text, a paragraph each; reserved: names that users' must not take
--   construct(type_name, list), kernel_head(entry, resident, helpers, cluster), shared_memory(type_name, name, count, is_aligned),
--   struct_definition(name, fields),
--   buffer_type(name, element, alignment, is_global): a type of arrays at an address, NAME(address).at[i]
--   moves_whole_items: whether loads and stores of 8 and 16 bytes are worth an alignment
--   dynamic_array(name, first, offset): an array of uint in shared memory that comes with the launch, `offset` words after the array `first`, or, if
--     that is nil, at its start
--   constants: what stands before an array of constants
--   update(memory, what, place, operand): an atomic "add" or "max" that orders nothing else and returns what was there; memory "shared" or
--   "device"
--   shifted_pair(low, high, shift): the low word of both shifted to the right, by 32 at most; none: the usual operators

local file = ...
local base = file "gen/emit/dialect.lua"
local clike = file "gen/emit/clike.lua"
local literal = file "gen/emit/c_literals.lua"
local macros = file "gen/emit/c_macros.lua"
local operations = file "gen/emit/c_operations.lua"
local cast, infix, parse = clike.cast, clike.infix, clike.parse

local NAME = { bool = "bool", u8 = "u8", i8 = "i8", u16 = "u16", i16 = "i16", u32 = "uint", i32 = "int", u64 = "u64", i64 = "i64", f16 = "f16",
    f32 = "float", f64 = "double" }

local dialect = base.derive { index = "u64", address = "u64", family = "backends/c/" }

function dialect:primitive(name, ...)
    local functions = self.lang.functions
    local spelled = functions[name]
    if spelled == nil then spelled = functions[name:match("^%w+_(.*)$")] end
    return spelled and clike.call(spelled, ...) or self:helper(name, ...)
end

-- A product of floats, rounded before anything is done with it.
function dialect:product(s, a, b)
    local name = self.lang.products and self.lang.products[s]
    return name and clike.call(name, a, b) or infix("*", a, b)
end

-- ---- names ----

function dialect:is_reserved(name) return base.is_reserved(self, name) or name:find("^_%u") ~= nil or macros(name) end

function dialect:identifier(name) return base.identifier(self, (name:gsub("^_+(%u)", "%1"))) end

-- ---- types ----

function dialect:scalar_name(scalar) return NAME[scalar] end

function dialect:type_name(T)
    if T.kind == "struct" then return self:struct_name(T) end
    return T.kind == "vec" and T.scalar .. "x" .. T.length or NAME[T.scalar]
end

function dialect:struct_definition(name, fields) return (self.lang.struct_definition or base.struct_definition)(self, name, fields) end

function dialect:vector_definition(T)
    local names = { "x", "y", "z", "w" }
    return self:struct_definition(self:type_name(T), ("    %s %s;\n"):format(NAME[T.scalar], table.concat(names, ", ", 1, T.length)))
end

function dialect:construct(T, list) return self.lang.construct(self:type_name(T), list) end

-- A list in braces takes no int for a narrow type.
function dialect:stored(s, e) return e.promoted and cast(NAME[s], e) or e end

-- ---- tables of constants ----

local BITS = { f32 = "u32", f64 = "u64" }

function dialect:table_form(t, is_plain)
    local bits = not is_plain and BITS[t.type]
    local form = { type_name = NAME[bits or t.type], literal = function(raw) return self:literal(bits or t.type, raw) end }
    function form.decode(e) return self:from_bits(t.type, e) end
    if not bits then form.decode = nil end
    return form
end

function dialect:constant_array(type_name, name, count) return ("%s%s %s[%d]"):format(self.lang.constants, type_name, name, count) end

-- ---- memory and other lanes ----

-- How a group of `vector` items is moved: type_name, of an item; align, of the array's address; group_align, that of the whole group in an aligned
-- array. For a type with
-- padding, fields of a struct that has the padding as fields { type_name, name, count|nil } and padded_item(struct, item), its value.
function dialect:memory_codec(T, vector)
    local codec = { type_name = self:type_name(T), align = T.align, fields = {}, group_align = 16 }
    while vector * T.size % codec.group_align ~= 0 do codec.group_align = codec.group_align // 2 end
    local at = 0
    local function fill(offset)
        if offset > at then codec.fields[#codec.fields + 1] = { type_name = "u8", name = "gap" .. at, count = offset - at } end
    end
    for i, leaf in ipairs(T.leaves) do
        fill(leaf.offset)
        codec.fields[#codec.fields + 1] = { type_name = NAME[leaf.scalar], name = "leaf" .. i, leaf = i }
        at = leaf.offset + operations.bytes(leaf.scalar)
    end
    fill(T.size)
    function codec.padded_item(struct, item)
        local texts = {}
        for i, field in ipairs(codec.fields) do texts[i] = field.leaf and self:leaf(T, item, field.leaf) or "{0}" end
        return self.lang.construct(struct, table.concat(texts, ", "))
    end
    return codec
end

-- A scalar's bits as an expression of type uint or u64, narrow ones zero-extended; and back.
function dialect:to_bits(scalar, e) return operations.bits_of(self, scalar, e) end
function dialect:from_bits(scalar, e) return operations.value_of(self, scalar, e) end

-- The scalar's bits as one or two uint, narrow ones zero-extended.
function dialect:to_words(scalar, text)
    local bits = self:to_bits(scalar, parse(text))
    if not operations.is_wide(scalar) then return { bits.text } end
    return { cast("uint", bits).text, cast("uint", infix(">>", bits, clike.atom "32")).text }
end

-- The value with these bits; of a narrow scalar's word the upper bits are ignored.
function dialect:from_words(scalar, texts)
    local bits = parse(texts[1])
    if operations.is_wide(scalar) then bits = infix("|", infix("<<", cast("u64", parse(texts[2])), clike.atom "32"), bits) end
    return self:from_bits(scalar, bits).text
end

-- Whether subgroups shuffle the type as it is held in registers; else its parts, a scalar's bits.
function dialect:can_shuffle(T) return T.kind == "scalar" and not operations.is_narrow(T.scalar) end

-- ---- kernels and expressions ----

-- The language's mark on every function: a head begins in the first column, and its `{` stands alone on the next line.
function dialect:finished(lines)
    for i, line in ipairs(lines) do
        local head = line == "{" and lines[i - 1]
        if head and head:find("^[%a_][%w_]* [%a_][%w_]*%b()$") then lines[i - 1] = self.lang.qualifier .. head end
    end
    return base.finished(self, lines)
end

function dialect:function_head(type_name, name, parameters, _, is_long)
    return (is_long and self.lang.long_qualifier or "") .. base.function_head(self, type_name, name, parameters)
end

function dialect:kernel_head(...) return self.lang.kernel_head(...) end
function dialect:struct_value(name, fields) return self.lang.construct(name, fields) end
function dialect:buffer_type(...) return self.lang.buffer_type(...) end
function dialect:dynamic_array(name, first, offset) return self.lang.dynamic_array(name, first, offset) end
function dialect:update(...) return self.lang.update(...) end
function dialect:shared_memory(type_name, name, count, is_aligned) return self.lang.shared_memory(type_name, name, count, is_aligned) end
function dialect:literal(scalar, bits) return literal(self, scalar, bits) end
function dialect:expression(op, result, operand, arguments) return operations.apply(self, op, result, operand, arguments) end

return function(language)
    return function(device)
        local d = base.new(dialect, device, language.helpers, language.reserved)
        d.shifted_pair = language.shifted_pair
        d.lang, d.language, d.moves_whole_items = language, language.language, language.moves_whole_items
        for _, name in pairs(NAME) do d.reserved[name] = true end
        for _, name in pairs(language.functions) do d.reserved[name] = true end
        for scalar in pairs(NAME) do
            for length = 2, 4 do d.reserved[scalar .. "x" .. length] = true end
        end
        return d
    end
end
