-- expect: :2: sort: not in this version .. scan and reduce
return sort { key = u32 }
