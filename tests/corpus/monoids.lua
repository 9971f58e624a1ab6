-- Non-commutative monoids over structs.
local Affine = struct "Affine" { {"a", u32}, {"b", u32} }
local affine = monoid {
  type = Affine, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
local Matrix = struct "Matrix" { {"a", u32}, {"b", u32}, {"c", u32}, {"d", u32} }
local matrix = monoid {
  type = Matrix, identity = { a = 1, b = 0, c = 0, d = 1 },
  combine = function(x, y)
    return { a = x.a * y.a + x.b * y.c, b = x.a * y.b + x.b * y.d, c = x.c * y.a + x.d * y.c, d = x.c * y.b + x.d * y.d }
  end,
}
-- Composition of functions on four states, two bits each.
local dfa = monoid {
  type = u8, identity = 0xe4,
  combine = function(f, g)
    local h = u8(0)
    for state = 0, 3 do
      local middle = (f >> (2 * state)) & 3
      h = h | (((g >> (middle * 2)) & 3) << (2 * state))
    end
    return h
  end,
}
local Brackets = struct "Brackets" { {"close", u32}, {"open", u32} }
local brackets = monoid {
  type = Brackets, identity = { close = 0, open = 0 },
  combine = function(a, b)
    local matched = min(a.open, b.close)
    return { close = a.close + b.close - matched, open = a.open + b.open - matched }
  end,
}
local Run = struct "Run" { {"sum", i32}, {"prefix", i32}, {"suffix", i32}, {"best", i32} }
local max_subarray = monoid {
  type = Run, identity = { sum = 0, prefix = 0, suffix = 0, best = 0 },
  laws = "trusted", -- holds where best >= prefix, suffix >= 0 and >= sum, as map makes them
  combine = function(a, b)
    return { sum = a.sum + b.sum, prefix = max(a.prefix, a.sum + b.prefix), suffix = max(b.suffix, b.sum + a.suffix),
             best = max(max(a.best, b.best), a.suffix + b.prefix) }
  end,
}
local Box = struct "Box" { {"low", vec(f32, 3)}, {"high", vec(f32, 3)} }
local aabb = monoid {
  type = Box, identity = { low = { f32.inf, f32.inf, f32.inf }, high = { -f32.inf, -f32.inf, -f32.inf } }, commutative = true,
  combine = function(a, b) return { low = min(a.low, b.low), high = max(a.high, b.high) } end,
}
local Padded = struct "Padded" { {"flag", u8}, {"count", u32}, {"last", u16} }
local padded = monoid {
  type = Padded, identity = { flag = 0, count = 0, last = 0 },
  combine = function(a, b) return { flag = a.flag | b.flag, count = a.count + b.count, last = max(a.last, b.last) } end,
}
local Big = struct "Big" { {"m", vec(u32, 4)}, {"x", vec(u64, 4)}, {"y", vec(u32, 4)}, {"z", vec(u32, 4)}, {"w", vec(u64, 4)} }
local big = monoid {
  type = Big, identity = { m = { 1, 1, 1, 1 }, x = { 0, 0, 0, 0 }, y = { 0, 0, 0, 0 }, z = { 0, 0, 0, 0 }, w = { 0, 0, 0, 0 } },
  combine = function(a, b)
    return { m = a.m * b.m, x = a.x + b.x, y = a.y * b.m + b.y, z = a.z ~ b.z, w = a.w + b.w }
  end,
}
local Step = struct "Step" { {"a", f32}, {"b", f32} }
local recurrence = monoid {
  type = Step, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
return {
  scan { name = "affine", monoid = affine },
  scan { name = "affine_reverse", monoid = affine, reverse = true, kind = "exclusive", init = { a = 3, b = 5 } },
  scan { name = "matrix", monoid = matrix, kind = "exclusive" },
  scan { name = "dfa", monoid = dfa },
  scan { name = "dfa_reverse", monoid = dfa, reverse = true },
  scan { name = "brackets", monoid = brackets, input = u8,
         map = function(x) return { close = u32(eq(x & 1, 1)), open = u32(eq(x & 1, 0)) } end, output = function(s) return s.open end },
  scan { name = "max_subarray", monoid = max_subarray, input = i8,
         map = function(x) local v = i32(x); local p = max(v, 0); return { sum = v, prefix = p, suffix = p, best = p } end,
         output = function(s) return s.best end },
  reduce { name = "max_subarray_total", monoid = max_subarray, input = i8,
         map = function(x) local v = i32(x); local p = max(v, 0); return { sum = v, prefix = p, suffix = p, best = p } end },
  scan { name = "aabb", monoid = aabb },
  scan { name = "padded", monoid = padded },
  scan { name = "segmented", monoid = segmented(sum(i32)), input = u16,
         map = function(x) return { flag = u32(eq(x & 15, 0)), value = i32(x) } end, output = function(s) return s.value end },
  scan { name = "pair", monoid = pair(sum(u32), maximum(u32)), input = u32, map = function(x) return { x, x } end },
  scan { name = "big", monoid = big },
  scan { name = "recurrence", monoid = recurrence, input = u8, map = function(x) return { a = 0.75, b = f32(x) } end, output = function(s) return s.b end },
}
