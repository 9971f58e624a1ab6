-- Maps: several arrays, elements wider and narrower than what they are made of, packed and padded, by index, with functions that devices round.
local Ray = struct "Ray" { {"origin", vec(f32, 3)}, {"t", f32} }
local Pixel = struct "Pixel" { {"level", u8}, {"depth", u32}, {"id", u16} }
return {
  map { name = "scaled", input = f32, output = function(x, i) return x * 0.5 + f32(i & 255) end, doc = "in every geometry" },
  map { name = "negated", input = i32, output = function(x) return -x end },
  map { name = "bytes", input = u8, output = function(x, i) return x ~ u8(i) end, doc = "in every geometry" },
  map { name = "widened", input = u8, output = function(x, i) return vec(u32, 4) { u32(x), u32(i), u32(x) * 3, 7 } end },
  map { name = "narrowed", input = vec(u32, 4), output = function(x) return u8(x.x + x.y + x.z + x.w) end },
  map { name = "halves", input = f16, output = function(x) return x + x * 0.25 end },
  map { name = "split", input = u64, output = function(x) return vec(u32, 2) { u32(x >> 32), u32(x) } end },
  map { name = "padded", input = Ray, output = function(r, i) return Pixel { level = u8(i), depth = u32(abs(r.t)), id = u16(i * 3) } end },
  map { name = "unpadded", input = Pixel, output = function(p) return p.depth + u32(p.level) + u32(p.id) end },
  map { name = "logistic", input = f32, output = function(x) return 1 / (1 + exp(-x)) end },
  map { name = "lengths", input = Ray, output = function(r) return sqrt(r.origin.x * r.origin.x + r.origin.y * r.origin.y + r.t * r.t) end },
  map { name = "arrays", inputs = { {"x", f32}, {"flag", u8}, {"wide", vec(u32, 3)}, {"_half", u16} }, doc = "in every geometry",
    outputs = { {"scaled", value = function(e, i) return e.x * 2 + f32(u32(i) & 255) end}, {"class", value = function(e) return e.flag & 1 end},
      {"pixel", value = function(e, i) return Pixel { level = e.flag, depth = e.wide.z, id = e._half + u16(i) } end} } },
  map { name = "hypotenuse", inputs = { {"x", f32}, {"y", f32} }, output = function(e) return sqrt(e.x * e.x + e.y * e.y) end },
  map { name = "parts", input = Ray, outputs = { {"distance", value = function(r) return sqrt(r.t * r.t + 1) end},
    {"origin", value = function(r) return r.origin end}, {"rank", value = function(r, i) return i end} } },
  map { name = "windowed", inputs = { {"x", f32}, {"w", generate = function(i) return f32(u32(i) & 63) * 0.25 end} }, doc = "in every geometry",
    outputs = { {"y", value = function(e) return e.x * e.w end},
      {"rank", value = function(e, i, near) return u32(near.before.w + near.after.w + e.w) end} } },
  map { name = "doubles", input = f64, output = function(x) return x * x end, doc = "needs float64" },
}
