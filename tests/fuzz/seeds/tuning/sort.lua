row { backend = "cuda", arch = "sm_80", class = "sort_pairs", bytes = { 1, 128 }, shared = 163840, knobs = { block = 256, items = 40 } }
row { backend = "vulkan", class = "sort_pairs", bytes = 8, strategy = "onesweep", knobs = { digit_bits = 4, lookback = "serial", descriptor = "flagged" } }
