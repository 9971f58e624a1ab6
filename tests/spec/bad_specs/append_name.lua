-- expect: :2: append: two arrays are called 'out'
return append { inputs = { {"out", u32} }, length = function(e) return e.out end, item = function(e) return e.out end }
