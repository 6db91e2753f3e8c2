# Which symbols the shared libraries export: the functions that a public header declares with F0T_API.
# f0t_exports(TARGET VERSION HEADER [PRIVATE VERSION]) gives TARGET the functions of HEADER under a symbol
# version; with PRIVATE all other f0t_* too, under a version of their own, as glibc does with
# GLIBC_PRIVATE: for our other library, and for nobody else.
function(f0t_exports target version header)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "PRIVATE" "")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  string(REGEX MATCHALL "F0T_API [^;(]*f0t_[a-z0-9_]+\\(" declared "${text}")
  list(TRANSFORM declared REPLACE ".*(f0t_[a-z0-9_]+)\\($" "        \\1")
  string(JOIN ";\n" names ${declared})
  string(APPEND names ";")
  if(arg_PRIVATE)
    set(map "${version} {\n    global:\n${names}\n};\n${arg_PRIVATE} {\n    global: f0t_*;\n    local: *;\n};\n")
  else()
    set(map "${version} {\n    global:\n${names}\n    local: *;\n};\n")
  endif()
  set(file ${CMAKE_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${file} CONTENT "${map}" @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${file})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${file})
endfunction()
