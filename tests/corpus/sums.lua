-- Ready-made monoids: kinds, directions, init, map and output.
local function pulled_down(x, i) return x ~ u32(i) end
local nan = bitcast(f32, u32(0x7fc00000))
local function with_nan(x) return where(eq(x & 3, 0), f32(x), where(eq(x & 31, 1), f32.inf, where(eq(x & 31, 2), -f32.inf, nan))) end

return {
  scan { name = "exclusive_u32", monoid = sum(u32), kind = "exclusive" },
  scan { name = "reverse_i32", monoid = sum(i32), reverse = true },
  scan { name = "minimum_f32", monoid = minimum(f32), kind = "exclusive" },
  scan { name = "bytes", monoid = sum(u32), input = u8, map = function(x) return u32(x) end },
  scan { name = "bytes_wrap", monoid = sum(u8), init = 7 },
  scan { name = "xor_i16", monoid = bit_xor(i16), reverse = true, kind = "exclusive" },
  scan { name = "vec", monoid = sum(vec(u32, 3)) },
  scan { name = "indexed", monoid = maximum(u32), map = pulled_down, output = function(s, x, i) return s - x + u32(i) end },
  scan { name = "indexed_back", monoid = maximum(u32), reverse = true, kind = "exclusive", init = 17, map = pulled_down,
         output = function(s, x, i) return s - x + u32(i) end },
  scan { name = "indexed_wide", monoid = sum(u32), map = function(x, i) return x + u32(i * i >> 3) + u32(f32(i)) end,
         output = function(s, x, i) return i * 0x100000001 + u64(s) end },
  scan { name = "pair", monoid = pair(sum(u32), maximum(u32)), input = u32, map = function(x) return { x, x } end },
  scan { name = "largest_so_far", monoid = argmax(u32), input = u32, map = function(x, i) return { value = x, index = u32(i) } end },
  scan { name = "smallest_to_come", monoid = argmin(f32, u64), input = i16, reverse = true,
         map = function(x, i) return { value = f32(x), index = i } end },
  scan { name = "largest_yet", monoid = argmax(f32), input = i16, map = function(x, i) return { value = with_nan(x), index = u32(i) } end },
  reduce { name = "smallest", monoid = argmin(f32), input = i16, map = function(x, i) return { value = with_nan(x), index = u32(i) } end },
  reduce { name = "none", monoid = argmax(f32), input = i16, map = function(x, i) return { value = nan, index = u32(i) } end },
  reduce { name = "product_u32", monoid = product(u32), init = 3 },
  reduce { name = "largest", monoid = argmax(u32), input = u32, map = function(x, i) return { value = x & 4095, index = u32(i) } end },
}
