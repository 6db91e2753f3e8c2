# The module of Open MPI, fast0tag-mpi.so: built where its headers are (libopenmpi-dev), left out elsewhere. The
# library knows nothing of it: src/base/group.h.
option(F0T_MPI "Build the module of Open MPI where its headers are" ON)
if(NOT F0T_MPI OR F0T_SAN OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()
f0t_configure_with_module(ompi-c)
unset(F0T_OMPI_FOUND CACHE) # looked for each time
pkg_check_modules(F0T_OMPI QUIET IMPORTED_TARGET ompi-c)
if(NOT F0T_OMPI_FOUND)
  return()
endif()
file(GLOB F0T_MPI_SOURCES CONFIGURE_DEPENDS src/mpi/*.c)
add_library(fast0tag_mpi MODULE ${F0T_MPI_SOURCES})
set_target_properties(fast0tag_mpi PROPERTIES PREFIX "" OUTPUT_NAME fast0tag-mpi BUILD_WITH_INSTALL_RPATH ON)
target_include_directories(fast0tag_mpi PRIVATE include src)
# Not our code: without our warnings.
target_include_directories(fast0tag_mpi SYSTEM PRIVATE ${F0T_OMPI_INCLUDE_DIRS})
target_link_libraries(fast0tag_mpi PRIVATE f0t_flags ${F0T_OMPI_LINK_LIBRARIES} pthread)
target_link_options(fast0tag_mpi PRIVATE LINKER:-z,defs)
# Tests of a build find it beside the program.
if(TARGET fast0tag_cli)
  add_dependencies(fast0tag_cli fast0tag_mpi)
endif()
install(TARGETS fast0tag_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/fast0tag)
