-- expect: pair: no monoid is called 'c'
return scan { monoid = pair { a = sum(u32), b = sum(f32), order = { "a", "c" } } }
