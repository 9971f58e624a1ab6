-- expect: :3: combine: an operation or a monoid cannot be made inside of a traced function; make it outside
return scan { monoid = sum(u32), map = function(x)
    local other = monoid { type = u32, identity = 0, combine = function(a, b) return a + b end }
    return x
end }
