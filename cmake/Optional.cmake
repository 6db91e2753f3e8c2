# For what is built only where it can be: a later build must see that a package came or went.

# f0t_configure_with(FILE…): the next build configures again when one of these files comes or goes.
function(f0t_configure_with)
  file(GLOB found CONFIGURE_DEPENDS ${ARGN})
endfunction()

# f0t_configure_with_module(NAME): the same for the file of a module of pkg-config.
function(f0t_configure_with_module name)
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --variable=pc_path pkg-config OUTPUT_VARIABLE folders OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(DEFINED ENV{PKG_CONFIG_LIBDIR})
    set(folders $ENV{PKG_CONFIG_LIBDIR})
  endif()
  string(REPLACE ":" ";" folders "$ENV{PKG_CONFIG_PATH}:${folders}")
  list(FILTER folders INCLUDE REGEX "^/")
  list(TRANSFORM folders APPEND /${name}.pc)
  f0t_configure_with(${folders})
endfunction()

# f0t_forget_missing(VARIABLE…): what an earlier run found and is not there any more is looked for again.
function(f0t_forget_missing)
  foreach(variable ${ARGN})
    if(${variable} AND NOT EXISTS ${${variable}})
      unset(${variable} CACHE)
    endif()
  endforeach()
endfunction()
