-- Pipelines: of all operations, with counts and values that stay on the device.
local limit = uniform("limit", u32)
local Pair = struct "Pair" { {"k", u16}, {"v", u32} }
local function small(x) return lt(x % 16, 9) end
local function map_scan(p)
  local x = p.input("x", u32)
  local y = p.map({ x }, function(v, i) return v * 3 + u32(i) end)
  p.output("s", p.scan { monoid = sum(u32), input = y })
end
local function chain(p) -- maps of maps, of which two operations need an element, and what is near it
  local x, w = p.input("x", u32), p.input("w", u8)
  local y = p.map({ x, w }, function(v, u, i) return v * u32(u) + u32(i) % 3 + limit % 2 end)
  local z = p.map({ y }, function(v) return u16(v % 1000) end)
  local s = p.scan { monoid = sum(u32), input = z, map = function(v) return u32(v) end, kind = "exclusive" }
  local rises = p.compact { inputs = { s = s, z = z }, keep = function(e, i, near) return lor(near.first, gt(e.z, near.before.z)) end }
  local total = p.reduce { monoid = sum(u32), inputs = { z = z, x = x }, map = function(e, i) return u32(e.z) * u32(i) ~ e.x end }
  p.output("s", s); p.output("rises", rises.out); p.output("total", total)
end
local function stored(p) -- maps of what scans return
  local x, w = p.input("x", u32), p.input("w", u32)
  local most = p.reduce { monoid = maximum(u32), input = x }
  local y = p.map({ x }, function(v) return v % 1000 + most end)
  local s = p.scan { monoid = sum(u32), input = y, kind = "exclusive" }
  local z = p.map({ s, y }, function(a, b, i) return u64(a) * 3 + u64(b) + i end)
  local q = p.map({ z }, function(a) return u32(a >> 3) ~ most end)
  local t = p.scan { monoid = maximum(u32), inputs = { q = q, w = w }, map = function(e, i) return e.q ~ e.w end, reverse = true }
  p.output("z", z); p.output("u", p.map({ t, w }, function(a, b) return a - b end))
end
local function one_after_another(p) -- arrays of several widths take turns in three places; the first is read once more, late
  local x = p.input("x", u32)
  local a = p.sort { keys = x }
  local b = p.map({ a }, function(v, i) return u64(v) * 5 + i end)
  local c = p.map({ b }, function(v) return u16(v >> 4) end)
  local d = p.sort { keys = c }
  local e = p.scan { monoid = sum(u64), input = d, map = function(v) return u64(v) end }
  local f = p.map({ e, a }, function(v, w) return u32(v >> 3) ~ w end)
  local g = p.sort { keys = f, value = "index" }
  p.output("y", p.map({ g.keys_out, g.values_out, d }, function(k, i, v) return k * 3 + u32(i) ~ u32(v) end))
end
local function beside(p) -- maps that a scan's kernel stores: of its result and an array that it does not read, of what it reads; and two maps in one
  local x, w = p.input("x", u32), p.input("w", u8)
  local y = p.map({ x }, function(v, i) return v % 1021 + u32(i) % limit end)
  local s = p.scan { monoid = sum(u32), input = y, kind = "exclusive" }
  local least = p.scan { monoid = minimum(u32), input = x, reverse = true }
  p.output("s", s); p.output("y", y)
  p.output("z", p.map({ least, w, y, s }, function(a, b, c, d, i) return a ~ u32(b) * c + d + u32(i) end))
  local a = p.map({ w }, function(v, i) return u16(v) * 3 + u16(i) end)
  p.output("a", a); p.output("b", p.map({ a, w }, function(v, u) return u8(v >> 2) ~ u end))
