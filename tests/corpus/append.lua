-- Expansions: lengths 0 everywhere, 0 or 1, small ones, one giant beside zeros, sums beyond 2^32; items of several widths, and ones that devices
-- round; more and less room than they need; in any order, also where elements' items are alike.

local Splat = struct "Splat" { {"tile", u32}, {"depth", f32} }
local Rounded = struct "Rounded" { {"i", u32}, {"y", f32}, {"k", u32} }
local Padded = struct "Padded" { {"small", u8}, {"large", u32} }

return {
  append { name = "append_small", doc = "in every geometry", input = u32, length = function(x) return x % 6 end,
           item = function(x, i, k) return x + u32(i) * 7 + k end },
  append { name = "append_none", input = u32, length = function() return 0 end, item = function(x) return x end },
  append { name = "append_some", input = u32, length = function(x) return x >> 7 & 1 end, item = function(x, i) return i end },
  append { name = "append_room", doc = "in every geometry", input = u32, capacity = 100000, length = function(x, i) return x % 6 end,
           item = function(x, i, k) return Splat { u32(i) * 16 + k, f32(x & 0xffff) } end },
  append { name = "append_giant", doc = "in every geometry", input = u16, capacity = 70001,
           length = function(x, i) return where(eq(i % 2999, 17), u32(69000), 0) end, item = function(x, i, k) return k * 3 ~ u32(i) end },
  append { name = "append_beyond", input = u8, capacity = 4099, length = function(x, i) return where(eq(i % 3, 2), u32(1), 0x80000000) end,
           item = function(x, i, k) return k ~ u32(x) end },
  append { name = "append_bytes", input = u8, capacity = 60000, length = function(x) return u32(x & 3) end,
           item = function(x, i, k) return u8(x) + u8(k) end },
  append { name = "append_arrays", inputs = { {"a", u8}, {"m", u16}, {"b", f32} }, length = function(e) return u32(e.m % 5) end,
           item = function(e, i, k) return Padded { e.a + u8(k), bitcast(u32, e.b) } end },
  append { name = "append_roots", input = u32, capacity = 50000, length = function(x) return x % 5 end,
           item = function(x, i, k) return Rounded { u32(i), sqrt(f32(x) + f32(k)) / 3, k } end },
  append { name = "append_strewn", doc = "in every geometry", input = u32, order = "any", length = function(x) return x % 6 end,
           item = function(x, i, k) return u32(i) * 8 + k end },
  append { name = "append_strewn_room", doc = "in every geometry", input = u32, order = "any", capacity = 20000,
           length = function(x, i) return x % 6 end, item = function(x, i, k) return Splat { u32(i) * 16 + k, f32(x & 0xffff) } end },
  append { name = "append_strewn_alike", input = u16, order = "any", length = function(x) return u32(x & 3) end,
           item = function(x, i, k) return u8(x >> 4) end },
  append { name = "append_strewn_giant", input = u16, order = "any", capacity = 70001,
           length = function(x, i) return where(eq(i % 2999, 17), u32(69000), 0) end, item = function(x, i, k) return k * 3 ~ u32(i) end },
  append { name = "append_halves", input = i16, length = function(x) return u32(x & 1) * 3 end, item = function(x, i, k) return x + i16(k) end },
}
