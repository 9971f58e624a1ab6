$ -- Of an item the scalars of which values are made when they leave (gen/emit/packed.lua, `late`). outs: the outputs; s, item, index, near_item: what
$ -- the output map takes; indent: of the lines.
$ for _, y in ipairs(outs) do
$ if y.late then
$(indent)const $(type_name(y.late.type)) scalar$(y.k) = $(y.late.scalar(s, item, index, near_item));
$ end
$ end
