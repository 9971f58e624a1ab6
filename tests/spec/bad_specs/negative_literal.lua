-- expect: :2: add: -1 is out of the range of u32
return scan { monoid = sum(u32), map = function(x) return x + -1 end }
