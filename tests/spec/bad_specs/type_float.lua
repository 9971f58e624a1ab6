-- expect: :2: sum: expected a type, not nothing (no type is called 'float': write f32); name one
return scan { monoid = sum(float) }
