-- expect: :2: the spec takes too long to read
while true do end
