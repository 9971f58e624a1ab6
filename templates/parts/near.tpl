$ -- What is near an element: the elements before and after it, zeros beyond the ends, and whether there are any. Defines near_at, for elements by
$ -- themselves, or Nears and nears_of, for groups. Uses parts/arrays.tpl, of the inputs, by their fields; where all inputs are generated near_of.
$ local element, ends = type_name(inputs.type), "i == 0u ? 1u : 0u, i + 1u == n ? 1u : 0u"
$ if not has_inputs then
// Of item `i`: what is near it is generated, too.
$(type_name(near)) near_of($(Index) i, $(Index) n)
{
    return $(construct(near, ends));
}
$ else
$ include("parts/any_element", {array = "Neighbours", name = "neighbour"})

$ if inputs.is_single then
$(type_name(near)) near_at(In items, $(Index) i, $(Index) n)
{
    $(element) before = $(inputs.zero), after = $(inputs.zero);
    if (i > 0u) before = load_neighbour(items, i - 1u);
    if (i + 1u < n) after = load_neighbour(items, i + 1u);
    return $(construct(near, "before, after, " .. ends));
}
$ else
// What is beside a group of items: zeros beyond the ends.
struct Edges {
    $(element) before, after;
};

// Of the elements start .. start + VECTOR - 1; where some are beyond n it means nothing.
Edges load_edges(In items, $(Index) start, $(Index) n)
{
    Edges edges;
    edges.before = $(inputs.zero);
    edges.after = $(inputs.zero);
    if (start > 0u && start < n) edges.before = load_neighbour(items, start - 1u);
    if (start + VECTOR < n) edges.after = load_neighbour(items, start + VECTOR);
    return edges;
}

// Of item `v` of a group, which is the array's item `i`.
$(type_name(near)) near_of(Inputs inputs, Edges edges, uint v, $(Index) i, $(Index) n)
{
    $(element) before = edges.before, after = edges.after;
    if (v > 0u) before = inputs.at[v - 1u];
    if (v + 1u < VECTOR) after = inputs.at[v + 1u];
    if (i + 1u >= n) after = $(inputs.zero);
    return $(construct(near, "before, after, " .. ends));
}

struct Nears {
    $(type_name(near)) at[VECTOR];
};

// Of the elements start .. start + VECTOR - 1; of those from n on it means nothing.
Nears nears_of(In items, Inputs inputs, $(Index) start, $(Index) n)
{
    Nears nears;
    UNROLL for (uint v = 0u; v < VECTOR; v++) {
        const $(Index) i = start + v;
        $(element) before = $(inputs.zero), after = $(inputs.zero);
        if (v > 0u) before = inputs.at[v - 1u];
        else if (i > 0u && i < n) before = load_neighbour(items, i - 1u);
        if (i + 1u < n) {
            if (v + 1u < VECTOR) after = inputs.at[v + 1u];
            else after = load_neighbour(items, i + 1u);
        }
        nears.at[v] = $(construct(near, "before, after, " .. ends));
    }
    return nears;
}
$ end
$ end
