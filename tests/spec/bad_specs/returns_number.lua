-- expect: :2: the spec returns a number .. return scan
return 1
