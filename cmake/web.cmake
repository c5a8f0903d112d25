# The Cluster UI (web/) as a part of a program: npm's packages, what Vite makes of the sources, and
# that as one object with every file in the forms it is sent in. Changed sources make it anew.

option(MUSTER_WEB "Build the Cluster UI into the server" ON)
find_program(NODE NAMES node nodejs)
find_program(NPM NAMES npm)

# muster_web_assets(<library>): a library with what apps/muster/server/web_assets.h declares.
function(muster_web_assets library)
  if(NOT MUSTER_WEB)
    add_library(${library} STATIC ${PROJECT_SOURCE_DIR}/web/tools/no_assets.cpp)
    target_link_libraries(${library} PRIVATE roles_gateway)
    return()
  endif()
  if(NOT NODE OR NOT NPM)
    message(FATAL_ERROR "the Cluster UI is built with node (18 or newer) and npm: make setup")
  endif()
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(made ${PROJECT_BINARY_DIR}/web)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/* ${web}/public/*)
  list(FILTER sources EXCLUDE REGEX "\\.test\\.tsx?$")
  add_custom_command(
    OUTPUT ${made}/packages.stamp
    COMMAND ${web}/tools/packages.sh
    COMMAND ${CMAKE_COMMAND} -E touch ${made}/packages.stamp
    DEPENDS ${web}/package.json ${web}/package-lock.json ${web}/tools/packages.sh
    COMMENT "Fetching the packages of the Cluster UI"
    VERBATIM)
  add_custom_command(
    OUTPUT ${made}/web_assets.cpp ${made}/web_assets.bin
    COMMAND ${CMAKE_COMMAND} -E env MUSTER_WEB_OUT=${made}/dist
            ${NODE} node_modules/vite/bin/vite.js build --logLevel warn
    COMMAND ${NODE} tools/pack.mjs ${made}/dist ${made}
    DEPENDS ${made}/packages.stamp ${sources} ${web}/index.html ${web}/docs.html
            ${web}/vite.config.ts ${web}/tsconfig.json ${web}/tools/pack.mjs
    WORKING_DIRECTORY ${web}
    COMMENT "Building the Cluster UI"
    VERBATIM)
  add_library(${library} STATIC ${made}/web_assets.cpp)
  set_source_files_properties(${made}/web_assets.cpp PROPERTIES OBJECT_DEPENDS ${made}/web_assets.bin)
  target_link_libraries(${library} PRIVATE roles_gateway)
endfunction()
