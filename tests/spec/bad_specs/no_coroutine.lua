-- expect: attempt to index a nil value (global 'coroutine') .. a spec has no coroutine
coroutine.wrap(function() while true do end end)()
