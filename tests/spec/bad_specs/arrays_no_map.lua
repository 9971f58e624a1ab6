-- expect: :2: scan: input is Element but the monoid's type is u32; give map
return scan { monoid = sum(u32), inputs = { {"x", u32}, {"y", u32} } }
