-- expect: :2: sum: expected a type, not nothing ('u33' has no value here); name one
return scan { monoid = sum(u33) }
