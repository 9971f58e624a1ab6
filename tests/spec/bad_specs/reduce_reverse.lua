-- expect: :2: reduce has no parameter 'reverse'
return reduce { monoid = sum(u32), reverse = true }
