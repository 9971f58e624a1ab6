-- expect: :2: compact: 'y' has at; compact packs what it keeps: take map, whose outputs may have keep and at
return compact { input = u32, keep = function(x) return gt(x, 3) end, outputs = { {"y", value = function(x) return x end, at = function(x) return x end} } }
