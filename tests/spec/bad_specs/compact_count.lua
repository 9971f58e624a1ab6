-- expect: :2: compact: two arrays are called 'count'
return compact { inputs = { {"count", u32} }, keep = function(e) return gt(e.count, 3) end }
