-- expect: larger than 128 bytes .. split it
local S = struct "S" { { "a", vec(f64, 4) }, { "b", vec(f64, 4) }, { "c", vec(f64, 4) }, { "d", vec(f64, 4) }, { "e", u8 } }
