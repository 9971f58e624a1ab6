-- expect: string.rep: more than 1 MiB
local s = (''):rep(1e18)
