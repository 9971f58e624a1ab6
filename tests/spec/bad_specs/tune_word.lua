-- expect: :2: scan: tune: lookback = parallel: a lane reads 1 to 32 descriptors together, or the look-back is serial
return scan { monoid = sum(u32), tune = { lookback = "parallel" } }
