-- Monoids of floats are compared with a tolerance, those of a narrow domain on samples of their own: none of these gives a warning.
local Moments = struct "Moments" { { "n", f32 }, { "mean", f32 }, { "m2", f32 } } -- Chan, Golub, LeVeque 1979
local moments = monoid {
    type = Moments, identity = { 0, 0, 0 }, commutative = true,
    sample = function(r)
        local n = r:u32(1, 1000)
        return { n = n, mean = r:f32(-10, 10), m2 = n * r:f32(0, 4) }
    end,
    combine = function(a, b)
        local n = a.n + b.n
        local share, delta = where(eq(n, 0), 0, b.n / n), b.mean - a.mean
        return { n = n, mean = a.mean + delta * share, m2 = a.m2 + b.m2 + delta * delta * a.n * share }
    end,
}
local Affine = struct "Affine" { { "a", f32 }, { "b", f64 } }
local affine = monoid {
    type = Affine, identity = { 1, 0 },
    combine = function(f, g) return { a = f.a * g.a, b = f.b * f64(g.a) + g.b } end,
}
local Quaternion = vec(f32, 4)
local rotation = monoid {
    type = Quaternion, identity = { 0, 0, 0, 1 },
    combine = function(p, q)
        return { p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                 p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z }
    end,
}
local Softmax = struct "Softmax" { { "largest", f32 }, { "sum", f32 } }
local softmax = monoid {
    type = Softmax, identity = { f32.lowest, 0 }, commutative = true,
    sample = function(r) return { largest = r:f32(-50, 50), sum = r:f32(1, 100) } end,
    combine = function(a, b)
        local largest = max(a.largest, b.largest)
        return { largest = largest, sum = a.sum * exp(a.largest - largest) + b.sum * exp(b.largest - largest) }
    end,
}
local Run = struct "Run" { { "sum", i64 }, { "prefix", i64 }, { "suffix", i64 }, { "best", i64 } }
local max_subarray = monoid {
    type = Run, identity = { 0, 0, 0, 0 }, laws = "strict",
    sample = function(r)
        local x = r:bool() and r:i64(-1000000000, 1000000000) or r:u16()
        local p = math.max(x, 0)
        return { sum = x, prefix = p, suffix = p, best = p }
    end,
    combine = function(a, b)
        return { sum = a.sum + b.sum, prefix = max(a.prefix, a.sum + b.prefix), suffix = max(b.suffix, b.sum + a.suffix),
                 best = max(max(a.best, b.best), a.suffix + b.prefix) }
    end,
}
local clock = monoid { -- sums below 1000
    type = u64, identity = 0, commutative = true, laws = "strict", sample = function(r) return r:u64(0, 999) end,
    combine = function(a, b) return (a + b) % 1000 end,
}
local Key = struct "Key" { { "text", u64 }, { "is_known", u32 } }
local last = monoid { -- of all u64, half of which are below zero for Lua
    type = Key, identity = { 0, 0 }, laws = "strict", combine = function(a, b) return where(ne(b.is_known, 0), b, a) end,
    sample = function(r)
        local is_known = r:u32(0, 1)
        return { is_known == 1 and r:u64() or 0, is_known }
    end,
}
local mixed = monoid { type = u64, identity = 0, laws = "strict", sample = function(r) return r:u64() end, combine = function(a, b) return a ~ b end }
return {
    scan { name = "last", monoid = last }, reduce { name = "mixed", monoid = mixed },
    scan { name = "moments", monoid = moments }, scan { name = "affine", monoid = affine }, reduce { name = "rotation", monoid = rotation },
    reduce { name = "softmax", monoid = softmax }, reduce { name = "max_subarray", monoid = max_subarray }, scan { name = "clock", monoid = clock },
    scan { name = "half", monoid = sum(f16) }, scan { name = "products", monoid = product(f64) }, scan { name = "both", monoid = pair(moments, softmax) },
}
