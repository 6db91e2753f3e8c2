# C for the messages of onnx.proto, by protobuf-c. The package's name is changed on the way: all global
# names of the library begin with f0t_.
find_path(F0T_ONNX_PROTO onnx/onnx.proto REQUIRED)
find_program(F0T_PROTOC_C protoc-c REQUIRED)
mark_as_advanced(F0T_ONNX_PROTO F0T_PROTOC_C)
set(F0T_ONNX_FOLDER ${CMAKE_BINARY_DIR}/generated)
file(READ ${F0T_ONNX_PROTO}/onnx/onnx.proto F0T_ONNX_TEXT)
string(REPLACE "package onnx;" "package f0t_onnx;" F0T_ONNX_TEXT "${F0T_ONNX_TEXT}")
file(GENERATE OUTPUT ${F0T_ONNX_FOLDER}/onnx.proto CONTENT "${F0T_ONNX_TEXT}")
add_custom_command(OUTPUT ${F0T_ONNX_FOLDER}/onnx.pb-c.c ${F0T_ONNX_FOLDER}/onnx.pb-c.h
  COMMAND ${F0T_PROTOC_C} --proto_path=${F0T_ONNX_FOLDER} --c_out=${F0T_ONNX_FOLDER} onnx.proto
  DEPENDS ${F0T_ONNX_FOLDER}/onnx.proto COMMENT "Making C of onnx.proto" VERBATIM)
# Not our code: without our warnings.
add_library(f0t_onnx_proto OBJECT ${F0T_ONNX_FOLDER}/onnx.pb-c.c)
target_link_libraries(f0t_onnx_proto PRIVATE PkgConfig::F0T_PROTOBUF)
target_compile_options(f0t_onnx_proto PRIVATE -w ${F0T_SAN}
  -ffile-prefix-map=${CMAKE_BINARY_DIR}=. -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
add_dependencies(f0t_objects f0t_onnx_proto)
add_dependencies(f0t_tools_objects f0t_onnx_proto)
target_include_directories(f0t_flags SYSTEM INTERFACE ${F0T_ONNX_FOLDER})
