-- expect: :2: source: glsl is a function, not a text
return scan { monoid = sum(u32), map = source { glsl = function(x) return x end } }
