-- expect: :2: topk: not in this version; sort, and read the first k
return topk { input = f32, k = 3 }
