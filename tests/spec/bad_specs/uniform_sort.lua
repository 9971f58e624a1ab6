-- expect: :3: map uses the uniform 'a', but a monoid or an order is the same in every run
local a = uniform("a", u32)
return sort { key = u32, map = function(x) return x ~ a end }
