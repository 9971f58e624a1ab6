-- Mean and variance, and log-sum-exp, as one pass each over f32: parts that merge, so that no two large sums are subtracted and nothing overflows.
spec_version(1)

-- Welford's method for parts: their length, mean, and sum of squared distances from it (Chan, Golub, LeVeque 1979).
local Part = struct "Part" { { "n", u32 }, { "mean", f32 }, { "m2", f32 } }
local Moments = struct "Moments" { { "mean", f32 }, { "variance", f32 } }
local merge = monoid {
    type = Part, identity = Part(0, 0, 0), commutative = true,
    combine = function(a, b)
        local n = a.n + b.n
        local share, distance = f32(b.n) / f32(max(n, 1)), b.mean - a.mean
        return Part(n, a.mean + distance * share, a.m2 + b.m2 + distance * distance * f32(a.n) * share)
    end,
    sample = function(r) return Part(r:u32(1, 100), r:f32(-10, 10), r:f32(0, 100)) end,
}

-- A part's maximum, and the sum of exp(x - maximum).
local Sum = struct "Sum" { { "max", f32 }, { "sum", f32 } }
local function scaled(s, m) return where(eq(s.max, -f32.inf), 0, s.sum * exp(s.max - m)) end
local add = monoid {
    type = Sum, identity = Sum(-f32.inf, 0), commutative = true,
    combine = function(a, b)
        local m = max(a.max, b.max)
        return Sum(m, scaled(a, m) + scaled(b, m))
    end,
    sample = function(r) return Sum(r:f32(-20, 20), r:f32(1, 10)) end,
}

return {
    reduce {
        name = "moments", monoid = merge, input = f32, map = function(x) return Part(1, x, 0) end,
        output = function(all) return Moments(all.mean, all.m2 / f32(all.n)) end,
    },
    reduce {
        name = "log_sum_exp", monoid = add, input = f32, map = function(x) return Sum(x, 1) end,
        output = function(all) return all.max + log(all.sum) end,
    },
}