end
local function side_by_side(p) -- scans of one kind that are one, of several widths; what is derived, stored, computed of both and of another array
  local x, w = p.input("x", u32), p.input("w", u8)
  local y = p.map({ x }, function(v, i) return v % 1021 + u32(i) end)
  local s = p.scan { monoid = sum(u64), input = y, map = function(v) return u64(v) end, output = function(t, v, i) return u32(t) ~ v + u32(i) end }
  local m = p.scan { monoid = maximum(u8), inputs = { w = w, y = y }, map = function(e, i) return e.w ~ u8(e.y) end }
  p.output("s", s); p.output("m", m); p.output("z", p.map({ s, m, w }, function(a, b, c, i) return u16(a) * u16(b) + u16(c) ~ u16(i) end))
end
local Affine = struct "Affine" { {"a", u32}, {"b", u32} }
local compose = monoid { type = Affine, identity = Affine(1, 0), combine = function(f, g) return Affine(f.a * g.a, f.b * g.a + g.b) end }
local compose_word = monoid { type = u32, identity = 1, -- the same of 16 bits each, in one word
  combine = function(f, g) return (f & 0xffff) * (g & 0xffff) & 0xffff | (f >> 16) * (g & 0xffff) + (g >> 16) << 16 end }
local function reductions(p) -- that are one, of several widths, whose results others use
  local x, w = p.input("x", u32), p.input("w", u16)
  local y = p.map({ x, w }, function(v, u, i) return v % 1009 + u32(u) + u32(i) % 2 end)
  local most = p.reduce { monoid = maximum(u32), input = x }
  local total = p.reduce { monoid = sum(u64), input = y, map = function(v) return u64(v) end, output = function(s) return u32(s >> 3) end }
  local all = p.reduce { monoid = compose, inputs = { w = w, y = y }, map = function(e, i) return Affine(e.y, u32(e.w) ~ u32(i)) end,
    outputs = { {"a", value = function(s) return s.a end}, {"b", value = function(s) return u16(s.b >> 7) end} } }
  p.output("z", p.map({ x }, function(v) return v ~ most + total end)); p.output("most", most); p.output("a", all.a); p.output("b", all.b)
end
local function both_kinds(reverse) -- an inclusive scan beside an exclusive one, in the order of the array
  return function(p)
    local x, w = p.input("x", u32), p.input("w", u8)
    local y = p.map({ x, w }, function(v, u) return v ~ u32(u) end)
    local f = p.scan { monoid = compose, input = y, map = function(v, i) return Affine(v | 1, v >> 5 ~ u32(i)) end, reverse = reverse,
      output = function(s, v) return s.b ~ v end }
    local g = p.scan { monoid = sum(u32), input = x, kind = "exclusive", reverse = reverse }
    p.output("f", f); p.output("g", g); p.output("h", p.map({ f, g, w }, function(a, b, c, i) return u16(a ~ b + u32(c) * u32(i)) end))
  end
end
local function sums_of_sums(p) -- of which the first are not stored
  local x = p.input("x", u32)
  p.output("s", p.scan { monoid = sum(u32), input = p.scan { monoid = sum(u32), input = x } })
end
local function back_to_back(p) -- from the last element, where the order of operands counts in both, of which the first are stored, too
  local x = p.input("x", u32)
  local s = p.scan { monoid = compose_word, input = x, map = function(v) return v | 1 end, reverse = true, kind = "exclusive" }
  local y = p.map({ s, x }, function(v, u, i) return v ~ u + u32(i) end)
  p.output("s", s)
  p.output("z", p.scan { monoid = compose_word, input = y, map = function(v) return v | 1 end, reverse = true,
    output = function(t, v) return t ~ v end })
end
local function scans_of_scans(p) -- of both kinds, with others beside them; of what is stored, derived, and made of both: one kernel by some cuts
  local x, w = p.input("x", u32), p.input("w", u8)
  local f = p.scan { monoid = compose_word, input = x, map = function(v, i) return v ~ u32(i) << 16 | 1 end, kind = "exclusive",
    output = function(s, v) return s ~ v end }
  local g = p.scan { monoid = sum(u16), input = w, map = function(v) return u16(v) end }
  local y = p.map({ f, g, w }, function(a, b, c, i) return a ~ u32(b) + u32(c) * u32(i) end)
  local h = p.scan { monoid = compose_word, inputs = { y = y, g = g }, map = function(e, i) return e.y ~ u32(e.g) + u32(i) | 1 end,
    output = function(s, e) return s ~ e.y end }
  local k = p.scan { monoid = maximum(u8), input = y, map = function(v) return u8(v >> 9) end, kind = "exclusive" }
  p.output("f", f); p.output("h", h); p.output("z", p.map({ h, k, g }, function(a, b, c, i) return u16(a) + u16(b) * c + u16(i) end))
