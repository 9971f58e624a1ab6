-- expect: :5: the operation 'p_scan_2' and 'scan_2' of the pipeline 'p' are both called 'p_scan_2' in what is generated; rename one
return {
  reduce { name = "p_scan_2", monoid = sum(u32) },
  pipeline(function(p) local x = p.input("x", u32)
    p.output("y", p.sort { keys = x }) p.output("z", p.scan { monoid = sum(u32), input = x }) end, { name = "p" }),
}
