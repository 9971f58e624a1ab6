-- expect: :2: string.format: %p shows an address
local s = ("%p"):format({})
