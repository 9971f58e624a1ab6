-- expect: :2: sort has no parameter 'values'; did you mean 'value'
return sort { key = u32, values = f32 }
