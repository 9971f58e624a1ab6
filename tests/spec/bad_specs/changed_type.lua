-- expect: :2: a type cannot be changed
u32.handle = 3
