-- expect: map returns nothing .. return the expression
return scan { monoid = sum(u32), map = function(x) local y = x + 1 end }
