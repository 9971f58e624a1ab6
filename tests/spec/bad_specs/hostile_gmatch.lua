-- expect: the spec takes too long
local s = ('a'):rep(1500)
for i = 1, 1e9 do for w in s:gmatch('a-b') do end end
