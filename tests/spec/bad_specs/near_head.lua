-- expect: : near has no 'head'; it has before
return map { input = u32, output = function(x, i, near) return u32(near.head) end }
