-- Packed and expanded operations for every small n (sweep_sizes.h): the lowest bit of a key says whether it is kept, the others say which run it
-- belongs to.
local Affine = struct "Affine" { {"a", u32}, {"b", u32} }
local affine = monoid {
  type = Affine, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
local function same_run(a, b) return eq(a >> 1, b >> 1) end
return {
  compact { name = "kept", inputs = { {"key", u32}, {"value", u32} }, keep = function(e) return ne(e.key & 1, 0) end,
    outputs = { {"keys", value = function(e) return e.key end}, {"values", value = function(e) return e.value end} } },
  reduce_by_key { name = "groups", key = u32, value = u32, equal = same_run, monoid = affine, map = function(x) return { x | 1, x } end },
  reduce_by_key { name = "float_sums", key = u32, value = u32, equal = same_run, monoid = sum(f32), map = function(x) return f32(x >> 8) / 3 end,
    deterministic = true },
  segmented_reduce { name = "offset_sums", segments = "offsets", monoid = affine, init = { 3, 5 } },
  segmented_scan { name = "offset_scans", segments = "offsets", monoid = affine, output = function(s, x, i, near) return s.b + near.segment end },
  append { name = "spread", inputs = { {"key", u32}, {"value", u32} }, length = function(e) return (e.key & 1) * (e.value % 7) end,
    item = function(e, i, k) return e.value + u32(i) * 8 + k end },
  append { name = "spread_once", inputs = { {"key", u32}, {"value", u32} }, capacity = 40, length = function(e) return e.key & 1 end,
    item = function(e, i) return vec(u32, 2)(e.value, u32(i)) end },
  append { name = "strewn", order = "any", inputs = { {"key", u32}, {"value", u32} }, length = function(e) return (e.key & 1) * (e.value % 7) end,
    item = function(e, i, k) return u32(i) * 8 + k end },
  reduce_by_key { name = "same_sums", key = u32, value = u32, equal = same_run, monoid = sum(f32), map = function(x) return f32(x >> 8) * 0.3 end,
    deterministic = "everywhere" },
}
