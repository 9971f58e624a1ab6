-- expect: :2: deterministic is true, false or "everywhere", not "anywhere"; write
return scan { monoid = sum(f32), deterministic = "anywhere" }
