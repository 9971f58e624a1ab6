-- expect: :2: sort: input without map .. leave input out
return sort { key = u32, input = f32 }
