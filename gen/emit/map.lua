-- map.lua - what the template of maps is told.

return function(op, kernel, _, e)
    e.map = e.define("map_item", op.map, 2)
    e.carry, e.reverse = false, false
    e.ROWS = kernel.items // kernel.vector
    return { op.input, op.output, op.near or op.input }
end
