-- expect: :2: near has no 'left'; it has before, after, first, last
return map { input = u32, output = function(x, i, near) return near.left end }
