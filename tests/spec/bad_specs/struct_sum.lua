-- expect: S is a struct .. monoid { .. }
return scan { monoid = sum(struct "S" { { "a", u32 } }) }
