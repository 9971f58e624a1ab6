-- printer.lua - a traced function (gen/expr/expr_lua.c) as the text of a function, written as one would by hand, in any dialect.
--
-- What the text looks like is decided in three steps: layout() finds whole values among the leaves (a parameter, a choice between two
-- values, arithmetic on vectors); count_uses() finds what is worth a name; write_nodes() makes expressions and locals in the trace's order.
--
-- A dialect d (gen/emit/dialect.lua) has: language, identifier(name), type_name(T), scalar_name(s), is_vector(T), parts(T), construct(T, list),
-- stored(s, e), leaf_expression(T, e, leaf), literal(s, bits), expression(op, result, operand, arguments), function_head(type, name, parameters,
-- exact, is_long), and what gen/emit/tables.lua says.

local file = ...
local clike = file "gen/emit/clike.lua"
local tables = file "gen/emit/tables.lua"

local LINE_COLUMNS = 110
local EXPRESSION_COLUMNS = 84 -- a longer one is cut by naming its longest operand
local INDENT = "    "
local LONG_NODES = 320 -- of a function that is called rather than copied to each of its calls
local MAX_BODY_BYTES = 64 << 10 -- compilers take some seconds for this

local NAMES = {
    add = "sum", sub = "difference", mul = "product", div = "quotient", floordiv = "quotient", mod = "remainder", neg = "negated", ["and"] = "masked",
    ["or"] = "merged", xor = "mixed", ["not"] = "inverted", shl = "shifted", shr = "shifted", where = "chosen", lt = "is_less", le = "is_at_most",
    gt = "is_greater", ge = "is_at_least", eq = "is_same", ne = "is_different", land = "both", lor = "either", lnot = "is_not", min = "least",
    max = "greatest", abs = "magnitude", fma = "sum", mulhi = "high", sqrt = "root", rsqrt = "inverse_root", exp = "power", exp2 = "power",
    log = "logarithm", log2 = "logarithm", sin = "sine", cos = "cosine", tanh = "tangent", floor = "floored", ceil = "raised", round = "rounded",
    trunc = "truncated", popcount = "population", clz = "leading_zeros", ctz = "trailing_zeros", bitreverse = "reversed", rotl = "rotated",
    rotr = "rotated", isnan = "is_nan", convert = "converted", bitcast = "bits", table = "entry",
}
local IS_FLOAT = { f16 = true, f32 = true, f64 = true }
-- Operators that read the same on vectors.
local VECTOR_OPS = { add = true, sub = true, mul = true, neg = true, ["and"] = true, ["or"] = true, xor = true, ["not"] = true }

-- ---- layout: the result as a tree of whole values ----
-- { node = id } | { move = expression } | { select = id, a = tree, b = tree } | { vector = op, scalar =, arguments = {trees} }
-- | { splat = id } | { build = T, parts = {trees} }

-- The part of the value e of type T that begins at the leaf and has type `wanted`.
local function find_part(d, T, e, leaf, wanted)
    if T == wanted and leaf == 1 then return e end
    for _, part in ipairs(d:parts(T) or {}) do
        if leaf <= #part.type.leaves then return find_part(d, part.type, part.access(e), leaf, wanted) end
        leaf = leaf - #part.type.leaves
    end
end

local function find_move(self, T, ids)
    local first = self.fn.nodes[ids[1]]
    if first.op ~= "input" then return nil end
    for i, id in ipairs(ids) do
        local node = self.fn.nodes[id]
        if node.op ~= "input" or node.param ~= first.param or node.leaf ~= first.leaf + i - 1 then return nil end
    end
    local part = find_part(self.d, self.fn.params[first.param].type, clike.atom(self.parameters[first.param]), first.leaf, T)
    return part and { move = part }
end

local function column(self, ids, k)
    local list = {}
    for i, id in ipairs(ids) do list[i] = self.fn.nodes[id].args[k] end
    return list
end

-- Whether `test(node, id)` holds for all.
local function all(self, ids, test)
    for _, id in ipairs(ids) do
        if not test(self.fn.nodes[id], id) then return false end
    end
    return true
end

local layout

