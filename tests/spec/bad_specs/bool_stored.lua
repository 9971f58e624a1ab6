-- expect: :3: output returns a condition .. u32(x)
-- A condition has no place in memory.
return scan { monoid = sum(u32), output = function(s) return lt(s, 3) end }
