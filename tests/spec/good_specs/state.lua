-- What a function may leave behind: what no other call of it changes.
local powers = {}
local function power_of_two(n) -- keeps plain values
    powers[n] = powers[n] or (n == 0 and 1 or 2 * power_of_two(n - 1))
    return powers[n]
end
local squares = {}
local function square(x) -- by expression: within one call
    squares[x] = squares[x] or x * x
    return squares[x]
end
local primes
local function nth_prime(n)
    if not primes then
        primes = {}
        for i = 2, 100 do
            local is_prime = true
            for _, p in ipairs(primes) do is_prime = is_prime and i % p ~= 0 end
            if is_prime then primes[#primes + 1] = i end
        end
    end
    return primes[n]
end
local ONE
local function one()
    ONE = ONE or u32(1)
    return ONE
end
local debugged, drawn = {}, math.random(100)

local total = monoid { type = u32, identity = 0, combine = function(a, b)
    count = 0 -- a `local` was forgotten
    parts = { a, b }
    for _, part in ipairs(parts) do count = part + count end
    debugged.a = a
    return count
end }

local function shared(x, i)
    local best = argmin(u32).type { value = square(x) + square(x), index = 0 }
    local ok, message = pcall(function() return sum(best) end)
    assert(not ok and message)
    return best.value + power_of_two(5) + nth_prime(7) * one() + drawn * drawn
end

return {
    scan { name = "first", monoid = total, map = shared },
    scan { name = "second", monoid = total, map = shared, reverse = true },
    reduce { name = "third", monoid = pair(total, maximum(u32)), input = u32, map = function(x) return { shared(x), x } end },
}
