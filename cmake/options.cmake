# How everything of ours is compiled: one interface target that every library links.

set(MUSTER_SANITIZE "" CACHE STRING "Sanitizers: address,undefined or thread")
option(MUSTER_FUZZ "Build the fuzzers" OFF)
option(MUSTER_HARDEN "Compile with the hardening flags of a release" OFF)
set(MUSTER_BIN_DIR "${PROJECT_BINARY_DIR}/bin" CACHE PATH "Where the programs go")

add_library(muster_options INTERFACE)
target_include_directories(muster_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(muster_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough -Wno-missing-designated-field-initializers -Werror
  -fPIE -gline-tables-only -Xclang -fno-pch-timestamp)
target_compile_definitions(muster_options INTERFACE
  MUSTER_VERSION="${PROJECT_VERSION}" SPDLOG_FMT_EXTERNAL)
target_link_options(muster_options INTERFACE -fuse-ld=lld-19)

if(MUSTER_SANITIZE)
  target_compile_options(muster_options INTERFACE
    -fsanitize=${MUSTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(muster_options INTERFACE -fsanitize=${MUSTER_SANITIZE})
endif()
if(MUSTER_FUZZ)
  target_compile_options(muster_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Also for what is compiled here and not ours: generated code reads what agents send.
add_library(muster_hardening INTERFACE)
if(MUSTER_HARDEN)
  target_compile_options(muster_hardening INTERFACE
    -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
  target_compile_definitions(muster_hardening INTERFACE _FORTIFY_SOURCE=3 _GLIBCXX_ASSERTIONS)
  target_link_options(muster_options INTERFACE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
target_link_libraries(muster_options INTERFACE muster_hardening)

# Programs that serve or play many systems: they allocate for each of them, and a tenth of the
# processor's time went into glibc's malloc. Sanitizers bring their own.
add_library(muster_allocator INTERFACE)
if(NOT MUSTER_SANITIZE)
  target_link_libraries(muster_allocator INTERFACE PkgConfig::tcmalloc)
endif()

# ccache must be told that precompiled headers are compared by content. It knows what a source includes
# from the compiler's own list: preprocessing each source once more cost a quarter of a clean build.
# What it has hashed once (precompiled headers have up to 90 MiB) it need not hash for the next source.
# The compiler allocates all the time: with tcmalloc it takes a twentieth less.
#
# A clone in another directory finds what this one compiled: paths are relative to the sources for ccache
# (BASEDIR), in precompiled headers, which are relocatable, and in __FILE__. clang gets the directory of the
# sources by its environment, which ccache does not hash: it hashes this file instead (EXTRAFILES).
# -isysroot, where precompiled headers look, has no other use here; tools/clang_tidy.py gives it on the
# command line. Line tables keep the directory of the clone that compiled first, so builds for a debugger
# do not share (NOHASHDIR).
find_program(CCACHE ccache)
find_library(TCMALLOC tcmalloc_minimal REQUIRED)
if(PROJECT_SOURCE_DIR MATCHES " ")
  message(FATAL_ERROR "clang's CCC_OVERRIDE_OPTIONS cannot hold a path with a space: ${PROJECT_SOURCE_DIR}")
endif()
string(CONCAT location "CCC_OVERRIDE_OPTIONS=#+-isysroot +${PROJECT_SOURCE_DIR} +-Xclang +-relocatable-pch "
  "+-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
set(CMAKE_CXX_COMPILER_LAUNCHER env LD_PRELOAD=${TCMALLOC} ${location})
if(CCACHE)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER CCACHE_NOHASHDIR=1)
  endif()
  list(APPEND CMAKE_CXX_COMPILER_LAUNCHER CCACHE_DEPEND=1 CCACHE_INODECACHE=1
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_EXTRAFILES=${CMAKE_CURRENT_LIST_FILE}
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
# CMake's own options name a generated header by its absolute path, which ccache would hash.
# muster_make_pch names our header instead.
set(CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH -Xclang -emit-pch -x c++-header)
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
