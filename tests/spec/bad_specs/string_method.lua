-- expect: :3: attempt to call a string value
string.find = "broken" -- the vocabulary has its own
return scan { name = ("x"):rep(3), monoid = sum(u32), doc = string.find("a", "b") }
