-- expect: :5: order = descending has no value
-- A text, a comment or a function before it does not hide it.
local text, long = "{ order = \" }", [=[ ]] { ]=] --[[ } ]]
return sort { key = struct "P" { {"a", u32}, {"b", u32} }, by = function(x) if text then return x.a end return x.a end,
    order = descending }
