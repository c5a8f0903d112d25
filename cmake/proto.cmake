# muster_proto(<name> [LITE]): proto/<name>.proto as the library proto_<name>, included as "<name>.pb.h".
# LITE links the small runtime only; the file must then say `optimize_for = LITE_RUNTIME`.
#
# Generated code is not ours: it is compiled without our warnings and included as a system header.
function(muster_proto name)
  cmake_parse_arguments(arg "LITE" "" "" ${ARGN})
  set(source ${PROJECT_SOURCE_DIR}/proto/${name}.proto)
  set(out ${PROJECT_BINARY_DIR}/proto)
  file(MAKE_DIRECTORY ${out})
  add_custom_command(
    OUTPUT ${out}/${name}.pb.cc ${out}/${name}.pb.h
    COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR}/proto --cpp_out=${out} ${source}
    DEPENDS ${source}
    COMMENT "Generating ${name}.pb.cc")
  add_library(proto_${name} STATIC ${out}/${name}.pb.cc)
  target_include_directories(proto_${name} SYSTEM PUBLIC ${out})
  if(arg_LITE)
    target_link_libraries(proto_${name} PUBLIC protobuf::libprotobuf-lite)
  else()
    target_link_libraries(proto_${name} PUBLIC protobuf::libprotobuf)
  endif()
  target_link_libraries(proto_${name} PRIVATE muster_hardening)
  target_compile_options(proto_${name} PRIVATE -w -fPIE)
  add_dependencies(lint_prerequisites proto_${name})
  if(MUSTER_SANITIZE)
    target_compile_options(proto_${name} PRIVATE -fsanitize=${MUSTER_SANITIZE})
  endif()
endfunction()
