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

# What runs once a call and not for each system need not be fast, and compiles in half the time:
# docs/adr/0022-cold-code-is-compiled-small.md.
add_library(muster_size_options INTERFACE)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(muster_size_options INTERFACE -Oz)
endif()

# Tests are compiled once and run once: optimizing them takes longer than it saves. What they test is
# compiled as it ships.
add_library(muster_test_options INTERFACE)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(muster_test_options INTERFACE -O0 -U_FORTIFY_SOURCE)
endif()

# ccache must be told that precompiled headers are compared by content. It knows what a source includes
# from the compiler's own list: preprocessing each source once more cost a quarter of a clean build.
# What it has hashed once (precompiled headers have up to 90 MiB) it need not hash for the next source.
# The compiler allocates all the time: with tcmalloc it takes a twentieth less.
find_program(CCACHE ccache)
find_library(TCMALLOC tcmalloc_minimal REQUIRED)
set(CMAKE_CXX_COMPILER_LAUNCHER env LD_PRELOAD=${TCMALLOC})
if(CCACHE)
  list(APPEND CMAKE_CXX_COMPILER_LAUNCHER CCACHE_DEPEND=1 CCACHE_INODECACHE=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