local function select_layout(self, T, ids)
    local first = self.fn.nodes[ids[1]]
    local one_condition = first.op == "where" and all(self, ids, function(node, id)
        return node.op == "where" and node.args[1] == first.args[1] and self.raw_uses[id] == 1
    end)
    if not one_condition then return nil end
    return { select = first.args[1], type = T, a = layout(self, T, column(self, ids, 2)), b = layout(self, T, column(self, ids, 3)) }
end

-- nil when a component would have to be picked out.
local function vector_layout(self, T, ids)
    local first = self.fn.nodes[ids[1]]
    local move = find_move(self, T, ids)
    if move then return move end
    if all(self, ids, function(_, id) return id == ids[1] end) then return { splat = ids[1] } end
    if not VECTOR_OPS[first.op] and not (first.op == "div" and IS_FLOAT[first.type]) then return nil end
    if not all(self, ids, function(node, id) return node.op == first.op and self.raw_uses[id] == 1 end) then return nil end
    local arguments = {}
    for k = 1, #first.args do
        arguments[k] = vector_layout(self, T, column(self, ids, k))
        if not arguments[k] then return nil end
    end
    return { vector = first.op, scalar = first.type, arguments = arguments }
end

function layout(self, T, ids)
    if T.kind == "scalar" then return { node = ids[1] } end
    local whole = find_move(self, T, ids) or select_layout(self, T, ids)
    if whole then return whole end
    local vector = self.d:is_vector(T) and vector_layout(self, T, ids)
    if vector then return vector.splat and { build = T, parts = { { node = vector.splat } } } or vector end
    local tree, next_leaf = { build = T, parts = {} }, 1
    for i, part in ipairs(self.d:parts(T)) do
        local last = next_leaf + #part.type.leaves - 1
        tree.parts[i] = layout(self, part.type, table.move(ids, next_leaf, last, 1, {}))
        tree.parts[i].stored = part.type.kind == "scalar" and part.type.scalar
        next_leaf = last + 1
    end
    return tree
end

-- The ids that a tree mentions.
local function visit(tree, see)
    if tree.node or tree.splat or tree.select then see(tree.node or tree.splat or tree.select) end
    if tree.select then
        visit(tree.a, see)
        visit(tree.b, see)
    end
    for _, child in ipairs(tree.parts or tree.arguments or {}) do visit(child, see) end
end

-- ---- uses ----

local function count_raw_uses(fn)
    local uses = {}
    for id = 1, #fn.nodes do uses[id] = 0 end
    for _, node in ipairs(fn.nodes) do
        for _, arg in ipairs(node.args) do uses[arg] = uses[arg] + 1 end
    end
    for _, id in ipairs(fn.leaves) do uses[id] = uses[id] + 1 end
    return uses
end

-- How often each node's text will be needed; 0 for what the tree's whole values replace.
local function count_uses(fn, tree)
    local uses = {}
    for id = 1, #fn.nodes do uses[id] = 0 end
    visit(tree, function(id) uses[id] = uses[id] + 1 end)
    for id = #fn.nodes, 1, -1 do
        if uses[id] > 0 then
            for _, arg in ipairs(fn.nodes[id].args) do uses[arg] = uses[arg] + 1 end
        end
    end
    return uses
end

-- The entries of tables that are read on one side of a condition alone. They are read before it: a compiler may not load by itself what a text loads
-- behind a condition, and would branch.
local function guarded_entries(fn)
    local guarded = {}
    local function visit_operands(id)
        if guarded[id] ~= nil then return end
        guarded[id] = fn.nodes[id].table ~= nil
        for _, arg in ipairs(fn.nodes[id].args) do visit_operands(arg) end
    end
    for _, node in ipairs(fn.nodes) do
        if node.op == "land" or node.op == "lor" or node.op == "where" then
            for k = 2, #node.args do visit_operands(node.args[k]) end
        end
    end
    return guarded
end

-- Whether float arithmetic must be kept as it stands. One sum of two parameters is safe: what is fused with or moved past a sum is
-- a product or another sum, and these are guarded where they are made.
local function needs_exactness(fn)
    for _, node in ipairs(fn.nodes) do
        if IS_FLOAT[node.type] and (node.op == "add" or node.op == "sub" or node.op == "mul") then
            local of_inputs = fn.nodes[node.args[1]].op == "input" and fn.nodes[node.args[2]].op == "input"
            if node.op ~= "add" or not of_inputs then return true end
        end
    end
    return false
