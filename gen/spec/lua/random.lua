-- random.lua - random numbers of a spec, the same on every machine: splitmix64 from a fixed seed, in v.random_state.

return function(v)
    v.random_state = 1

    local function bits()
        v.random_state = v.random_state + 0x9e3779b97f4a7c15
        local z = v.random_state
        z = (z ~ z >> 30) * 0xbf58476d1ce4e5b9
        z = (z ~ z >> 27) * 0x94d049bb133111eb
        return z ~ z >> 31
    end

    -- In [0, 1).
    function v.random_unit() return (bits() >> 11) * 2.0 ^ -53 end

    -- From low to high, which wrap: a range of u64 may end below zero.
    function v.random_integer(low, high)
        local count = high - low + 1
        if count > 0 then return low + (bits() >> 1) % count end
        local offset = bits()
        while count ~= 0 and not math.ult(offset, count) do offset = bits() end -- more than half of all: soon found
        return low + offset
    end
end
