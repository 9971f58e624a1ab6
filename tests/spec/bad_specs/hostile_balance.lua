-- expect: may take too long
return ('('):rep(1 << 19):find('%b()')
