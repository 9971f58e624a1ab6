-- expect: pair: expected monoids, not a number
return scan { monoid = pair(sum(u32), 3) }
