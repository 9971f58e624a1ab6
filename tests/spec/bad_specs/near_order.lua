-- expect: :2: u64 has no field 'before'; near has: it is the last parameter, as in function(x, i, near)
return compact { input = u32, keep = function(x, near) return ne(x, near.before) end }
