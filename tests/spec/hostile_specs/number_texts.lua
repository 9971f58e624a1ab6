-- expect: the spec takes too long
local s = '0x' .. ('f'):rep(1 << 19) .. ('f'):rep((1 << 19) - 30) .. 'p-4194200'
while true do local n = s + 1.5; n = s + 1.5 n = s + 1.5 n = s + 1.5 n = s + 1.5 n = s + 1.5 end
