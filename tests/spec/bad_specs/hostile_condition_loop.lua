-- expect: the spec takes too long to read .. always true in Lua: choose with where
return scan { monoid = sum(u32), map = function(x)
    while lt(x, 10) do x = x + 1 end
    return x
end }
