-- vocabulary.lua - what a spec may say. docs: the spec language.
--
-- Called with file (embedded files) and c (the primitives of gen/spec/primitives.c); returns the globals of a spec, finish(value): the records of the
-- operations that the spec returned, and explain(message).
--
-- The modules share v, the inside of the vocabulary. What users hold are objects: tables with nothing but a record under a private key, which
-- no spec can reach or forge; v.T etc. are these records. The order below is that of dependence.

local file, c = ...

local v = { c = c, file = file, spec = {} }
for _, module in ipairs { "objects", "random", "values", "expressions", "constants", "uniforms", "functions", "opaque", "samples", "monoids",
    "keys", "arrays", "generated", "operations", "sweep", "fold", "sort", "map", "packing", "segments", "append", "pipeline" } do
    file("gen/spec/lua/" .. module .. ".lua")(v)
end
local globals, explain = file "gen/spec/lua/sandbox.lua" (v)
return globals, v.finish, explain