end
local function mapped_keys(p) -- keys that are computed as a sort reads them; the values are what they are computed of
  local x = p.input("x", u32)
  local y = p.map({ x }, function(v, i) return u16(v >> 7) ~ u16(i) % 2 end)
  local most = p.reduce { monoid = maximum(u32), input = x }
  local sorted = p.sort { keys = p.map({ y }, function(v) return u16(v % 1013) ~ u16(most + limit) end), values = x }
  p.output("keys", sorted.keys_out); p.output("values", sorted.values_out)
end
local function mapped_sorts(p) -- maps where a sort stores: of keys of which few digits vary, and of keys that are all 0
  local x, w = p.input("x", u32), p.input("w", u16)
  local most = p.reduce { monoid = maximum(u16), input = w }
  local s = p.sort { keys = p.map({ x }, function(v) return v % 1013 << 4 end), values = w }
  p.output("values", s.values_out)
  p.output("y", p.map({ s.keys_out, s.values_out }, function(k, v, i) return k ~ u32(v) << 16 ~ u32(i) + u32(most) end))
  p.output("z", p.map({ s.keys_out }, function(k, i) return u8(k >> 4) + u8(i) end))
  local e = p.sort { keys = p.map({ x }, function(v) return u16(gt(v % 1013, 1012)) end), value = "index" }
  p.output("order", p.map({ e.values_out, e.keys_out }, function(o, k, i) return u64(o) << 32 | u64(k) + i end))
end
local function computed_runs(p) -- runs of what is computed, with what is near an element
  local x, w = p.input("x", u32), p.input("w", u16)
  local key = p.map({ x, w }, function(v, u) return u8(where(lt(v % 16, 9), u32(u) % 3, u32(7))) end)
  local y = p.map({ x }, function(v, i) return v % 1000 + u32(i) % 2 end)
  local sums = p.reduce_by_key { keys = key, values = y, monoid = sum(u64), map = function(v, i) return u64(v) + i end }
  local runs = p.run_length_encode { input = key }
  p.output("keys", sums.keys_out); p.output("sums", sums.values_out); p.output("runs", runs.out); p.output("lengths", runs.lengths)
end
local function computed_segments(p) -- of what is computed; what says where they begin is in memory
  local x, k, begins = p.input("x", u32), p.input("k", u16), p.input("begins", u8)
  local y = p.map({ x, k }, function(v, u, i) return v % 1000 + u32(u) * u32(i) % 2 end)
  local z = p.map({ x }, function(v, i) return u16(v >> 3) + u16(i) end)
  local a = p.segmented_scan { flags = begins, monoid = sum(u32), input = y, kind = "exclusive" }
  local b = p.segmented_scan { keys = k, monoid = maximum(u16), input = z, reverse = true, output = function(s, v, i, near)
    return where(near.head, s, s ~ v) end }
  local c = p.segmented_reduce { flags = begins, monoid = compose, inputs = { y = y, z = z },
    map = function(e, i, near) return Affine(e.y | 1, u32(e.z) + where(near.first, u32(i), u32(near.before.z))) end }
  p.output("a", p.map({ a, y }, function(s, v) return s ~ v end)); p.output("b", b); p.output("c", c.out)
