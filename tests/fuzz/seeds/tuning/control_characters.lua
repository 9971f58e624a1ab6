row { backend = "cuda", arch = "sm_\"9\\0\n", class = "scan", bytes = 4, knobs = { descriptor = "a\0b" }, figure = "\r1\27", date = "\200" }
