-- expect: :2: attempt to call a nil value (global 'summ') .. did you mean 'sum'
return scan { monoid = summ(u32) }
