local text = "backendclassclassnilx"
for k = 1, 15 do text = text .. text end
while true do local copy = text .. "x" end
