$ -- Where a scan starts (takes) and what it leaves behind (leaves), so that several launches or devices compose; and the numbers of what was written.
$ if element and carry_is_state then
$ include("memory", {array = "Carry", group = "Elements", type = element, reads = takes, writes = leaves})

$ elseif element then
$ include("memory", {array = "Carry", group = "Carries", type = element, reads = takes, writes = leaves})

$ end
$ if takes then
// The carry-in if there is one, else $(init_text == identity_text and "the identity" or "the operation's init").
$(T) starting_prefix($(Address) carry_in)
{
$ if element then
    if (is_given(carry_in)) return $(from_carry(carry_is_state and "load_first_elements(Carry(carry_in))" or "load_first_carries(Carry(carry_in))"));
$ end
    return $(init_text == identity_text and "identity()" or init_text);
}

$ end
$ if leaves then
$ if totals then
$ include("parts/arrays", totals)

$ end
// One thread's total becomes the carry-out, if one is asked for$(totals and "; and the numbers of what was written" or "").
void store_carry($(Address) carry_out, $(totals and "CountsAt numbers, " or "")$(T) total)
{
$ if element and carry_is_state then
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
$ elseif element then
    if (is_given(carry_out)) store_first_carries(Carry(carry_out), $(to_carry("total")));
$ end
$ if totals then
    store_number(numbers, 0u, $(totals_of("total")));
$ end
}
$ end
