-- expect: :4: r:u32(lo, hi): 5 to 1 is no range of u32
return scan { monoid = monoid { type = u32, identity = 0, combine = function(a, b) return a + b end,
    sample = function(r)
        return r:u32(5, 1) end } }
