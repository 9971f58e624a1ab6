-- expect: may take too long
for _ in (("^"):rep(1 << 19)):gmatch("^^*b") do end
return scan { monoid = sum(u32) }
