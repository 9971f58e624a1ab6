-- Scattered outputs: permutations, places beyond the end, several elements in one place, places of a scan, lengths of their own.
local Ray = struct "Ray" { {"origin", vec(f32, 3)}, {"t", f32} }
local Pixel = struct "Pixel" { {"level", u8}, {"depth", u32}, {"id", u16} }
local affine = monoid {
  type = struct "Affine" { {"a", u32}, {"b", u32} }, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
local function same(x) return x end
local function is_odd(x) return ne(x & 1, 0) end
local function bucket(x) return x >> 22 end
return {
  map { name = "swapped", input = u32, outputs = { {"y", at = function(x, i) return i ~ 1 end, value = same} }, doc = "in every geometry" },
  map { name = "apart", input = vec(u32, 3), outputs = { {"y", at = function(x, i) return u32(i) * 3 end, value = same} } },
  map { name = "transposed", input = Ray, outputs = {
    {"y", at = function(x, i) return u32(i) % 37 * 64 + u32(i) // 37 end, length = 37 * 64, value = same},
    {"x", value = function(ray) return ray.origin.x end} } },
  map { name = "first_of_bytes", input = u8, outputs = { {"bin", at = function(x) return u32(x) end, length = 256, value = same},
    {"any", at = function(x) return u32(x) & 7 end, length = 7, value = function(x, i) return u8(i) end} }, doc = "in every geometry" },
  map { name = "narrow", input = u16, outputs = { {"y", at = function(x, i) return u32(i) ~ 3 end, 
      value = function(x) return vec(u8, 3) { 1, u8(x), 3 } end}, {"one", at = function(x, i) return i end, length = 1, value = same},
    {"thin", at = function(x) return u32(x) % 99 end, length = 99, value = same} } },
  map { name = "far", input = u64, outputs = { {"y", at = function(x, i) return i * 4294967297 end, length = 5, value = same},
    {"z", at = function(x, i) return (i * 5) % 1024 end, length = 1024, keep = function(x) return is_odd(u32(x >> 9)) end,
      value = function(x, i) return Pixel { level = u8(x), depth = u32(i), id = u16(x >> 3) } end} } },
  map { name = "beside", inputs = { {"x", f32}, {"flag", u8} }, outputs = {
    {"y", at = function(e, i, near) return u32(i) + where(near.first, u32(0), 1) end,
      value = function(e, i, near) return sqrt(e.x * e.x + near.before.x) end},
    {"best", at = function(e) return u32(e.flag) end, keep = function(e) return lt(e.flag, 200) end, length = 255,
      value = function(e) return exp(e.x) end} } },
  scan { name = "placed", monoid = sum(u32), inputs = { {"x", u32}, {"taken", u8} }, map = function(e) return u32(e.taken) & 1 end,
    outputs = { {"y", at = function(s) return s - 1 end, keep = function(s, e) return is_odd(u32(e.taken)) end,
        value = function(s, e) return e.x end},
      {"rank", value = same} }, doc = "in every geometry" },
  scan { name = "buckets", monoid = affine, kind = "exclusive", reverse = true, input = u32, map = function(x) return { a = x | 1, b = 3 } end,
    outputs = { {"y", at = function(s, x) return bucket(x) end, length = 1024, value = function(s, x, i, near) return s.b ~ near.after end} } },
  scan { name = "heads", monoid = sum(f32), inputs = { {"x", f32}, {"key", u32} }, map = function(e) return e.x end,
    outputs = { {"y", at = function(s, e) return e.key >> 23 end, length = 400, value = same}, {"s", value = same} } },
  scan { name = "mixed", monoid = maximum(i32), outputs = { {"peak", keep = function(s, x, i, near) return gt(x, near.before) end, value = same},
    {"y", at = function(s) return u32(s) >> 18 end, length = 16384, keep = function(s, x) return eq(s, x) end,
      value = function(s, x, i) return i end} } },
}
