-- expect: :2: source has no parameter 'hots'; did you mean 'host'
return scan { monoid = sum(u32), map = source { glsl = "return x;", hots = function(x) return x end } }
