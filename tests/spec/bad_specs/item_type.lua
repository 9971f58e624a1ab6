-- expect: :2: value = u33 has no value; did you mean 'u32'?
return sort { key = u32, value = u33 }
