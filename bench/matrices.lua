-- Scans by products of square matrices, of 4 to 100 bytes: what fills registers (bench/registers.lua).
local list = {}
for n = 1, 5 do
  local fields = {}
  for i = 1, n * n do fields[i] = { "m" .. i, f32 } end
  local M = struct("Matrix" .. n)(fields)
  local unit = {}
  for i = 1, n * n do unit["m" .. i] = (i - 1) % (n + 1) == 0 and 1 or 0 end
  local product = monoid {
    type = M, identity = M(unit), laws = "trusted",
    combine = function(a, b)
      local c = {}
      for i = 0, n - 1 do for j = 0, n - 1 do
        local s = a["m" .. (i * n + 1)] * b["m" .. (j + 1)]
        for k = 1, n - 1 do s = s + a["m" .. (i * n + k + 1)] * b["m" .. (k * n + j + 1)] end
        c["m" .. (i * n + j + 1)] = s
      end end
      return M(c)
    end,
  }
  list[#list + 1] = scan { name = "matrix" .. n, monoid = product }
end
return list
