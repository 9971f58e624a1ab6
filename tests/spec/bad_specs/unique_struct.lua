-- expect: :2: unique: elements of Pair; give equal = function(a, b) .. end
return unique { input = struct "Pair" { {"a", u32}, {"b", u32} } }
