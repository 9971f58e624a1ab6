-- expect: :3: map: 2049 operations; compilers take too long over more than 2048: use fewer, or a source
-- One more than there may be.
return scan { monoid = sum(u32), map = function(x) for i = 1, 2049 do x = x + x end return x end }
