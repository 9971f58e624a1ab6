-- expect: may take too long
return ('a'):rep(50000):find(('.-'):rep(20) .. 'b')
