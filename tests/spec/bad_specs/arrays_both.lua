-- expect: :2: scan: input and inputs; give one of them
return scan { monoid = sum(u32), input = u32, inputs = { {"x", u32} } }
