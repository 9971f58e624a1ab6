-- expect: :2: 'a ^ b' is not in the language
return scan { monoid = sum(f32), map = function(x) return x ^ 2 end }
