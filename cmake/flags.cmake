# How each folder is optimized in a release: docs/adr/0027-one-table-of-compile-flags.md.
#
#   fast   -O2. Every folder that is not listed: it runs for each system, result or message.
#   small  Each function is marked `minsize`, as by -Oz: it runs once a call of a person or a script, or it
#          waits. It compiles in three quarters of the time.
#   test   -O0. Test programs, and the folders that are parts of them. What they test is compiled as it
#          ships.
#
# Fast and small folders are the same to clang's front end and share precompiled headers.

set(MUSTER_SMALL_FOLDERS
  runtime/settings
  adapters/archive adapters/bus/nats adapters/metastore/etcd adapters/pam
  services/bootstrap services/cluster services/common_data services/compatibility
  services/configuration services/content services/people services/provisioning services/retention
  services/revision services/scheduling services/schema services/windows
  api/operations api/peer api/rest api/xmlrpc api/xmlrpc/calls api/xmlrpc/methods
  roles/assembly roles/gateway
  apps/agent/cli apps/agent/facts apps/agent/journal apps/agent/process apps/agent/service
  apps/agent/settings apps/agent/state_actions apps/agent/tasks
  apps/command_line apps/muster/cli apps/muster/server apps/muster/settings
  sim/engines sim/workloads)
set(MUSTER_TEST_FOLDERS ports/contract tests/harness)

foreach(folder ${MUSTER_SMALL_FOLDERS} ${MUSTER_TEST_FOLDERS})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/${folder} AND NOT EXISTS ${PROJECT_SOURCE_DIR}/${folder})
    message(FATAL_ERROR "cmake/flags.cmake: no folder ${folder}")
  endif()
endforeach()

add_library(muster_small_options INTERFACE)
add_library(muster_test_options INTERFACE)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(muster_small_options INTERFACE
    "SHELL:-mllvm -force-attribute=minsize" "SHELL:-mllvm -force-attribute=optsize")
  target_compile_options(muster_test_options INTERFACE -O0 -U_FORTIFY_SOURCE)
endif()

# muster_optimize(<target> <folder>): give the target the flags of its folder.
function(muster_optimize target folder)
  if(folder IN_LIST MUSTER_SMALL_FOLDERS)
    target_link_libraries(${target} PRIVATE muster_small_options)
  elseif(folder IN_LIST MUSTER_TEST_FOLDERS)
    target_link_libraries(${target} PRIVATE muster_test_options)
  endif()
endfunction()

# The precompiled header of this kind that goes with the folder's flags.
function(muster_pch_of kind folder out)
  if(kind AND folder IN_LIST MUSTER_TEST_FOLDERS)
    set(kind ${kind}_test)
  endif()
  set(${out} ${kind} PARENT_SCOPE)
endfunction()

# muster_fast_code_first(<program> <our libraries...>): link the libraries that are not small first, whole.
# Of an inline function that several objects hold the linker keeps the body that it meets first: so no
# small body takes the place of a fast one. The test fast_code_<program> checks the map of the linker.
function(muster_fast_code_first program)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  set(libraries)
  foreach(library ${ARGN})
    muster_libraries_below(${library} libraries)
  endforeach()
  set(fast)
  foreach(library ${libraries})
    get_target_property(type ${library} TYPE)
    get_target_property(folder ${library} MUSTER_FOLDER)
    if(type STREQUAL "STATIC_LIBRARY" AND NOT folder IN_LIST MUSTER_SMALL_FOLDERS)
      list(APPEND fast $<TARGET_FILE:${library}>)
    endif()
  endforeach()
  target_link_libraries(${program} PRIVATE -Wl,--whole-archive ${fast} -Wl,--no-whole-archive)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${program}.map)
  target_link_options(${program} PRIVATE -Wl,-Map=${map})
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${program}_fast_libraries.txt)
  list(JOIN fast "\n" lines)
  file(GENERATE OUTPUT ${list} CONTENT "${lines}\n")
  add_test(NAME fast_code_${program}
           COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/tests/fast_code.py ${map} ${list})
  set_tests_properties(fast_code_${program} PROPERTIES LABELS program)
endfunction()
