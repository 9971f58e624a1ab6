-- expect: :2: scan has no parameter 'tolerance'; it has monoid, 
return scan { monoid = sum(u32), tolerance = 3 }
