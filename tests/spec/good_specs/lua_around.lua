-- Ordinary Lua around expressions: nothing here depends on a value that is not known when the spec is read.
spec_version(1)

local Hash = struct "Hash" { { "state", u32 }, { "count", u64 } }
local NONE, ONE = u32.max, u32(1)
local table_of = {}
for i = 0, 255 do
    local crc = i
    for _ = 1, 8 do crc = crc & 1 == 1 and 0xedb88320 ~ (crc >> 1) or crc >> 1 end
    table_of[i] = crc
end

local function is_number(x) return type(x) == "number" end
local function scaled(x, by) -- by may be a literal
    if is_number(by) and by == 1 then return x end
    return x * by
end
local function fold(list, f, from)
    local result = from
    for _, x in ipairs(list) do result = result and f(result, x) or x end
    return result
end
local function optional(x, default) return x == nil and default or x end

local mix = monoid {
    type = Hash, identity = Hash(0, 0), commutative = false,
    combine = function(a, b)
        local state = a.state + b.state
        local options = { shift = 3, rounds = not is_number(state) and 2 or 2 }
        if options.shift == 3 and options.rounds ~= 0 then state = state | 0 end
        return { state = fold({ state, u32(0) }, function(x, y) return x + y end), count = a.count + b.count }
    end,
}

local function power(x, n)
    if n == 0 then return ONE end
    if n == 1 then return x end
    local half = power(x, n // 2)
    return n % 2 == 0 and half * half or half * half * x
end

local n = math.random(10)
return {
    scan { name = "mixed", monoid = mix, input = u32, map = function(x, i)
        local h = x ~ (x >> 16)
        for round = 1, 3 do
            h = (h ~ (h >> 15)) * (round == 1 and 0x85ebca6b or 0xc2b2ae35)
            if round == 2 then h = h - 1 end
        end
        return { state = h / 3 + u32(h // 7) % 5, count = optional(nil, 1) }
    end, output = function(s) return s.state end },
    reduce { name = "powers", monoid = product(u64), map = function(x) return power(x, 7) % 1000003 end },
    scan { name = "selected", monoid = maximum(u32), input = i16, map = function(x, i)
        local key = where(lt(x, 0), NONE, u32(x) << 3)
        for shift = 0, 3 do key = where(eq(key & (1 << shift), 0), key, scaled(key, shift == 0 and 1 or 3)) end
        return clamp(key, 3, NONE - 1) + u32(i) - popcount(key) + table_of[7] % 2
    end },
    scan { name = "floats", monoid = sum(vec(f32, 3)), input = vec(f32, 2), map = function(p)
        local sum, list = f32(0), { 0.1, 0.2, 0.3 }
        for i, w in ipairs(list) do if i ~= 2 or w == 0.2 then sum = sum + p.x * w end end
        for i = 1, #p do sum = sum + p[i] end
        return { sum / 3, where(isnan(p.y), 0, sum), bitcast(f32, bitcast(u32, p.x) ~ 0x80000000) * n }
    end },
}
