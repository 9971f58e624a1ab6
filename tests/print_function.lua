-- For test_printer.c: the text of a function in GLSL for a device with these features.
local printer = file "gen/printer.lua"
local new_dialect = file "backends/vulkan/dialect.lua"

function print_function(fn, features)
    return printer.function_text(fn, fn.name, new_dialect(load("return {" .. features .. "}")()))
end
