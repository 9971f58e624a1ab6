-- expect: the spec takes too long to read
while true do pcall(function() while true do end end) end
