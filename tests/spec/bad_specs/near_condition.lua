-- expect: :2: output returns a condition, which cannot be stored
return map { input = u32, output = function(x, i, near) return near.first end }
