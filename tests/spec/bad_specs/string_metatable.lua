-- expect: :2: attempt to index a string value
getmetatable("").__index = nil
