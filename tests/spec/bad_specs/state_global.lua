-- expect: :4: map: each call changes what 'calls' .. outside
calls = 0
return scan { monoid = sum(u32), map = function(x)
    calls = calls + 1
    return x
end, output = function(s) return s + calls end }
