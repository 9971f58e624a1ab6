-- For test_printer.c: the text of a function in GLSL for a device with these features.
local printer = file "gen/emit/printer.lua"
local new_dialect = file "backends/vulkan/dialect.lua"

function print_function(fn, features)
    local device = load("return {" .. features .. "}")()
    device.long_loops = true -- without it (llvmpipe) operands of floats are veiled
    return printer.function_text(fn, fn.name, new_dialect(device))
end
