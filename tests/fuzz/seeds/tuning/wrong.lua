row { backend = "cuda", class = "scan", bytes = "4", knobs = 3 }