end

-- ---- names ----

-- The first of the wishes that is free, else the last with a number; it is taken from then on. numbers: where to go on, by the wish.
local function unique(self, ...)
    local wishes = { ... }
    for _, wish in ipairs(wishes) do
        local name = self.d:identifier(wish)
        if not self.taken[name] then
            self.taken[name] = true
            return name
        end
    end
    local stem = wishes[#wishes]
    local number = self.numbers[stem] or 2
    while self.taken[self.d:identifier(stem .. number)] do number = number + 1 end
    self.numbers[stem] = number + 1
    return unique(self, stem .. number)
end

local function take_type_names(self, T)
    if T.kind ~= "struct" then return end
    self.taken[self.d:type_name(T)] = true
    for _, field in ipairs(T.fields) do take_type_names(self, field.type) end
end

-- What a node is called in the result: "a", "lo_x".
local function leaf_names(fn)
    local names = {}
    for i, id in ipairs(fn.leaves) do
        local path = fn.result.leaves[i].path:gsub("%.", "_")
        names[id] = names[id] or (path == "" and "result" or path)
    end
    return names
end

-- ---- expressions and locals ----

local function name_local(self, id)
    local node, wished = self.fn.nodes[id], self.leaf_names[id]
    local name = unique(self, wished or NAMES[node.op], NAMES[node.op])
    self.lines[#self.lines + 1] = INDENT .. self.d:scalar_name(node.type) .. " " .. name .. " = " .. self.expressions[id].text .. ";\n"
    local mask = self.expressions[id].mask -- what is known of the value (gen/emit/ranges.lua)
    self.expressions[id] = clike.atom(name)
    self.expressions[id].mask = mask
end

-- The entry of a table at an index of type s. Where several tables have one place it gets a name.
local function write_entry(self, node, s, index)
    local key = node.args[1] .. " " .. #node.table.entries
    local known = self.places[key]
    if not known then
        local place, type = tables.place(self.d, node.table, s, index)
        if self.place_uses[key] > 1 and place ~= index then
            local name = unique(self, "place")
            self.lines[#self.lines + 1] = INDENT .. self.d:scalar_name(type) .. " " .. name .. " = " .. place.text .. ";\n"
            place = clike.atom(name)
        end
        known = { place = place, type = type }
        if self.place_uses[key] > 1 then self.places[key] = known end
    end
    return tables.entry(self.d, node.table, known.type, known.place)
end

local function count_places(self)
    for id, node in ipairs(self.fn.nodes) do
        local key = node.table and self.uses[id] > 0 and node.args[1] .. " " .. #node.table.entries
        if key then self.place_uses[key] = (self.place_uses[key] or 0) + 1 end
    end
end

local function write_operation(self, node)
    local arguments = {}
    for k, arg in ipairs(node.args) do arguments[k] = self.expressions[arg] end
    local operand = self.fn.nodes[node.args[node.op == "where" and 2 or 1]].type
    if node.table then return write_entry(self, node, operand, arguments[1]) end
    return self.d:expression(node.op, node.type, operand, arguments)
end

-- The operand that makes the text long; nil when none can be shortened.
local function longest_operand(self, node)
    local longest
    for _, arg in ipairs(node.args) do
        local kind, length = self.fn.nodes[arg].op, #self.expressions[arg].text
        local can_be_named = kind ~= "input" and kind ~= "const" and self.expressions[arg].text:find("[^%w_]")
        if can_be_named and (not longest or length > #self.expressions[longest].text) then longest = arg end
    end
    return longest
end

local function write_node(self, id)
    local node = self.fn.nodes[id]
    if node.op == "const" then return self.d:literal(node.type, node.bits) end
    if node.op == "input" then
        return self.d:leaf_expression(self.fn.params[node.param].type, clike.atom(self.parameters[node.param]), node.leaf)
    end
    local e = write_operation(self, node)
    while #e.text > EXPRESSION_COLUMNS do
        local operand = longest_operand(self, node)
        if not operand then break end
        name_local(self, operand)
        e = write_operation(self, node)
    end
    return e
end

-- Not worth a name however often it is used.
local function is_trivial(self, id)
    local node = self.fn.nodes[id]
    if node.op == "input" or node.op == "const" then return true end
    return (node.op == "neg" or node.op == "lnot") and self.expressions[id].text:find("^[-!][%w_%.]+$") ~= nil
end

local function write_nodes(self)
    for id = 1, #self.fn.nodes do
        if self.uses[id] > 0 then
            self.expressions[id] = write_node(self, id)
            if (self.uses[id] > 1 or self.guarded[id]) and not is_trivial(self, id) then name_local(self, id) end
        end
    end
end

-- ---- the result ----

local wrapped

-- A side of a choice between whole values by its name: what is not one would be a branch in some languages.
local function name_side(self, T, tree, wish)
    if tree.move and tree.move.text:find("^[%a_][%w_]*$") then return tree end
    local name = unique(self, wish)
    local head = INDENT .. self.d:type_name(T) .. " " .. name .. " = "
    local value = wrapped(self, tree, INDENT, #head)
    self.lines[#self.lines + 1] = head .. value .. ";\n"
    return { move = clike.atom(name) }
end

local function write_tree(self, tree)
    if tree.move then return tree.move end
    if tree.stored then return self.d:stored(tree.stored, self.expressions[tree.node]) end
    if tree.node or tree.splat then return self.expressions[tree.node or tree.splat] end
    if tree.select then
        tree.a, tree.b = name_side(self, tree.type, tree.a, "chosen"), name_side(self, tree.type, tree.b, "otherwise")
        return clike.conditional(self.expressions[tree.select], tree.a.move, tree.b.move)
    end
    local arguments = {}
    for i, child in ipairs(tree.parts or tree.arguments) do arguments[i] = write_tree(self, child) end
    if tree.vector then return self.d:expression(tree.vector, tree.scalar, tree.scalar, arguments) end
    for i, e in ipairs(arguments) do arguments[i] = e.text end
    return clike.parse(self.d:construct(tree.build, table.concat(arguments, ", ")))
end

-- Texts joined by ", " in lines that fit: side by side when they are short, else one a line.
local function fill(texts, indent)
    local side_by_side = true
    for _, text in ipairs(texts) do side_by_side = side_by_side and #text <= 24 end
    local lines, line = {}, nil
    for _, text in ipairs(texts) do
        if line and side_by_side and #indent + #line + #text + 3 <= LINE_COLUMNS then
            line = line .. ", " .. text
        else
            lines[#lines + 1] = line
            line = text
        end
    end
    lines[#lines + 1] = line
    return table.concat(lines, ",\n" .. indent)
end

-- The tree's text, over several lines when it does not fit after `column` columns.
function wrapped(self, tree, indent, columns)
    local flat = write_tree(self, tree).text
    if columns + #flat + 1 <= LINE_COLUMNS then return flat end
    local deeper = indent .. INDENT
    if tree.build then
        local texts = {}
        for i, part in ipairs(tree.parts) do texts[i] = wrapped(self, part, deeper, #deeper) end
        return self.d:construct(tree.build, "\n" .. deeper .. fill(texts, deeper))
    end
    return flat
end

-- ---- functions ----

-- A user's text at our indentation.
local function indented(body)
    local lines, margin = {}, nil
    for line in (body .. "\n"):gmatch("(.-)[ \t\r]*\n") do
        lines[#lines + 1] = line
        local space = line:match("^(%s*)%S")
        if space and (not margin or #space < margin) then margin = #space end
    end
    local text = table.concat(lines, "\n"):gsub("^\n+", ""):gsub("\n+$", "")
    return (("\n" .. text):gsub("\n([^\n]+)", function(line) return "\n" .. INDENT .. line:sub((margin or 0) + 1) end):gsub("^\n", "")) .. "\n"
end

-- A user's text with the names that its parameters, and the structs and fields of their types, have in ours.
local function renamed(self, body)
    local names, fields = {}, {}
    local function add(T)
        for _, field in ipairs(T.fields or {}) do
            fields[field.name] = self.d:field_name(field.name)
            add(field.type)
        end
        if T.kind == "struct" then names[T.name] = names[T.name] or self.d:type_name(T) end
    end
    add(self.fn.result)
    for _, param in ipairs(self.fn.params) do add(param.type) end
    for i, param in ipairs(self.fn.params) do names[param.name] = self.parameters[i] end
    return (body:gsub("()([%a_][%w_]*)(%s*%(?)", function(at, word, after)
        local before = body:sub(math.max(1, at - 8), at - 1)
        if before:find("[%w_]$") then return nil end -- of a number
        if before:find("%.%s*$") then return not after:find("(", 1, true) and fields[word] and fields[word] .. after or nil end
        return names[word] and names[word] .. after or nil
    end))
end

local printer = {}

-- The text of a whole value, a tree of { move = expression } and { build = T, parts = {trees} }, in a line that has `columns` before it;
-- further lines are indented from that line's begin.
function printer.value_text(tree, d, columns) return wrapped({ d = d }, tree, "", columns) end

-- A constant as such a tree; bits: the leaves' raw bits (gen/expr/type.h). veils: drivers are not to know it.
function printer.constant_tree(T, bits, d, veils)
    local next_leaf = 1
    local function tree(U)
        local last = next_leaf + #U.leaves - 1
        local same = d:is_vector(U)
        for i = next_leaf + 1, last do same = same and bits[i] == bits[next_leaf] end
        if U.kind == "scalar" or same then
            local scalar = U.leaves[1].scalar
            local literal = { move = d:literal(scalar, bits[next_leaf]) }
            if veils then literal.move = d:veiled_constant(scalar, literal.move) end
            next_leaf = last + 1
            return U.kind == "scalar" and literal or { build = U, parts = { literal } }
        end
        local parts = {}
        for i, part in ipairs(d:parts(U)) do parts[i] = tree(part.type) end
        return { build = U, parts = parts }
    end
    return tree(T)
end

-- The definition of fn as a function called `name`, after those of the tables that it is the first to need.
function printer.function_text(fn, name, d)
    local self = { fn = fn, d = d, taken = { [name] = true }, numbers = {}, parameters = {}, lines = {}, expressions = {}, places = {},
        place_uses = {} }
    take_type_names(self, fn.result)
    local constants = tables.definitions(d, fn)
    for _, known in pairs(d.tables) do self.taken[known.name] = true end
    local parameters = {}
    for i, param in ipairs(fn.params) do
        local is_there = #param.type.leaves > 0 -- an element of no array has nothing
        if is_there then take_type_names(self, param.type) end
        self.parameters[i] = unique(self, param.name)
        parameters[#parameters + 1] = is_there and d:type_name(param.type) .. " " .. self.parameters[i] or nil
    end
    local type_name = d:type_name(fn.result)
    if not fn.leaves then
        if not fn[d.language] then error { unsupported = "source", what = "'" .. fn.name .. "' without a " .. d.language .. " body" } end
        return d:function_head(type_name, name, parameters, false) .. "\n{\n" .. indented(renamed(self, fn[d.language])) .. "}\n"
    end
    self.raw_uses = count_raw_uses(fn)
    self.leaf_names = leaf_names(fn)
    local tree = layout(self, fn.result, fn.leaves)
    self.uses, self.guarded = count_uses(fn, tree), guarded_entries(fn)
    count_places(self)
    write_nodes(self)
    local result = wrapped(self, tree, INDENT, #INDENT + 7) -- it may add lines
    local body = table.concat(self.lines)
    if #body > MAX_BODY_BYTES then
        error { refused = ("%s: %d operations are %d KiB of text here; at most %d KiB are compiled: " ..
            "use fewer, or a source { .. } with a loop in it"):format(
            fn.name, #fn.nodes, #body >> 10, MAX_BODY_BYTES >> 10) }
    end
    return constants .. d:function_head(type_name, name, parameters, needs_exactness(fn), #fn.nodes > LONG_NODES) .. "\n{\n" .. body
        .. INDENT .. "return " .. result .. ";\n}\n"
end

return printer
