-- expect: first second; correct the spec
error("first\nsecond")
