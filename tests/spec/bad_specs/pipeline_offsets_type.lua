-- expect: :2: p.input: 'o' has offsets of u32; write u64
return pipeline(function(p) p.input("o", u32, { segments = 100 }) end)
