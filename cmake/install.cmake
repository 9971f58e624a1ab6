# What is installed: libraries, headers, command line, CMake package, pkg-config files, editor help, licence; and the way back, target `uninstall`.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(MSW_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/monosweep)
set(MSW_INSTALL_PCDIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(MSW_INSTALL_LUADIR ${CMAKE_INSTALL_DATADIR}/monosweep/lua)

# First, which directories an installation makes: uninstall.cmake takes those back, and no others.
string(CONCAT record "set(directories ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR}/monosweep ${MSW_INSTALL_CMAKEDIR} ${MSW_INSTALL_PCDIR} "
  "${MSW_INSTALL_LUADIR} ${CMAKE_INSTALL_DOCDIR})\nset(list \"${PROJECT_BINARY_DIR}/install_directories.txt\")\n")
install(CODE "${record}include(\"${PROJECT_SOURCE_DIR}/cmake/install_directories.cmake\")")

set(libraries monosweep_gen monosweep_runtime monosweep)
file(RELATIVE_PATH from_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(monosweep_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${from_bin_to_lib}")
install(TARGETS ${libraries} monosweep_cli EXPORT monosweepTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/monosweep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES editor/monosweep.lua DESTINATION ${MSW_INSTALL_LUADIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# find_package(monosweep): targets monosweep::monosweep, monosweep::monosweep_gen, monosweep::monosweep_runtime, monosweep::monosweep_cli.
configure_package_config_file(cmake/monosweepConfig.cmake.in ${PROJECT_BINARY_DIR}/monosweepConfig.cmake INSTALL_DESTINATION ${MSW_INSTALL_CMAKEDIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/monosweepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT monosweepTargets NAMESPACE monosweep:: DESTINATION ${MSW_INSTALL_CMAKEDIR})
install(FILES ${PROJECT_BINARY_DIR}/monosweepConfig.cmake ${PROJECT_BINARY_DIR}/monosweepConfigVersion.cmake cmake/monosweep_generate.cmake
  DESTINATION ${MSW_INSTALL_CMAKEDIR})

# pkg-config: who links a static library links what it needs, too.
set(MSW_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE up)
  set(MSW_PC_PREFIX "\${pcfiledir}/${up}")
endif()
# msw_pkg_config(LIBRARY DESCRIPTION NAMES..): names of the libraries that it needs
function(msw_pkg_config name description)
  list(TRANSFORM ARGN PREPEND -l)
  list(JOIN ARGN " " needs)
  get_target_property(type ${name} TYPE)
  set(libs "-l${name}")
  if(type STREQUAL STATIC_LIBRARY)
    set(libs "-l${name} ${needs}")
    set(needs "")
  endif()
  configure_file(cmake/monosweep.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${MSW_INSTALL_PCDIR})
endfunction()
msw_pkg_config(monosweep_gen "scan, reduction, sort, map, sweep and pipeline kernels from Lua specs: the generator" ${MSW_LUA_NAME} m)
msw_pkg_config(monosweep_runtime "scan, reduction, sort, map, sweep and pipeline kernels from Lua specs: runs what was generated" pthread
    ${CMAKE_DL_LIBS})
msw_pkg_config(monosweep "scan, reduction, sort, map, sweep and pipeline kernels from Lua specs: generates, compiles and runs" ${MSW_LUA_NAME}
  ${MSW_COMPILER_NAMES} stdc++ pthread ${CMAKE_DL_LIBS} m)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()
