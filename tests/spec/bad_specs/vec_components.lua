-- expect: init: 2 components; vec(f32, 3) has 3
local V = vec(f32, 3)
return scan { monoid = sum(V), init = { 1, 2 } }
