# `cmake --install`: bin/kiln, libkiln.a and libkiln.so with their headers, CMake package and pkg-config file, and kiln's data
# under share/kiln. cmake/KilnPackage.cmake defines the components: program, library, and development by default.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(cmake/KilnLinkFlags.cmake)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

set(KILN_PACKAGE_DIR lib/cmake/kiln)
set(KILN_PRIVATE_LIBRARY_DIR lib/kiln)

install(TARGETS kiln RUNTIME DESTINATION bin COMPONENT program)
install(TARGETS kiln-worker RUNTIME DESTINATION libexec/kiln COMPONENT program)
install(TARGETS kiln_library EXPORT kilnTargets ARCHIVE DESTINATION lib)
install(TARGETS kiln_shared EXPORT kilnSharedTargets
        LIBRARY DESTINATION lib COMPONENT library NAMELINK_COMPONENT development)
# In no package of cmake/KilnPackage.cmake: what they stand on is the machine's.
foreach(plugin kiln_mpi kiln_remote kiln_serve kiln_vendor)
  if(TARGET ${plugin})
    install(TARGETS ${plugin} LIBRARY DESTINATION ${KILN_PRIVATE_LIBRARY_DIR} COMPONENT plugins)
  endif()
endforeach()
install(EXPORT kilnTargets NAMESPACE kiln:: DESTINATION ${KILN_PACKAGE_DIR})
install(EXPORT kilnSharedTargets NAMESPACE kiln:: DESTINATION ${KILN_PACKAGE_DIR})
install(DIRECTORY include/kiln DESTINATION include FILES_MATCHING PATTERN "*.h")
install(FILES include/kiln.h include/kiln.f90 DESTINATION include)
kiln_link_flags(KILN_STATIC_LINK_FLAGS ${KILN_LIBRARY_LINKS})
configure_file(cmake/kiln.pc.in ${PROJECT_BINARY_DIR}/kiln.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kiln.pc DESTINATION lib/pkgconfig)
install(DIRECTORY kernels_src configs schemas DESTINATION share/kiln COMPONENT program PATTERN ".*.lock" EXCLUDE)
# The installed program writes its own completion scripts.
foreach(shell_and_file bash|bash-completion/completions/kiln zsh|zsh/site-functions/_kiln fish|fish/vendor_completions.d/kiln.fish)
  string(REPLACE "|" ";" shell_and_file ${shell_and_file})
  list(GET shell_and_file 0 shell)
  list(GET shell_and_file 1 file)
  cmake_path(GET file PARENT_PATH folder)
  install(CODE "
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
    file(MAKE_DIRECTORY \"\${share}/${folder}\")
    execute_process(COMMAND \"\${share}/../bin/kiln\" completion ${shell} OUTPUT_FILE \"\${share}/${file}\"
                    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
endforeach()
# And its manual pages.
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
  file(MAKE_DIRECTORY \"\${share}/man/man1\")
  execute_process(COMMAND \"\${share}/../bin/kiln\" man --output \"\${share}/man/man1\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
install(DIRECTORY tools/slurm DESTINATION share/kiln COMPONENT program FILES_MATCHING PATTERN "*.sbatch")
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION share/doc/kiln COMPONENT program)
install(DIRECTORY docs DESTINATION share/doc/kiln COMPONENT program
        FILES_MATCHING PATTERN "*.md" PATTERN data EXCLUDE PATTERN doxygen EXCLUDE)
install(DIRECTORY examples DESTINATION share/doc/kiln PATTERN "build*" EXCLUDE PATTERN __pycache__ EXCLUDE)

list(JOIN KILN_LIBRARY_LINKS " " KILN_LIBRARY_LINKS_TEXT)
configure_package_config_file(cmake/kilnConfig.cmake.in ${PROJECT_BINARY_DIR}/kilnConfig.cmake
                              INSTALL_DESTINATION ${KILN_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kilnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kilnConfig.cmake ${PROJECT_BINARY_DIR}/kilnConfigVersion.cmake
              cmake/KilnLinkDependencies.cmake cmake/KilnKernels.cmake cmake/KilnKernelsScript.cmake DESTINATION ${KILN_PACKAGE_DIR})

# A relocatable installation brings the shared libraries that have no static form (Debian's muParser, and what that needs),
# but not the libraries of the C and C++ run time.
if(KILN_STATIC_DEPENDENCIES)
  set_target_properties(kiln PROPERTIES INSTALL_RPATH "$ORIGIN/../${KILN_PRIVATE_LIBRARY_DIR}")
  set_target_properties(kiln-worker PROPERTIES INSTALL_RPATH "$ORIGIN/../../${KILN_PRIVATE_LIBRARY_DIR}")
  set_target_properties(kiln_shared PROPERTIES INSTALL_RPATH "$ORIGIN/kiln")
  foreach(program kiln kiln-worker kiln_shared)
    target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)  # RPATH: it holds for what those libraries need, too
  endforeach()
  install(CODE "
    file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:kiln>\" RESOLVED_DEPENDENCIES_VAR libraries
         POST_EXCLUDE_REGEXES \"/(ld-linux|lib(c|m|dl|rt|pthread|stdc[+][+]|gcc_s)[.]so)[^/]*$\")
    file(INSTALL \${libraries} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${KILN_PRIVATE_LIBRARY_DIR}\" FOLLOW_SYMLINK_CHAIN)" COMPONENT library)
endif()
