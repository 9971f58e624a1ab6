-- expect: :2: string.rep: more than 1 MiB
local s = ('x'):rep(1e9)
