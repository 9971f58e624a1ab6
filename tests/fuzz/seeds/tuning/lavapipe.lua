for bytes = 1, 16 do row { backend = "vulkan", arch = "lavapipe", class = "reduce", bytes = bytes, knobs = { block = 64, items = bytes } } end
