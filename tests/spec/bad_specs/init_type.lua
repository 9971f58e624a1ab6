-- expect: :2: init is a string, expected u32
return scan { monoid = sum(u32), init = 'zero' }
