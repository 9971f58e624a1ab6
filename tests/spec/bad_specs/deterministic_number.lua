-- expect: :2: deterministic is true, false or "everywhere", not
return scan { monoid = sum(f32), deterministic = 1 }
