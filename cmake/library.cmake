# muster_library(<folder> [DEPENDS our libraries...] [EXTERNAL foreign libraries...]
#                [PCH std|asio|json|api|etcd])
#
# One folder is one static library is one test program: every *.cpp of the folder but *_test.cpp and
# *_fixture.cpp, and these beside them. DEPENDS may only point down the layers; EXTERNAL libraries stay
# private unless they are listed after PUBLIC_EXTERNAL. cmake/flags.cmake says how it is optimized.

# The layers of docs/internals/code_structure.md, lowest first. A library may depend on its own layer and below.
set(MUSTER_LAYERS base core ports runtime adapters services api roles apps)

function(muster_layer_of name out)
  string(REGEX REPLACE "_.*" "" layer ${name})
  list(FIND MUSTER_LAYERS ${layer} rank)
  set(${out} ${rank} PARENT_SCOPE)
endfunction()

function(muster_check_direction from)
  muster_layer_of(${from} mine)
  foreach(to ${ARGN})
    muster_layer_of(${to} theirs)
    if(mine GREATER_EQUAL 0 AND theirs GREATER mine)
      message(FATAL_ERROR "${from} must not depend on ${to}: arrows point down only")
    endif()
  endforeach()
endfunction()

# The headers that no source of the same name includes first: only these need a look on their own.
function(muster_headers_alone out headers)
  foreach(header ${headers})
    string(REGEX REPLACE "\\.h$" ".cpp" source ${header})
    if(NOT EXISTS ${source})
      list(APPEND alone ${header})
    endif()
  endforeach()
  set(${out} ${alone} PARENT_SCOPE)
endfunction()

