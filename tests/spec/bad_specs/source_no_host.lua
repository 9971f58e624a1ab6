-- expect: :2: monoid: the laws of a source without host cannot be tested; add host .. laws = "trusted"
return scan { monoid = monoid { type = u32, identity = 0, combine = source { glsl = "return a + b;" } } }
