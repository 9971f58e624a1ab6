-- expect: :2: scan: input is f32 .. argmax_f32; give map = function(x, i) return m.type { value = .., index = .. } end, where m is the monoid
return scan { monoid = argmax(f32), input = f32 }
