# check.sh FILE: "valid", or at which byte, counted from 0, the text is not UTF-8.
set -e
monosweep run utf8.lua --quiet --op valid --input in="$1" --output out=valid.u32
if [ "$(od -An -t u4 valid.u32)" -eq 1 ]; then echo valid; exit; fi
monosweep run utf8.lua --quiet --op states --input in="$1" --output out=states.u8
monosweep run utf8.lua --quiet --op fault --input in=states.u8 --output out=fault.u32
if [ -s fault.u32 ]; then echo "not UTF-8: byte$(od -An -t u4 fault.u32 | tr -s ' ')"; else echo "not UTF-8: it ends within a character"; fi
