-- expect: :4: sample: 300 is out of the range of u8
return scan { monoid = monoid { type = u8, identity = 0, combine = function(a, b) return a + b end,
    sample = function(r)
        return r:u32(300, 300)
    end } }
