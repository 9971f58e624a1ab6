-- expect: :2: compact: not in this version .. scan, reduce, sort and map
return compact { input = u32 }
