-- Pipelines whose predicted and measured times are compared: bench --cut and plan --compare (NOTES.md).
local Wide = struct "Wide" { {"a", f32}, {"b", f32}, {"c", f32}, {"d", f32} }
-- A step y -> a * y + b of a filter, and what comes first in a scan from the end.
local Linear = struct "Linear" { {"a", f32}, {"b", f32} }
local linear = monoid { type = Linear, identity = Linear(1, 0), combine = function(f, g) return Linear(f.a * g.a, f.b * g.a + g.b) end }
local backwards = monoid { type = Linear, identity = Linear(1, 0), combine = function(f, g) return Linear(f.a * g.a, g.b * f.a + f.b) end }
return {
  pipeline(function(p) local x = p.input("x", u32)
    local y = p.map({ x }, function(v, i) return v * 3 + u32(i) end)
    p.output("s", p.scan { monoid = sum(u32), input = y }) end, { name = "map_scan" }),
  pipeline(function(p) local x = p.input("x", u32)
    local y = p.map({ x }, function(v, i) return v * 3 + u32(i) end)
    local s = p.scan { monoid = sum(u32), input = y }
    p.output("z", p.map({ s, x }, function(a, b) return a ~ b end)) end, { name = "map_scan_map" }),
  pipeline(function(p) local x = p.input("x", f32)
    local most = p.reduce { monoid = maximum(f32), input = x }
    local e = p.map({ x }, function(v) return exp(v - most) end)
    local total = p.reduce { monoid = sum(f32), input = e }
    p.output("y", p.map({ e }, function(v) return v / total end)) end, { name = "softmax" }),
  pipeline(function(p) local x, w = p.input("x", u32), p.input("w", u32)
    local most = p.reduce { monoid = maximum(u32), input = x }
    p.output("y", p.map({ x, w }, function(a, b) return (a ~ most) * b end)) end, { name = "scaled" }),
  pipeline(function(p) local x = p.input("x", u32)
    local f = p.scan { monoid = sum(u32), input = x, kind = "exclusive" }
    local b = p.scan { monoid = sum(u32), input = x, reverse = true }
    p.output("y", p.map({ f, b, x }, function(u, v, w) return u ~ v + w end)) end, { name = "two_directions" }),
  pipeline(function(p) local x = p.input("x", u32)
    p.output("s", p.scan { monoid = sum(u32), input = x })
    p.output("m", p.scan { monoid = maximum(u32), input = x }) end, { name = "side_by_side" }),
  pipeline(function(p) local x = p.input("x", f32)
    local w = p.map({ x }, function(v, i) return Wide { v, v * v, f32(u32(i) & 7), 1 } end)
    local s = p.scan { monoid = maximum(f32), input = w, map = function(e) return e.b end }
    p.output("y", p.map({ w, s }, function(e, t) return e.a * e.c + t * e.d end)) end, { name = "wide" }),
  pipeline(function(p) local x = p.input("x", u32)
    local kept = p.compact { input = x, keep = function(v) return eq(v & 1, 0) end }
    local y = p.map({ kept.out }, function(v) return v >> 3 end)
    p.output("total", p.reduce { monoid = sum(u32), input = y }) end, { name = "filter_sum" }),
  pipeline(function(p) local x = p.input("x", u32)
    local flags = p.map({ x }, function(v, i, near) return u32(where(lor(near.first, ne(v >> 28, near.before >> 28)), u32(1), u32(0))) end)
    p.output("ids", p.scan { monoid = sum(u32), input = flags }) end, { name = "ids" }),
  pipeline(function(p) local x, w = p.input("x", u32), p.input("w", u8)
    local a = p.map({ x, w }, function(v, u) return v * u32(u) end)
    local b = p.map({ a }, function(v, i) return v + u32(i) end)
    local c = p.map({ b, x }, function(v, u) return v ~ u end)
    local d = p.map({ c, a }, function(v, u) return v - u end)
    p.output("d", d); p.output("c", c) end, { name = "maps" }),
  pipeline(function(p) local x = p.input("x", u32)
    local s = p.scan { monoid = sum(u32), input = x }
    local kept = p.compact { inputs = { s = s, x = x }, keep = function(e) return eq(e.s & 7, 0) end }
    p.output("kept", kept.out) end, { name = "scan_compact" }),
  pipeline(function(p) local k, v = p.input("k", u32), p.input("v", u32)
    local key = p.map({ k }, function(a) return a >> 31 end)
    local sums = p.reduce_by_key { keys = key, values = v, monoid = sum(u32) }
    p.output("sums", sums.values_out); p.output("keys", sums.keys_out) end, { name = "by_key" }),
  pipeline(function(p) local x = p.input("x", f32)
    p.output("most", p.reduce { monoid = maximum(f32), input = x })
    p.output("squares", p.reduce { monoid = sum(f32), input = x, map = function(v) return v * v end }) end, { name = "reductions" }),
  pipeline(function(p) local x = p.input("x", u32)
    p.output("s", p.scan { monoid = sum(u32), input = x, kind = "exclusive" })
    p.output("m", p.scan { monoid = maximum(u32), input = x }) end, { name = "both_kinds" }),
  pipeline(function(p) local x = p.input("x", u32)
    local sorted = p.sort { keys = p.map({ x }, function(v, i) return v * 2654435769 ~ u32(i) end), value = "index" }
    p.output("y", sorted.keys_out); p.output("order", sorted.values_out) end, { name = "mapped_keys" }),
  pipeline(function(p) local x, w = p.input("x", u32), p.input("w", u32)
    local sorted = p.sort { keys = x, values = w }
    p.output("y", p.map({ sorted.keys_out, sorted.values_out }, function(k, v, i) return k ~ v + u32(i) end)) end, { name = "mapped_sort" }),
  pipeline(function(p) local x = p.input("x", u32)
    local kept = p.compact { input = x, keep = function(v) return eq(v & 1, 0) end }
    p.output("y", p.map({ kept.out }, function(v) return u8(v >> 24) end)) end, { name = "compact_map" }),
  pipeline(function(p) local x = p.input("x", f32)
    local f = p.scan { monoid = linear, input = x, map = function(v) return Linear(0.75, 0.25 * v) end, output = function(s) return s.b end }
    local above = p.map({ x, f }, function(v, mean) return u8(gt(v, mean)) end)
    local crossings = p.compact { input = above, output = function(_, i) return u32(i) end,
      keep = function(a, _, near) return land(lnot(near.first), ne(a, near.before)) end }
    p.output("places", crossings.out) end, { name = "crossings" }),
  pipeline(function(p) local x = p.input("x", f32)
    local f = p.scan { monoid = linear, input = x, map = function(v) return Linear(0.75, 0.25 * v) end, output = function(s) return s.b end }
    p.output("y", p.scan { monoid = backwards, input = f, reverse = true, map = function(v) return Linear(0.75, 0.25 * v) end,
      output = function(s) return s.b end }) end, { name = "filtfilt" }),
}
