# count.sh TEXT: how often each word of a text occurs, "COUNT WORD" a line, most frequent first.
set -e
export LC_ALL=C
monosweep run words.lua --quiet --op words --input in="$1" --output word=word.u64 --output place=place.u32
monosweep run words.lua --quiet --op sorted --input keys=word.u64 --input values=place.u32 --output keys_out=keys.u64 --output values_out=values.u32
monosweep run words.lua --quiet --op counted --input keys=keys.u64 --input values=values.u32 --output values_out=counts
# counts has pairs of u32: a count, and the place of some occurrence's last letter
od -An -v -t u4 -w8 counts | awk -v text="$1" '
    BEGIN { RS = "\001"; getline all < text; RS = "\n" }
    { start = end = $2 + 1; while (start > 1 && substr(all, start - 1, 1) ~ /[A-Za-z]/) start--
      print $1, tolower(substr(all, start, end - start + 1)) }' | sort -k1,1nr -k2,2
