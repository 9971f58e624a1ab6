-- expect: :1: the spec returns nothing .. return scan

