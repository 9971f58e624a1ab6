$ -- The first lines of a kernel that may be launched before the launches before it have ended.
$ if begins_early then
    wait_for_earlier_launches();
$ end
