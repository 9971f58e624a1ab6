-- Segments by flags and keys. Random keys make segments of about 4, 64, more than a tile, or one alone: `equal` looks at the later key's bits.
local Four = struct "Four" { {"a", u32}, {"b", u32}, {"c", u32}, {"d", u32} }
local fours = monoid {
  type = Four, identity = { 0, 0, 0, 0 },
  combine = function(x, y) return { x.a + y.a, x.b ~ y.b, max(x.c, y.c), x.d | y.d } end,
}
local compose = monoid {
  type = struct "Affine" { {"a", u32}, {"b", u32} }, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
local function runs_of(length) return function(_, b) return ne(b & (length - 1), 0) end end
return {
  segmented_scan { name = "flags", segments = "flags", monoid = sum(u32), doc = "in every geometry" },
  segmented_scan { name = "before", segments = "flags", monoid = sum(u32), kind = "exclusive", init = 7 },
  segmented_scan { name = "back", segments = "flags", monoid = compose, reverse = true, init = { 3, 4 } },
  segmented_scan { name = "affine", segments = "keys", key = u32, equal = runs_of(4), monoid = compose, doc = "in every geometry" },
  segmented_scan { name = "affine_after", segments = "keys", key = u64, equal = runs_of(64), monoid = compose, kind = "exclusive", reverse = true },
  segmented_scan { name = "floats", segments = "keys", key = u16, equal = runs_of(64), monoid = sum(f32) },
  segmented_scan { name = "long", segments = "keys", key = u32, equal = runs_of(16384), monoid = fours },
  segmented_scan { name = "one", segments = "keys", key = u8, equal = function(a, b) return ge(b, 0) end, monoid = maximum(i32) },
  segmented_scan { name = "numbers", segments = "keys", key = u8, equal = runs_of(4), monoid = sum(u32), input = u16,
    map = function(x, i, near) return u32(x) + u32(near.head) end,
    outputs = { {"s", value = function(s) return s end}, {"number", value = function(s, x, i, near) return near.segment end},
      {"last", keep = function(s, x, i, near) return near.tail end, value = function(s, x, i, near) return s + u32(near.segment) end} } },
  segmented_reduce { name = "flag_sums", segments = "flags", monoid = sum(u32), doc = "in every geometry" },
  segmented_reduce { name = "key_sums", segments = "keys", key = u64, equal = runs_of(64), monoid = compose, init = { 5, 6 },
    doc = "in every geometry" },
  segmented_reduce { name = "products", segments = "keys", key = u32, equal = runs_of(4), monoid = sum(f32), inputs = { {"p", f32}, {"q", u8} },
    map = function(e) return e.p * f32(e.q) end, outputs = { {"y", value = function(s) return s end} } },
  segmented_reduce { name = "long_fours", segments = "keys", key = u32, equal = runs_of(16384), monoid = fours },
}
