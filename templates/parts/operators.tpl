$ -- The types and functions of the spec, printed from their expressions.
$(types)

$(functions)

$(T) identity()
{
    return $(identity_text);
}

$ if tallies then
// What no items of a tile come to.
$(P) nothing()
{
    return $(nothing_text);
}

$ include("parts/shuffle", {has_votes = false})

$ end
$ include("parts/shuffle", of_tile {})

// The monoid's elements of one lane in one row.
struct Elements {
    $(P) at[VECTOR];
};
