# The module of the GPU, fast0tag-cuda.so: built where nvcc (CUDA 12 or later) and cuBLASLt are, left out
# elsewhere. No GPU is needed to build it. The library knows nothing of it: src/compute/device.h.
option(F0T_GPU "Build the module of the GPU where nvcc is" ON)
if(NOT F0T_GPU OR F0T_SAN OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()
f0t_forget_missing(F0T_NVCC F0T_CUDA_INCLUDE F0T_CUBLASLT F0T_CUDART)
set(F0T_CUDA_FOLDERS /usr/local/cuda/bin /opt/cuda/bin)
string(REPLACE ":" ";" F0T_PATH "$ENV{PATH}")
list(TRANSFORM F0T_PATH APPEND /nvcc)
list(TRANSFORM F0T_CUDA_FOLDERS APPEND /nvcc OUTPUT_VARIABLE F0T_NVCC_FILES)
f0t_configure_with(${F0T_PATH} ${F0T_NVCC_FILES})
find_program(F0T_NVCC nvcc PATHS ${F0T_CUDA_FOLDERS})
if(NOT F0T_NVCC)
  return()
endif()
execute_process(COMMAND ${F0T_NVCC} --version OUTPUT_VARIABLE F0T_NVCC_VERSION ERROR_QUIET)
string(REGEX MATCH "release ([0-9]+)" F0T_NVCC_VERSION "${F0T_NVCC_VERSION}")
get_filename_component(F0T_CUDA_ROOT ${F0T_NVCC} REALPATH)
get_filename_component(F0T_CUDA_ROOT ${F0T_CUDA_ROOT}/../.. ABSOLUTE)
f0t_configure_with(${F0T_CUDA_ROOT}/include/cublasLt.h ${F0T_CUDA_ROOT}/lib*/libcublasLt.so ${F0T_CUDA_ROOT}/lib*/libcudart_static.a)
find_path(F0T_CUDA_INCLUDE cublasLt.h HINTS ${F0T_CUDA_ROOT}/include)
find_library(F0T_CUBLASLT cublasLt HINTS ${F0T_CUDA_ROOT}/lib64 ${F0T_CUDA_ROOT}/lib)
find_library(F0T_CUDART cudart_static HINTS ${F0T_CUDA_ROOT}/lib64 ${F0T_CUDA_ROOT}/lib)
mark_as_advanced(F0T_NVCC F0T_CUDA_INCLUDE F0T_CUBLASLT F0T_CUDART)
if(NOT CMAKE_MATCH_1 GREATER_EQUAL 12 OR NOT F0T_CUDA_INCLUDE OR NOT F0T_CUBLASLT OR NOT F0T_CUDART)
  return()
endif()

# Machine code of Hopper, and PTX of Ampere that the driver of any later GPU translates; what uses instructions of
# Hopper's own is for it alone.
set(F0T_NVCC_ANY -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90)
set(F0T_NVCC_HOPPER -gencode arch=compute_90a,code=sm_90a)
set(F0T_CUDA_HOPPER descend)
set(F0T_NVCC_FLAGS -std=c++17 -O3 -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR}/include
  -ccbin ${CMAKE_C_COMPILER} -Xcompiler=-fPIC,-fvisibility=hidden
  -Xcompiler=-ffile-prefix-map=${CMAKE_BINARY_DIR}=.,-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
file(GLOB F0T_CUDA_KERNELS CONFIGURE_DEPENDS src/cuda/*.cu)
foreach(source ${F0T_CUDA_KERNELS})
  get_filename_component(name ${source} NAME_WE)
  set(object ${CMAKE_BINARY_DIR}/cuda/${name}.o)
  set(target ${F0T_NVCC_ANY})
  if(name IN_LIST F0T_CUDA_HOPPER)
    set(target ${F0T_NVCC_HOPPER})
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/cuda
    COMMAND ${F0T_NVCC} ${F0T_NVCC_FLAGS} ${target} -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building ${name}.cu for the GPU" VERBATIM)
  list(APPEND F0T_CUDA_OBJECTS ${object})
endforeach()
file(GLOB F0T_CUDA_SOURCES CONFIGURE_DEPENDS src/cuda/*.c)
add_library(fast0tag_cuda MODULE ${F0T_CUDA_SOURCES} ${F0T_CUDA_OBJECTS})
set_target_properties(fast0tag_cuda PROPERTIES PREFIX "" OUTPUT_NAME fast0tag-cuda LINKER_LANGUAGE C
  BUILD_WITH_INSTALL_RPATH ON)
target_include_directories(fast0tag_cuda PRIVATE include src)
target_include_directories(fast0tag_cuda SYSTEM PRIVATE ${F0T_CUDA_INCLUDE})
target_link_libraries(fast0tag_cuda PRIVATE f0t_flags ${F0T_CUBLASLT} ${F0T_CUDART} stdc++ pthread dl rt m)
target_link_options(fast0tag_cuda PRIVATE LINKER:--exclude-libs,ALL LINKER:-z,defs)
# Tests of a build find it beside the program.
if(TARGET fast0tag_cli)
  add_dependencies(fast0tag_cli fast0tag_cuda)
endif()
install(TARGETS fast0tag_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/fast0tag)
