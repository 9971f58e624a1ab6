-- expect: :2: map returns several values; return one, as in { x, y } or Name { .. }
return scan { monoid = sum(vec(u32, 2)), input = u32, map = function(x) return x, x end }
