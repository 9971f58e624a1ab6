-- expect: segmented: expected a monoid, not the type u32
return scan { monoid = segmented(u32) }
