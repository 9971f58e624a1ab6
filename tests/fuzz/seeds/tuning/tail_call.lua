return row { backend = "cuda", class = "scan", bytes = 4 }
