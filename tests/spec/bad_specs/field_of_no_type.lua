-- expect: :2: struct "S": field 'a': expected a type
local S = struct "S" { { "a", "u32" } }
