-- expect: :2: reduce: tune: strategy = lookback: choose auto, reduce_then_scan or single_block
return reduce { monoid = sum(u32), tune = { strategy = "lookback" } }
