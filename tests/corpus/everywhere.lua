-- Floats whose bits n alone decides: every device and geometry must return the oracle's.
local D = "everywhere"
local Step = struct "Step" { {"a", f32}, {"b", f32} }
local recurrence = monoid {
  type = Step, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
-- Neither sums nor products of these are exact, and few of the products are small.
local function step(x) return { a = 1 + x * 0x1p-20, b = x * 0.3 } end
-- Half of them zeros of either sign.
local function signed(x) return where(eq(x & 1, 0), where(eq(x & 2, 0), f32(-0.0), 0), f32(x) * 0.7) end
local Moments = struct "Moments" { {"count", f32}, {"sum", f32}, {"squares", vec(f32, 3)} }
local moments = monoid {
  type = Moments, identity = { count = 0, sum = 0, squares = { 0, 0, 0 } }, laws = "trusted",
  combine = function(a, b) return { count = a.count + b.count, sum = a.sum + b.sum, squares = a.squares + b.squares } end,
}
-- Runs as long as small tiles.
local function same_run(_, b) return ne(b & 511, 0) end
return {
  scan { name = "sum", monoid = sum(f32), input = u32, map = signed, init = -0.0, deterministic = D, doc = "in every geometry" },
  scan { name = "sum_backwards", monoid = sum(f32), input = u32, map = signed, init = -0.0, kind = "exclusive", reverse = true, deterministic = D },
  scan { name = "steps", monoid = recurrence, input = f32, map = step, deterministic = D, output = function(s, x) return s.b - x end },
  scan { name = "steps_backwards", monoid = recurrence, input = f32, map = step, reverse = true, init = { a = 2, b = -3 }, deterministic = D,
         doc = "in every geometry" },
  scan { name = "moments", monoid = moments, input = u8, deterministic = D,
         map = function(x) local v = f32(x) * 0.1 return { count = 1, sum = v, squares = { v * v, v * v * v, v } } end },
  reduce { name = "total", monoid = sum(f32), input = u32, map = signed, init = -0.0, deterministic = D, doc = "in every geometry" },
  reduce { name = "all_steps", monoid = recurrence, input = f32, map = step, deterministic = D, doc = "in every geometry" },
  reduce { name = "all_moments", monoid = moments, input = u8, deterministic = D,
           map = function(x) local v = f32(x) * 0.1 return { count = 1, sum = v, squares = { v * v, v * v * v, v } } end },
  reduce_by_key { name = "by_key", key = u32, value = u32, equal = same_run, monoid = sum(f32), map = signed, deterministic = D },
  segmented_scan { name = "in_segments", monoid = sum(f32), input = u32, map = signed, segments = "flags", deterministic = D },
  scan { name = "kept", monoid = sum(f32), inputs = { {"x", u32}, {"y", f32} }, map = function(e) return signed(e.x) - e.y end, deterministic = D,
    outputs = { {"sums", value = function(s) return s end},
                {"odd", value = function(s) return s end, keep = function(s, e) return eq(e.x & 1, 1) end} } },
}
