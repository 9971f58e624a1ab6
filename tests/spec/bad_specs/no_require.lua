-- expect: a spec has no require
return require 'os'
