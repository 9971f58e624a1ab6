-- expect: :3: add: the second operand is nothing ('lmit' has no value here) .. did you mean 'limit'
limit = 4
return scan { monoid = sum(u32), map = function(x) return x + lmit end }
