# Takes back the installations of BUILD: the last one's files, then the directories that any of them made and that are empty.
set(manifest "${BUILD}/install_manifest.txt")
set(list "${BUILD}/install_directories.txt")
if(NOT EXISTS "${manifest}")
  message(FATAL_ERROR "${manifest} is not there: nothing was installed from this build; install first")
endif()
file(STRINGS "${manifest}" files)
foreach(file IN LISTS files)
  file(REMOVE "$ENV{DESTDIR}${file}")
endforeach()
set(directories "")
if(EXISTS "${list}")
  file(STRINGS "${list}" directories)
endif()
list(SORT directories ORDER DESCENDING) # what lies in a directory comes before it
foreach(directory IN LISTS directories)
  execute_process(COMMAND rmdir "${directory}" ERROR_QUIET) # refuses where something is left
endforeach()
file(REMOVE "${manifest}" "${list}")
