-- Sweeps: what is kept of the input, in order; runs and what they come to; several arrays, neighbours, scans that keep.
local Point = struct "Point" { {"x", f32}, {"id", u16} }
local compose = monoid {
  type = struct "Affine" { {"a", u32}, {"b", u32} }, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
local function is_even(x) return eq(x & 1, 0) end
local function is_odd_of(s, x, i, near) return land(ne(x & 1, 0), lor(near.last, gt(near.after, x))) end
local function is_low_of(s, x) return lt(s & 255, 77) end
return {
  compact { name = "evens", input = u32, keep = is_even, doc = "in every geometry" },
  compact { name = "bytes", input = u8, keep = function(x, i) return gt(x, 100) end, doc = "in every geometry" },
  compact { name = "wide", input = u64, keep = function(x, i) return eq((x >> 7 ~ i) % 10, 0) end },
  compact { name = "places", inputs = { {"x", f32}, {"flag", u8} }, keep = function(e, i, near) return ne(e.flag & 3, 0) end,
    outputs = { {"value", value = function(e) return e.x end}, {"place", value = function(e, i) return u32(i) end},
      {"point", value = function(e, i) return Point { x = e.x, id = u16(i) } end} } },
  compact { name = "none", input = i16, keep = function(x) return eq(i32(x) * i32(x) % 7, 3) end }, -- no square has this rest; compilers do not know
  compact { name = "all", input = f64, keep = function(x) return ge(u32(3), 1) end },
  partition { name = "halves", input = u32, first = function(x, i) return eq((x >> 3 ~ u32(i)) & 1, 0) end, doc = "in every geometry" },
  partition { name = "words", input = vec(u32, 3), first = function(v) return lt(v.x, v.y) end },
  map { name = "sieve", input = u16, outputs = { {"odd", keep = function(x) return ne(x & 1, 0) end, value = function(x) return x end},
    {"some", keep = function(x, i) return ne((u32(x) ~ u32(i)) % 5, 0) end, value = function(x, i) return u32(i) end},
    {"all", keep = function(x) return ne(u32(x) * 2 + 1, 0) end, value = function(x) return u8(x >> 8) end} }, doc = "in every geometry" },
  scan { name = "sieved", monoid = compose, kind = "exclusive", reverse = true, init = { a = 3, b = 5 }, outputs = {
    {"s", value = function(s) return s.b end},
    {"high", keep = function(s, x) return gt(x.b, 1 << 30) end, value = function(s, x) return s.a ~ x.a end},
    {"odd", keep = function(s, x) return ne(x.a & 1, 0) end, value = function(s, x) return u16(s.b & 0xffff) end} } },
  unique { name = "heads", input = u32, equal = function(a, b) return eq(a >> 30, b >> 30) end, doc = "in every geometry" },
  unique { name = "small", input = i8 },
  run_length_encode { name = "runs", input = u8, equal = function(a, b) return eq(a >> 7, b >> 7) end, doc = "in every geometry" },
  run_length_encode { name = "long_runs", input = u32, equal = function(a, b) return eq(a >> 31, b >> 31) end, length = u64 },
  reduce_by_key { name = "sums", key = u32, monoid = sum(u32), equal = function(a, b) return eq(a >> 30, b >> 30) end, doc = "in every geometry" },
  reduce_by_key { name = "affine", key = u16, monoid = compose, value = u32, map = function(x, i) return { a = x | 1, b = u32(i) } end,
    equal = function(a, b) return eq(a >> 14, b >> 14) end },
  reduce_by_key { name = "means", key = u8, monoid = sum(f32), equal = function(a, b) return eq(a >> 6, b >> 6) end },
  scan { name = "peaks", monoid = maximum(i32), outputs = { {"most", value = function(s) return s end},
    {"risen", keep = function(s, x, i, near) return land(gt(x, near.before), gt(x, near.after)) end, value = function(s, x, i) return i end} } },
  scan { name = "backward", monoid = sum(u32), kind = "exclusive", reverse = true, init = 7, inputs = { {"a", u32}, {"b", u8} },
    map = function(e) return e.a + u32(e.b) end, outputs = { {"s", value = function(s) return s end},
      {"odd", keep = function(s, e) return ne(e.b & 1, 0) end, value = function(s, e) return s ~ e.a end} } },
  scan { name = "arrays", monoid = compose, inputs = { {"a", u32}, {"b", u16} }, map = function(e) return { a = e.a, b = u32(e.b) } end,
    output = function(s) return s.b end },
  reduce { name = "totals", monoid = pair { least = minimum(i32), most = maximum(i32) }, inputs = { {"x", i32}, {"y", i32} },
    map = function(e) return { least = e.x, most = e.y } end,
    outputs = { {"low", value = function(s) return s.least end}, {"high", value = function(s) return i64(s.most) end} } },
  compact { name = "every_third", inputs = { {"x", u16}, {"at", generate = function(i) return struct "At" { {"row", u32}, {"column", u8} } {
    u32(i) // 31, u8(i % 31) } end} }, keep = function(e, i) return eq(i % 3, 1) end },
  scan { name = "pieces", monoid = pair { most = maximum(u8), total = sum(u32) }, inputs = { {"x", u8}, {"y", u32} }, doc = "by scan_then_propagate",
    map = function(e) return { most = e.x, total = e.y } end, outputs = { {"total", value = function(s) return s.total end},
      {"most", value = function(s) return s.most end}, {"twice", value = function(_, e) return e.y * 2 end},
      {"mixed", value = function(s, e, i) return struct "Mixed" { {"x", u8}, {"total", u32}, {"i", u16} } { e.x, s.total, u16(i) } end} } },
  scan { name = "pieces_back", monoid = compose, kind = "exclusive", reverse = true, init = { 3, 5 }, inputs = { {"x", u32}, {"y", u16} },
    doc = "by scan_then_propagate", map = function(e) return { e.x | 1, u32(e.y) } end,
    outputs = { {"s", value = function(s) return s end}, {"a", value = function(s) return s.a end} } },
  scan { name = "weighted", monoid = sum(u32), inputs = { {"x", u32}, {"w", generate = function(i) return u32(i) & 7 end} },
    map = function(e) return e.x * e.w end, outputs = { {"s", value = function(s, e) return s ~ e.w end},
      {"odd", keep = function(s, e) return ne(e.w & 1, 0) end, value = function(s) return s end} } },
  scan { name = "odd_sums", monoid = sum(u32), outputs = {
    {"odd", keep = function(s) return ne(s & 1, 0) end, value = function(s, x, i) return i end} }, doc = "in every geometry" },
  scan { name = "low_values", monoid = compose, kind = "exclusive", reverse = true, init = { a = 3, b = 5 }, outputs = {
    {"s", value = function(s) return s.b end},
    {"low", keep = function(s, x, i, near) return lor(near.first, lt(s.b ~ near.after.a, 1 << 30)) end, value = function(s, x) return s.b + x.b end},
    {"odd", keep = function(s, x) return ne(x.a & 1, 0) end, value = function(s, x) return u16(s.a & 0xffff) end} }, doc = "in every geometry" },
  scan { name = "kept_together", monoid = sum(u32), kind = "exclusive", outputs = { -- by one function two of three: counted once
    {"s", keep = is_odd_of, value = function(s) return s end},
    {"even", keep = function(_, x) return is_even(x) end, value = function(_, x) return u8(x & 255) end},
    {"place", keep = is_odd_of, value = function(_, _, i) return i end} }, doc = "in every geometry" },
  scan { name = "low_together", monoid = sum(u32), outputs = { -- what is kept is known when s is
    {"s", keep = is_low_of, value = function(s) return u16(s & 65535) end},
    {"place", keep = is_low_of, value = function(_, _, i) return u32(i) end} } },
  map { name = "slopes", input = f32, output = function(x, i, near) return where(lor(near.first, near.last), 0, near.after - near.before) end },
  map { name = "rises", input = i16, outputs = { {"flag", value = function(x, i, near) return u8(gt(x, near.before)) end},
    {"top", keep = function(x, i, near) return gt(x, near.before) end, value = function(x) return x end} } },
}
