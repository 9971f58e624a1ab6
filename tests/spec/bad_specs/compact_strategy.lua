-- expect: :2: compact: tune: strategy = onesweep: choose auto, lookahead, lookback
return compact { input = u32, keep = function(x) return gt(x, 3) end, tune = { strategy = "onesweep" } }
