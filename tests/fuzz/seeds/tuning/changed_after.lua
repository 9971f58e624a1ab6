local k, b = { items = 8 }, { 1, 16, more = function() end }
row { backend = "cuda", class = "scan", bytes = b, knobs = k }
k.items, b.more = {}, b
