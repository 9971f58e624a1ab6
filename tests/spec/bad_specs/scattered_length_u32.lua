-- expect: 'y': length is the uniform 'room' of u32; counts are u64: write uniform("room", u64)
local room = uniform("room", u32)
return map { input = u32, outputs = { {"y", at = function(x, i) return i end, length = room, value = function(x) return x end} } }
