-- ranges.lua - how large the integers of a text can be, as far as it shows: an expression's `mask` bounds its value, which then is not negative.

local WIDTH = { u8 = 8, i8 = 8, u16 = 16, i16 = 16, u32 = 32, i32 = 32, u64 = 64, i64 = 64, f16 = 16, f32 = 32, f64 = 64 }
local UNSIGNED = { u8 = true, u16 = true, u32 = true, u64 = true }

local ranges = { WIDTH = WIDTH }

-- The largest value that e of type s can have where that is known and e is not negative.
function ranges.most(s, e)
    if e.bits then return e.bits >= 0 and e.bits or nil end
    return e.mask or (UNSIGNED[s] and WIDTH[s] < 32 and (1 << WIDTH[s]) - 1) or nil
end

-- All bits up to the highest that x or y can have.
local function all_bits(x, y)
    local bits = x and y and x | y
    for shift = 0, bits and 5 or -1 do bits = bits | bits >> (1 << shift) end
    return bits
end

-- The bound of a result from those of its operands; of a shift the second is the count.
local bound = {
    add = function(x, y) return x and y and x < 1 << 32 and y < 1 << 32 and x + y end,
    mul = function(x, y) return x and y and x < 1 << 31 and y < 1 << 31 and x * y end,
    ["and"] = function(x, y) return x and y and math.min(x, y) or x or y end,
    ["or"] = all_bits,
    xor = all_bits,
    shl = function(x, by) return by and x and x < 1 << 31 and x << by end,
    shr = function(x, by) return x and x >> (by or 0) end,
}

-- e is `op` on a and b, of type s, before it is wrapped to the width of s: in 32 bits, signed ones unless s is u32. It gets its bound if these
-- hold that.
function ranges.noted(op, s, e, a, b)
    local y
    if op == "shl" or op == "shr" then y = b.bits and b.bits & (WIDTH[s] - 1) else y = ranges.most(s, b) end
    local limit = bound[op](ranges.most(s, a), y)
    if limit and WIDTH[s] <= 32 and limit <= (s == "u32" and 0xffffffff or 0x7fffffff) then e.mask = limit end
    return e
end

-- Whether e is known to be in the type's range.
function ranges.fits(s, e) return e.mask ~= nil and e.mask < 1 << (WIDTH[s] - (UNSIGNED[s] and 0 or 1)) end

return ranges
