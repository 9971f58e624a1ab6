-- expect: :2: map: .. == .. write eq, where, land, lor, lnot
return scan { monoid = sum(i32), map = function(x) return lt(x, 0) and i32(0) or x end }
