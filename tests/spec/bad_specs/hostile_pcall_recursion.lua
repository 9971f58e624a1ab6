-- expect: the spec
local function f() pcall(f) pcall(f) end
f()
