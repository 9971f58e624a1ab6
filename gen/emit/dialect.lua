-- dialect.lua - what dialects have in common: names, helpers, types and their parts. A backend's dialect.lua derives from it and adds
-- what differs: scalar_name, type_name, is_vector, construct, literal, expression, to_words, from_words, kernel_head, shared_memory, ..
--
-- Fields of a dialect: language (key of opaque bodies), index (scalar type of item indices), address (type of an address), family (a folder
-- of templates that several backends use). What cannot be done is error { unsupported = feature, what = "f64 addition" }.

local file = ...
local clike = file "gen/emit/clike.lua"
local parse, anywhere, member = clike.parse, clike.anywhere, clike.member

local dialect = {}
dialect.__index = dialect

-- ---- helpers, names ----

local known_helpers = {} -- by text: every kernel has a dialect of its own

-- The helpers in the file's order, which has each before its users: { name =, text = }.
local function read_helpers(text)
    if known_helpers[text] then return known_helpers[text] end
    local helpers = {}
    for paragraph in (text .. "\n\n"):gmatch("(.-)\n\n") do
        local name = ("\n" .. paragraph):match("\n%a[%w_ ]- ([%w_]+)%(")
        if name then helpers[#helpers + 1] = { name = name, text = paragraph } end
    end
    known_helpers[text] = helpers
    return helpers
end

function dialect:helper(name, ...)
    self.used_helpers[name] = true
    return clike.call(name, ...)
end

-- A constant as the driver's compiler is to see it.
function dialect:veiled_constant(_, expression) return expression end

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

-- A kernel is going to have atomic accesses of 64 bits.
function dialect:use_wide_atomics() end

-- The low word of two that are shifted to the right, by 32 at most, or by fewer.
function dialect.shifted_pair(low, high, shift, is_fewer)
    local text = ("%s >> %s | %s << 1u << (31u - %s)"):format(low, shift, high, shift)
    return is_fewer and text or ("%s == 32u ? %s : %s"):format(shift, high, text)
end

-- The text of a kernel's lines, and the last word on it.
function dialect:finished(lines) return table.concat(lines, "\n") .. "\n" end

-- What a kernel's head must ask for. subgroup 1: it has no subgroup operations.
function dialect:extensions() return {} end

-- Names that users' identifiers must not take, besides the language's own and the helpers'.
-- also(name): whether a further one is reserved.
function dialect:reserve(names, also)
    for _, name in ipairs(names) do self.reserved[name] = true end
    self.reserves = also or self.reserves
end

-- Whether a name is the language's own, or a word of the text. A language adds its rules (gen/emit/c_macros.lua).
function dialect:is_reserved(name)
    return self.reserved[name] or name:find("__", 1, true) ~= nil or self.reserves ~= nil and self.reserves(name)
end

-- A user's name as an identifier: itself where it can be. Different names may become one; who defines several takes free().
function dialect:identifier(name)
    local safe = name:gsub("__+", function(run) return "_" .. #run .. "_" end)
    if not self:is_reserved(safe) then return safe end
    local stem = safe:gsub("_$", "")
    return self:is_reserved(stem .. "_") and stem .. "_2" or stem .. "_"
end

-- The identifier, or that with a number, which no struct or field has; it is taken from then on.
local function free(self, identifier)
    local name, number = identifier, 2
    while self.taken[name] do
        name, number = identifier .. number, number + 1
        if self:is_reserved(name) then name = identifier .. "n" .. number - 1 end
    end
    self.taken[name] = true
    return name
end

-- What a type is, for its text: structs of one name and the same fields are one.
local function signature(T)
    if T.kind ~= "struct" then return T.name end
    local parts = { T.name }
    for _, field in ipairs(T.fields) do parts[#parts + 1] = field.name .. " " .. signature(field.type) end
    return "{" .. table.concat(parts, ", ") .. "}"
end

-- A struct's: templates' locals begin with a small letter, and none ends so.
function dialect:struct_identifier(name)
    local safe = self:identifier(name)
    return safe:find("^%l") and safe:gsub("_$", "") .. "_struct" or safe
end

-- A name for what a spec defines beside types.
function dialect:global_name(name) return free(self, self:identifier(name)) end

-- Names of the structs and fields in the types: those that can stay do, whoever comes first.
function dialect:name_types(types)
    local structs, fields, seen = {}, {}, {}
    local function visit(T)
        if T.kind ~= "struct" or seen[T] or #T.leaves == 0 then return end
        seen[T] = true
        structs[#structs + 1] = T
        for _, field in ipairs(T.fields) do
            fields[#fields + 1] = field.name
            visit(field.type)
        end
    end
    for _, T in ipairs(types) do visit(T) end
    for stays = 1, 0, -1 do
        for _, T in ipairs(structs) do if stays == 0 or self:struct_identifier(T.name) == T.name then self:struct_name(T) end end
    end
    for stays = 1, 0, -1 do
        for _, name in ipairs(fields) do if stays == 0 or self:identifier(name) == name then self:field_name(name) end end
    end
end

function dialect:struct_name(T)
    local known = signature(T)
    local name = self.struct_names[known] or free(self, self:struct_identifier(T.name))
    self.struct_names[known] = name
    return name
end

-- One for all structs: the body of a `source` says x.name of any. No field has a struct's name, which C++ would take for another meaning of it.
function dialect:field_name(name)
    local text = self.field_names[name] or free(self, self:identifier(name))
    self.field_names[name] = text
    return text
end

-- ---- types ----

-- Whether arithmetic on the vec is written as on its components, and a scalar in its constructor stands for all of them.
function dialect:is_vector() return false end

function dialect:struct_definition(name, fields) return "struct " .. name .. " {\n" .. fields .. "};\n" end

-- Definitions of every struct in the types, each once, what it needs before it.
function dialect:definitions(types)
    local seen, texts = {}, {}
    local function visit(T)
        if #T.leaves == 0 then return end
        local known = T.kind == "scalar" and T or self:type_name(T)
        if seen[known] then return end
        seen[known] = true
        if T.kind == "vec" then texts[#texts + 1] = self:vector_definition(T) end
        if T.kind ~= "struct" then return end
        local lines = {}
        for _, field in ipairs(T.fields) do
            visit(field.type)
            lines[#lines + 1] = "    " .. self:type_name(field.type) .. " " .. self:field_name(field.name) .. ";\n"
        end
        texts[#texts + 1] = self:struct_definition(self:type_name(T), table.concat(lines))
    end
    for _, T in ipairs(types) do visit(T) end
    return table.concat(texts, "\n")
end

-- The definition of a vec's type; nil where the language has it.
function dialect:vector_definition() return nil end

-- Component i, from 1, of a vec.
function dialect:component(_, e, i) return member(e, ("xyzw"):sub(i, i)) end

-- The parts of a type: { type =, access = function(e) -> expression } each; nil for a scalar.
function dialect:parts(T)
    if T.kind == "scalar" then return nil end
    local parts = self.known_parts[T]
    if parts then return parts end
    parts = {}
    self.known_parts[T] = parts
    for i = 1, T.kind == "vec" and T.length or #T.fields do
        local field = T.fields and T.fields[i]
        local name = field and self:field_name(field.name)
        parts[i] = {
            type = field and field.type or T.element,
            access = function(e) return name and member(e, name) or self:component(T, e, i) end,
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

-- A struct or vec of the values in `list`, a text.
function dialect:construct(T, list) return self:type_name(T) .. "(" .. list .. ")" end

-- A scalar as it must be where construct() takes it.
function dialect:stored(_, e) return e end

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
        return self:construct(U, table.concat(built, ", "))
    end
    return build(T)
end

-- ---- expressions ----

-- expression() on texts, for use anywhere.
function dialect:apply(op, result, operand, texts)
    local arguments = {}
    for i, text in ipairs(texts) do arguments[i] = parse(text) end
    return anywhere(self:expression(op, result, operand, arguments))
end

-- What stands before a function's body. `exact`: a product may meet a sum in it or in its callers, which must not become one fused operation.
function dialect:function_head(type_name, name, parameters) return type_name .. " " .. name .. "(" .. table.concat(parameters, ", ") .. ")" end

-- A class of dialects.
function dialect.derive(class)
    class.__index = class
    return setmetatable(class, dialect)
end

local known_reserved = {} -- by list

-- A dialect of the class for a device; helpers: a text, one paragraph a helper; reserved: the language's own names.
function dialect.new(class, device, helpers, reserved)
    local d = setmetatable({ device = device, used_features = {}, used_helpers = {}, all_helpers = read_helpers(helpers), known_parts = {},
        taken = {}, struct_names = {}, field_names = {}, tables = {} }, class)
    if not known_reserved[reserved] then
        d.reserved = {}
        d:reserve(reserved)
        for _, helper in ipairs(d.all_helpers) do d.reserved[helper.name] = true end
        known_reserved[reserved] = { __index = d.reserved }
    end
    d.reserved = setmetatable({}, known_reserved[reserved])
    return d
end

return dialect
