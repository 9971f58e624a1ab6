-- expect: :2: run_length_encode: length is u32 or u64, not f32
return run_length_encode { input = u32, length = f32 }
