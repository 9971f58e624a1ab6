-- expect: :2: pipeline: expected a function, not a table
return pipeline { name = "x" }
