-- expect: :2: scan: outputs: 'y' has no value
return scan { monoid = sum(u32), outputs = { {"y"} } }
