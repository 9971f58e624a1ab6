-- Sorts by keys of every kind, with values of every kind: each of those comes with several kinds of keys.
local V12 = struct "V12" { {"a", f32}, {"b", u16}, {"c", u8}, {"d", i32} } -- one byte of padding
local V6 = struct "V6" { {"a", vec(u16, 2)}, {"b", i8} }
local eight = vec(u64, 4)
local V128 = struct "V128" { {"a", eight}, {"b", eight}, {"c", eight}, {"d", eight} }
local values = { false, u8, u32, u64, V12, V128, "index", "wide index", V6, vec(u8, 3), i16 }
local list = {}
local function add(name, op, value)
  op.name = name
  if value == "wide index" then op.value, op.index = "index", u64 elseif value then op.value = value end
  list[#list + 1] = op
end
-- the order of the key kinds makes every value kind meet two of them
for s, T in ipairs { u8, i8, u16, i16, u32, i32, u64, i64, f16, f32, f64 } do
  local name = ({ "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64" })[s]
  add(name .. "_up", { key = T }, values[s])
  add(name .. "_down", { key = T, order = "descending" }, values[(s + 4) % #values + 1])
end
local Splat = struct "Splat" { {"tile", u32}, {"depth", f32}, {"id", u8} }
local splat = key { type = Splat, by = { {"tile", bits = 14}, {"depth", order = "descending"} } }
add("splat", { key = splat }, "index")
add("splat_down", { key = splat, order = "descending" }, u8)
add("range", { key = key { type = u32, bits = {5, 13} } }, "index")
add("range64", { key = key { type = i64, bits = {29, 47} }, order = "descending" }, V6)
add("shorts", { key = key { type = vec(u16, 3), by = { {"z"}, {"x", order = "descending"} } } }, V128)
add("bytes3", { key = key { type = vec(u8, 3), by = { {"x"}, {"z"}, {"y", bits = 3} } } }, u8)
local Bytes7 = struct "Bytes7" { {"a", vec(u8, 4)}, {"b", i8}, {"c", vec(i8, 2)} }
add("bytes7", { key = key { type = Bytes7, by = { {"b"}, {"a.w"} } } }, Bytes7)
add("top", { key = key { type = struct "Top" { {"d", f64}, {"h", f16} }, by = { {"h", bits = 9}, {"d", bits = 13} } } }, "wide index")
local Segment = struct "Segment" { {"segment", u32}, {"key", i64} }
add("segment", { key = key { type = Segment, by = { {"segment"}, {"key"} } } }, V12)
local Wide = struct "Wide" { {"high", u64}, {"low", i64} }
add("wide", { key = key { type = Wide, by = { {"high"}, {"low"} } }, order = "descending" }, "index")
local function part3(x, T, steps)
  for _, s in ipairs(steps) do x = (x | x << s[1]) & T(s[2]) end
  return x
end
local three = vec(u32, 3)
local steps30 = { {16, 0x30000ff}, {8, 0x300f00f}, {4, 0x30c30c3}, {2, 0x9249249} }
add("morton30", { input = three, key = key { type = u32, bits = {0, 30} }, map = function(p)
  local function part(x) return part3(x & 1023, u32, steps30) end
  return part(p.x) | part(p.y) << 1 | part(p.z) << 2 end }, "index")
local steps63 = { {32, 0x1f00000000ffff}, {16, 0x1f0000ff0000ff}, {8, 0x100f00f00f00f00f}, {4, 0x10c30c30c30c30c3}, {2, 0x1249249249249249} }
add("morton63", { input = three, key = key { type = u64, bits = {0, 63} }, map = function(p)
  local function part(x) return part3(u64(x & 0x1fffff), u64, steps63) end
  return part(p.x) | part(p.y) << 1 | part(p.z) << 2 end })
add("mapped_alone", { input = u16, key = u32, map = function(x, i) return u32(x) * 40503 + u32(i & 3) end }) -- its image is all there is of a key
add("mapped", { input = u8, key = i16, order = "descending", map = function(x, i) return i16(x) - i16(i & 3) end }, u64)
local ranks = {}
for byte = 0, 255 do ranks[byte + 1] = byte * 167 % 256 end
local rank = table_of(u16, ranks)
add("ranked", { input = u8, key = u16, map = function(x) return rank[x] end }, u8)
add("halves", { key = f16, order = "descending" })
add("mapped_byte", { input = u16, key = i8, order = "descending", map = function(x, i) return i8(x >> 5) - i8(i & 3) end })
for i = 1, #list do list[i] = sort(list[i]) end
return list
