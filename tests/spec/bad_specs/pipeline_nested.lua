-- expect: :2: pipeline: a pipeline cannot be part of another
return pipeline(function(p) pipeline(function(q) end) end)
