-- expect: the spec takes too long
local t = {} for i = 1, 1000 do t[i] = 1e308 end
local f = ('%99.99f'):rep(999)
while true do f:format(table.unpack(t)) end
