# What columns.sh prints, found by one byte after the other: LC_ALL=C awk -f columns.awk FILE.csv (other columns: -v numbers=0 -v texts=5)
function end_field() {
    if (column == texts) text = field
    if (column == numbers) number = field
    column++
    field = ""
}
function end_record() {
    end_field()
    if (column > numbers && record++) print number + 0 "\t" text
    column = 0
}
BEGIN { RS = "\001"; if (numbers == "") { numbers = 4; texts = 1 } }
{
    for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        if (within && c == "\"" && substr($0, i + 1, 1) == c) { field = field c; i++ }
        else if (within) { if (c == "\"") within = 0; else field = field c }
        else if (c == "\"") within = 1
        else if (c == ",") end_field()
        else if (c == "\n") end_record()
        else if (c == "\r" && substr($0, i + 1, 1) == "\n") continue
        else field = field c
    }
    if (column) end_record() # the last line has no end
}
