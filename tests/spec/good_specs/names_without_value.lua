-- names without a value, where that means something
local factor = FACTOR or 2
local other, another = OTHER, ANOTHER
if DEBUG then factor = 3 end
local options = { f = function() local a, b = MISSING, 2 return a or b end, is_fast = FAST == true, init = INIT or nil }
return scan { monoid = sum(u32), kind = KIND or "exclusive", init = options.init }
