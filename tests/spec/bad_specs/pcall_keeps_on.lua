-- expect: :5: the spec returns u32; return an operation
local ok, message = pcall(function() return u32(1) == u32(2) end)
assert(not ok and message == "spec:2: 'a == b' cannot be traced; write eq(a, b), and for '~=' ne(a, b)", message)
local x = u32(1)
return x
