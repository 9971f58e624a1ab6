$ -- The types and functions of the spec, printed from their expressions.
$(types)

$(functions)

$(T) identity()
{
    return $(identity_text);
}

$ include "parts/shuffle"

// The monoid's elements of one lane in one row.
struct Elements {
    $(T) at[VECTOR];
};
