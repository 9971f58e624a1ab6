-- expect: __metatable is not in a spec's reach
local T = setmetatable({ handle = 1 }, { __metatable = "type" })
