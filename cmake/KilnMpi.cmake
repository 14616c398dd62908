# libkiln_mpi.so, which lets `mpirun -n N kiln run` share a job's variants out (src/ranks). Built against the MPI that CMake
# finds; `kiln` itself links no MPI and opens the plug-in when it is started by a launcher of MPI programs.
set(KILN_MPI AUTO CACHE STRING "Build the MPI plug-in: AUTO (where an MPI is found), ON or OFF")
set_property(CACHE KILN_MPI PROPERTY STRINGS AUTO ON OFF)
if(NOT KILN_MPI MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "KILN_MPI is '${KILN_MPI}'; expected AUTO, ON or OFF")
endif()
set(MPI_CXX_SKIP_MPICXX ON)  # the C interface, without the C++ bindings that MPI has dropped
if(KILN_MPI STREQUAL "ON")
  find_package(MPI REQUIRED COMPONENTS CXX)
elseif(KILN_MPI STREQUAL "AUTO")
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(KILN_MPI STREQUAL "OFF" OR NOT MPI_CXX_FOUND)
  return()
endif()

add_library(kiln_mpi MODULE ${PROJECT_SOURCE_DIR}/src/mpi_plugin.cpp)
target_include_directories(kiln_mpi PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(kiln_mpi PRIVATE MPI::MPI_CXX kiln_flags)
set_target_properties(kiln_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
