-- expect: :2: sum: expected a type .. as u32
return scan { monoid = sum(u33) }
