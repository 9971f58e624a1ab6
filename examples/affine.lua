-- The exponentially weighted moving average y[i] = DECAY * y[i - 1] + (1 - DECAY) * x[i] of a signal of bytes: every byte is an
-- affine map y -> a * y + b, and a scan composes them. -D DECAY=0.99 sets another decay.
spec_version(1)

local decay = DECAY or 0.9

local Affine = struct "Affine" { { "a", f32 }, { "b", f32 } }

local compose = monoid {
    type = Affine,
    identity = Affine { a = 1, b = 0 },
    combine = function(f, g) -- f comes before g
        return Affine { a = f.a * g.a, b = f.b * g.a + g.b }
    end,
}

return scan {
    name = "affine", doc = "exponentially weighted moving average of bytes",
    monoid = compose, input = u8,
    map = function(x) return Affine { a = decay, b = f32(x) * (1 - decay) } end,
    output = function(y) return y.b end,
}
