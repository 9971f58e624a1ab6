-- expect: the name must be an identifier
return scan { monoid = sum(struct "my type" { { "a", u32 } }) }
