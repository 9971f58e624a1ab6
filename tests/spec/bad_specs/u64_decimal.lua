-- expect: :2: xor: Lua keeps numbers from 2^63 on in 53 bits; write such a u64 in halves: u64(HIGH) << 32 | LOW
return map { input = u64, output = function(x) return x ~ 14695981039346656037 end }
