-- expect: kind is "inclusive" or "exclusive"
return scan { monoid = sum(u32), kind = 'sideways' }
