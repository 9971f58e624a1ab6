-- Operations that only the goldens use.
local function mixed(x) -- by more than 16 operations
  for k = 1, 6 do x = (x ~ x >> 13) * (2 * k + 0x5bd1) end
  return x
end
return {
  reduce { name = "smallest", monoid = argmin(f32), input = f32, map = function(x, i) return { value = x, index = u32(i) } end },
  scan { name = "halves", monoid = maximum(f16) },
  scan { name = "late", monoid = sum(u32), input = u8, map = function(x) return u32(x) end,
         outputs = { { "mixed", value = mixed, keep = function(_, x) return eq(x, 10) end } } },
}
