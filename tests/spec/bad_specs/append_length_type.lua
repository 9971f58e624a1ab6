-- expect: :2: length: the result is u8, expected u32
return append { input = u8, length = function(x) return x end, item = function(x) return x end }
