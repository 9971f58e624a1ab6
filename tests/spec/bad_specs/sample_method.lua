-- expect: :3: r has no 'u33'; it has
return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b) return a + b end,
    sample = function(r) local x = r:u33(0, 1) return x end } }
