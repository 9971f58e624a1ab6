-- expect: :2: scan: there are several inputs, but the monoid's type is u32; give map = function(e) return u32(..) end, of e.x and so on
return scan { monoid = sum(u32), inputs = { {"x", u32}, {"y", u32} } }
