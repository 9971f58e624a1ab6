-- expect: :2: f32 is not indexed; a function sees its own element, and near.before and near.after as function(x, i, near);
return map { input = f32, output = function(v, i) return v[i - 1] end }
