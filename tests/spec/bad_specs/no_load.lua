-- expect: attempt to call a nil value (global 'load') .. a spec has no load
load('x = 1')()
