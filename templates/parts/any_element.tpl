$ -- Elements of the inputs by themselves, wherever they are: defines load_NAME. array, name: of the buffers. Uses parts/arrays.tpl, of the inputs, by
$ -- their fields.
$ local values = {}
$ for k, field in ipairs(inputs.fields) do
$ if field.has_offsets then
$ values[k] = ("load_%s%d(items, i)"):format(name, k)
$ include("parts/segment_of", {name = name})

$ else
$ values[k] = ("load_%s%d(%s%d(items.array%d), i)"):format(name, k, array, k, k)
$ include("items", {array = array .. k, name = name .. k, type = field.type, reads = true, writes = false})

$ end
$ end
$(type_name(inputs.type)) load_$(name)(In items, $(Index) i)
{
    return $(inputs.is_record and construct(inputs.type, table.concat(values, ", ")) or values[1]);
}
