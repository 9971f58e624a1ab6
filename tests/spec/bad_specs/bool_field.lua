-- expect: :2: struct "S": field 'a': bool has no place in memory; use u8 or u32
local S = struct "S" { { "a", bool } }
