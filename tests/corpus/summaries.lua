-- Summaries of ranges that can be merged.

-- Chan, Golub and LeVeque 1983: count, mean and sum of squared differences from it.
local Statistics = struct "Statistics" { {"count", u32}, {"mean", f32}, {"m2", f32} }
local statistics = monoid {
  type = Statistics, identity = { count = 0, mean = 0, m2 = 0 },
  laws = "trusted", -- of counts below 2^24
  combine = function(a, b)
    local count, difference = a.count + b.count, b.mean - a.mean
    local weight = f32(b.count) / f32(max(count, 1))
    return { count = count, mean = a.mean + difference * weight, m2 = a.m2 + b.m2 + difference * difference * f32(a.count) * weight }
  end,
}
local function one_value(x) return { count = 1, mean = f32(x) / 8, m2 = 0 } end

-- Milakov and Gimelshein 2018: the largest logit, and the sum of exponentials relative to it.
local Softmax = struct "Softmax" { {"largest", f32}, {"sum", f32} }
local softmax = monoid {
  type = Softmax, identity = { largest = -f32.inf, sum = 0 }, laws = "trusted", -- of logits below infinity
  combine = function(a, b)
    local largest = max(a.largest, b.largest)
    local function scaled(x) return x.sum * where(eq(x.largest, largest), 1, exp(x.largest - largest)) end
    return { largest = largest, sum = scaled(a) + scaled(b) }
  end,
}
local function logit(x) return { largest = f32(x) / 16, sum = 1 } end

-- Brackets that find no partner: closing ones, then opening ones.
local Brackets = struct "Brackets" { {"close", u32}, {"open", u32} }
local brackets = monoid {
  type = Brackets, identity = { close = 0, open = 0 }, laws = "trusted", -- of fewer than 2^32 brackets
  combine = function(a, b)
    local matched = min(a.open, b.close)
    return { close = a.close + b.close - matched, open = a.open + b.open - matched }
  end,
}
local function bracket(x) return { close = u32(x & 1), open = u32(~x & 1) } end

-- Depth of nesting at the end of a range, and the least in it.
local Depth = struct "Depth" { {"depth", i32}, {"least", i32} }
local depth = monoid {
  type = Depth, identity = { depth = 0, least = 0 }, laws = "trusted", -- where least <= 0, as map makes it
  combine = function(a, b) return { depth = a.depth + b.depth, least = min(a.least, a.depth + b.least) } end,
}

local Run = struct "Run" { {"sum", i32}, {"prefix", i32}, {"suffix", i32}, {"best", i32} }
local max_subarray = monoid {
  type = Run, identity = { sum = 0, prefix = 0, suffix = 0, best = 0 },
  laws = "trusted", -- where best >= prefix, suffix >= 0 and >= sum, as map makes them
  combine = function(a, b)
    return { sum = a.sum + b.sum, prefix = max(a.prefix, a.sum + b.prefix), suffix = max(b.suffix, b.sum + a.suffix),
             best = max(max(a.best, b.best), a.suffix + b.prefix) }
  end,
}
local function run(x)
  local v = i32(x)
  local p = max(v, 0)
  return { sum = v, prefix = p, suffix = p, best = p }
end

local Box = struct "Box" { {"low", vec(f32, 3)}, {"high", vec(f32, 3)} }
local aabb = monoid {
  type = Box, identity = { low = { f32.inf, f32.inf, f32.inf }, high = { -f32.inf, -f32.inf, -f32.inf } }, commutative = true,
  combine = function(a, b) return { low = min(a.low, b.low), high = max(a.high, b.high) } end,
}

local function segment(x) return { flag = u32(eq(x & 15, 0)), value = i32(x) } end
local function wide_segment(x) return { flag = u32(eq(x & 31, 0)), value = u64(x) } end

return {
  scan { name = "statistics", monoid = statistics, input = i16, map = one_value },
  scan { name = "variance_back", monoid = statistics, input = i16, map = one_value, reverse = true,
         output = function(s) return s.m2 / f32(s.count) end },
  reduce { name = "statistics_total", monoid = statistics, input = i16, map = one_value },
  scan { name = "softmax", monoid = softmax, input = i8, map = logit },
  reduce { name = "softmax_total", monoid = softmax, input = i8, map = logit },
  scan { name = "brackets", monoid = brackets, input = u8, map = bracket, output = function(s) return s.open end },
  reduce { name = "brackets_total", monoid = brackets, input = u8, map = bracket },
  scan { name = "depth", monoid = depth, input = u8, kind = "exclusive",
         map = function(x) local step = i32(x & 2) - 1; return { depth = step, least = min(step, 0) } end },
  scan { name = "max_subarray", monoid = max_subarray, input = i8, map = run, output = function(s) return s.best end },
  scan { name = "max_subarray_back", monoid = max_subarray, input = i8, map = run, reverse = true },
  reduce { name = "max_subarray_total", monoid = max_subarray, input = i8, map = run },
  scan { name = "aabb", monoid = aabb },
  scan { name = "aabb_back", monoid = aabb, reverse = true, kind = "exclusive" },
  reduce { name = "aabb_total", monoid = aabb },
  scan { name = "segmented", monoid = segmented(sum(i32)), input = u16, map = segment, output = function(s) return s.value end },
  scan { name = "segmented_back", monoid = segmented(maximum(u64)), input = u32, reverse = true, kind = "exclusive", map = wide_segment },
  reduce { name = "segmented_total", monoid = segmented(sum(i32)), input = u16, map = segment },
}
