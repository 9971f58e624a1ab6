-- expect: the spec takes too long
local s1, s2 = ('x'):rep(1 << 19) .. 'a', ('x'):rep(1 << 19) .. 'b'
local t = { [s2] = 1 } for i = 1, 150 do t = setmetatable({ [s1] = 1 }, { __index = t }) end
while true do local a = t[s2] + t[s2] + t[s2] + t[s2] + t[s2] + t[s2] + t[s2] + t[s2] + t[s2] + t[s2] end
