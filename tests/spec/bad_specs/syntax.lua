-- expect: :3: unexpected symbol near .. ; correct the Lua text
return scan {
    monoid = ,
}