function(muster_library folder)
  cmake_parse_arguments(arg "" "PCH" "DEPENDS;EXTERNAL;PUBLIC_EXTERNAL;TEST_DEPENDS;TEST_LABELS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${folder}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  string(REPLACE "/" "_" name ${folder})
  muster_check_direction(${name} ${arg_DEPENDS})
  set(at ${PROJECT_SOURCE_DIR}/src/${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${at}/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${at}/*.h)
  muster_headers_alone(headers "${headers}")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|fixture)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_(test|fixture)\\.cpp$")

  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC muster_options ${arg_DEPENDS} ${arg_PUBLIC_EXTERNAL}
                                  PRIVATE ${arg_EXTERNAL})
    set_target_properties(${name} PROPERTIES MUSTER_FOLDER ${folder})
    muster_optimize(${name} ${folder})
    muster_pch_of("${arg_PCH}" ${folder} pch)
    muster_use_pch(${name} "${pch}")
    target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
    set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE muster_options ${arg_DEPENDS} ${arg_PUBLIC_EXTERNAL})
    target_sources(${name} INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers})
    set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()

  # Pure layers have no threads. Adapters and runtime, which make them, are run under the thread
  # sanitizer by `make test-tsan`; what stands above is, by `make soak`.
  muster_layer_of(${name} rank)
  muster_layer_of(runtime runtime_rank)
  muster_layer_of(adapters adapters_rank)
  if(NOT arg_TEST_LABELS)
    set(arg_TEST_LABELS unit)
    if(rank EQUAL runtime_rank OR rank EQUAL adapters_rank)
      list(APPEND arg_TEST_LABELS threads)
    endif()
  endif()

  if(tests)
    muster_engine_of(engine ${name} ${arg_TEST_DEPENDS})
    muster_test(${name} SOURCES ${tests} DEPENDS ${name} ${arg_EXTERNAL} ${arg_TEST_DEPENDS}
                LABELS ${arg_TEST_LABELS} PCH ${arg_PCH} LOCK ${engine})
  endif()
endfunction()

# Precompiled headers: std for pure code, asio for code that awaits, json for code that awaits and
# speaks JSON, api for operations of the API, etcd for what speaks to it. Of our own headers they hold
# only what most of their users include anyway: a change of one compiles all of them anew. Each is built
# for the product and, as std_test, for tests, which are compiled with -O0.
function(muster_link_for_pch target kind)
  if(kind MATCHES "^(asio|etcd)")
    target_link_libraries(${target} PRIVATE boost_asio)
  elseif(kind MATCHES "^(json|api)")
    target_link_libraries(${target} PRIVATE boost_asio Boost::json fmt::fmt)
  endif()
  if(kind MATCHES "^etcd")
    target_link_libraries(${target} PRIVATE proto_etcd)
  endif()
endfunction()

function(muster_make_pch kind)
  set(name muster_pch_${kind})
  string(REGEX REPLACE "_test$" "" header ${kind})
  add_library(${name} STATIC precompiled.cpp)
  target_link_libraries(${name} PRIVATE muster_options)
  muster_link_for_pch(${name} ${kind})
  target_precompile_headers(${name} PRIVATE <precompiled_${header}.h>)
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -include -Xclang precompiled_${header}.h")
  if(kind MATCHES "_test$")
    target_link_libraries(${name} PRIVATE muster_test_options)
  else()
    add_dependencies(lint_prerequisites ${name})
  endif()
endfunction()

function(muster_use_pch target kind)
  if(NOT kind)
    return()
  endif()
  muster_link_for_pch(${target} ${kind})
  target_precompile_headers(${target} REUSE_FROM muster_pch_${kind})
endfunction()

# All programs of the product.
add_custom_target(programs)

# muster_program(<name> SOURCES ... DEPENDS ... [FAST_CODE_FIRST]): a program of the product, in build/bin.
function(muster_program name)
  cmake_parse_arguments(arg "FAST_CODE_FIRST" "PCH" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  if(arg_FAST_CODE_FIRST)
    muster_fast_code_first(${name} ${arg_DEPENDS})
  endif()
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS})
  muster_use_pch(${name} ${arg_PCH})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${MUSTER_BIN_DIR})
  add_dependencies(programs ${name})
endfunction()

# Every static library of ours that a target needs, itself first.
function(muster_libraries_below target out)
  set(found ${${out}})
  list(FIND found ${target} known)
  if(known EQUAL -1)
    list(APPEND found ${target})
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    foreach(link ${links})
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" name "${link}")
      if(TARGET ${name})
        get_target_property(is_foreign ${name} IMPORTED)
        get_target_property(is_alias ${name} ALIASED_TARGET)
        if(NOT is_foreign AND NOT is_alias)
          muster_libraries_below(${name} found)
        endif()
      endif()
    endforeach()
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# muster_static_program(<name> SOURCES ... DEPENDS ... ARCHIVES foreign archives...): a program that
# needs nothing of the machine it runs on. Our libraries know their foreign ones as shared objects,
# so the archives are named here; of our own archives the linker takes what is used, and nothing of
# the server. Sanitizers need shared libraries: under them the program is linked as any other.
function(muster_static_program name)
  cmake_parse_arguments(arg "" "PCH" "SOURCES;DEPENDS;ARCHIVES" ${ARGN})
  if(MUSTER_SANITIZE)
    muster_program(${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS} PCH ${arg_PCH})
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  add_dependencies(programs ${name})
  muster_use_pch(${name} ${arg_PCH})
  set(libraries)
  foreach(each ${arg_DEPENDS})
    muster_libraries_below(${each} libraries)
  endforeach()
  set(ours)
  foreach(each ${libraries})
    get_target_property(kind ${each} TYPE)
    if(kind STREQUAL "STATIC_LIBRARY")
      list(APPEND ours $<TARGET_FILE:${each}>)
      add_dependencies(${name} ${each})
    endif()
  endforeach()
  set(foreign)
  foreach(each ${arg_ARCHIVES})
    find_library(MUSTER_ARCHIVE_${each} NAMES lib${each}.a REQUIRED)
    list(APPEND foreign ${MUSTER_ARCHIVE_${each}})
  endforeach()
  target_link_libraries(${name} PRIVATE muster_options
    -Wl,--start-group ${ours} $<TARGET_FILE:fmt_static> -Wl,--end-group ${foreign})
  add_dependencies(${name} fmt_static)
  # -fPIE of our options is what -static-pie wants; -w hides what glibc says about functions that
  # OpenSSL and c-ares refer to and nobody calls.
  target_link_options(${name} PRIVATE -static-pie -Wl,--gc-sections -Wl,-w
    $<$<CONFIG:Release>:-s>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${MUSTER_BIN_DIR})
endfunction()
