-- expect: :2: compact: keep is missing; give keep = function(x, i, near) .. end
return compact { input = u32 }
