-- numbers.lua - numbers as C-like languages read them back.

local numbers = {}

-- Decimal where people count in it, else hexadecimal.
function numbers.unsigned(value, suffix)
    local round = value >= 0 and (value < 10000 or value % 1000 == 0 and value < 2 ^ 53)
    return (round and "%d%s" or "0x%x%s"):format(value, suffix)
end

-- The shortest decimal of the value's magnitude that `same` accepts as the value, and whether the sign is minus; nil when it is not finite.
function numbers.shortest(value, same)
    if value ~= value or value == math.huge or value == -math.huge then return nil end
    local digits
    for precision = 1, 17 do
        digits = ("%." .. precision .. "g"):format(math.abs(value))
        if same(tonumber(digits)) then break end
    end
    if not digits:find("[%.e]") then digits = digits .. ".0" end
    return digits, string.unpack("<i8", string.pack("<d", value)) < 0
end

function numbers.f32(bits)
    local value = string.unpack("<f", string.pack("<I4", bits))
    return numbers.shortest(value, function(parsed) return string.pack("<f", parsed) == string.pack("<f", math.abs(value)) end)
end

function numbers.f64(bits)
    local value = string.unpack("<d", string.pack("<i8", bits))
    return numbers.shortest(value, function(parsed) return parsed == math.abs(value) end)
end

return numbers
