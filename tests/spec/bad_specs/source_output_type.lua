-- expect: :2: output: a source says nothing of its result; add type =
return scan { monoid = sum(u32), output = source { glsl = "return s;" } }
