-- expect: :3: a source cannot be called from another function; write the whole function as a source, or this one in Lua
local place = source { type = u32, glsl = "return x;", cuda = "return x;", host = function(x) return x end }
return map { input = u32, outputs = { {"y", value = function(x) return x end, at = place} } }
