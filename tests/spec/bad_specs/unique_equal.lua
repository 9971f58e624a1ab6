-- expect: :2: equal: the result is u32, expected bool
return unique { input = u32, equal = function(a, b) return a - b end }
