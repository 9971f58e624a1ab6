-- What a compiler gets wrong that takes floats for real numbers: differences of equals, products by zero, sums in another order, a product and a sum
-- made one operation, comparisons of NaN turned round. Results are words, so that they are compared to the bit. Inputs have edges among them.
local operations = {}
local EVERYWHERE = "in every geometry"

local WORD = { [f16] = u16, [f32] = u32, [f64] = u64 }

-- Values and conditions of three numbers.
local function values_of(T, a, b, c)
  local sum, difference = a + b, a - b
  local taken = sum - a
  local values = {
    sum - a, sum - b - a, a - a, a * 0, a * T(-0.0), a * b - b * a, a * b + c, c - a * b, (a + c) * (b - c), a * b + b * c, a * a - b * b,
    (a - (sum - taken)) + (b - taken), -- what the sum lost (Knuth's two-sum)
    a + 0, a - 0, a + T(-0.0), T(0) - a, -a, a * 1, a * -1, a * 2 * 0.5, a + a - a, -difference, b - a, -sum, difference + b,
    a * c * b, a * (c * b), a + c + b, a + (c + b), min(a, b), max(a, b), max(a, min(b, c)), clamp(a, b, c), abs(a * b),
    abs(difference) - abs(b - a), T(1) - (T(1) - a), where(lt(a, b), a, b) - a, where(gt(a, b), a, b), where(lt(a, 0), -a, a), floor(a) - a,
  }
  local W = WORD[T]
  for _, chosen in ipairs { -- what is compared is what is chosen
    where(lnot(lt(a, b)), a, b), where(eq(a, b), a, b), where(eq(a, 0), T(0), a), where(land(lt(a, b), lt(a, c)), a, b),
    bitcast(T, where(lt(a, b), bitcast(W, a), bitcast(W, b))), where(ge(a, b), b, a),
  } do values[#values + 1] = chosen end
  local zero, below = T(0), T(-0.0) -- as divisors, too
  local quotients = { a // 0, a // below, zero // a, a % zero, a % below, zero % a, (a - a) // b, b % (a - a), a / 0, a / below, zero / a }
  for _, quotient in ipairs(quotients) do values[#values + 1] = quotient end
  return values
end
local function conditions_of(T, a, b, c)
  local sum, difference = a + b, a - b
  return {
    ne(a, a), eq(difference - difference, 0), isnan(a - a), lt(a, b), lnot(lt(a, b)), ge(a, b), lnot(ge(a, b)), le(sum, a), lt(sum, a),
    eq(sum, a), gt(difference, 0), lor(lt(a, b), gt(a, b)), land(le(a, b), ge(a, b)), eq(a, -a), lnot(eq(a, b)), ne(a * 0, 0), lt(a, T.inf),
    lnot(gt(a, T.lowest)), eq(a - b, 0), lt(a * a, 0), ge(abs(a), 0), gt(sum, sum - c),
  }
end

-- Four words of all of them.
local function digest(T, a, b, c)
  local words, conditions = { u32(0), u32(0), u32(0) }, u32(0)
  for i, v in ipairs(values_of(T, a, b, c)) do
    local bits = where(isnan(v), WORD[T](1), bitcast(WORD[T], v))
    local word = T == f64 and u32(bits) ~ u32(bits >> 32) or u32(bits)
    words[i % 3 + 1] = words[i % 3 + 1] * 0x9e3779b1 ~ word
  end
  for i, c in ipairs(conditions_of(T, a, b, c)) do conditions = conditions ~ where(c, u32(1 << (i - 1)), 0) end
  return vec(u32, 4)(words[1], words[2], words[3], conditions)
end

local function in_maps(T, name, doc)
  local Three = struct("Three_" .. name) { { "a", T }, { "b", T }, { "c", T } }
  local function map(x) return digest(T, x.a, x.b, x.c) end
  table.insert(operations, scan { name = "map_" .. name, doc = doc, monoid = sum(vec(u32, 4)), input = Three, map = map })
  if T ~= f32 then return end
  table.insert(operations, reduce { name = "map_" .. name .. "_total", monoid = sum(vec(u32, 4)), input = Three, map = map })
end
in_maps(f32, "f32")
in_maps(f16, "f16")
in_maps(f64, "f64", "needs float64")

-- Comparisons of what is never below a number, unless it is NaN, with numbers that a compiler knows.
local function compared(T, name, doc, functions)
  table.insert(operations, map { name = "compared_" .. name, doc = doc, input = T, output = function(x)
    local words = { u32(0), u32(0) }
    for f, fn in ipairs(functions) do
      local y = fn(x)
      for k, number in ipairs { 0, -1, T.inf } do
        for c, compare in ipairs { lt, le, gt, ge } do
          local bit = ((f - 1) * 3 + k - 1) * 4 + c - 1
          words[bit // 32 + 1] = words[bit // 32 + 1] | u32(compare(y, number)) << bit % 32
        end
      end
    end
    return vec(u32, 2)(words[1], words[2])
  end })
end
local function square(x) return x * x end
local function below(x) return -abs(x) end
-- Not exp and exp2, whose bits no device promises.
compared(f32, "f32", "", { abs, square, below })
compared(f16, "f16", "", { abs, square, below })
compared(f64, "f64", "needs float64", { abs, square, below })

-- Not words: a NaN's sign after them is the device's own (SwiftShader leaves it), which the comparison must know.
for _, T in ipairs { f32, f16, f64 } do
  local name = T == f32 and "f32" or T == f16 and "f16" or "f64"
  table.insert(operations, map { name = "negated_" .. name, input = T, output = function(x) return -x end })
end

-- Numbers between 1/2 and 2, of both signs, that a scan of words makes.
local function number_of(bits) return bitcast(f32, bits & 0x80ffffff | 0x3f000000) end
local function in_outputs(T, name, doc)
  local Two = struct("Two_" .. name) { { "b", T }, { "c", T } }
  table.insert(operations, scan { name = "output_" .. name, doc = doc, monoid = bit_xor(u32), kind = "exclusive", input = Two,
    map = function(x, i) return u32(i) * 0x9e3779b1 end,
    output = function(s, x) return digest(T, T(number_of(s)), x.b, x.c) end })
end
in_outputs(f32, "f32")
in_outputs(f16, "f16")
in_outputs(f64, "f64", "needs float64")

-- A monoid that counts what goes wrong where two elements meet, and nothing else: so its sums do not depend on the order of meetings.
local function count_of(conditions)
  local count = u32(0)
  for _, c in ipairs(conditions) do count = count + u32(c) end
  return count
end
local function word_of(x) return where(isnan(x), 0x7fc00000, bitcast(u32, x)) end
local function wrong(p, q)
  local a, b = number_of(p), number_of(q)
  local large, small = f32(p >> 8 | 0x800000) * 256, f32(q & 255) -- a sum of these is rounded to a multiple of 256
  local up = where(gt(q & 255, 128), u32(256), where(eq(q & 255, 128), (p >> 8 & 1) * 256, 0))
  local sum, edge = large + small, bitcast(f32, (p & 0x80000000) | 0x7f800000)
  local taken, zero = sum - large, bitcast(f32, p & 0x80000000)
  local huge = bitcast(f32, p & 0x807fffff | 0x7f000000)
  return count_of {
    ne(word_of(a * b - b * a), 0), ne(word_of(taken), bitcast(u32, f32(up))),
    ne(word_of((large - (sum - taken)) + (small - taken)), bitcast(u32, small - f32(up))),
    ne(word_of(edge - edge), 0x7fc00000), ne(word_of(edge * 0), 0x7fc00000), ne(word_of(a * 0), p & 0x80000000), ne(word_of(zero + 0), 0),
    ne(word_of(zero - 0), p & 0x80000000), ne(word_of(huge * 4 * 0.25), word_of(edge)), ne(word_of(-(a - a)), 0x80000000), ne(word_of(a - a), 0),
    eq(edge - edge, edge - edge), lnot(lnot(lt(a, edge - edge))), ne(word_of(max(edge - edge, a)), word_of(a)),
    ne(word_of(min(zero, -zero)), 0x80000000),
    ne(word_of(-(zero - zero)), 0x80000000),
  }
end
local Meeting = struct "Meeting" { { "bits", u32 }, { "wrong", u32 } }
local meeting = monoid {
  type = Meeting, identity = { bits = 0, wrong = 0 }, laws = "trusted",
  combine = function(x, y) return { bits = x.bits ~ y.bits, wrong = x.wrong + y.wrong + wrong(x.bits, y.bits) } end,
}
local function met(x, i) return { bits = x, wrong = 0 } end
table.insert(operations, scan { name = "combine", doc = EVERYWHERE, monoid = meeting, input = u32, map = met })
table.insert(operations, scan { name = "combine_back", monoid = meeting, input = u32, map = met, kind = "exclusive", reverse = true })
table.insert(operations, reduce { name = "combine_total", doc = EVERYWHERE, monoid = meeting, input = u32, map = met })

-- Compensated sums of integers: what the rounded sum lost is kept beside it. Both are exact together, so every order gives the same bits.
local function compensated(T, name, doc)
  local Sum = struct("Sum_" .. name) { { "sum", T }, { "lost", T } }
  local function two_sum(a, b)
    local sum = a + b
    local taken = sum - a
    return sum, (a - (sum - taken)) + (b - taken)
  end
  local monoid = monoid {
    type = Sum, identity = { sum = 0, lost = 0 }, laws = "trusted",
    combine = function(x, y)
      local sum, lost = two_sum(x.sum, y.sum)
      local rounded, rest = two_sum(sum, x.lost + y.lost + lost)
      return { sum = rounded, lost = rest }
    end,
  }
  local top = T == f64 and 0x1p28 or 1
  local t = { monoid = monoid, input = u32, doc = doc,
    map = function(x) return { sum = T(x & 0xfff) * T(u32(1) << (x >> 12 & 15)) * top + T(x & 1), lost = 0 } end,
    output = function(s) return vec(WORD[T], 2)(bitcast(WORD[T], s.sum), bitcast(WORD[T], s.lost)) end }
  local function with(more)
    for key, value in pairs(t) do if more[key] == nil then more[key] = value end end
    return more
  end
  table.insert(operations, scan(with { name = "compensated_" .. name }))
  table.insert(operations, scan(with { name = "compensated_" .. name .. "_back", doc = T == f64 and doc or "", kind = "exclusive", reverse = true }))
  table.insert(operations, reduce(with { name = "compensated_" .. name .. "_total" }))
end
compensated(f32, "f32", EVERYWHERE)
compensated(f64, "f64", "needs float64")
return operations
