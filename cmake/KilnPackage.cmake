# `cpack -G DEB` and `cpack -G TGZ` in the build folder; docs/packaging.md. Debian gets a package for each component, as its
# users expect: kiln (program, worker, workloads), libkiln<ABI> (shared library) and libkiln-dev. The archive has all in one folder.
set(library_package libkiln${abi})  # as cmake/KilnLibrary.cmake read it
set(CPACK_PACKAGE_NAME kiln)
set(CPACK_PACKAGE_VENDOR "The Kiln authors")
if(NOT CPACK_PACKAGE_CONTACT)
  set(CPACK_PACKAGE_CONTACT "The Kiln authors <maintainers@kiln.invalid>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run-time compiler, cache and launcher of GPU-style kernels")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_PACKAGE_FILE_NAME kiln-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_COMPONENTS_ALL program library development)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
find_program(KILN_DPKG_SHLIBDEPS dpkg-shlibdeps)
if(KILN_DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(same_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(about
"Kiln specialises CUDA-dialect kernels with the values that are known when a
program runs, compiles them for the CPU, NVIDIA or AMD GPUs, keeps the
binaries, launches, checks and measures them.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME kiln)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "g++ | clang")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"run-time compiler, cache and launcher of GPU-style kernels
${about}
.
This package has the program, its worker, the workloads that come with it,
jobs, schemas, completions and documents.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "kiln ${same_version}, g++ | clang")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
"run-time compiler and launcher of GPU-style kernels - shared library
${about}
.
This package has the library for programs in C, C++ and Fortran. The package
kiln adds the worker that compiles in processes of its own.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libkiln-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# The other packages are those that libkiln.a is linked with (cmake/KilnLinkDependencies.cmake).
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${library_package} ${same_version}, libspdlog-dev, libfmt-dev, libyaml-cpp-dev, libmuparser-dev, libssl-dev, zlib1g-dev, libboost-context-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "kiln ${same_version}, pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"run-time compiler and launcher of GPU-style kernels - development files
${about}
.
This package has headers, the static library, the Fortran module's source,
CMake and pkg-config files, and examples.")

if(KILN_STATIC_DEPENDENCIES)  # the library's package has what the program shares with it: lib/kiln
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${library_package} ${same_version}")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/private_libraries)
endif()

include(CPack)
