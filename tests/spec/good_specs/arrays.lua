-- What several arrays, neighbours and packed outputs allow: names used twice by different operations, the same function twice, elements of 60 bytes.
local function is_odd(x) return ne(x & 1, 0) end
local Row = struct "Row" { { "key", u32 }, { "rest", vec(u32, 4) }, { "more", vec(u32, 4) }, { "most", vec(u32, 4) }, { "last", vec(u32, 2) } }
local function same(row, i) return u32(i) end
local function same_key(a, b) return eq(a.key, b.key) end
return {
    map { name = "twice", input = u32, outputs = { { "y", value = function(x) return x end, keep = is_odd },
        { "z", value = function(x, i) return u32(i) end, keep = is_odd }, { "odd", value = function(x) return u8(is_odd(x)) end } } },
    scan { name = "backward", monoid = sum(u32), kind = "exclusive", reverse = true, init = 3, inputs = { { "x", u8 }, { "y", u16 } },
        map = function(e, i, near) return u32(e.x) + u32(near.before.y) end,
        outputs = { { "out", value = function(s) return s end }, { "some", value = function(s, e) return e.y end, keep = function(s, e) return is_odd(e.x) end } } },
    reduce { name = "both", monoid = pair { least = minimum(i32), most = maximum(i32) }, inputs = { { "x", i32 }, { "y", i32 } },
        map = function(e) return { least = e.x, most = e.y } end,
        outputs = { { "least", value = function(s) return s.least end }, { "most", value = function(s) return s.most end } } },
    map { name = "placed", input = Row, outputs = { { "y", value = same, at = function(row) return row.key end },
        { "z", value = same, at = function(row) return row.key end, length = 1 },
        { "odd", value = function(row, i) return i end, keep = function(row) return is_odd(row.key) end, at = function(row, i) return i * i end, length = 2147483647 },
        { "some", value = same, keep = function(row) return is_odd(row.key) end } } },
    compact { name = "rows", input = Row, keep = function(row, i, near) return lor(near.last, lnot(same_key(row, near.after))) end },
    partition { name = "parts", inputs = { { "x", u32 }, { "y", f32 } }, first = function(e) return is_odd(e.x) end },
    unique { name = "heads", input = Row, equal = same_key, output = function(row) return row.key end },
    run_length_encode { name = "runs", input = Row, equal = same_key, length = u64 },
    reduce_by_key { name = "best", key = f32, value = f32, monoid = argmax(f32), map = function(x, i) return { x, u32(i) } end,
        equal = function(a, b) return eq(floor(a), floor(b)) end },
}
