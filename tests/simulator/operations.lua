-- What the simulator runs: exact in any order, commutative and not, of 4, 8, 12 and 128 bytes, narrow and padded.
local Affine = struct "Affine" { {"a", u32}, {"b", u32} }
local affine = monoid {
  type = Affine, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
local affine_word = monoid { type = u32, identity = 1, -- the same of 16 bits each, in one word
  combine = function(f, g) return (f & 0xffff) * (g & 0xffff) & 0xffff | (f >> 16) * (g & 0xffff) + (g >> 16) << 16 end }
-- Products of odd numbers do not end in 0, after which nothing before would matter.
local nan = bitcast(f32, u32(0x7fc00000))
local function with_nan(x, i)
  return { value = where(eq(x & 3, 0), f32(x >> 8), where(eq(x & 15, 1), f32.inf, where(eq(x & 15, 2), -f32.inf, nan))), index = u32(i) }
end
local function odd(x) return { a = x.a | 1, b = x.b } end
-- What each element is worth after those before it.
local Worth = struct "Worth" { {"count", u32}, {"sum", u32}, {"worth", u32} }
local worth = monoid {
  type = Worth, identity = { count = 0, sum = 0, worth = 0 },
  combine = function(a, b) return { count = a.count + b.count, sum = a.sum + b.sum, worth = a.worth + b.worth + a.count * b.sum } end,
}
local Big = struct "Big" { {"m", vec(u32, 4)}, {"x", vec(u64, 4)}, {"y", vec(u32, 4)}, {"z", vec(u32, 4)}, {"w", vec(u64, 4)} }
local big = monoid {
  type = Big, identity = { m = { 1, 1, 1, 1 }, x = { 0, 0, 0, 0 }, y = { 0, 0, 0, 0 }, z = { 0, 0, 0, 0 }, w = { 0, 0, 0, 0 } },
  combine = function(a, b)
    return { m = a.m * b.m, x = a.x + b.x, y = a.y * b.m + b.y, z = a.z ~ b.z, w = a.w + b.w }
  end,
}
local function odd_big(x) return { m = x.m | 1, x = x.x, y = x.y, z = x.z, w = x.w } end
local Step = struct "Step" { {"a", f32}, {"b", f32} }
local recurrence = monoid {
  type = Step, identity = { a = 1, b = 0 },
  combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
}
local Padded = struct "Padded" { {"flag", u8}, {"count", u32}, {"last", u16} }
local padded = monoid {
  type = Padded, identity = { flag = 0, count = 0, last = 0 },
  combine = function(a, b) return { flag = a.flag | b.flag, count = a.count + b.count, last = max(a.last, b.last) } end,
}
local Splat = struct "Splat" { {"id", u8}, {"depth", f32}, {"tile", u32} }
local Huge = struct "Huge" { {"low", u64}, {"top", i64} }
local Large = struct "Large" { {"a", vec(u64, 4)}, {"b", u16}, {"c", f32} }
local alpha, mask, pair_of = uniform("alpha", u32), uniform("mask", u16), uniform("pair", struct "Two" { {"a", u8}, {"b", u64} })
local room = uniform("room", u64)

-- A few of many items, the others of one or none.
local function heap(x, i) return where(eq(i % 97, 40), u32(700) + u32(x & 31), u32(x & 1)) end
-- Less than what comes behind it.
local Text = struct "Text" { {"a", u64}, {"b", u64} }
local function mixed(text)
    local sum = u32(0)
    for k = 0, 7 do sum = (sum ~ u32(text >> 8 * k & 255)) * 16777619 end
    return sum
end
local function is_odd(x) return ne(x & 1, 0) end
local function is_odd_beside(_, x) return is_odd(x) end
local function is_less(e, _, near) return land(lnot(near.last), lt(e.x & 7, near.after.x & 15)) end

return {
  scan { name = "sum", monoid = sum(u32) },
  scan { name = "least_so_far", monoid = argmin(f32), input = u32, map = with_nan },
  reduce { name = "least", monoid = argmin(f32), input = u32, map = with_nan },
  scan { name = "sum_exclusive", monoid = sum(u32), kind = "exclusive", init = 7 },
  scan { name = "bytes", monoid = sum(u8), reverse = true },
  scan { name = "affine", monoid = affine, map = odd },
  scan { name = "affine_reverse", monoid = affine, reverse = true, kind = "exclusive", init = { a = 3, b = 5 }, map = odd },
  scan { name = "segmented", monoid = segmented(sum(u32)), input = u32,
         map = function(x, i) return { flag = u32(eq(x & 7, 0)), value = x + u32(i) } end,
         output = function(s, x) return s.value + x end },
  scan { name = "worth_reverse", monoid = worth, reverse = true, input = u32, map = function(x) return { count = 1, sum = x, worth = 0 } end },
  scan { name = "big", monoid = big, map = odd_big },
  scan { name = "decay", monoid = recurrence, map = function(x) return { a = 0.5 + x.a / 128, b = x.b / 3 } end },
  scan { name = "decay_fixed", monoid = recurrence, map = function(x) return { a = 0.5 + x.a / 128, b = x.b / 3 } end, deterministic = true },
  scan { name = "same_sum", monoid = sum(f32), input = u32, map = function(x) return f32(x & 31) * 0.3 end, init = .7, deterministic = "everywhere" },
  scan { name = "same_zeros", monoid = sum(f32), input = u32, map = function(x) return where(eq(x & 7, 0), f32(x) * 0.3, -0.0) end, init = -0.0,
         deterministic = "everywhere" },
  scan { name = "same_decay", monoid = recurrence, input = f32, map = function(x) return { a = 1 - x * 0x1p-10, b = x * 0.3 } end, kind = "exclusive",
         reverse = true, deterministic = "everywhere" },
  scan { name = "same_placed", monoid = sum(f32), inputs = { {"x", u32}, {"y", u8} },
    map = function(e, i, near) return f32(e.x) * 0.3 - f32(near.before.y) end,
    outputs = { {"sums", value = function(s) return s end},
                {"odd", value = function(s) return s end, keep = function(s, e) return eq(e.y & 1, 1) end} },
    deterministic = "everywhere" },
  reduce_by_key { name = "same_means", key = u16, monoid = sum(f32), value = u32, map = function(x) return f32(x) * 0.3 end,
    equal = function(a, b) return ne(b & 31, 0) end, deterministic = "everywhere" },
  reduce { name = "same_total", monoid = sum(f32), input = u32, map = function(x) return f32(x) * 0.3 end, deterministic = "everywhere" },
  reduce { name = "same_worth", monoid = recurrence, init = { a = 2, b = -0.0 }, map = function(x) return { a = 1 - x.a * 0x1p-10, b = x.b * .3 } end,
           deterministic = "everywhere" },
  scan { name = "padded", monoid = padded, kind = "exclusive" },
  scan { name = "widen", monoid = sum(u32), input = u8, map = function(x, i) return u32(x) * u32(i) end },
  scan { name = "narrow", monoid = sum(u32), kind = "exclusive", reverse = true, input = Worth, map = function(x) return x.sum end,
         output = function(s, x, i) return u16(s + x.count + u32(i)) end },
  reduce { name = "total", monoid = sum(u32), init = 3 },
  reduce { name = "affine_total", monoid = affine, map = odd },
  reduce { name = "big_total", monoid = big, map = odd_big, output = function(s) return s.y end },
  map { name = "map_words", input = u32, output = function(x, i) return x * 3 + u32(i) end },
  map { name = "map_bytes", input = u8, output = function(x, i) return u8(i) ~ x end },
  map { name = "map_wider", input = u16, output = function(x) return Worth { count = 1, sum = u32(x), worth = 0 } end },
  map { name = "map_padded", input = Worth, output = function(x, i) return Padded { flag = u8(i), count = x.sum, last = u16(x.count) } end },
  sort { name = "sort_u32", key = u32 },
  sort { name = "sort_alone", key = i64, order = "descending" },
  sort { name = "sort_counted", key = i8, order = "descending" },
  sort { name = "sort_byte", key = u8, value = "index" },
  sort { name = "sort_i16", key = i16, order = "descending", value = u32 },
  sort { name = "sort_f32", key = f32, value = Worth },
  sort { name = "sort_u64", key = u64, order = "descending", value = u64 },
  sort { name = "sort_long", key = key { type = u64, bits = { 20, 56 } }, value = u32 },
  sort { name = "sort_bits", key = key { type = u64, bits = { 29, 36 } }, value = u32 },
  sort { name = "sort_huge", key = key { type = Huge, by = { {"top"}, {"low", order = "descending"} }, bits = { 31, 128 } } },
  sort { name = "sort_splats", value = "index", index = u64, key = key { type = Splat, by = { {"tile", bits = 3}, {"depth", bits = 5,
      order = "descending"} } } },
  sort { name = "sort_map", key = key { type = u32, bits = { 0, 6 } }, input = Padded, value = Large,
         map = function(x, i) return x.count + u32(i) * 5 end },
  compact { name = "kept", input = u32, keep = function(x, i) return ne((x ~ u32(i)) % 3, 0) end },
  compact { name = "kept_bytes", inputs = { {"x", u8}, {"y", u32} }, keep = function(e) return eq(e.y & 1, 0) end,
    outputs = { {"small", value = function(e) return e.x end}, {"both", value = function(e) return Worth { e.y, u32(e.x), 7 } end} } },
  partition { name = "parted", input = u32, first = function(x, i) return lt(x, 3) end },
  partition { name = "halved", input = u16, first = function(x) return ne(x & 1, 0) end },
  compact { name = "turns", input = u8, output = function(_, i) return u32(i) end,
    keep = function(x, i, near) return land(lnot(near.first), ne(x & 1, near.before & 1)) end },
  scan { name = "late", input = u8, kind = "exclusive", -- values of many operations, which are made when they leave
    monoid = monoid { type = Text, identity = Text(1, 0), combine = function(f, g) return Text(f.a * g.a, f.b * g.a + g.b) end },
    map = function(x) return where(lt(x, 100), Text(0, 0), Text(256, u64(x))) end,
    outputs = { {"mixed", value = function(s) return mixed(s.b) end, keep = function(_, x) return lt(x, 100) end},
                {"all", value = function(s) return s.b end} } },
  compact { name = "late_kept", input = u16, keep = function(x) return ne(x % 3, 0) end, output = function(x) return mixed(u64(x) << 7) end },
  map { name = "sided", inputs = { {"x", u8}, {"y", u16} }, outputs = {
    {"places", keep = is_less, value = function(_, i) return i + u64(alpha) end},
    {"own", keep = is_less, value = function(e, i, near) return e.y + near.after.y end} } },
  map { name = "sieved", input = u16, outputs = {
    {"all", keep = function(x) return ne(u32(x) * 2 + 1, 0) end, value = function(x) return x end},
    {"odd", keep = function(x) return ne(x & 1, 0) end, value = function(x, i) return u32(i) end},
    {"near", keep = function(x, i, near) return lor(near.first, ne(near.before & 3, 0)) end, value = function(x) return u8(x & 0xff) end} } },
  scan { name = "sieved_maps", monoid = affine, map = odd, kind = "exclusive", reverse = true, init = { a = 3, b = 5 }, outputs = {
    {"s", value = function(s) return s.b end},
    {"all", keep = function(s, x) return ne(x.a * 2 + 1, 0) end, value = function(s) return s.a end},
    {"odd", keep = function(s, x) return ne(x.b & 1, 0) end, value = function(s, x) return u16(x.a & 0xff) end} } },
  run_length_encode { name = "runs", input = u32, equal = function(a, b) return ne(b & 15, 0) end },
  reduce_by_key { name = "by_key", key = u16, monoid = affine, value = u32, map = function(x, i) return { x, u32(i) } end,
    equal = function(a, b) return eq(a >> 1, b >> 1) end },
  reduce_by_key { name = "means", key = u16, monoid = sum(f32), value = f32, map = function(x) return x / 3 end,
    equal = function(a, b) return eq(a >> 1, b >> 1) end },
  scan { name = "kept_sums", monoid = sum(u32), kind = "exclusive", reverse = true, init = 5, outputs = { {"s", value = function(s) return s end},
    {"rises", value = function(s, x) return s + x end,
      keep = function(s, x, i, near) return lor(lor(near.first, near.last), lt(x, near.before)) end} } },
  scan { name = "kept_by_sum", monoid = sum(u32), outputs = { {"y", keep = function(s) return ne(s % 3, 0) end,
    value = function(s, x, i) return i end} } },
  scan { name = "kept_by_state", monoid = affine, kind = "exclusive", reverse = true, init = { 3, 5 }, outputs = {
    {"s", value = function(s) return s.b end},
    {"y", keep = function(s, x, i, near) return lor(near.first, ne((s.b ~ x.a) & 3, 0)) end, value = function(s, x) return s.a + x.b end},
    {"z", keep = function(s, x) return eq(x.b & 1, 0) end, value = function(s) return u16(s.b & 255) end} } },
  pipeline(function(p)
    local x = p.input("x", u32)
    p.output("s", p.scan { monoid = sum(u32), input = p.scan { monoid = sum(u32), input = x } })
  end, { name = "of_sums" }),
  pipeline(function(p) -- from the last element, where the order of operands counts in both
    local x = p.input("x", u32)
    local s = p.scan { monoid = affine_word, input = x, map = function(v) return v | 1 end, reverse = true, kind = "exclusive" }
    local y = p.map({ s, x }, function(v, u, i) return v ~ u + u32(i) end)
    p.output("s", s)
    p.output("z", p.scan { name = "last", monoid = affine_word, input = y, map = function(v) return v | 1 end, reverse = true,
      output = function(s, v) return s ~ v end })
  end, { name = "of_states" }),
  map { name = "map_arrays", inputs = { {"x", u8}, {"y", u32} }, outputs = { {"a", value = function(e, i) return e.y + u32(i) end},
    {"b", value = function(e) return e.x end} } },
  map { name = "map_scattered", input = u16, outputs = { {"a", at = function(x, i) return i ~ 1 end, value = function(x, i) return u32(i) end},
    {"b", at = function(x, i) return u32(i) * 5 % 64 end, length = 50,
      keep = function(x, i) return lt(i, 64) end, value = function(x) return x end} } },
  scan { name = "placed_sums", monoid = affine, reverse = true, outputs = { {"s", value = function(s) return s.b end},
    {"y", at = function(s, x, i) return u32(i) ~ 2 end,
      keep = function(s) return ne(s.b & 1, 0) end, value = function(s, x) return x end} } },
  scan { name = "pieces", monoid = affine, kind = "exclusive", reverse = true, init = { 3, 5 }, inputs = { {"x", u32}, {"y", u8} },
    map = function(e) return { e.x | 1, u32(e.y) } end,
    outputs = { {"s", value = function(s) return s end}, {"own", value = function(_, e) return e.x end},
      {"mixed", value = function(s, e, i) return Padded { e.y, s.a, u16(i) } end} } },
  scan { name = "wider_arrays", monoid = sum(u32), inputs = { {"x", u8}, {"y", u16} }, map = function(e) return u32(e.x) * u32(e.y) end,
    outputs = { {"s", value = function(s) return s end}, {"t", value = function(s, e) return u64(s) + u64(e.y) end} } },
  scan { name = "same_wider", monoid = sum(f32), input = u8, map = function(x) return f32(x) * 0.3 end,
    outputs = { {"s", value = function(s) return s end}, {"own", value = function(s, x) return u16(x) end} }, deterministic = "everywhere" },
  map { name = "together", input = u16, outputs = { -- two outputs that one function keeps
    {"place", keep = is_odd, value = function(x, i) return u32(i) end}, {"odd", keep = is_odd, value = function(x) return x end} } },
  scan { name = "together_sums", monoid = sum(u32), kind = "exclusive", outputs = { {"s", keep = is_odd_beside, value = function(s) return s end},
    {"low", keep = function(_, x) return lt(x & 255, 99) end, value = function(_, x) return x end},
    {"place", keep = is_odd_beside, value = function(_, _, i) return u32(i) end} } },
  map { name = "near_and_packed", input = u16, outputs = { {"sums", value = function(x, i, near) return x + near.before end},
    {"odd", keep = function(x) return ne(x & 1, 0) end, value = function(x, i) return u32(i) end} } },
  segmented_scan { name = "in_wider_offsets", segments = "offsets", monoid = affine, kind = "exclusive", init = { 3, 5 }, input = u8,
    map = function(x, i) return { u32(x) | 1, u32(i) } end },
  segmented_scan { name = "in_flags", segments = "flags", monoid = affine, kind = "exclusive", init = { 3, 5 } },
  segmented_scan { name = "in_keys", segments = "keys", key = u16, monoid = affine, reverse = true,
    equal = function(a, b) return ne(b & 7, 0) end },
  segmented_reduce { name = "of_flags", segments = "flags", monoid = affine, init = { 3, 5 } },
  segmented_reduce { name = "of_offsets", segments = "offsets", monoid = affine, init = { 3, 5 } },
  segmented_reduce { name = "bytes_of_offsets", segments = "offsets", monoid = sum(u32), input = u8, map = function(x) return u32(x) end,
    outputs = { {"low", value = function(s) return u8(s) end}, {"total", value = function(s) return s + alpha end} } },
  segmented_reduce { name = "near_of_offsets", segments = "offsets", monoid = affine, inputs = { {"a", u16}, {"b", u32} },
    map = function(e, i, near)
      return { a = u32(e.a) | 1, b = e.b + u32(near.before.a) * 3 + near.after.b + u32(near.head) * 5 + u32(near.tail) * 7 }
    end,
    outputs = { {"first", value = function(s) return s.a end}, {"low", value = function(s) return u8(s.b) end} } },
  segmented_scan { name = "in_offsets", segments = "offsets", monoid = affine, kind = "exclusive", init = { 3, 5 } },
  segmented_scan { name = "parts_in_offsets", segments = "offsets", monoid = affine, kind = "exclusive", inputs = { {"x", u32}, {"y", u8} },
    map = function(e, i) return { e.x | 1, u32(e.y) + u32(i) } end,
    outputs = { {"s", value = function(s) return s.b end}, {"mixed", value = function(s, e, i) return u8(s.a) ~ e.y + u8(i) end} } },
  segmented_scan { name = "in_offsets_back", segments = "offsets", monoid = affine, reverse = true,
    outputs = { {"s", value = function(s) return s.b end}, {"last", value = function(s, x, i, near) return u32(near.tail) end} } },
  segmented_scan { name = "segments_of_offsets", segments = "offsets", monoid = affine,
    output = function(s, x, i, near) return near.segment * 2 + s.b end },
  map { name = "map_given", input = u16, outputs = { {"a", at = function(x, i) return i * 3 end, length = room, value = function(x) return x end},
    {"b", at = function(x, i) return u32(i) ~ 1 end, length = room, value = function(x) return x end} } },
  append { name = "spread", input = u16, length = function(x, i) return where(eq(i % 29, 11), u32(60), u32(x & 3)) end,
    item = function(x, i, k) return u16(i) * 3 ~ u16(k) end },
  append { name = "spread_wide", inputs = { {"a", u8}, {"b", u32} }, capacity = 75,
    length = function(e) return where(eq(e.b & 15, 9), 0x80000000, e.b & 3) end,
    item = function(e, i, k) return Worth { e.b + k, u32(e.a), 7 } end },
  append { name = "heaped", input = u16, capacity = 3000, length = heap, item = function(x, i, k) return u32(i) * 1024 + k end },
  append { name = "heaped_any", order = "any", input = u16, length = heap, item = function(x, i, k) return u16(i) * 3 ~ u16(k) end },
  append { name = "strewn", order = "any", input = u16, length = function(x, i) return where(eq(i % 29, 11), u32(60), u32(x & 3)) end,
    item = function(x, i, k) return u32(i) * 64 + k end },
  append { name = "strewn_wide", order = "any", inputs = { {"a", u8}, {"b", u32} }, capacity = 75,
    length = function(e) return where(eq(e.b & 15, 9), 0x80000000, e.b & 3) end,
    item = function(e, i, k) return Worth { e.b + k, u32(e.a), u32(i) } end },
  map { name = "map_uniforms", input = u16, output = function(x, i) return u64(x & mask) + pair_of.b + i end },
  scan { name = "uniform_sums", monoid = affine, map = function(x) return { x.a | 1, alpha } end, output = function(s) return s.b ~ alpha end },
  compact { name = "uniform_kept", input = u32, keep = function(x, i) return ne((x ~ u32(i)) % 3, alpha % 3) end,
    output = function(x) return u8(x) + pair_of.a end },
  reduce { name = "uniform_total", monoid = affine, map = odd, output = function(s) return s.a + s.b * alpha end },
  map { name = "made", inputs = { {"v", generate = function(i) return u16(i) * 77 end} }, output = function(e, i, near)
    return where(near.last, u16(1), near.after.v - near.before.v) end },
  scan { name = "made_states", monoid = affine, kind = "exclusive", reverse = true, inputs = { {"v", generate = function(i) return u32(i) * 77 end} },
    map = function(e) return { e.v | 1, e.v } end, output = function(s, e, i, near) return s.a + s.b ~ where(near.first, u32(1), near.before.v) end },
  reduce { name = "made_total", monoid = affine, inputs = { {"v", generate = function(i) return u32(i) * 77 end} },
    map = function(e) return { e.v | 1, e.v } end },
  compact { name = "made_kept", inputs = { {"v", generate = function(i) return u32(i) * 77 end} }, keep = function(e) return ne(e.v % 3, 0) end,
    output = function(e) return e.v end },
  append { name = "made_spread", inputs = { {"v", generate = function(i) return u32(i) * 77 end} }, length = function(e) return e.v % 4 end,
    item = function(e, i, k) return e.v + k end },
  map { name = "map_near", input = u16, output = function(x, i, near) return where(lor(near.first, near.last), x, near.before + near.after) end },
  -- Sorts that store what maps make of the result.
  pipeline(function(p)
    local k, w = p.input("k", i16), p.input("w", u32)
    local s = p.sort { name = "both", keys = k, values = w, order = "descending" }
    p.output("kept", s.values_out)
    p.output("y", p.map({ s.keys_out, s.values_out }, function(a, b, i) return Worth { u32(a) * 3, b, u32(i) } end))
    p.output("z", p.map({ s.values_out }, function(b) return u8(b ~ b >> 8) end))
  end, { name = "mapped" }),
  pipeline(function(p)
    p.output("y", p.map({ p.sort { name = "alone", keys = p.input("k", u32) } }, function(a, i) return u8(a % 251) + u8(i) end))
  end, { name = "mapped_keys" }),
  pipeline(function(p)
    local s = p.sort { name = "index", keys = p.input("k", u8), value = "index" }
    p.output("order", s.values_out); p.output("y", p.map({ s.keys_out }, function(a, i) return u64(a) << 40 | i ~ u64(alpha) end))
  end, { name = "mapped_index" }),
  pipeline(function(p)
    local s = p.sort { name = "large", keys = p.map({ p.input("x", Padded) }, function(x, i) return x.count + u32(i) * 5 end),
      key = key { type = u32, bits = { 0, 6 } }, values = p.input("w", Large) }
    p.output("keys", s.keys_out); p.output("y", p.map({ s.keys_out, s.values_out }, function(a, b, i) return b.a.y + u64(b.b) * i ~ u64(a) end))
  end, { name = "mapped_large" }),
  pipeline(function(p)
    local s = p.sort { name = "bits", keys = p.input("k", u64), key = key { type = u64, bits = { 29, 36 } } }
    p.output("y", p.map({ s }, function(a, i) return u16(a >> 30) ~ u16(i) end))
  end, { name = "mapped_bits" }),
  pipeline(function(p)
    local s = p.sort { name = "values", keys = p.input("k", u32), values = p.input("w", u64) }
    p.output("keys", s.keys_out); p.output("y", p.map({ s.values_out }, function(b, i) return u32(b >> 7) + u32(i) end))
  end, { name = "mapped_values" }),
  pipeline(function(p) -- sorts that share places, with each other and with arrays; the sums are needed by the last stage
    local k, w = p.input("k", i16), p.input("w", u32)
    local first = p.sort { name = "first", keys = k, values = w, order = "descending" }
    local sums = p.scan { name = "sums", monoid = sum(u32), input = first.values_out }
    local second = p.sort { name = "second", keys = sums, value = "index" }
    local third = p.sort { name = "third", keys = p.map({ second.keys_out }, function(v) return u64(v) << 9 end) }
    p.output("y", third)
    p.output("z", p.map({ sums, second.values_out }, function(v, i) return v ~ u32(i) end))
  end, { name = "sorts" }),
}
