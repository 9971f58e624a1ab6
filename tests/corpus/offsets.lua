-- Segments by offsets, some of them empty; and arrays that are as long as a uniform says.
local Four = struct "Four" { {"a", u32}, {"b", u32}, {"c", u32}, {"d", u32} }
local fours = monoid {
  type = Four, identity = { 0, 0, 0, 0 },
  combine = function(x, y) return { x.a + y.a, x.b ~ y.b, max(x.c, y.c), x.d | y.d } end,
}
local compose = monoid {
  type = struct "Affine" { {"a", u32}, {"b", u32} }, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
local room, scale = uniform("room", u64), uniform("scale", u32)
return {
  segmented_reduce { name = "sums", segments = "offsets", monoid = sum(u32), doc = "in every geometry" },
  segmented_reduce { name = "composed", segments = "offsets", monoid = compose, init = { 5, 6 }, doc = "in every geometry" },
  segmented_reduce { name = "products", segments = "offsets", monoid = sum(f32), inputs = { {"p", f32}, {"q", u8} },
    map = function(e) return e.p * f32(e.q) end, outputs = { {"y", value = function(s) return s end} } },
  segmented_reduce { name = "narrow", segments = "offsets", monoid = maximum(i32), input = i16, map = function(x) return i32(x) end,
    outputs = { {"high", value = function(s) return u8(u32(s) >> 8) end}, {"scaled", value = function(s) return u32(s) * scale end} } },
  segmented_reduce { name = "wide", segments = "offsets", monoid = fours },
  segmented_scan { name = "prefixes", segments = "offsets", monoid = compose, doc = "in every geometry" },
  segmented_scan { name = "before", segments = "offsets", monoid = sum(u32), kind = "exclusive", init = 7 },
  segmented_scan { name = "back", segments = "offsets", monoid = compose, reverse = true, init = { 3, 4 } },
  segmented_scan { name = "floats", segments = "offsets", monoid = sum(f32) },
  segmented_scan { name = "numbers", segments = "offsets", monoid = sum(u32), input = u16,
    map = function(x, i, near) return u32(x) + u32(near.head) end,
    outputs = { {"s", value = function(s) return s end}, {"number", value = function(s, x, i, near) return near.segment end},
      {"last", keep = function(s, x, i, near) return near.tail end, value = function(s, x, i, near) return s + u32(near.segment) end} } },
  map { name = "spaced", input = u32, outputs = { {"y", at = function(x, i) return i * 3 end, length = room, value = function(x) return x end} },
    doc = "in every geometry" },
  scan { name = "counted", monoid = sum(u32), input = u8, map = function(x) return u32(x & 1) end, outputs = {
    {"y", at = function(s) return s - 1 end, keep = function(s, x) return ne(x & 1, 0) end, length = room,
     value = function(s, x, i) return u32(i) end},
    {"s", value = function(s) return s end} } },
}
