-- expect: :2: reverse is true or false, not a string
return scan { monoid = sum(u32), reverse = 'yes' }
