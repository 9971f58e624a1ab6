# A file that the build reads is there at configure time, unless the build makes it.
function(_monosweep_check_file path what)
  if(NOT EXISTS "${path}")
    get_source_file_property(is_generated "${path}" GENERATED)
    if(NOT is_generated)
      message(FATAL_ERROR "monosweep_generate: ${what}: there is no file ${path}; check its name, or, where the build makes it, "
      "call this after the custom command that does")
    endif()
  elseif(IS_DIRECTORY "${path}")
    message(FATAL_ERROR "monosweep_generate: ${what}: ${path} is a directory; name a file")
  endif()
endfunction()

# monosweep_generate(TARGET t SPEC affine.lua BACKENDS vulkan cuda [OPTIONS flag..])
#
# Makes the plans of a spec's operations, with their kernels' code, when `t` is built, and adds them to it: affine_plans.c and affine_plans.h, which
# declares affine_plans for an operation called affine: a list for msw_kernel_load_any. Made again when the spec, a tuning table of the
# options or the tool
# has changed.
#   TARGET    made in this directory; it links monosweep::monosweep_runtime, or monosweep::monosweep
#   SPEC      relative to this directory; it is there, or made by a custom command before this call (or has the property GENERATED)
#   BACKENDS  vulkan, cuda: in this order the plans are tried on a device; cuda needs NVRTC where it is built
#   OPTIONS   further flags of `monosweep gen`: --subgroup 32,64,1 --set items=16 -D DECAY=0.5 --tuning FILE, relative to this directory, ..
# The tool is MONOSWEEP_TOOL where that is set, else the package's own command line. Who cross-compiles sets it to one that runs here.
function(monosweep_generate)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;SPEC" "BACKENDS;OPTIONS")
  if(NOT arg_TARGET OR NOT arg_SPEC OR NOT arg_BACKENDS)
    message(FATAL_ERROR "monosweep_generate: TARGET, SPEC and BACKENDS are needed, as in "
      "monosweep_generate(TARGET t SPEC affine.lua BACKENDS vulkan)")
  endif()
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "monosweep_generate: what is '${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}'? "
      "It takes TARGET, SPEC, BACKENDS and OPTIONS, each with a value")
  endif()
  foreach(backend IN LISTS arg_BACKENDS)
    if(NOT backend MATCHES "^(vulkan|cuda)$")
      message(FATAL_ERROR "monosweep_generate: there is no backend '${backend}'; there are vulkan and cuda")
    endif()
  endforeach()
  set(directory "")
  if(TARGET ${arg_TARGET})
    get_target_property(directory ${arg_TARGET} SOURCE_DIR)
  endif()
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "monosweep_generate: ${arg_TARGET} is no target of this directory; call it where the target is made")
  endif()
  cmake_path(ABSOLUTE_PATH arg_SPEC BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE spec)
  _monosweep_check_file("${spec}" "SPEC ${arg_SPEC}")

  # The file of --tuning FILE or --tuning=FILE, by a name that is good anywhere; what a generator expression begins is taken for absolute.
  set(tables "")
  set(options "")
  set(before "")
  foreach(option IN LISTS arg_OPTIONS)
    if(before STREQUAL "--tuning" OR option MATCHES "^--tuning=.")
      string(REGEX REPLACE "^--tuning=" "" table "${option}")
      if(NOT table MATCHES "^[$]<")
        cmake_path(ABSOLUTE_PATH table BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
        _monosweep_check_file("${table}" "--tuning ${table}")
      endif()
      list(APPEND tables "${table}")
      list(REMOVE_ITEM options "--tuning")
      set(option "--tuning=${table}")
    endif()
    list(APPEND options "${option}")
    set(before "${option}")
  endforeach()

  set(tool monosweep::monosweep_cli)
  set(tool_files $<TARGET_FILE:monosweep::monosweep_cli> $<TARGET_FILE:monosweep::monosweep>) # shared, the library is most of it
  if(MONOSWEEP_TOOL)
    set(tool ${MONOSWEEP_TOOL})
    set(tool_files ${MONOSWEEP_TOOL})
  elseif(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(FATAL_ERROR "monosweep_generate: the command line was made for ${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}; "
      "set MONOSWEEP_TOOL to one that runs here")
  endif()

  cmake_path(GET spec FILENAME file)
  cmake_path(GET spec STEM LAST_ONLY name)
  string(REGEX REPLACE "^[0-9]|[^A-Za-z0-9]" "_" name "${name}") # as msw_spec_name
  set(out "${CMAKE_CURRENT_BINARY_DIR}/monosweep/${arg_TARGET}")
  set(made "${out}/${name}_plans.c" "${out}/${name}_plans.h")
  list(JOIN arg_BACKENDS "," backends)
  file(MAKE_DIRECTORY "${out}")
  add_custom_command(OUTPUT ${made}
    COMMAND ${tool} gen "${spec}" --target plans --backend ${backends} ${options} --quiet -o "${out}"
    DEPENDS "${spec}" ${tables} ${tool_files} COMMENT "monosweep: plans of ${file}" VERBATIM)
  target_sources(${arg_TARGET} PRIVATE ${made})
  target_include_directories(${arg_TARGET} PRIVATE "${out}")
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT C IN_LIST languages)
    set_source_files_properties("${out}/${name}_plans.c" PROPERTIES LANGUAGE CXX) # it is valid C++, too
  endif()
endfunction()
