-- expect: :2: keep of out: 
return compact { input = u32, keep = function(x) return x == 3 end }
