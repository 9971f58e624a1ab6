-- Operations that only the goldens use.
return {
  reduce { name = "smallest", monoid = argmin(f32), input = f32, map = function(x, i) return { value = x, index = u32(i) } end },
  scan { name = "halves", monoid = maximum(f16) },
}
