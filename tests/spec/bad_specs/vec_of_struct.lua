-- expect: the components of a vec are numbers
local V = vec(struct "S" { { "a", u32 } }, 2)
