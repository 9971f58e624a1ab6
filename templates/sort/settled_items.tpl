$ -- Lines of a kernel whose keys are settled (settle_digits.tpl), and of n items with values tell their places: loads the values and stores all where
$ -- they go: outputs may be inputs, so nothing is stored until all is loaded. place: a row's, text; barrier: a line that waits until all threads have loaded, or
$ -- false where nothing has to wait.
$ if value then
    TileValues values;
$ if gives_index then
    $(for_rows)values.at[row] = $(index_value(Index .. "(places.at[row])"));
$ else
$ enclosed(not takes_value and "if (is_given(values_out)) {", function()
    $(for_rows){
        if ($(place) < n) values.at[row] = load_value(Values(params.buffers[$(values_index)]), places.at[row]);
    }
$ end)
$ end
$ end
$ if barrier then
    $(barrier)
$ end
    if (is_given(keys_out)) {
        $(for_rows){
            if ($(place) < n) store_key(Keys(keys_out), $(place), keys.at[row]);
        }
    }
$ if value then
    if (is_given(values_out)) {
        $(for_rows){
            if ($(place) < n) store_value(Values(values_out), $(place), values.at[row]);
        }
    }
$ end
$ if results then
    if ($(results.is_given)) {
        Results results = $(results.value);
        $(for_rows){
            if ($(place) < n) store_result(results, $(place), $(result("keys.at[row]", "values.at[row]", place)));
        }
    }
$ end
