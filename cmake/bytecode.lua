-- bytecode.lua ROOT OUT FILE.. - copies files to OUT, modules and templates among them as the bytecode that this Lua makes of them. It keeps lines
-- and names, for messages.

local root, out = ...
local template = dofile(root .. "/gen/emit/template.lua")

local function converted(name, text)
    local stem = name:match("([^/]+)%.tpl$")
    if stem then return string.dump(template.compile(stem, text)) end
    if not name:find("%.lua$") or name:find("^backends/.*/tuning.lua$") then return text end -- tables of rows are read as users' are
    return string.dump(assert(load(text, "@" .. name, "t")))
end

local function transfer(path, mode, text)
    local file = assert(io.open(path, mode))
    local read = assert(text and file:write(text) or file:read("a"))
    assert(file:close())
    return read
end

for _, name in ipairs { select(3, ...) } do
    transfer(out .. "/" .. name, "wb", converted(name, transfer(root .. "/" .. name, "rb")))
end
