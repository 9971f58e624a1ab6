$ -- Where a scan starts (takes) and what it leaves behind (leaves), so that several launches or devices compose.
$ include("memory", {array = "Carry", group = "Elements", type = element, reads = takes, writes = leaves})

$ if takes then
// The carry-in if there is one, else $(init_text == identity_text and "the identity" or "the operation's init").
$(T) starting_prefix($(Address) carry_in)
{
    if (is_given(carry_in)) return load_first_elements(Carry(carry_in));
    return $(init_text == identity_text and "identity()" or init_text);
}

$ end
$ if leaves then
// One thread's total becomes the carry-out, if one is asked for.
void store_carry($(Address) carry_out, $(T) total)
{
    if (is_given(carry_out)) store_first_elements(Carry(carry_out), total);
}
$ end
