-- expect: :2: attempt to index a nil value (global 'io') .. a spec has no io
local f = io.open('x')
