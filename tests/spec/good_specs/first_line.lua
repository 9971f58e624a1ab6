#!/usr/bin/env monosweep
-- a mark of UTF-8 and a first line for a shell
return scan { monoid = sum(u32) }
