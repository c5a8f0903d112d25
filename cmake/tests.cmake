# Tests: which programs there are, and which of them may run at the same time.

# One build target a label: `--target tests_unit` builds what `ctest -L unit` runs.
foreach(label unit threads program contract sim integration)
  add_custom_target(tests_${label})
endforeach()

find_program(PYTHON3 python3 REQUIRED)
set(MUSTER_TEST_COSTS ${PROJECT_SOURCE_DIR}/tests/costs.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${MUSTER_TEST_COSTS})
file(STRINGS ${MUSTER_TEST_COSTS} lines REGEX "^[0-9.]+ ")
foreach(line ${lines})
  string(REGEX MATCH "^([0-9.]+) +([^ ]+)" found "${line}")
  set(MUSTER_COST_${CMAKE_MATCH_2} ${CMAKE_MATCH_1})
endforeach()

# What takes longest begins first, so that the others run beside it.
function(muster_test_cost name)
  if(DEFINED MUSTER_COST_${name})
    set_tests_properties(${name} PROPERTIES COST ${MUSTER_COST_${name}})
  endif()
endfunction()

# muster_test(<name> SOURCES ... DEPENDS ... [LABELS ...] [LOCK resource]
#             [BY_FILE] [BY_CASE file...] [HEAVY file...])
# A doctest program run by ctest: as one test; BY_FILE: as one for each of its files; BY_CASE: as one
# for each case of these files (*: of all), for what mostly waits.
# Labels: unit (default), threads (also run under the thread sanitizer), program (links everything),
# contract (starts real engines), sim (virtual time), integration (starts real servers).
# LOCK names an engine that only one test uses at a time. HEAVY files compute as much as they wait:
# each counts as two tests.
function(muster_test name)
  cmake_parse_arguments(arg "BY_FILE" "PCH;LOCK" "SOURCES;DEPENDS;LABELS;BY_CASE;HEAVY" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${name}_test ${arg_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${arg_DEPENDS} muster_test_main rapidcheck muster_test_options)
  if(arg_PCH)
    muster_use_pch(${name}_test ${arg_PCH}_test)
  endif()
  foreach(label ${arg_LABELS})
    add_dependencies(tests_${label} ${name}_test)
  endforeach()
  if(arg_BY_FILE OR arg_BY_CASE)
    muster_tests_listed_by_program(${name} "${arg_LABELS}" "${arg_BY_CASE}" "${arg_HEAVY}")
    return()
  endif()
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600)
  muster_test_cost(${name})
  if(arg_LOCK)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK ${arg_LOCK})
  endif()
endfunction()

# The engine on another process that one of these libraries is an adapter of; none: empty.
function(muster_engine_of out)
  set(${out} "" PARENT_SCOPE)
  foreach(library ${ARGN})
    if(library MATCHES "^adapters_.*_(etcd|nats|postgres)$")
      set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# The program lists its entries itself whenever it was linked; one that was not built fails.
function(muster_tests_listed_by_program name labels by_case heavy)
  set(list ${PROJECT_SOURCE_DIR}/tests/list_entries.py)
  set(entries ${CMAKE_CURRENT_BINARY_DIR}/${name}_entries.cmake)
  add_custom_command(TARGET ${name}_test POST_BUILD
    COMMAND ${PYTHON3} ${list} $<TARGET_FILE:${name}_test> --name ${name} --into ${entries}
            --root ${PROJECT_SOURCE_DIR} --labels "${labels}" --costs ${MUSTER_TEST_COSTS} --by-case ${by_case} --heavy ${heavy}
    BYPRODUCTS ${entries}
    VERBATIM)
  set_property(TARGET ${name}_test APPEND PROPERTY LINK_DEPENDS ${list} ${MUSTER_TEST_COSTS})
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${name}_include.cmake)
  file(CONFIGURE OUTPUT ${include} @ONLY CONTENT [[
if(EXISTS "@entries@")
  include("@entries@")
else()
  add_test(@name@_is_not_built @name@_is_not_built)
endif()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()
