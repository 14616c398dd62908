# Plug-ins: modules beside the program that are built against a library of the site, which `kiln` itself does not link. It opens
# them when it runs and needs them (src/base/plugin.h).

# kiln_plugin(NAME FOUND LIBRARY PACKAGE...): libkiln_NAME.so from src/NAME_plugin*.cpp, linked with LIBRARY. The option KILN_NAME
# says whether: AUTO where find_package(PACKAGE...) sets FOUND, ON or OFF.
function(kiln_plugin name found library)
  string(TOUPPER KILN_${name} option)
  if(NOT ${option} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "${option} is '${${option}}'; expected AUTO, ON or OFF")
  endif()
  if(${option} STREQUAL "ON")
    find_package(${ARGN} REQUIRED)
  elseif(${option} STREQUAL "AUTO")
    find_package(${ARGN} QUIET)
  endif()
  if(${option} STREQUAL "OFF" OR NOT ${found})
    if(${option} STREQUAL "AUTO")
      message(STATUS "${ARGV3} was not found: no plug-in libkiln_${name}.so")
    endif()
    return()
  endif()
  kiln_plugin_target(${name} ${library})
endfunction()

# kiln_plugin_target(NAME [LIBRARY]): the module itself.
function(kiln_plugin_target name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}_plugin*.cpp)
  add_library(kiln_${name} MODULE ${sources})
  target_include_directories(kiln_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(kiln_${name} PRIVATE ${ARGN} kiln_flags)
  set_target_properties(kiln_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  add_dependencies(kiln-worker kiln_${name})  # so the program and both libraries, which open it, bring it
endfunction()

set(KILN_MPI AUTO CACHE STRING "Build the MPI plug-in, for `mpirun -n N kiln run`: AUTO (where an MPI is found), ON or OFF")
set(KILN_REMOTE AUTO CACHE STRING "Build the plug-in for remote caches over HTTP: AUTO (where libcurl is found), ON or OFF")
set(KILN_SERVE AUTO CACHE STRING "Build the plug-in for `kiln report --serve`: AUTO (where cpp-httplib is found), ON or OFF")
set_property(CACHE KILN_MPI KILN_REMOTE KILN_SERVE PROPERTY STRINGS AUTO ON OFF)
set(MPI_CXX_SKIP_MPICXX ON)  # the C interface, without the C++ bindings that MPI has dropped
kiln_plugin(mpi MPI_CXX_FOUND MPI::MPI_CXX MPI COMPONENTS CXX)
kiln_plugin(remote CURL_FOUND CURL::libcurl CURL)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
kiln_plugin(serve CppHttplib_FOUND CppHttplib::CppHttplib CppHttplib)

# It opens cuBLAS, cuSPARSE, cuDNN and OpenBLAS itself, when a job calls them.
option(KILN_VENDOR "Build the plug-in that calls vendors' libraries for comparison" ON)
if(KILN_VENDOR)
  kiln_plugin_target(vendor ${CMAKE_DL_LIBS})
endif()
