# kiln_build_info(TARGET): adds src/base/version.cpp.in to TARGET with this build's facts. git gives the revision at each build, and the
# file is written only if it changed. Run as a script (cmake -P), this file does that writing.
if(CMAKE_SCRIPT_MODE_FILE)
  set(ENV{GIT_OPTIONAL_LOCKS} 0)
  execute_process(COMMAND git describe --always --dirty --abbrev=12 --match= WORKING_DIRECTORY ${KILN_SOURCE_DIR}
                  OUTPUT_VARIABLE KILN_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR KILN_REVISION STREQUAL "")
    set(KILN_REVISION unknown)
  endif()
  configure_file(${KILN_SOURCE_DIR}/src/base/version.cpp.in ${KILN_OUTPUT} @ONLY)
  return()
endif()

set(KILN_VERSION_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(kiln_build_info target)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/version.cpp)
  add_custom_target(kiln_revision BYPRODUCTS ${output} VERBATIM COMMENT "Asking git for the revision" COMMAND
    ${CMAKE_COMMAND} -DKILN_SOURCE_DIR=${PROJECT_SOURCE_DIR} -DKILN_OUTPUT=${output} -DKILN_VERSION=${PROJECT_VERSION}
    "-DKILN_COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -DKILN_BUILD_TYPE=$<CONFIG>
    -P ${KILN_VERSION_SCRIPT})
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON GENERATED ON)
  add_dependencies(${target} kiln_revision)
endfunction()
