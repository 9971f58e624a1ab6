-- expect: :4: scan: tune: block = 0: not a number in 1 .. 2^20
return {
    scan { monoid = sum(u32), name = "first", tune = { block = 64 } },
    scan { monoid = sum(u32), name = "second", tune = { block = 0 } },
}
