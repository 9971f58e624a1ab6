-- expect: it needs at least one field
local S = struct "S" {}
