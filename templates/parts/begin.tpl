$ -- The first lines of a kernel that may be launched before the launches before it have ended.
$ if begins_early then
$ if not lets_next_begin then
    let_next_launch_begin();
$ end
    wait_for_earlier_launches();
$ end
