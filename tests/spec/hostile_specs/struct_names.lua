-- expect: at most 64
while true do struct(('S'):rep(1 << 19)) { {('f'):rep(1 << 19), u8}, {('g'):rep(1 << 19), u8} } end
