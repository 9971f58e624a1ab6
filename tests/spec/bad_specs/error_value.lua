-- expect: an error with a table as its value
error({})
