# samples.sh: files that are UTF-8 and files that are not, each fault of Unicode's table 3-7 among them.
n=0
sample() { n=$((n + 1)); printf "$1" > sample$n; }
sample 'Gr\303\274\303\237e, \316\272\317\214\317\203\316\274\316\265, \344\275\240\345\245\275, \360\237\214\215\n'
sample '\001\177\302\200\337\277\340\240\200\355\237\277\356\200\200\357\277\277\360\220\200\200\364\217\277\277' # least and greatest of each length
sample 'ab\200c'                 # a byte that goes on with nothing
sample 'ab\301\277'              # two bytes for what one can say
sample 'abc \340\237\277'        # three for two
sample '\360\217\277\277'        # four for three
sample 'x\355\240\200y'          # half of a surrogate pair
sample '\364\220\200\200'        # beyond U+10FFFF
sample '\303\274\303('           # a character cut off by another
sample 'end \342\202'            # by the end
sample '\377\376a'               # UTF-16's mark
