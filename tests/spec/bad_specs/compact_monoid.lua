-- expect: :2: compact has no parameter 'monoid'; it has input, inputs, keep
return compact { input = u32, keep = function(x) return gt(x, 3) end, monoid = sum(u32) }
