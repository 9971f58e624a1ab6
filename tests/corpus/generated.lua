-- Operations all of whose inputs are generated, or all but the segments: kernels read no array, and n is the caller's.
local function numbers(f) return { {"v", generate = f or function(i) return u32(i) end} } end
local function value(e) return e.v end
local function mixed(i) return (u32(i) * 2654435761) >> 7 end

-- Is no multiple of 2, 3, 5 or 7.
local function is_wheel(e)
  local kept = ne(e.v % 2, 0)
  for _, p in ipairs { 3, 5, 7 } do kept = land(kept, ne(e.v % p, 0)) end
  return kept
end

return {
  map { name = "steps", inputs = numbers(mixed), doc = "in every geometry",
    output = function(e, _, near) return where(lor(near.first, near.last), u32(7), near.after.v - near.before.v) end },
  map { name = "halves", inputs = numbers(), outputs = { {"half", at = function(e) return e.v >> 1 end, keep = function(e) return eq(e.v % 2, 0) end,
    value = function(e) return u16(e.v) end}, {"same", value = function(_, i) return i end} } },
  reduce { name = "hashed", monoid = bit_xor(u32), inputs = numbers(mixed), map = value },
  reduce { name = "quarter", monoid = sum(f32), map = value, inputs = numbers(function(i)
    local x = f32(u32(i) % 1000) * 0.001
    return sqrt(1 - x * x)
  end) },
  scan { name = "triangles", monoid = sum(u64), inputs = numbers(function(i) return i end), map = value },
  scan { name = "differences", monoid = sum(i32), kind = "exclusive", reverse = true, init = -3, inputs = numbers(mixed),
    map = function(e, i, near) return i32(e.v) - i32(where(near.last, u32(0), near.after.v)) end, output = function(s, e) return s ~ i32(e.v) end },
  scan { name = "picked", monoid = sum(u32), inputs = numbers(mixed), map = function(e) return e.v & 3 end,
    outputs = { {"y", keep = function(s) return eq(s % 3, 0) end, value = function(s, e) return s + e.v end} } },
  compact { name = "wheel", inputs = numbers(), keep = is_wheel, output = value, doc = "in every geometry" },
  compact { name = "wheel_records", inputs = { {"v", generate = function(i) return u32(i) end}, {"low", generate = function(i) return u8(i) end} },
    keep = is_wheel },
  partition { name = "sides", inputs = numbers(mixed), first = function(e) return eq(e.v & 4, 0) end },
  partition { name = "sides_of_x", inputs = { {"x", u16}, {"v", generate = mixed} }, first = function(e) return lt(u32(e.x), e.v & 0xffff) end },
  unique { name = "sevenths", inputs = numbers(function(i) return u32(i) // 7 end), equal = function(a, b) return eq(a.v, b.v) end, output = value },
  unique { name = "sevenths_of_x", inputs = { {"x", u8}, {"v", generate = function(i) return u32(i) // 7 end} },
    equal = function(a, b) return land(eq(a.v, b.v), eq(a.x & 1, b.x & 1)) end },
  append { name = "copies", inputs = numbers(), length = function(e) return e.v % 4 end, item = function(e, i, k) return vec(u32, 2)(e.v, k) end },
  append { name = "copies_in_any_order", order = "any", inputs = numbers(), length = function(e) return e.v % 3 end,
    item = function(e, i, k) return e.v * 4 + k end },
  segmented_scan { name = "ranks_in_segments", monoid = sum(u32), segments = "flags", inputs = numbers(mixed), map = value,
    output = function(s, e, i, near) return where(near.head, e.v, s) + near.segment end },
  segmented_reduce { name = "sums_of_segments", monoid = sum(u32), segments = "keys", key = u8, equal = function(a, b) return eq(a & 3, b & 3) end,
    inputs = numbers(mixed), map = value },
  segmented_reduce { name = "sums_by_offsets", monoid = sum(u64), segments = "offsets", inputs = numbers(function(i) return i end), map = value },
}
