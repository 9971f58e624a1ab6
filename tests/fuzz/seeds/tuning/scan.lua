row { backend = "cuda", arch = "sm_90", class = "scan", bytes = 4, strategy = "lookahead", from = 8388608, knobs = { block = 384, thread_bytes = 80 },
    figure = "95 %", date = "a day" }
