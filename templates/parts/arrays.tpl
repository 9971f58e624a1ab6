$ -- The operation's inputs (array In, group Inputs) or outputs (Out, Outputs) between memory and registers: one array, or one for each field of the
$ -- record that its functions take or return. fields: { name, type, place, is_scattered, length } of these, else false; is_single: items by themselves,
$ -- not groups; name: of such an item; type: of the array's elements, or the record; reads, writes. place: the record's field that says where an element
$ -- goes, or nil: to its own place. is_scattered: places may be beyond the array, and have several elements; length: the array's, nil: n; given: places
$ -- beyond are NOWHERE.
$ if fields and #fields == 0 then -- all is generated
$ elseif not fields then
$ if is_single then
$ include("items", {array = array, name = name, type = type, reads = reads, writes = writes})
$ else
$ include("memory", {array = array, group = group, type = type, reads = reads, writes = writes})
$ end
$ else
$ local members, names, places = {}, {}, {}
$ local function element(values) return is_record and construct(type, table.concat(values, ", ")) or values[1] end
$ local has_nowhere, has_length, has_offsets = false, false, false
$ for _, field in ipairs(fields) do
$ has_nowhere = has_nowhere or field.place and (not field.is_scattered or field.given)
$ has_length = has_length or field.is_scattered and not field.length and not field.given
$ has_offsets = has_offsets or field.has_offsets
$ end
$ local function is_there(field, item) -- whether an element of the array goes anywhere
$     local limit = (not field.is_scattered or field.given) and "!= NOWHERE" or "< " .. (field.length and field.length .. "u" or "items.n")
$     return ("%s.%s %s"):format(item, field_name(field.place), limit)
$ end
$ if has_nowhere then
const $(Place) NOWHERE = $(nowhere); // the place of what is not written

$ end
$ for k, field in ipairs(fields) do
// Array `$(field.name)`.
$ if field.has_offsets then
$ if not is_single then
$ include("parts/segment_numbers", {k = k, group = group})
$ end
$ elseif is_single or field.place then
$ local is_shared = field.is_scattered and field.place ~= nil
$ include("items", {array = array .. k, name = name .. k, type = field.type, reads = reads, writes = writes, is_shared = is_shared})
$ else
$ include("memory", {array = array .. k, group = group .. k, type = field.type, reads = reads, writes = writes})
$ end

$ members[k], names[k], places[k] = "array" .. k, field_name(field.name), field.place and field_name(field.place)
$ end
// Addresses of the arrays$(has_length and "; and the length of those whose elements go anywhere" or "").
struct $(array) {
    $(Address) $(table.concat(members, ", "));
$ if has_length then
    $(Index) n;
$ end
$ if has_offsets then
    $(Index) first; // of the items whose segments are known
$ end
};
$ if has_offsets then

$ include "parts/segment_offsets"
$ if is_single then

$ include("parts/segment_of", {name = name})
$ end
$ end

$ if is_single then
$ if reads then
$(type_name(type)) load_$(name)($(array) items, $(Index) i)
{
$ local values = {}
$ for k, field in ipairs(fields) do
$     values[k] = (field.has_offsets and "load_%s%d(items, i)" or "load_%s%d(%s%d(items.%s), i)"):format(name, k, array, k, members[k])
$ end
    return $(element(values));
}
$ end
$ if writes then
void store_$(name)($(array) items, $(Index) i, $(type_name(type)) item)
{
$ for k in ipairs(fields) do
$     local given = ("is_given(items.%s)%s"):format(members[k], places[k] and " && " .. is_there(fields[k], "item") or "")
    if ($(given)) store_$(name)$(k)($(array)$(k)(items.$(members[k])), $(places[k] and "item." .. places[k] or "i"), item.$(names[k]));
$ end
}
$ end
$ else
struct $(group) {
    $(type_name(type)) at[VECTOR];
};

$ for _, form in ipairs {"full_", ""} do
$ local bound, given = form == "" and ", " .. Index .. " n" or "", form == "" and ", n" or ""
$ if reads then
// Elements start .. start + VECTOR - 1$(form == "" and "; those from n on are not read" or ", all below n; the first items' addresses are vector-aligned").
$(group) load_$(form)$(group:lower())($(array) items, $(Index) start$(bound))
{
$ local values = {}
$ for k, field in ipairs(fields) do
$ if field.has_offsets then
    const $(group)$(k) group$(k) = load_$(group:lower())$(k)(uint(start - items.first));
$ else
    const $(group)$(k) group$(k) = load_$(form)$(group:lower())$(k)($(array)$(k)(items.$(members[k])), start$(given));
$ end
$ values[k] = ("group%d.at[v]"):format(k)
$ end
    $(group) group;
    UNROLL for (uint v = 0u; v < VECTOR; v++) group.at[v] = $(element(values));
    return group;
}

$ end
$ if writes then
// Elements start .. start + VECTOR - 1$(form == "" and " but for those from n on" or ", all below n; the first items' addresses are vector-aligned").
void store_$(form)$(group:lower())($(array) items, $(Index) start$(bound), $(group) group)
{
$ for k, field in ipairs(fields) do
    if (is_given(items.$(members[k]))) {
$ if places[k] then
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            if ($(form == "" and "start + v < n && " or "")$(is_there(field, "group.at[v]"))) store_$(name)$(k)($(array)$(k)(items.$(members[k])), group.at[v].$(places[k]), group.at[v].$(names[k]));
        }
$ else
        $(group)$(k) group$(k);
        UNROLL for (uint v = 0u; v < VECTOR; v++) group$(k).at[v] = group.at[v].$(names[k]);
        store_$(form)$(group:lower())$(k)($(array)$(k)(items.$(members[k])), start$(given), group$(k));
$ end
    }
$ end
}

$ end
$ end
$ if writes then
void store_first_$(group:lower())($(array) items, $(type_name(type)) item)
{
$ for k in ipairs(fields) do
$ if not places[k] then
    if (is_given(items.$(members[k]))) store_first_$(group:lower())$(k)($(array)$(k)(items.$(members[k])), item.$(names[k]));
$ end
$ end
}
$ end
$ end
$ end
$ if reads and near then

$ include "parts/near"
$ end
