-- expect: :3: a uniform has no value here
local a = uniform("a", u32)
local t = table_of(u32, { 1, a })
return map { input = u32, output = function(x) return x + t[x] end }
