-- expect: :2: setmetatable: __gc is not in a spec's reach
setmetatable({}, { __gc = function() end })
