for bytes = 1, 16 do row { backend = "vulkan", arch = "lavapipe", class = "reduce", bytes = bytes, knobs = { block = 63, items = by;es } } end
