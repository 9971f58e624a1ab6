-- expect: no such name here
for i = 1, 20000 do _G['undefined_' .. i] = 1 end
undefined_name_which_is_rather_long_and_takes_time_to_compare_with_others()
