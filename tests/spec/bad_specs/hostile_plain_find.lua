-- expect: may take too long
return ('a'):rep(1 << 19):find(('a'):rep(1 << 18) .. 'b', 1, true)
