-- expect: :2: table_of: a table cannot be made inside of a traced function; make it outside, before
return map { input = u8, output = function(x) return table_of(u8, { 1, 2 })[x] end }
