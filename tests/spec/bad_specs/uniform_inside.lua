-- expect: :2: uniform: 'a' cannot be made inside of a traced function
return map { input = u32, output = function(x) return x + uniform("a", u32) end }
