-- expect: field name 'a-b' must be an identifier
local S = struct "S" { { "a-b", u32 } }
