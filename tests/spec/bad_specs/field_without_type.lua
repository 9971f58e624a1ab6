-- expect: :2: struct "S": field 1 is not {"name", type}
local S = struct "S" { { u32, "a" } }
