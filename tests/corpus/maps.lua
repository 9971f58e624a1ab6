-- Compositions of functions: none of them commutes.
local operations = {}

-- A scan, an exclusive scan from the other end, and a reduction.
local function all_ways(name, t)
  local function with(more)
    for key, value in pairs(t) do if more[key] == nil then more[key] = value end end
    return more
  end
  table.insert(operations, scan(with { name = name }))
  table.insert(operations, scan(with { name = name .. "_back", reverse = true, kind = "exclusive" }))
  table.insert(operations, reduce(with { name = name .. "_total" }))
end

-- y -> a * y + b: modulo 2^32, and over the reals.
local function affine(name, T, one, zero)
  local Affine = struct(name) { {"a", T}, {"b", T} }
  return monoid {
    type = Affine, identity = { a = one, b = zero },
    combine = function(f, g) return { a = f.a * g.a, b = f.b * g.a + g.b } end,
  }
end
all_ways("affine", { monoid = affine("Affine", u32, 1, 0), init = { a = 3, b = 5 } })
local recurrence = affine("Step", f32, 1, 0)
table.insert(operations, scan { name = "recurrence", monoid = recurrence, input = u8,
  map = function(x) return { a = 0.75, b = f32(x) } end, output = function(s) return s.b end })

-- A state space model with a diagonal transition: the gate is the input's.
table.insert(operations, scan { name = "state_space", monoid = affine("Gated", vec(f32, 2), { 1, 1 }, { 0, 0 }), input = vec(i16, 2),
  map = function(x)
    local gate = f32(abs(x.x) & 255) / 256
    return { a = { gate, 1 - gate }, b = { f32(x.x & 127), f32(x.y & 127) } }
  end,
  output = function(s) return s.b end })

-- A second-order filter: y[n] = x[n] + c1 y[n-1] + c2 y[n-2] as a map of the last two outputs.
local Filter = struct "Filter" { {"m", vec(f32, 4)}, {"v", vec(f32, 2)} } -- m by rows
local biquad = monoid {
  type = Filter, identity = { m = { 1, 0, 0, 1 }, v = { 0, 0 } },
  combine = function(f, g)
    local p, q = g.m, f.m
    return {
      m = { p.x * q.x + p.y * q.z, p.x * q.y + p.y * q.w, p.z * q.x + p.w * q.z, p.z * q.y + p.w * q.w },
      v = { p.x * f.v.x + p.y * f.v.y + g.v.x, p.z * f.v.x + p.w * f.v.y + g.v.y },
    }
  end,
}
local function filtered(x) return { m = { 1.25, -0.5, 1, 0 }, v = { f32(x), 0 } } end
table.insert(operations, scan { name = "biquad", monoid = biquad, input = i16, map = filtered, output = function(s) return s.v.x end })
table.insert(operations, scan { name = "biquad_back", monoid = biquad, input = i16, map = filtered, reverse = true,
  output = function(s) return s.v.x end })

-- Square matrices, by rows.
local function matrix(name, T, side, laws)
  local rows = {}
  for row = 1, side do rows[row] = { "r" .. row, vec(T, side) } end
  local names, identity = { "x", "y", "z", "w" }, {}
  for row = 1, side do
    local unit = {}
    for column = 1, side do unit[column] = row == column and 1 or 0 end
    identity["r" .. row] = unit
  end
  return monoid {
    type = struct(name)(rows), identity = identity, laws = laws,
    combine = function(a, b)
      local product = {}
      for row = 1, side do
        local made = {}
        for column = 1, side do
          for k = 1, side do
            local term = a["r" .. row][names[k]] * b["r" .. k][names[column]]
            made[column] = made[column] and made[column] + term or term
          end
        end
        product["r" .. row] = made
      end
      return product
    end,
  }
end
all_ways("matrix2", { monoid = matrix("Matrix2", u32, 2) })
all_ways("matrix4", { monoid = matrix("Matrix4", u32, 4) })

-- Unit quaternions of four bits: their products are exact in f32. Axes +-1, +-i, +-j, +-k, or all four halves with any signs.
local function hurwitz(x)
  local part = {}
  for c = 0, 3 do
    local half = where(eq(x >> c & 1, 1), f32(-0.5), 0.5)
    local axis = where(eq(x >> 1 & 3, c), where(eq(x & 1, 1), f32(-1), 1), 0)
    part[c] = where(eq(x & 16, 0), half, axis)
  end
  return part[0], part[1], part[2], part[3]
end
local Quaternion = struct "Quaternion" { {"w", f32}, {"x", f32}, {"y", f32}, {"z", f32} }
local quaternion = monoid {
  type = Quaternion, identity = { w = 1, x = 0, y = 0, z = 0 }, laws = "trusted", -- exact for those of map only
  combine = function(p, q)
    return { w = p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, x = p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
             y = p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, z = p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w }
  end,
}
all_ways("quaternion", { monoid = quaternion, input = u32, map = function(x) return Quaternion(hurwitz(x)) end })
-- The same group as rotations of space.
table.insert(operations, scan { name = "rotation", monoid = matrix("Rotation", f32, 4, "trusted"), input = u32,
  map = function(x)
    local w, i, j, k = hurwitz(x)
    return { r1 = { w, -i, -j, -k }, r2 = { i, w, -k, j }, r3 = { j, k, w, -i }, r4 = { k, -j, i, w } }
  end })

-- Maps of a finite automaton's states, packed: the state that each one goes to.
local function automaton(T, states, bits, laws)
  local identity = 0
  for state = 0, states - 1 do identity = identity | state << (bits * state) end
  return monoid {
    type = T, identity = identity, laws = laws,
    combine = function(f, g)
      local h
      for state = 0, states - 1 do
        local middle = f >> (bits * state) & (1 << bits) - 1
        local moved = (g >> middle * bits & (1 << bits) - 1) << (bits * state)
        h = h and h | moved or moved
      end
      return h
    end,
  }
end
all_ways("dfa", { monoid = automaton(u8, 4, 2) })
table.insert(operations, scan { name = "dfa8", monoid = automaton(u32, 8, 3, "trusted"), input = u32, map = function(x) return x & 0xffffff end })
-- Comments of C: code 0, after a slash 1, in a comment 2, after its star 3.
table.insert(operations, scan { name = "comments", monoid = automaton(u8, 4, 2), input = u8,
  map = function(c)
    local kind = c % 3 -- a small alphabet, so that comments begin and end
    return where(eq(kind, 0), 0x29, where(eq(kind, 1), 0xbc, u8(0xa0)))
  end,
  output = function(s) return s & 3 end })

-- 128 bytes an element: sixteen affine maps side by side.
local fields, one = {}, {}
for k = 0, 3 do
  fields[#fields + 1], fields[#fields + 2] = { "a" .. k, vec(u32, 4) }, { "b" .. k, vec(u32, 4) }
  one["a" .. k], one["b" .. k] = { 1, 1, 1, 1 }, { 0, 0, 0, 0 }
end
local bundle = monoid {
  type = struct "Bundle"(fields), identity = one,
  combine = function(f, g)
    local h = {}
    for k = 0, 3 do h["a" .. k], h["b" .. k] = f["a" .. k] * g["a" .. k], f["b" .. k] * g["a" .. k] + g["b" .. k] end
    return h
  end,
}
all_ways("bundle", { monoid = bundle })
return operations
