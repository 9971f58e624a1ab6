$ -- Stores what is made of one item, `result` of the array's item i, where it belongs. outs: the outputs (gen/emit/packed.lua); indent: of the lines.
$ for _, y in ipairs(outs) do
$ if y.to then
$(indent)if (is_given(out_items.$(y.array)) && $(y.is_kept or y.to .. " " .. y.limit)) store_output$(y.k)(Out$(y.k)(out_items.$(y.array)), $(y.to), $(y.value));
$ else
$(indent)if (is_given(out_items.$(y.array))) store_first_outputs$(y.k)(Out$(y.k)(address_after(out_items.$(y.array), i, $(y.size)u)), $(y.value));
$ end
$ end
