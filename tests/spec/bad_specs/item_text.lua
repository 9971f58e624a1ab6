-- expect: :2: kind = exclusive has no value; write "exclusive" for a text
return scan { monoid = sum(u32), kind = exclusive }
