-- expect: :2: an item of a list: double: no type has this name; write f64, of the types
local S = struct "S" { { "a", double } }
return map { input = S, output = function(x) return x.a end }
