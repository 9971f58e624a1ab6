-- expect: :2: a table with a table as a key has no order
for k in pairs { [{}] = 1 } do end
