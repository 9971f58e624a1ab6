-- expect: an argument of a function was kept
local kept
local m = sum(u32)
local s = scan { monoid = m, map = function(x) kept = x return x end }
return scan { monoid = m, init = kept }