end
local function mapped_segments(p) -- maps where a scan of segments stores: of other arrays, and of what says where segments begin
  local x, k, begins = p.input("x", u32), p.input("k", u16), p.input("begins", u8)
  local y = p.map({ x, k }, function(v, u, i) return v % 1000 + u32(u) * u32(i) % 2 end)
  local a = p.segmented_scan { flags = begins, monoid = sum(u32), input = y, kind = "exclusive", init = 3 }
  p.output("a", a); p.output("b", p.map({ a, k, begins }, function(s, u, f, i) return u64(s) << 8 ~ u64(u) * u64(f) + i end))
  local c = p.segmented_scan { keys = k, monoid = compose, input = k, reverse = true,
    map = function(v, i, near) return Affine(u32(v) | 1, where(near.head, u32(i), u32(near.before))) end,
    outputs = { {"a", value = function(s) return s.a end}, {"b", value = function(s, v, i, near) return u16(s.b) ~ u16(near.tail) end} } }
  p.output("c", p.map({ p.map({ c.a, c.b }, function(v, u) return v ~ u32(u) end), y }, function(v, u) return v - u end))
end
local function kept_maps(p) -- of what is packed, where it is stored; not those that ask for its index
  local x, w = p.input("x", u32), p.input("w", u16)
  local kept = p.compact { inputs = { x = x, w = w }, keep = function(e) return small(e.x) end,
    outputs = { {"a", value = function(e, i) return e.x ~ u32(i) end}, {"b", value = function(e) return e.w end} } }
  local y = p.map({ kept.a, kept.b }, function(v, u) return u8(v >> 3) ~ u8(u) end)
  local z = p.map({ y, kept.b }, function(v, u) return u64(v) * u64(limit) + u64(u) end)
  local runs = p.unique { input = p.map({ x }, function(v) return v >> 30 end) }
  p.output("y", y); p.output("z", z); p.output("numbered", p.map({ kept.a }, function(v, i) return v + u32(i) end))
  p.output("runs", p.map({ runs.out }, function(v) return u16(v) * 3 end))
