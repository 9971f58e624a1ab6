-- clike.lua - texts of expressions in a C-like language, with no more parentheses than a careful author would write.
--
-- An expression is { text =, prec = } and whatever a dialect knows besides. prec is C's precedence, counted upwards.

local clike = {}

local PRIMARY, POSTFIX, UNARY, ADDITIVE, LOGICAL_OR, CONDITIONAL = 16, 15, 14, 12, 3, 2
local PRECEDENCE = {
    ["*"] = 13, ["/"] = 13, ["%"] = 13, ["+"] = 12, ["-"] = 12, ["<<"] = 11, [">>"] = 11,
    ["<"] = 10, ["<="] = 10, [">"] = 10, [">="] = 10, ["=="] = 9, ["!="] = 9,
    ["&"] = 8, ["^"] = 7, ["|"] = 6, ["&&"] = 5, ["||"] = 3,
}
-- The least precedence of an operand where C's own would read badly: a shift or a bit operation takes no naked sum.
local OPERAND = {
    ["<<"] = UNARY, [">>"] = UNARY, ["&"] = UNARY, ["^"] = UNARY, ["|"] = UNARY,
    ["<"] = ADDITIVE, ["<="] = ADDITIVE, [">"] = ADDITIVE, [">="] = ADDITIVE, ["=="] = ADDITIVE, ["!="] = ADDITIVE, ["&&"] = 9, ["||"] = 9,
}
local ASSOCIATIVE = { ["&"] = true, ["^"] = true, ["|"] = true, ["&&"] = true, ["||"] = true }

-- Any text: a name or number with calls, lists in braces, indices and members after it stands by itself, and so nearly does one with a cast
-- before it; anything else is taken as loosely bound.
function clike.parse(text)
    local cast, operand = text:match("^%(([%a_][%w_]*)%)([%w_].*)$")
    if cast and clike.parse(operand).prec >= POSTFIX then return { text = text, prec = UNARY } end
    local rest = text:gsub("^[%w_%.]+", "", 1)
    if rest == text then rest = text:gsub("^%b()", "", 1) end
    local stands = rest ~= text
    while stands and rest ~= "" do
        local shorter = rest:match("^%.[%a_][%w_]*(.*)$") or rest:match("^%b()(.*)$") or rest:match("^%b[](.*)$")
            or rest:match("^%b{}(.*)$")
        stands, rest = shorter ~= nil, shorter or ""
    end
    return { text = text, prec = stands and POSTFIX or 0 }
end

function clike.atom(text) return { text = text, prec = PRIMARY } end

-- The text, in parentheses when it binds less tightly than `prec`.
function clike.within(e, prec)
    if e.prec >= prec then return e.text end
    return "(" .. e.text .. ")"
end

function clike.anywhere(e) return clike.within(e, POSTFIX) end

function clike.call(name, ...)
    local texts = {}
    for i, e in ipairs { ... } do texts[i] = e.text end
    return { text = name .. "(" .. table.concat(texts, ", ") .. ")", prec = POSTFIX }
end

function clike.member(e, name) return { text = clike.within(e, POSTFIX) .. "." .. name, prec = POSTFIX } end

function clike.unary(symbol, e) return { text = symbol .. clike.within(e, POSTFIX), prec = UNARY } end

function clike.cast(type_name, e) return { text = "(" .. type_name .. ")" .. clike.within(e, UNARY), prec = UNARY } end

-- A number below zero; a sum with it becomes a difference.
function clike.negative(text) return { text = "-" .. text, prec = UNARY, magnitude = text } end

function clike.infix(symbol, a, b)
    if b.magnitude and (symbol == "+" or symbol == "-") then return clike.infix(symbol == "+" and "-" or "+", a, clike.atom(b.magnitude)) end
    local prec = PRECEDENCE[symbol]
    local left, right = OPERAND[symbol] or prec, OPERAND[symbol] or prec + 1
    local same = ASSOCIATIVE[symbol] and a.prec == prec
    return { text = clike.within(a, same and prec or left) .. " " .. symbol .. " " .. clike.within(b, right), prec = prec }
end

function clike.conditional(c, a, b)
    return { text = clike.within(c, LOGICAL_OR) .. " ? " .. clike.within(a, LOGICAL_OR) .. " : " .. clike.within(b, CONDITIONAL), prec = CONDITIONAL }
end

return clike
