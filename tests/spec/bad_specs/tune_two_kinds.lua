-- expect: :2: reduce: tune: lookback = serial: a reduction has no such knob, only scans, sorts and sweeps have it
return reduce { monoid = sum(u32), tune = { lookback = "serial" } }
