-- expect: __metatable is not in a spec's reach
return setmetatable({ kind = "scan" }, { __metatable = "operation" })
