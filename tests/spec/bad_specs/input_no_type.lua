-- expect: :2: scan: input: expected a type, not a string
return scan { monoid = sum(u32), input = "u32" }
