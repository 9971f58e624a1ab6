$ -- Items of a tile's elements put together in shared memory, whatever comes before the tile, and their way out. Threads write the items of their own
$ -- elements; of an element that has many, subgroups write pieces. Uses tile_lengths.tpl; defines write_starts, stage_tile and leave_tile.
$ assert(has_long_loops, "llvmpipe loses threads that leave out a loop inside a loop with barriers")
$ assert(has_inputs and part_items and not writes_parts and not is_wide and BLOCK * ITEMS < 1 << 16)
$ local type = outputs.fields[1].type
$ local long, piece = 8, math.max(LANES, chunk_items // 32)
$ local pieces = chunk_items // (long + 1) + chunk_items // piece + 1
$ local function as_start(x) return Short ~= "uint" and ("(%s)(%s)"):format(Short, x) or x end
$ local function item_at(x, i, k) return item(x, i, k) .. "." .. field_name(outputs.fields[1].name) end
$ include("parts/any_element", {array = "Sources", name = "source"})

const uint CHUNK = $(chunk_items)u; // items that lie in shared memory together
const uint LONG = $(long)u; // items of an element that its thread writes by itself; of more, subgroups write pieces
const uint FEW = 4u; // of them are written between two looks at how many there are
const uint PIECE = $(piece)u; // items
const uint COPIES = 4u; // that a thread has in flight

$(shared_groups(Short, "starts", "TILE + 1u")) // where the items of each of the tile's elements begin among the tile's, and where they end
$(shared(type_name(type), "staged", "CHUNK"))
$(shared("uint", "pieces", pieces)) // an element's place in the tile, and the piece's number in the upper half
$(shared("uint", "piece_count"))

// Notes where the elements' items begin.
void write_starts(TileScan scan)
{
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        UNROLL for (uint v = 0u; v < VECTOR; v++) starts[row_place(row) + v] = $(as_start("scan.rows[row].at[v]"));
    }
    if (thread_id() == 0u) starts[TILE] = $(as_start("scan.total"));
}

// Writes a piece of the items of an element. All lanes of the subgroup call it.
void stage_piece(In in_items, uint piece, $(Index) start)
{
    const uint source = piece & 0xffffu, begin = starts[source], end = starts[source + 1u];
    const uint first = begin + (piece >> 16u) * PIECE;
    const uint count = min(end - first, PIECE);
    const $(type_name(inputs.type)) x = load_source(in_items, start + source);
    for (uint done = lane_id(); done < count; done += LANES) staged[first + done] = $(item_at("x", "start + source", "first - begin + done"));
}

// Puts together all of a tile's items, if they are not too many: those are left to the next launch. Starts are written, and what lay there before has left,
// when all have met here; barriers of the block must lie between it and the tile's way out. The whole block calls it.
void stage_tile(In in_items, bool is_aligned, uint items, $(Index) start, $(Index) n)
{
    if (items == 0u || items > CHUNK) return;
    if (thread_id() == 0u) piece_count = 0u;
    block_barrier();
    UNROLL for (uint row = 0u; row < ROWS; row++) {
        const $(Index) first = start + row_place(row);
        Inputs inputs;
        if (is_aligned && $(is_whole)) inputs = load_full_inputs(in_items, first);
        else inputs = load_inputs(in_items, first, n);
        uint begins[VECTOR], counts[VECTOR], most = 0u;
        UNROLL for (uint v = 0u; v < VECTOR; v++) {
            begins[v] = starts[row_place(row) + v];
            counts[v] = starts[row_place(row) + v + 1u] - begins[v];
            if (counts[v] > most) most = counts[v];
        }
        if (most > LONG) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                if (counts[v] <= LONG) continue;
                const uint more = (counts[v] + (PIECE - 1u)) / PIECE, place = $(shared_add("piece_count", "more"));
                for (uint k = 0u; k < more; k++) pieces[place + k] = (row_place(row) + v) | k << 16u;
                counts[v] = 0u;
            }
            most = LONG;
        }
        ROLL for (uint k = 0u; k < most; k += FEW) {
            UNROLL for (uint v = 0u; v < VECTOR; v++) {
                UNROLL for (uint more = 0u; more < FEW; more++) {
                    if (k + more < counts[v]) staged[begins[v] + k + more] = $(item_at("inputs.at[v]", "first + v", "k + more"));
                }
            }
        }
    }
    block_barrier();
    for (uint piece = subgroup_id(); piece < piece_count; piece += BLOCK / LANES) stage_piece(in_items, pieces[piece], start);
}

$ local y = {k = 1, size = type.size, type = type}
$ include("scan/leave_output", {y = y, name = "leave_items", Array = "Out1", store = "store_output1", has_low = false, stage_parameter = "",
$     own = "thread_id()", width = "BLOCK", most = chunk_items, room = false, staged = function(_, i) return ("staged[%s]"):format(i) end})
$ include "scan/leave_parts"

// Writes the items of a tile that lie in shared memory, or leaves them to the next launch, if they are too many: `items`, of which `prefix` come before the
// tile's and `end` with them. The whole block calls it.
void leave_tile(Out out_items, uint items, $(T) prefix, $(T) end, uint tile, $(Address) scratch, uint turn)
{
    const $(T) none = identity();
    const uint first = $(reach("none", "prefix"));
    const uint count = first < $(item_room) ? min($(reach("prefix", "end")), $(items_left)) : 0u;
    if (items > CHUNK) leave_parts(scratch, turn, tile, first, count);
    else leave_items(out_items.array1, first, count);
}
