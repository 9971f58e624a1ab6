# Doxyfile's filter: the headers' plain comments as Doxygen wants them; of what follows, or, behind code, of what stands before. Lines stay lines,
# but for the first.
/^# *include/b
/^\/\* ----/b
s,<\([a-z_/]*\.hp*\)>,\\<\1\\>,g
s,`\([^`]*\)`,<tt>\1</tt>,g
s,^ \*   \([A-Za-z][a-z]*\)   *, * <br><b>\1</b> ,
1s,^/\* \([a-z_]*\.hp*\) - \(.*\),/** \\file \1\
 * \2,
s,^\( *\)/\* ,\1/** ,
s,\([^ ] *\)/\* ,\1/**< ,
