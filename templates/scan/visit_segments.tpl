$ -- Of a range of segments the begins that no thread has read before, since there are too many. Uses segment_begins.tpl; defines visit_others.
$ -- title: what it does; parameters: more of them; each: lines, what is done for segment own + 1, which begins at `place`, the end of the one that
$ -- begins `before`.
// $(title) The whole block calls it.
void visit_others($(parameters)In items, Range range, $(Index) start)
{
    uint next = range.first + SLOTS * BLOCK - 1u; // the segment before one that begins
    while (next < range.end && range.end - range.first >= SLOTS * BLOCK) {
        if (next % CHUNK == 0u && CHUNK < range.end - next && offset_at(items, next) == offset_at(items, next + CHUNK)) {
            next = last_chunk(items, next, range.end);
        } else {
            const uint own = next + thread_id();
            next += min(min(BLOCK, CHUNK - next % CHUNK), range.end - next);
            if (own < next) {
                const $(Index) before = offset_at(items, own);
                const uint place = place_of(offset_at(items, own + 1u), before, start);
$ for _, line in ipairs(each) do
                $(line)
$ end
            }
        }
    }
}
