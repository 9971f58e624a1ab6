-- Uniforms: of all types, alone and several, in every function that may use them, in operations of every kind but sorts.
local Bias = struct "Bias" { {"level", u8}, {"depth", i16}, {"wide", u64}, {"way", vec(f32, 3)} }
local Uniforms = struct "Uniforms" { {"uniforms", u16}, {"given", f32} } -- names that kernels have for their own
local limit, mask, step = uniform("limit", u32), uniform("mask", u8), uniform("step", i64)
local wide, short, half = uniform("wide", u64), uniform("short", i16), uniform("half", f16)
local weight, shift, double = uniform("weight", f32), uniform("shift", vec(f32, 2)), uniform("double", f64)
local bias, pair_of, params = uniform("bias", Bias), uniform("load_uniforms", Uniforms), uniform("params", u32)
local twice = weight * 2 -- made outside of any function
local steps = table_of(u32, { 3, 1, 4, 1, 5 })
local affine = monoid {
  type = struct "Affine" { {"a", u32}, {"b", u32} }, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
local function above(x) return gt(x, limit) end
return {
  map { name = "scaled", input = f32, output = function(x) return x * weight + twice end },
  map { name = "masked", input = u8, output = function(x, i) return x & mask ~ u8(i) end, doc = "in every geometry" },
  map { name = "of_no_input", input = u8, output = function() return bias end },
  map { name = "biased", inputs = { {"x", f32}, {"k", u16} }, outputs = {
    {"y", value = function(e) return e.x + bias.way.y end}, {"z", value = function(e, i) return u64(e.k) * bias.wide + i end},
    {"w", value = function(e) return vec(u8, 3) { bias.level, u8(e.k), mask } end} } },
  map { name = "beside", input = i16, output = function(x, i, near) return where(gt(x, short), near.before + bias.depth, near.after) end },
  map { name = "names", input = Uniforms, output = function(uniforms)
    local given, load_uniforms = uniforms.given + pair_of.given, uniforms.uniforms ~ pair_of.uniforms
    return Uniforms { uniforms = load_uniforms + u16(params), given = given }
  end },
  map { name = "listed", input = u32, output = function(x) return x + steps[limit % 5] + steps[x % 5] end },
  map { name = "halves", input = f16, output = function(x) return where(gt(x, half), x, half) end },
  map { name = "doubles", input = f64, output = function(x) return x * double + 1 end, doc = "needs float64" },
  map { name = "moved", input = u32, outputs = { {"y", at = function(x, i) return i + wide % 7 end, value = function(x) return x end},
    {"z", at = function(x, i) return u32(i) ~ limit end, length = 300, value = function(x) return x ~ limit end} } },
  compact { name = "over", input = u32, keep = above, doc = "in every geometry" },
  compact { name = "over_mean", inputs = { {"x", f32}, {"k", u8} }, keep = function(e) return gt(e.x, weight) end,
    output = function(e) return e.k ~ mask end },
  partition { name = "parts", input = u32, first = function(x, i) return land(above(x), ne(u8(i) & mask, 0)) end },
  unique { name = "near_equal", input = u32, equal = function(a, b) return le(max(a, b) - min(a, b), limit) end },
  run_length_encode { name = "runs", input = u8, equal = function(a, b) return eq(a & mask, b & mask) end },
  reduce_by_key { name = "by_key", key = u8, monoid = sum(u32), map = function(x) return x & limit end },
  segmented_scan { name = "in_segments", segments = "flags", monoid = affine, input = u32,
    map = function(x) return { a = x | 1, b = limit } end, output = function(s, x) return s.b ~ x ~ limit end },
  segmented_reduce { name = "of_segments", segments = "keys", key = u8, equal = function(a, b) return eq(a & mask, b & mask) end,
    monoid = maximum(i32), map = function(x) return min(x, i32(short)) end, output = function(s) return s + i32(limit) end },
  scan { name = "lifted", monoid = sum(u32), map = function(x) return x + limit end, doc = "in every geometry" },
  scan { name = "lowered", monoid = sum(i64), kind = "exclusive", reverse = true, input = u16, map = function(x) return i64(x) * step end,
    output = function(s, x) return s - step + i64(x) end },
  scan { name = "kept", monoid = affine, input = u32, map = function(x, i) return { a = x * 2 | 1, b = u32(i) + limit } end, outputs = {
    {"y", value = function(s) return s.a ~ limit end},
    {"z", keep = function(s, x) return above(x) end, value = function(s, x) return s.b + u32(mask) end} } },
  scan { name = "weighed", monoid = sum(f32), input = vec(f32, 2), map = function(v) return v.x * shift.x + v.y * shift.y end,
    output = function(s) return s - weight end },
  append { name = "repeated", input = u32, capacity = 5000, length = function(x) return x & limit & 3 end,
    item = function(x, i, k) return vec(u32, 2) { x ~ limit, k + u32(mask) } end },
  reduce { name = "product_of", monoid = product(u64), map = function(x) return x ~ wide end, output = function(s) return s + wide end,
    doc = "in every geometry" },
  reduce { name = "furthest", monoid = maximum(f32), map = function(x) return abs(x - weight) end },
}
