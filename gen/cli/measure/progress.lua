-- progress.lua - the kernel with which progress.c tries a device's blocks: one text for both languages.
local file = ...
local template = file("gen/emit/template.lua")

-- names: the language, "glsl" or "cuda". texts: its numbers, as "NAME=value" with blanks between.
local function kernel(names, texts)
    local environment = { is_glsl = names[1] == "glsl" }
    for name, value in texts[1]:gmatch("([%u_]+)=(%d+)") do environment[name] = math.tointeger(value) end
    return template.expand("gen/cli/measure/progress.tpl", file, environment)
end

return { kernel = kernel }
