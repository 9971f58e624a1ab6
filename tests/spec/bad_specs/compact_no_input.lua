-- expect: :2: compact: input is missing
return compact { keep = function(x) return gt(x, 3) end }
