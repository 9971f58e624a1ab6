-- expect: :2: map: tune: digit_bits = 4: a map has no such knob, only sorts have it
return map { input = u32, output = function(x) return x + 1 end, tune = { digit_bits = 4 } }
