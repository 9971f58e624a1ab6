-- expect: :4: outputs: two arrays are called 'y'
return map { input = u32, outputs = { -- kept by two functions, and so with two numbers of one name
  {"y", keep = function(x) return eq(x & 1, 0) end, value = function(x) return x end},
  {"y", keep = function(x) return eq(x & 3, 0) end, value = function(x) return x end} } }
