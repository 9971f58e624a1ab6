-- expect: :2: vec(T, n): n is 2, 3 or 4
local V = vec(f32, 5)
