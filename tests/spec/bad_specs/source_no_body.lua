-- expect: :2: source: no body; give cuda
return scan { monoid = sum(u32), map = source { host = function(x) return x end } }
