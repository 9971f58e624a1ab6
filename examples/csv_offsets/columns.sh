# columns.sh FILE.csv [OPTION ..]: column 4 as a number, a tab, column 1 as text, of every record but the first; -D NUMBERS=0 -D TEXTS=5: others.
set -e
export LC_ALL=C
csv=$1
shift
monosweep run csv.lua --quiet --op columns --input csv="$csv" --output numbers=numbers --output text=text --output ends=ends "$@"
od -An -v -t u4 -w4 ends > ends.txt
od -An -v -t u4 -w4 numbers | paste - ends.txt | awk '
    BEGIN { RS = "\001"; getline text < "text"; RS = "\n" }
    { print $1 "\t" substr(text, from + 1, $2 - from); from = $2 }'
