local squares = table_of(u32, { 0, 1, 4, 9 })
local Point = struct "Point" { {"x", f32}, {"at", vec(i16, 2)} }
local points = table_of(Point, { Point(1, { 2, 3 }), { x = f32.inf, at = { i16.min, -1 } } })
assert(#squares == 4 and #points == 2 and tostring(squares) == "table of u32[4]")
local three = squares[3] -- a constant
local function last(t) return t[#t - 1] end
return {
  map { name = "a", input = i32, output = function(x) return squares[x] + three + squares[-1] + squares[99] + last(squares) end },
  map { name = "b", input = u8, output = function(x, i) return points[i].x + points[0].x end },
  map { name = "c", input = u8, output = function(x) return points[squares[x]] end },
  scan { name = "d", monoid = monoid { type = u8, identity = 0, sample = function(r) return r:u8(0, 1) end,
    combine = function(a, b) return table_of ~= nil and u8(squares[(a + b) & 1]) end } },
}
