-- expect: :2: where: give one value a type, as in u32(1)
return scan { monoid = sum(u32), map = function(x) return where(lt(x, 3), 1, 0) end }
