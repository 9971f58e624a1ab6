# groups.sh FILE.csv: of each text of the first column how often it occurs, and the sum of the third column's numbers.
set -e
run() { op=$1; shift; monosweep run groups.lua --quiet --op $op "$@"; }
run fields --input in="$1" --output field=fields.u64
run columns --input in=fields.u64 --output key=keys.u64 --output value=values.u32
run sorted --input keys=keys.u64 --input values=values.u32 --output keys_out=sorted.u64 --output values_out=sorted.u32
run groups --input keys=sorted.u64 --input values=sorted.u32 --output keys_out=names.u64 --output values_out=sums
od -An -v -t u4 -w8 sums > numbers
tr '\0' ' ' < names.u64 | fold -w 8 | rev | paste -d ' ' - numbers | awk '{ print $1, $2, $3 }' | LC_ALL=C sort
