-- expect: :3: bad 'for' limit .. known when the spec is read
return scan { monoid = sum(u32), map = function(x)
    for i = 1, x do end
    return x
end }
