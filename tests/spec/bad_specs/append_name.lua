-- expect: :2: append: 'out' is what the operation calls its output; call yours otherwise
return append { inputs = { {"out", u32} }, length = function(e) return e.out end, item = function(e) return e.out end }
