local text = "x"
for k = 1, 15 do text = text .. text end
row { backend = "vulkan", class = "reduce", bytes = 4, knobs = { items = text } }