end
return {
  pipeline(side_by_side, { name = "side_by_side" }),
  pipeline(reductions, { name = "reductions" }),
  pipeline(both_kinds(false), { name = "both_kinds" }),
  pipeline(both_kinds(true), { name = "both_kinds_backwards" }),
  pipeline(sums_of_sums, { name = "sums_of_sums" }),
  pipeline(back_to_back, { name = "back_to_back" }),
  pipeline(scans_of_scans, { name = "scans_of_scans" }),
  pipeline(mapped_keys, { name = "mapped_keys" }),
  pipeline(computed_runs, { name = "computed_runs" }),
  pipeline(computed_segments, { name = "computed_segments" }),
  pipeline(mapped_sorts, { name = "mapped_sorts" }),
  pipeline(kept_maps, { name = "kept_maps" }),
  pipeline(mapped_segments, { name = "mapped_segments" }),
  pipeline(function(p) -- rounded, in an order that does not depend on how many scans there are
    local x = p.input("x", u32)
    local s = p.scan { monoid = sum(f32), input = x, map = function(v) return f32(v % 65521) * 0.1 end, kind = "exclusive" }
    local q = p.scan { monoid = sum(f32), input = x, map = function(v, i) return f32(u32(i) % 7) - f32(v % 3) * 0.3 end, kind = "exclusive" }
    p.output("s", s); p.output("q", q); p.output("d", p.map({ s, q }, function(a, b) return a - b end))
  end, { name = "sums_everywhere", deterministic = "everywhere" }),
  pipeline(beside, { name = "beside" }),
  pipeline(beside, { name = "beside_in_memory", fuse = false }),
  pipeline(one_after_another, { name = "one_after_another", fuse = false }),
  pipeline(map_scan, { name = "map_scan" }),
  pipeline(map_scan, { name = "map_and_scan", doc = "in every geometry", fuse = false }),
  pipeline(chain, { name = "chain" }),
  pipeline(chain, { name = "chain_in_memory", fuse = false }),
  pipeline(stored, { name = "stored" }),
  pipeline(stored, { name = "stored_in_memory", fuse = false }), -- its values are called as those of the other
  pipeline(function(p)
    local x = p.input("x", u8)
    local parts = p.map { input = x, outputs = { -- two are made where they are read, one is not read at all
      {"value", value = function(v) return u32(v) end}, {"unread", value = function(v) return v end},
      {"product", value = function(v, i) return u32(v) * u32(i) end} } }
    local forwards = p.scan { monoid = sum(u32), input = parts.value, kind = "exclusive" }
    local backwards = p.scan { monoid = sum(u32), input = x, map = function(v) return u32(v) end, reverse = true }
    local both = p.map({ forwards, backwards, parts.product }, function(f, b, v) return f ~ b + v end)
    p.output("both", both)
    p.output("forwards", forwards)
  end, { name = "there_and_back" }),
  pipeline(function(p) -- single values
    local x = p.input("x", u32)
    local best = p.reduce { name = "best", monoid = argmax(u32), input = x, map = function(v, i) return { value = v, index = u32(i) } end }
    local least = p.reduce { monoid = minimum(u32), input = x }
    local y = p.map({ x }, function(v, i) return where(gt(v, limit), v - least, best.value ~ u32(i)) + best.index end)
    p.output("y", y); p.output("best", best); p.output("least", least)
  end, { name = "values" }),
  pipeline(function(p) -- counts that others have as their n
    local x, k = p.input("x", u32), p.input("k", u16)
    local kept = p.compact { inputs = { x = x, k = k }, keep = function(e) return small(e.x) end,
      output = function(e) return Pair { k = e.k, v = e.x } end }
    local keys = p.map({ kept.out }, function(e, i) return (e.v >> 3) % 512 + u32(i) % 2 end)
    local sorted = p.sort { keys = keys, value = "index" }
    local runs = p.run_length_encode { input = sorted.keys_out }
    local places = p.scan { monoid = sum(u32), input = runs.lengths, kind = "exclusive" }
    p.output("sorted", sorted.keys_out); p.output("order", sorted.values_out)
    p.output("runs", runs.out); p.output("places", places); p.output("run_count", runs.count)
  end, { name = "counted" }),
  pipeline(function(p)
    local x = p.input("x", u16)
    local parts = p.partition { input = x, first = function(v) return eq(v % 3, 0) end }
    local heads = p.unique { input = parts.out }
    local sums = p.reduce_by_key { keys = x, values = x, monoid = sum(u32), map = function(v) return u32(v) end }
    p.output("heads", heads.out); p.output("rest", parts.rest)
    p.output("sum_of_run", sums.values_out)
  end, { name = "packed" }),
  pipeline(function(p) -- two arrays by one count, which no output tells
    local x = p.input("x", u32)
    local kept = p.map { input = x, outputs = { {"key", keep = small, value = function(v) return u16(v >> 8) end},
      {"value", keep = small, value = function(v, i) return u32(i) end} } }
    local sorted = p.sort { keys = kept.key, values = kept.value }
    local runs = p.reduce_by_key { keys = sorted.keys_out, values = sorted.values_out, monoid = maximum(u32) }
    p.output("most", runs.values_out)
  end, { name = "one_count" }),
  pipeline(function(p) -- an output that is not read, an element of 6 bytes between operations
    local x = p.input("x", u32)
    local triple = p.map({ x }, function(v) return vec(u16, 3) { u16(v), u16(v >> 8), u16(v >> 16) } end)
    local total = p.reduce { monoid = sum(u32), input = triple, map = function(t) return u32(t.x) + u32(t.z) end }
    local kept = p.compact { input = triple, keep = function(t) return lt(u32(t.y) % 7, total % 7) end, outputs = {
      {"a", value = function(t) return t.x end}, {"b", value = function(t, i) return u64(t.z) * i end} } }
    p.output("b", kept.b)
  end, { name = "unread" }),
  pipeline(function(p) -- both halves of a partition, which have numbers of elements of their own
    local x, w = p.input("x", u32), p.input("w", u16)
    local parts = p.partition { inputs = { x = x, w = w }, first = function(e, i, near) return lor(near.first, lt(e.x, near.before.x)) end }
    local low, high = p.sort { keys = p.map({ parts.out }, function(e) return e.x + u32(e.w) end) }, p.map({ parts.rest }, function(e) return e.x end)
    local inner = p.partition { input = high, first = function(v) return small(v) end }
    local rest = p.sort { keys = inner.rest, value = "index" }
    p.output("low", low); p.output("high", p.sort { keys = high }); p.output("rest", rest.keys_out); p.output("order", rest.values_out)
    p.output("unsorted", inner.rest)
  end, { name = "halves" }),
  pipeline(function(p) -- the rest of what was counted is an output alone
    local x = p.input("x", u32)
    local kept = p.compact { input = x, keep = small }
    local parts = p.partition { input = kept.out, first = function(v) return eq(v % 2, 0) end }
    p.output("even", parts.out); p.output("odd", parts.rest)
  end, { name = "rest_of_counted" }),
  pipeline(function(p) -- segments by flags that a map makes, and by keys of as many elements as were counted
    local x, k = p.input("x", u32), p.input("k", u16)
    local flags = p.map({ x, k }, function(v, u, i) return u8(where(lt(v % 7, 2), u32(1), u32(0))) end)
    local y = p.map({ x }, function(v, i) return v % 1000 + u32(i) % 2 end)
    local s = p.segmented_scan { flags = flags, monoid = sum(u32), input = y, kind = "exclusive" }
    local z = p.map({ s, y }, function(a, b) return a ~ b end)
    local most = p.segmented_reduce { flags = flags, monoid = maximum(u32), input = z }
    local pairs_of = p.compact { inputs = { x = x, k = k }, keep = function(e) return small(e.x) end,
      outputs = { {"key", value = function(e) return e.k % 64 end}, {"v", value = function(e) return e.x end} } }
    local sorted = p.sort { keys = pairs_of.key, values = pairs_of.v }
    local ranks = p.segmented_scan { keys = sorted.keys_out, monoid = sum(u32), input = sorted.values_out, map = function() return u32(1) end,
      output = function(r, v) return v ~ r end, reverse = true }
    local sums = p.segmented_reduce { keys = sorted.keys_out, segments = "keys", monoid = sum(u32), inputs = { v = sorted.values_out, r = ranks },
      map = function(e, i, near) return e.v * 3 + e.r + where(near.head, u32(1), u32(0)) end }
    p.output("s", s); p.output("most", most.out); p.output("ranks", ranks); p.output("sums", sums.out)
    p.output("few", p.sort { keys = most.out, order = "descending" })
  end, { name = "segments" }),
  pipeline(function(p) -- a histogram with gaps: bins that no key has are zero; what follows is over 1000 bins, whatever n is
    local x = p.input("x", u32)
    local kept = p.compact { input = x, keep = small }
    local sorted = p.sort { keys = p.map({ kept.out }, function(v) return u16(v % 1013) end) }
    local runs = p.reduce_by_key { keys = sorted, values = sorted, monoid = sum(u32), map = function() return u32(1) end }
    local bins = p.map { inputs = { k = runs.keys_out, c = runs.values_out }, outputs = {
      {"bins", at = function(e) return u32(e.k) end, length = 1000, value = function(e) return e.c end} } }
    local gaps = p.compact { input = p.map({ bins }, function(c, i) return c + u32(i) % 3 end), keep = function(c) return eq(c, 0) end,
      output = function(c, i) return u16(i) end }
    p.output("bins", bins); p.output("starts", p.scan { monoid = sum(u32), input = bins, kind = "exclusive" })
    p.output("gaps", p.sort { keys = gaps.out, order = "descending" })
  end, { name = "histogram" }),
  pipeline(function(p) -- scattered over n, and over as many as were counted, where one array is not read
    local x, k = p.input("x", u32), p.input("k", u16)
    local order = p.sort { keys = x, value = "index" }
    local ranks = p.map { inputs = { o = order.values_out }, outputs = {
      {"rank", at = function(e) return e.o end, value = function(e, i) return u32(i) end},
      {"unread", at = function(e) return e.o end, length = 77, value = function(e, i) return i end} } }
    local kept = p.compact { inputs = { r = ranks.rank, k = k }, keep = function(e) return small(u32(e.k)) end,
      output = function(e) return e.r * 4 + u32(e.k) % 4 end }
    local thin = p.map { input = kept.out, outputs = {
      {"thin", at = function(v, i) return i * 2 end, keep = function(v) return gt(v % 3, 0) end, value = function(v) return v end},
      {"records", at = function(v, i) return i // 3 * 3 end, keep = function(v, i) return eq(i % 3, 1) end,
        value = function(v) return Pair { k = u16(v), v = v } end} } }
    p.output("rank", ranks.rank); p.output("records", thin.records)
    p.output("sums", p.scan { monoid = sum(u32), input = thin.thin })
  end, { name = "strewn" }),
  pipeline(function(p) -- splats: items in any order, sorted, and reduced by tile
    local x = p.input("x", u32)
    local items = p.append { input = x, order = "any", capacity = 20000, length = function(v) return where(lt(v % 64, 9), v % 4, u32(0)) end,
      item = function(v, i, j) return (v + j * 17) % 50 << 26 | u32(i) & 0xffff | j << 20 end }
    local sorted = p.sort { keys = items.out }
    local tiles = p.map({ sorted }, function(v) return u8(v >> 26) end)
    local most = p.segmented_reduce { keys = tiles, monoid = sum(u32), input = sorted, map = function(v) return v & 0xfffff end }
    p.output("tiles", tiles); p.output("most", most.out)
  end, { name = "splats" }),
  pipeline(function(p) -- items in order, as many as n at most; of 500 at most none is an output
    local x = p.input("x", u16)
    local items = p.append { input = x, length = function(v) return u32(v >> 15) end, item = function(v, i) return u32(v) * 3 + u32(i) end }
    local parts = p.partition { input = items.out, first = function(v) return eq(v % 3, 0) end }
    local few = p.append { input = parts.rest, capacity = 500, length = function(v) return v % 2 end, item = function(v, i, j) return v + j end }
    p.output("s", p.scan { monoid = maximum(u32), input = items.out }); p.output("first", parts.out)
    p.output("total", p.reduce { monoid = sum(u32), input = few.out })
  end, { name = "items" }),
  pipeline(function(p) -- an input of 300 elements beside one of n
    local x, t = p.input("x", u32), p.input("t", u16, 300)
    local starts = p.scan { monoid = sum(u32), input = t, map = function(v) return u32(v) end, kind = "exclusive" }
    local bins = p.map { input = p.sort { keys = x }, outputs = {
      {"bins", at = function(v, i) return u32(i) end, length = 300, value = function(v) return v end} } }
    p.output("both", p.map({ bins, starts, t }, function(b, s, v) return b ~ s * 3 + u32(v) end))
  end, { name = "sized" }),
  pipeline(function(p) -- segments by offsets, which are as many as the caller says; what follows has an element of each
    local x, offsets = p.input("x", u32), p.input("offsets", u64, { segments = 50000 })
    local y = p.map({ x }, function(v, i) return v % 1000 + u32(i) end)
    local s = p.segmented_scan { offsets = offsets, monoid = sum(u32), input = y }
    local z = p.map({ s, y, x }, function(a, b, c, i) return u8(a ~ b + c % 7) + u8(i) end)
    local sums = p.segmented_reduce { offsets = offsets, monoid = sum(u32), input = p.map({ s, y }, function(a, b) return a ~ b end) }
    local long = p.compact { input = sums, keep = function(v) return gt(v, 0) end, output = function(v, i) return u32(i) end }
    p.output("s", s); p.output("z", z); p.output("sums", sums); p.output("long", long.out)
    p.output("top", p.sort { keys = sums, order = "descending" })
  end, { name = "offsets" }),
}
