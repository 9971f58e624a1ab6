-- expect: :2: map: no array can be called 'n'
return map { inputs = { {"n", f32} }, output = function(e) return e.n end }
