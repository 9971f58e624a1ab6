-- Element types of every width, as themselves and in structs. `doc` names the feature without which an operation cannot be planned.
local Padded = struct "Padded" { {"flag", u8}, {"count", u32}, {"last", u16} }
local padded = monoid {
  type = Padded, identity = { flag = 0, count = 0, last = 0 }, commutative = true,
  combine = function(a, b) return { flag = a.flag | b.flag, count = a.count + b.count, last = max(a.last, b.last) } end,
}
local Wide = struct "Wide" { {"tag", u8}, {"total", u64}, {"part", struct "Part" { {"low", i16}, {"high", f64} }} }
local wide = monoid {
  type = Wide, identity = { tag = 0, total = 0, part = { low = i16.max, high = -f64.inf } },
  combine = function(a, b)
    return { tag = a.tag ~ b.tag, total = a.total + b.total,
             part = { low = min(a.part.low, b.part.low), high = where(lt(a.part.high, b.part.high), b.part.high, a.part.high) } }
  end,
}
-- The bits of a float as an integer of the same order: a sort key.
local function key_of(T, width)
  return function(x)
    local bits, top = bitcast(T, x), T(1) << (width - 1)
    return bits ~ where(ge(bits, top), T.max, top)
  end
end

-- Structs of like members and other names, of which compilers may make one.
local Pair, Linear = struct "Pair" { {"a", u32}, {"b", u32} }, struct "Linear" { {"a", u32}, {"b", u32} }
local linear = monoid { type = Linear, identity = Linear(1, 0), combine = function(f, g) return Linear(f.a * g.a, f.b * g.a + g.b) end }

return {
  reduce { name = "linear_of_pairs", input = Pair, monoid = linear, map = function(e) return Linear(e.a | 1, e.b) end },
  scan { name = "kept_pairs", input = Pair, monoid = sum(u32), map = function(e) return e.b end,
         outputs = { {"kept", value = function(s) return s end, keep = function(_, e) return eq(e.b % 3, 0) end} } },
  scan { name = "sum_i8", monoid = sum(i8), reverse = true },
  scan { name = "minimum_u8", monoid = minimum(u8), kind = "exclusive" },
  scan { name = "sum_u16", monoid = sum(u16) },
  scan { name = "sum_u64", monoid = sum(u64), kind = "exclusive" },
  scan { name = "sum_i64", monoid = sum(i64), reverse = true, init = -5 },
  scan { name = "minimum_i64", monoid = minimum(i64), kind = "exclusive" },
  scan { name = "maximum_u64", monoid = maximum(u64), reverse = true },
  scan { name = "product_u64", monoid = product(u64), map = function(x) return x | 1 end },
  scan { name = "wide_sum", monoid = sum(u64), input = i32, map = function(x) return bitcast(u64, i64(x)) end,
         output = function(s) return u32(s >> 32) ~ u32(s) end },
  scan { name = "keys_f64", monoid = maximum(u64), input = f64, map = key_of(u64, 64) },
  scan { name = "keys_f32", monoid = minimum(u32), input = f32, map = key_of(u32, 32) },
  scan { name = "sum_f16", monoid = sum(f16) },
  scan { name = "maximum_f16", monoid = maximum(f16), reverse = true, kind = "exclusive" },
  scan { name = "sum_f64", monoid = sum(f64), kind = "exclusive", doc = "needs float64" },
  scan { name = "minimum_f64", monoid = minimum(f64) },
  scan { name = "halved_f64", monoid = maximum(f64), map = function(x) return x / 2 end, doc = "needs float64" },
  scan { name = "padded", monoid = padded },
  scan { name = "wide", monoid = wide, kind = "exclusive" },
  scan { name = "wide_back", monoid = wide, reverse = true },
  reduce { name = "sum_f32", monoid = sum(f32) },
  reduce { name = "sum_u8", monoid = sum(u8), init = 200 },
  reduce { name = "padded_total", monoid = padded },
}
