# count.sh TEXT: how often each word of a text occurs, "COUNT WORD" a line, most frequent first.
set -e
export LC_ALL=C
monosweep run words.lua --quiet --input text="$1" --output counts=counts
# counts has pairs of u32: a count, and the place of some occurrence's last letter
od -An -v -t u4 -w8 counts | awk -v text="$1" '
    BEGIN { RS = "\001"; getline all < text; RS = "\n" }
    { start = end = $2 + 1; while (start > 1 && substr(all, start - 1, 1) ~ /[A-Za-z]/) start--
      print $1, tolower(substr(all, start, end - start + 1)) }' | sort -k1,1nr -k2,2
