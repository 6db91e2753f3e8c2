# The libraries that fast0tag stands on. The build includes this file, and so does the installed CMake
# package for those who link the static library.
find_package(PkgConfig REQUIRED)
pkg_check_modules(F0T_JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(F0T_XML REQUIRED IMPORTED_TARGET libxml-2.0)
pkg_check_modules(F0T_LAPACKE REQUIRED IMPORTED_TARGET lapacke openblas)
pkg_check_modules(F0T_UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(F0T_PROTOBUF REQUIRED IMPORTED_TARGET libprotobuf-c)
find_package(ZLIB REQUIRED)
# Debian's CMake package of oneDNN asks for OpenCL, which its CPU engine does not need.
find_library(F0T_DNNL_LIBRARY dnnl REQUIRED)
mark_as_advanced(F0T_DNNL_LIBRARY)
if(NOT TARGET fast0tag::dnnl)
  add_library(fast0tag::dnnl UNKNOWN IMPORTED)
  set_target_properties(fast0tag::dnnl PROPERTIES IMPORTED_LOCATION ${F0T_DNNL_LIBRARY})
endif()
if(F0T_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS C)
endif()
