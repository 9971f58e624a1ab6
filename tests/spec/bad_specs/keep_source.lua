-- expect: :2: a source cannot be called from another function; write the whole function as a source, or this one in Lua
return compact { input = u32, keep = source { glsl = "return x > 3u;", cuda = "return x > 3u;", host = function(x) return x > 3 end } }
