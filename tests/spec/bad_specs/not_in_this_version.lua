-- expect: :2: compact: not in this version .. scan, reduce and sort
return compact { input = u32 }
