-- expect: :2: run_length_encode: elements of vec(u32, 2); give equal
return run_length_encode { input = vec(u32, 2) }
