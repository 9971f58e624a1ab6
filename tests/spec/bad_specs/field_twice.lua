-- expect: :2: struct "S": field 'a' appears twice .. rename one
local S = struct "S" { { "a", u32 }, { "a", f32 } }
