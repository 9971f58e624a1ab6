-- expect: :2: near is not indexed; a function sees its own element, and near.before and near.after
return map { input = f32, output = function(x, i, near) return near[i] end }
