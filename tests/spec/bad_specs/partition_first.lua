-- expect: :2: partition: first is missing; give first = function(x, i, near) .. end
return partition { input = u32 }
