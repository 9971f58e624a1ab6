-- expect: :2: xor: -3750763034362895579 is out of the range of u64; if its bits are meant, write u64(0xcbf29ce4) << 32 | 0x84222325
return map { input = u64, output = function(x) return x ~ 0xcbf29ce484222325 end }
