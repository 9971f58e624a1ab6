-- Numbers in ascending order, and where each one was.
spec_version(1)

return sort { name = "order", key = u32, value = "index" }
