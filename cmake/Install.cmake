# What `make install` puts where. Nothing in the installed files names the prefix: they can be moved.
include(CMakePackageConfigHelpers)

install(TARGETS fast0tag_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS fast0tag_picture RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/fast0tag)
install(TARGETS fast0tag EXPORT fast0tagTargets)
install(TARGETS fast0tag_tools EXPORT fast0tagTargets)
install(TARGETS fast0tag_static EXPORT fast0tagStaticTargets)
install(TARGETS fast0tag_tools_static EXPORT fast0tagStaticTargets)
install(FILES include/fast0tag.h include/fast0tag_tools.h TYPE INCLUDE)
install(FILES README.md LICENSE CHANGELOG.md docs/server.md TYPE DOC)

# The unit of systemd finds the program by the prefix that is installed into.
install(CODE "
  set(F0T_BIN \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  configure_file(${CMAKE_SOURCE_DIR}/server/fast0tag.service.in
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/fast0tag.service\" @ONLY)")

# What all of it is linked with, and which versions: a bill of materials. Nothing else needs it.
set(F0T_MODULE_FILES)
foreach(module fast0tag_cuda fast0tag_mpi)
  if(TARGET ${module})
    string(APPEND F0T_MODULE_FILES " $<TARGET_FILE:${module}>")
  endif()
endforeach()
install(CODE "
  set(sbom \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/doc/fast0tag/sbom.cdx.json\")
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/scripts/sbom ${PROJECT_VERSION} $<TARGET_FILE:fast0tag_cli>
    $<TARGET_FILE:fast0tag_picture> $<TARGET_FILE:fast0tag> $<TARGET_FILE:fast0tag_tools> ${F0T_MODULE_FILES}
    OUTPUT_FILE \"\${sbom}\" RESULT_VARIABLE failed)
  if(failed)
    message(WARNING \"no bill of materials: scripts/sbom failed\")
    file(REMOVE \"\${sbom}\")
  endif()")

# pkg-config
file(RELATIVE_PATH F0T_PREFIX_FROM_PC "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" F0T_PREFIX_FROM_PC "${F0T_PREFIX_FROM_PC}")
# `pkg-config --static` means libfast0tag.a with the libraries below it shared: oneDNN has no static
# form in Debian. Requires.private would ask for what the static forms of the others need (Fortran).
set(F0T_PC_LIBS_PRIVATE ${F0T_JANSSON_LDFLAGS} ${F0T_XML_LDFLAGS} ${F0T_LAPACKE_LDFLAGS}
  ${F0T_UTF8PROC_LDFLAGS} ${F0T_PROTOBUF_LDFLAGS} ${F0T_SQLITE_LDFLAGS} -lz -ldnnl ${OpenMP_C_FLAGS} -lm)
list(REMOVE_DUPLICATES F0T_PC_LIBS_PRIVATE)
string(JOIN " " F0T_PC_LIBS_PRIVATE ${F0T_PC_LIBS_PRIVATE})
configure_file(cmake/fast0tag.pc.in fast0tag.pc @ONLY)
configure_file(cmake/fast0tag-tools.pc.in fast0tag-tools.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/fast0tag.pc ${CMAKE_BINARY_DIR}/fast0tag-tools.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# CMake package
set(F0T_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/fast0tag)
configure_package_config_file(cmake/fast0tagConfig.cmake.in fast0tagConfig.cmake
  INSTALL_DESTINATION ${F0T_PACKAGE})
write_basic_package_version_file(fast0tagConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/fast0tagConfig.cmake
  ${CMAKE_BINARY_DIR}/fast0tagConfigVersion.cmake cmake/Dependencies.cmake DESTINATION ${F0T_PACKAGE})
install(EXPORT fast0tagTargets NAMESPACE fast0tag:: DESTINATION ${F0T_PACKAGE})
install(EXPORT fast0tagStaticTargets NAMESPACE fast0tag:: DESTINATION ${F0T_PACKAGE})

# Manual pages and shell completions: the program writes them from its own tables.
set(F0T_DOCS ${CMAKE_BINARY_DIR}/docs)
add_custom_command(OUTPUT ${F0T_DOCS}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${F0T_DOCS}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${F0T_DOCS}/man ${F0T_DOCS}/completions
  COMMAND fast0tag_cli --manual-pages ${F0T_DOCS}/man
  COMMAND fast0tag_cli --completion bash > ${F0T_DOCS}/completions/fast0tag
  COMMAND fast0tag_cli --completion zsh > ${F0T_DOCS}/completions/_fast0tag
  COMMAND fast0tag_cli --completion fish > ${F0T_DOCS}/completions/fast0tag.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${F0T_DOCS}/stamp
  DEPENDS fast0tag_cli COMMENT "Writing the manual pages and shell completions" VERBATIM)
add_custom_target(fast0tag_docs ALL DEPENDS ${F0T_DOCS}/stamp)
# All that is installed: what `make` builds. (Ninja takes "fast0tag" for the program's file, not for
# the library's target.)
add_custom_target(fast0tag_installed DEPENDS fast0tag_cli fast0tag_picture fast0tag fast0tag_static
  fast0tag_tools fast0tag_tools_static fast0tag_docs)
install(DIRECTORY ${F0T_DOCS}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${F0T_DOCS}/completions/fast0tag
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${F0T_DOCS}/completions/_fast0tag
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${F0T_DOCS}/completions/fast0tag.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
