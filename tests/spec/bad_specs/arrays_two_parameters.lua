-- expect: :2: mul: an operand is the record of all inputs .. name one, as e.x in function(e)
return scan { monoid = sum(f32), inputs = { {"x", f32}, {"y", f32} }, map = function(x, y) return x * y end }
