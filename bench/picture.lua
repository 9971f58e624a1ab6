-- picture.lua - charts of the pages of `bench` as one SVG that needs nothing else, for documents: loaded with read, a function that reads a file of
-- the tree, and the module gen/cli/measure/page.lua. Returns the function that draws panels: { title, case, chart }, one below the other.
local read, page = ...

local WIDTH, HEIGHT, TOP, LINE <const> = 560, 270, 24, 18 -- of a chart of the page; what is above it; a line of its legend

-- The page's colours, as viewers read them that know no variables, and its classes.
local function look()
    local colours, classes = {}, {}
    local template = read("gen/cli/measure/page.tpl")
    for name, colour in template:gmatch("%-%-(%w+): (#%x+)") do colours[name] = colours[name] or colour end
    for i in ipairs(page.palette) do colours["c" .. i] = page.palette[i][1] end
    for name, rules in template:gmatch("\n%.(%w+) (%b{})") do
        if name == "grid" or name == "axis" or name == "line" or name == "dot" then classes[#classes + 1] = "." .. name .. " " .. rules end
    end
    return colours, classes
end

return function(panels)
    local colours, classes = look()
    local lines, y = {}, 0
    local function add(...) lines[#lines + 1] = string.format(...) end
    for _, panel in ipairs(panels) do
        add('<text x="12" y="%d" font-size="13" fill="var(--ink)">%s</text>', y + 17, panel.title)
        local x, key_y = 12, y + TOP + 7
        for _, variant in ipairs(panel.case.variants) do
            local colour, dash = page.style_of(panel.case, variant)
            local width = 44 + 6.2 * utf8.len(variant)
            if x > 12 and x + width > WIDTH + 12 then x, key_y = 12, key_y + LINE end
            add('<line x1="%.0f" y1="%d" x2="%.0f" y2="%d" style="stroke:%s;stroke-width:2.5;stroke-dasharray:%s"/>', x, key_y, x + 26, key_y,
                colour, dash)
            add('<text x="%.0f" y="%d">%s</text>', x + 31, key_y + 4, variant)
            x = x + width
        end
        y = key_y - 7 + LINE
        add("%s", (page.curve(panel.case, panel.chart, {}).svg:gsub("<svg ", ('<svg y="%d" width="%d" height="%d" '):format(y, WIDTH, HEIGHT), 1)))
        y = y + HEIGHT
    end
    local head = {
        ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" fill="var(--soft)">'):format(WIDTH, y),
        ("<style>\n%s\n</style>"):format(table.concat(classes, "\n")), ('<rect width="%d" height="%d" fill="var(--card)"/>'):format(WIDTH, y),
    }
    local text = table.concat(head, "\n") .. "\n" .. table.concat(lines, "\n") .. "\n</svg>"
    return (text:gsub("var%(%-%-(%w+)%)", colours)) .. "\n"
end
