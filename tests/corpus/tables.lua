-- Tables of constants: of every type, of structs and vecs, indexed by every integer type, also beyond the last entry and below the first.
local function listed(count, entry)
  local list = {}
  for i = 0, count - 1 do list[i + 1] = entry(i) end
  return list
end
local hash = table_of(u32, listed(100, function(i) return i * 0x9e3779b1 & 0xffffffff end))
local signed = table_of(i16, listed(37, function(i) return (i * 7919) % 65536 - 32768 end))
local class = table_of(u8, listed(256, function(i) return i * 5 % 7 end))
local offset = table_of(i8, { -128, -1, 0, 1, 127 })
local wide = table_of(u64, listed(9, function(i) return i * 0x9e3779b97f4a7c15 & 0x7fffffffffffffff end))
local long = table_of(i64, { i64.min, -1, 0, 1, i64.max })
local whole = table_of(i32, { i32.min, -5, 0, 5, i32.max })
local half = table_of(f16, { 0.5, -2, f16.inf, f16.max, 0 })
local single = table_of(f32, { 0.1, -1.5, f32.inf, -f32.inf, 0 / 0, f32.max, bitcast(f32, u32(0x80000000)), 3 })
local plain = table_of(f32, { 0.1, -1.5, 1e30, 3 })
local double = table_of(f64, { 0.1, f64.inf, -2.5, 0 })
local Step = struct "Step" { {"to", u8}, {"gain", f32}, {"way", vec(i16, 2)} }
local steps = table_of(Step, listed(11, function(i) return { to = i, gain = i / 4, way = { -i, i * i } } end))
local single_entry = table_of(u16, { 40000 })

-- An automaton of lines with quoted fields (0 outside, 1 inside, 2 after a quote inside): what a byte does to a state, and how that composes.
local QUOTE = string.byte '"'
local step = table_of(u8, listed(3 * 256, function(i)
  local state, byte = i // 256, i % 256
  if byte == QUOTE then return ({ [0] = 1, 2, 1 })[state] end
  return state == 1 and 1 or 0
end))
local Map = vec(u8, 3)
local compose = monoid { type = Map, identity = { 0, 1, 2 }, sample = function(r) return { r:u8(0, 2), r:u8(0, 2), r:u8(0, 2) } end,
  combine = function(f, g)
    local function then_g(s) return where(eq(s, 0), g.x, where(eq(s, 1), g.y, g.z)) end
    return { then_g(f.x), then_g(f.y), then_g(f.z) }
  end }
-- The same automaton as numbers of a group's elements: the tables have the product.
local rotations = table_of(u8, listed(25, function(i) return (i // 5 + i % 5) % 5 end))
local group = monoid { type = u8, identity = 0, sample = function(r) return r:u8(0, 4) end, combine = function(a, b) return rotations[a * 5 + b] end }

return {
  map { name = "hashes", input = u32, output = function(x) return hash[x] end, doc = "in every geometry" },
  map { name = "by_signed", input = i32, output = function(x) return signed[x] end },
  map { name = "by_byte", input = u8, output = function(x) return class[x] end, doc = "in every geometry" },
  map { name = "by_i8", input = i8, output = function(x) return hash[x] + u32(offset[x >> 5]) end },
  map { name = "by_u64", input = u64, output = function(x) return wide[x >> 60] + wide[x] end },
  map { name = "by_i64", input = i64, output = function(x) return long[x % 7 - 1] end },
  map { name = "by_index", input = u32, output = function(x, i) return hash[i] ~ x end },
  map { name = "whole", input = i16, output = function(x) return whole[x & 7] end },
  map { name = "halves", input = u16, output = function(x) return half[x % 6] end },
  map { name = "singles", input = u32, output = function(x) return single[x % 9] end },
  map { name = "scaled", input = f32, output = function(x, i) return x * plain[i & 3] end },
  map { name = "doubles", input = u32, output = function(x) return double[x & 3] end },
  map { name = "records", input = u32, output = function(x) return steps[x % 12] end },
  map { name = "nested", input = u8, output = function(x) return hash[class[class[x]]] + u32(single_entry[x]) + hash[#hash - 1] end },
  scan { name = "quoted", monoid = compose, input = u8, map = function(x) local at = u32(x) return { step[at], step[at + 256], step[at + 512] } end,
    output = function(s) return s.x end, kind = "exclusive", doc = "in every geometry" },
  scan { name = "rotated", monoid = group, input = u8, map = function(x) return class[x] % 5 end },
  reduce { name = "weighed", monoid = sum(i32), input = u8, map = function(x) return i32(offset[class[x]]) end },
  compact { name = "chosen", input = u8, keep = function(x) return eq(class[x], 3) end },
}
