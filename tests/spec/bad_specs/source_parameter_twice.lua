-- expect: :2: source: parameter 'x' appears twice
return scan { monoid = sum(u32), map = source { glsl = "return x;", parameters = { "x", "x" } } }
