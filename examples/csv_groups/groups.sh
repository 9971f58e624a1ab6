# groups.sh FILE.csv: of each text of the first column how often it occurs, and the sum of the third column's numbers.
set -e
monosweep run groups.lua --quiet --input text="$1" --output names=names.u64 --output sums=sums
od -An -v -t u4 -w8 sums > numbers
tr '\0' ' ' < names.u64 | fold -w 8 | rev | paste -d ' ' - numbers | awk '{ print $1, $2, $3 }' | LC_ALL=C sort
